#ifndef AGENTRUN_DOCTOR_H
#define AGENTRUN_DOCTOR_H

#include "base/strbuf.h"
#include "base/strvec.h"

#include <stdbool.h>

/* doctor: looks at what a run needs, for each runtime: `executable`, `login`,
 * `sandbox`, `network`; one line each with `ok`, `fail` or `skip` and the fix.
 *
 * RUNTIMES: names of runtime_table, empty for all that are. ENVP: the caller's
 * environment. The report goes to OUT: aligned text in the user's language, or
 * with JSON one object and '\n':
 * {"schema":1,"ok":BOOL,"checks":[{"runtime","check","result","detail"}]}.
 * Every external command has 10 s. Returns the exit status: 0 when no check
 * failed, else 1; 2 for an unknown runtime (said in ERR); after a stop signal
 * 128 and its number, and no report. */
struct err;
int doctor_run(const struct strvec *runtimes, bool json, char *const *envp,
	struct strbuf *out, struct err *err);

#endif

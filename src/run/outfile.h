#ifndef AGENTRUN_RUN_OUTFILE_H
#define AGENTRUN_RUN_OUTFILE_H

#include "base/err.h"
#include "run/reader.h"

#include <stdbool.h>

/* outfile: the files of --raw and --save, opened before the run begins. */

#define OUTFILE_TRIED (-2)

/* Opens PATH for writing, emptied. TRY_ONLY (--dry-run): only looks whether it
 * could be opened, leaves it alone and returns OUTFILE_TRIED. Else a
 * descriptor that does not block, or -1 with ERR (AR_EUSAGE). OPTION: "--raw",
 * for the message. A FIFO is waited for until somebody reads it. */
int outfile_open(const char *option, const char *path, bool try_only,
	const struct reader *reader, struct err *err);

/* True when PATH goes into CWD, a real path, and leaves it by a link there: one
 * that an agent may have made to have us write where it cannot. */
bool outfile_leads_out(const char *path, const char *cwd);

#endif

#ifndef AGENTRUN_RUN_ENVIRON_H
#define AGENTRUN_RUN_ENVIRON_H

#include "base/err.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "run/reader.h"
#include "run/request.h"

/* environ: the environment of the runtime (design: sandbox 5).
 *
 * Only what is on the list and what the runtime itself needs is passed on; the
 * rest must be asked for with --env, --env-file or --inherit-env. */
struct environ_made {
	struct strvec vars;  /* KEY=VALUE */
	struct strvec names; /* set by --env and --env-file, each once, in
				order: start.env */
};

void environ_init(struct environ_made *e);
void environ_release(struct environ_made *e);

/* Builds it from the caller's environment CALLER (NULL-ended) for RQ, PATH with
 * the --path directories (made absolute) in front included. -1 with ERR
 * (AR_EUSAGE): a variable that is not set, a file with a bad line (said with
 * its number), a --path that is no directory. */
int environ_build(struct environ_made *e, char *const *caller,
	const struct run_request *rq, const struct reader *reader,
	struct err *err);

/* Sets KEY=VALUE given as one string. */
void environ_set(struct strvec *vars, const char *pair);

/* The directories of the colon list PATH that are absolute. */
void environ_path_dirs(const char *path, struct strvec *dirs);

#endif

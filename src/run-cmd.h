#ifndef AGENTRUN_RUN_CMD_H
#define AGENTRUN_RUN_CMD_H

#include "options.h"
#include "run/run-plan.h"

#include <stdint.h>

/* run-cmd: `agentrun RUNTIME`: from options to the exit status. START_MS:
 * monotonic time at which the command line was parsed. */
int run_cmd(const struct options *o, int64_t start_ms);

/* A run that is refused: one `end` on stdout in FORMAT and in the file of
 * --save, as far as RQ names one; the translated reason on stderr. Returns the
 * exit status. */
int run_cmd_reject(enum format format, const struct run_request *rq,
	int64_t start_ms, const struct err *err);

/* The same way for something else to play, the demo: FILL takes the place of
 * the preflight. */
typedef int run_cmd_fill_fn(struct run_plan *plan, struct loop *loop,
	const bool *stopped, struct err *err);
int run_cmd_play(const struct options *o, const struct run_request *rq,
	int64_t start_ms, run_cmd_fill_fn *fill);

#endif

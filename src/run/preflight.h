#ifndef AGENTRUN_RUN_PREFLIGHT_H
#define AGENTRUN_RUN_PREFLIGHT_H

#include "base/err.h"
#include "base/loop.h"
#include "run/reader.h"
#include "run/run-plan.h"

/* preflight: from what was asked for to what can be started, or a reason why
 * not. Everything that can be found out before the start is found out here. */

/* Fills PLAN. LOOP serves signals while the prompt is read from stdin;
 * STOPPED is looked at then. Returns 0, or -1 with ERR: what is wrong and how
 * to mend it; when STOPPED became true -1 with ERR AR_OK. */
int preflight(struct run_plan *plan, struct loop *loop, const bool *stopped,
	struct err *err);

/* Makes the command, environment and notes for running without a box because
 * of WHY (--sandbox relax). */
int preflight_relax(
	struct run_plan *plan, const struct err *why, struct err *err);

/* Pieces of it, for the demo: opens --raw and --save; makes the [note] texts,
 * WHY: what kept the sandbox of --sandbox relax from starting, or NULL. */
int preflight_outputs(struct run_plan *plan, struct err *err);

/* Opens --save for the `end` of a run that was refused, whatever else of RQ is
 * right. -1: none was asked for, or it is not to be written (a dry run, a link
 * out of the working directory, the file of --raw), or with ERR it cannot be.
 */
int preflight_save_rejected(const struct run_request *rq, struct err *err);

void preflight_notes(struct run_plan *plan, const char *why);

#endif

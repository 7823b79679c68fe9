#ifndef AGENTRUN_RUN_RUN_H
#define AGENTRUN_RUN_RUN_H

#include "base/err.h"
#include "base/keep.h"
#include "base/loop.h"
#include "output/sink.h"
#include "run/preflight.h"

/* run: one run from the prepared plan to the `end` event.
 *
 * main prepares (options, preflight), gives the sinks, and runs the loop until
 * done is called. */
struct run;

struct run_config {
	struct loop *loop;
	struct run_plan *plan; /* borrowed; relax changes it */
	struct sink *out;      /* stdout or the UI; not freed */
	struct sink *save;     /* --save, or NULL; not freed */
	struct keep *keep;     /* gets the raw bytes, too; or NULL; borrowed */
	/* The run is over, every process of it is gone, `end` was given.
	 * Called from the loop. */
	void (*done)(void *arg);
	void *arg;
};

/* How a stop stands, for the UI ("stopping, 4 s"). */
struct run_stop_state {
	bool stopping;
	int64_t kill_in_ms; /* until SIGKILL */
};

struct run *run_new(const struct run_config *config);
void run_start(struct run *r); /* a failure arrives as `end` and done */
void run_free(struct run *r);

/* After done: waits for the readers of what could not be written yet, at most
 * *GRACE_MS (which may change meanwhile) for one that takes nothing. Returns
 * the exit status: that of the verdict, whether they got it or not; another
 * only when an output has failed. */
int run_settle(struct run *r, const int64_t *grace_ms);

/* As if the stop signal SIGNO had arrived: first stops gently, the second time
 * kills. What has ended before is not called interrupted. */
void run_stop(struct run *r, int signo);

/* The loop failed with ERRNUM: the run ends as failed, in order as far as that
 * can be. */
void run_broken(struct run *r, int errnum);
struct run_stop_state run_stop_state(const struct run *r);

/* The one `end` of a run that never began, to each of the COUNT sinks. STATUS
 * is rejected, or interrupted when a signal came first; DETAIL may be any
 * bytes. Returns 0, or -1 when one of them could not take it. */
int run_reject(const struct clock *clock, int64_t start_ms,
	struct sink *const *sinks, size_t count, enum end_status status,
	const char *detail);

#endif

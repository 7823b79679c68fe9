#ifndef AGENTRUN_RUN_RUN_H
#define AGENTRUN_RUN_RUN_H

#include "base/clock.h"
#include "base/err.h"
#include "base/loop.h"
#include "base/strvec.h"
#include "output/sink.h"
#include "runtime/runtime.h"

/* run: one run from the prepared request to the `end` event.
 *
 * main prepares (options, preflight), gives the sinks, and runs the loop until
 * done is called. */
struct run;

/* What a run needs; prepared by run/preflight. Everything is borrowed for the
 * life of the run. */
struct run_plan;

struct run_events {
	/* The run is over, every process of it is gone, `end` was given.
	 * EXIT_STATUS: of the table. */
	void (*done)(void *arg, int exit_status);
	void *arg;
};

/* How a stop stands, for the UI ("stopping, 4 s"). */
struct run_stop_state {
	bool stopping;
	int64_t kill_in_ms; /* until SIGKILL */
};

struct run *run_new(struct loop *loop, const struct run_plan *plan,
	struct sink *const *sinks, size_t sink_count,
	const struct run_events *events);
int run_start(struct run *r); /* 0; a failure arrives as `end` and done */
void run_free(struct run *r);

/* As if SIGNO (SIGINT, SIGTERM, SIGHUP) had arrived: first stops gently, the
 * second time kills. */
void run_stop(struct run *r, int signo);
struct run_stop_state run_stop_state(const struct run *r);

#endif

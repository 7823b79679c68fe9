#ifndef AGENTRUN_RUN_RUN_PRIVATE_H
#define AGENTRUN_RUN_RUN_PRIVATE_H

#include "base/split.h"
#include "event/aggregate.h"
#include "event/status.h"
#include "run/outlets.h"
#include "run/run.h"
#include "runtime/feed.h"

/* run-private: the inside of a run, shared by run.c (starting, and what the
 * owner calls), run-io.c (the runtime's pipes) and run-end.c (stopping, the
 * verdict). */

/* One end of a pipe of the runtime. */
struct run_pipe {
	int fd; /* -1: closed */
	struct loop_fd *watch;
};

struct run {
	struct loop *loop;
	struct run_plan *plan;
	struct outlets outlets;
	struct keep *keep; /* or NULL */
	void (*done)(void *arg);
	void *done_arg;

	struct aggregate *agg;
	struct adapter *ad;
	struct split split;
	struct feed feed;
	uint64_t line_offset; /* of the line at hand in the output */

	struct network *network; /* NULL: none (the demo) */
	struct sandbox *sandbox;
	int tries;    /* to start it */
	bool running; /* start was given */
	bool exited;
	int wait_status;
	int drains;    /* DRAIN_MS that have passed after the kill */
	bool finished; /* `end` was given */
	int exit_status;

	struct run_pipe in;
	struct run_pipe outp;
	struct run_pipe errs;
	size_t in_done;     /* bytes of the input that are written */
	struct strbuf tail; /* of stderr */
	bool tail_cut;      /* it begins within a line */
	bool final;         /* it has given its final result */

	bool stopping;
	bool killed;
	int signals; /* how often run_stop was called */
	int64_t kill_at_ms;
	struct stop_info stop;
	struct strbuf limit_text;
	struct strbuf output_failure; /* detail: what could not be written */
	bool out_gone;                /* EPIPE on stdout */
	struct err relax_why;

	struct loop_timer timeout;
	struct loop_timer kill;
	struct loop_timer after_result;
	struct loop_timer drain;
	struct loop_timer stall; /* a reader has taken nothing for long */
	struct loop_timer later; /* work that must not be done in a callback of
				    the sandbox */
};

/* run.c */
void run_record(void *arg, const struct record *rec); /* a record_fn */
void run_output_failed(struct run *r, const struct err *err);

/* run-io.c */
void run_watch_pipes(struct run *r);
void run_close_pipe(struct run_pipe *p);
void run_check_limits(struct run *r);
/* Reads from the runtime as fast as our own readers take it, and on when they
 * do not. */
void run_pace(struct run *r);
/* Reads what is still in the pipes, whoever holds them, and closes them. */
void run_drain_pipes(struct run *r);
/* Appends what of stderr tells why the runtime failed (cause.h). */
void run_stderr_cause(const struct run *r, struct strbuf *out);

/* run-end.c */
/* The clean stop signal, and SIGKILL after the grace time. Does nothing when
 * that is under way. */
void run_begin_stop(struct run *r);
void run_kill_all(struct run *r);
void run_exited(void *arg, int wait_status); /* sandbox_events.exited */
/* Ends the run when the runtime is reaped and its pipes are at their end. */
void run_check_end(struct run *r);
/* `end` was given. */
void run_over(struct run *r, int exit_status);

#endif

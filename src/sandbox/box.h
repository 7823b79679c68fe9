#ifndef AGENTRUN_SANDBOX_BOX_H
#define AGENTRUN_SANDBOX_BOX_H

#include "sandbox/sandbox.h"
#include "sandbox/watcher.h"

/* box: agentrun's side of every sandbox kind: the pipes, the control socket,
 * the events. A kind only says what its forked child does. */

/* What the forked child starts from; all of it is the child's. */
struct box_child {
	const struct sandbox_spec *spec;
	void *plan;   /* as given to box_start */
	pid_t parent; /* agentrun */
	int ctl;      /* its end of the control socket */
	int stdio[3]; /* the runtime's 0, 1, 2 */
	int diag;     /* its words when the box cannot be set up */
};

struct box_kind {
	/* In the child, with all signals blocked. Never returns. */
	void (*child)(const struct box_child *c) __attribute__((noreturn));

	/* The box ended before the runtime ran: makes ERR from what was written
	 * to diag (white space at the end removed). */
	void (*explain)(const char *said, struct err *err);

	/* Every process of the run is gone: the last words on PLAN. NULL: none.
	 */
	void (*over)(void *plan);

	/* Frees PLAN; NULL: nothing to free. */
	void (*release)(void *plan);

	/* The child dies of PR_SET_PDEATHSIG and takes everything along, so
	 * SIGKILL to it is enough. */
	bool dies_with_all;
};

/* Takes PLAN over, also when it fails. */
struct sandbox *box_start(struct loop *loop, const struct sandbox_spec *spec,
	const struct box_kind *kind, void *plan,
	const struct sandbox_events *events, void *arg, struct err *err);

/* The slots of sandbox_ops, the same for all kinds. */
void box_pipes(struct sandbox *s, int *in, int *out, int *errs);
void box_signal(struct sandbox *s, int signo);
void box_kill(struct sandbox *s);
void box_free(struct sandbox *s);

#endif

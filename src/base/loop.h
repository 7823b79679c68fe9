#ifndef AGENTRUN_BASE_LOOP_H
#define AGENTRUN_BASE_LOOP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* loop: the one poll(2) of the program: descriptors, timers, signals.
 *
 * Callbacks never block. Each may add and remove watches and timers, its own
 * included; a watch that was removed is not called again, also when poll had
 * already reported it. Signals arrive through a self-pipe (base/signals), so
 * callbacks run as ordinary code. */
struct loop;
struct loop_fd; /* a watch */

typedef void loop_fd_fn(void *arg, int fd, short revents);
typedef void loop_timer_fn(void *arg);
typedef void loop_signal_fn(void *arg, int signo);

struct loop_timer { /* the caller's storage; zero it before first use */
	int64_t at_ms;
	loop_timer_fn *fn;
	void *arg;
	bool armed;
	struct loop_timer *next;
};

/* NULL with ERR: no descriptors are left. */
struct loop *loop_new(struct err *err);
void loop_free(struct loop *l); /* restores the signal handlers it replaced */

/* Calls FN when FD has one of EVENTS (POLLIN, POLLOUT), or error or hangup. The
 * loop does not own FD. */
struct loop_fd *loop_watch(
	struct loop *l, int fd, short events, loop_fd_fn *fn, void *arg);
void loop_watch_set(struct loop_fd *w, short events); /* 0: paused, no HUP */
void loop_unwatch(struct loop_fd *w);                 /* NULL is allowed */

/* One call of FN after DELAY_MS (>= 0). An armed timer is set anew. */
void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t delay_ms,
	loop_timer_fn *fn, void *arg);
void loop_timer_clear(struct loop *l, struct loop_timer *t);

/* Calls FN in the loop for each SIGNO received (several may fold into one).
 * FN NULL restores what was there before. -1: it is ignored, and stays so. */
int loop_signal(struct loop *l, int signo, loop_signal_fn *fn, void *arg);

/* Calls FN for every stop signal (base/signals), also for those that came
 * before while they were held. They stay held when the loop is freed: what is
 * still to be done then is short, and its outcome known. */
void loop_stops(struct loop *l, loop_signal_fn *fn, void *arg);

/* The first stop signal that came, or 0: for who waits in the loop. */
int loop_stopped(const struct loop *l);

/* Called before each poll; returns the ms after which it wants to be called
 * again, or -1. The UI draws its frames here. One hook; NULL removes it. */
typedef int loop_before_fn(void *arg);
void loop_before_poll(struct loop *l, loop_before_fn *fn, void *arg);

/* Runs until loop_stop. loop_once: one turn, waiting at most MAX_MS (-1: no
 * limit). Both return 0, or -1 with errno when poll(2) failed: the timers still
 * ran, and the next turn tries again. */
int loop_run(struct loop *l);
int loop_once(struct loop *l, int max_ms);
void loop_stop(struct loop *l);
int64_t loop_now_ms(const struct loop *l); /* monotonic */

#endif

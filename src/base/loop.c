#include "config.h"

#include "base/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/xalloc.h"

#define FAILED_PAUSE_MS 10 /* no busy loop when poll(2) fails */

struct loop_fd {
	struct loop *loop;
	int fd;
	short events;
	bool dead; /* removed while a turn is under way */
	loop_fd_fn *fn;
	void *arg;
};

struct signal_watch {
	loop_signal_fn *fn;
	void *arg;
	bool installed;
	struct sigaction old;
};

struct loop {
	struct loop_fd **watches;
	size_t count;
	size_t cap;
	struct pollfd *fds; /* parallel to watches during a turn */
	size_t fds_cap;
	bool has_dead;
	bool stop;
	struct loop_timer *timers; /* sorted by at_ms */
	loop_before_fn *before;
	void *before_arg;
	int pipe[2];
	struct loop_fd *pipe_watch;
	struct signal_watch signals[NSIG];
	int stopped; /* the first stop signal */
};

static void serve_signals(struct loop *l)
{
	for (int s = 1; s < NSIG; s++) {
		const struct signal_watch *w = &l->signals[s];

		if (!w->fn || !signals_take(s))
			continue;
		if (!l->stopped && signals_is_stop(s))
			l->stopped = s;
		w->fn(w->arg, s);
	}
}

static void on_wake(void *arg, int fd, short revents)
{
	char buf[256];

	(void)arg;
	(void)revents;
	while (read(fd, buf, sizeof(buf)) > 0)
		continue;
}

struct loop *loop_new(struct err *err)
{
	struct loop *l = xcalloc(1, sizeof(*l));

	if (io_pipe(l->pipe) != 0) {
		err_set(err, AR_EIO, N_("cannot make a pipe: %s"),
			err_str(errno));
		free(l);
		return NULL;
	}
	if (io_set_nonblock(l->pipe[0], true) < 0 ||
		io_set_nonblock(l->pipe[1], true) < 0) {
		err_set(err, AR_EIO, N_("cannot make a pipe: %s"),
			err_str(errno));
		loop_free(l);
		return NULL;
	}
	signals_wake(l->pipe[1]);
	l->pipe_watch = loop_watch(l, l->pipe[0], POLLIN, on_wake, l);
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	for (int s = 1; s < NSIG; s++)
		loop_signal(l, s, NULL, NULL);
	signals_wake(-1);
	close(l->pipe[0]);
	close(l->pipe[1]);
	for (size_t i = 0; i < l->count; i++)
		free(l->watches[i]);
	free(l->watches);
	free(l->fds);
	free(l);
}

struct loop_fd *loop_watch(
	struct loop *l, int fd, short events, loop_fd_fn *fn, void *arg)
{
	struct loop_fd *w = xcalloc(1, sizeof(*w));

	w->loop = l;
	w->fd = fd;
	w->events = events;
	w->fn = fn;
	w->arg = arg;
	if (l->count == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 16;
		l->watches = xreallocarray(
			l->watches, l->cap, sizeof(struct loop_fd *));
	}
	l->watches[l->count++] = w;
	return w;
}

void loop_watch_set(struct loop_fd *w, short events)
{
	w->events = events;
}

void loop_unwatch(struct loop_fd *w)
{
	if (!w)
		return;
	w->dead = true;
	w->loop->has_dead = true;
}

static void sweep(struct loop *l)
{
	size_t kept = 0;

	if (!l->has_dead)
		return;
	for (size_t i = 0; i < l->count; i++) {
		if (l->watches[i]->dead)
			free(l->watches[i]);
		else
			l->watches[kept++] = l->watches[i];
	}
	l->count = kept;
	l->has_dead = false;
}

int64_t loop_now_ms(const struct loop *l)
{
	struct timespec ts;

	(void)l;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void loop_timer_clear(struct loop *l, struct loop_timer *t)
{
	struct loop_timer **at = &l->timers;

	if (!t->armed)
		return;
	while (*at && *at != t)
		at = &(*at)->next;
	ar_assert(*at == t);
	*at = t->next;
	t->next = NULL;
	t->armed = false;
}

void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t delay_ms,
	loop_timer_fn *fn, void *arg)
{
	struct loop_timer **at = &l->timers;
	int64_t now = loop_now_ms(l);

	loop_timer_clear(l, t);
	t->at_ms = delay_ms > INT64_MAX - now ? INT64_MAX : now + delay_ms;
	t->fn = fn;
	t->arg = arg;
	t->armed = true;
	while (*at && (*at)->at_ms <= t->at_ms)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
}

/* Calls the timers that are due now; ones set meanwhile wait for the next
 * turn, so that a timer of 0 ms does not starve the descriptors. */
static void run_timers(struct loop *l)
{
	int64_t now = loop_now_ms(l);

	while (l->timers && l->timers->at_ms <= now) {
		struct loop_timer *t = l->timers;

		l->timers = t->next;
		t->next = NULL;
		t->armed = false;
		t->fn(t->arg);
	}
}

int loop_signal(struct loop *l, int signo, loop_signal_fn *fn, void *arg)
{
	struct signal_watch *w = &l->signals[signo];

	w->fn = fn;
	w->arg = arg;
	if (!fn) {
		if (w->installed)
			(void)sigaction(signo, &w->old, NULL);
		w->installed = false;
		return 0;
	}
	if (w->installed)
		return 0;
	if (signals_catch(signo, &w->old) < 0) {
		w->fn = NULL;
		return -1;
	}
	w->installed = true;
	return 0;
}

void loop_stops(struct loop *l, loop_signal_fn *fn, void *arg)
{
	signals_hold();
	for (int s = 1; s < NSIG; s++) {
		if (!signals_is_stop(s))
			continue;
		l->signals[s].fn = fn;
		l->signals[s].arg = arg;
	}
	(void)!write(l->pipe[1], "", 1); /* for those that came before */
}

int loop_stopped(const struct loop *l)
{
	return l->stopped;
}

void loop_before_poll(struct loop *l, loop_before_fn *fn, void *arg)
{
	l->before = fn;
	l->before_arg = arg;
}

/* Milliseconds to wait: the smallest of the next timer, HOOK_MS and MAX_MS. */
static int wait_ms(struct loop *l, int hook_ms, int max_ms)
{
	int wait = max_ms;

	if (hook_ms >= 0 && (wait < 0 || hook_ms < wait))
		wait = hook_ms;
	if (l->timers) {
		int64_t left = l->timers->at_ms - loop_now_ms(l);

		if (left < 0)
			left = 0;
		if (wait < 0 || left < wait)
			wait = left > 1000000000 ? 1000000000 : (int)left;
	}
	return wait;
}

static size_t fill_fds(struct loop *l)
{
	size_t n = l->count;

	if (n > l->fds_cap) {
		l->fds_cap = n * 2;
		l->fds = xreallocarray(
			l->fds, l->fds_cap, sizeof(struct pollfd));
	}
	for (size_t i = 0; i < n; i++) {
		struct loop_fd *w = l->watches[i];

		/* a paused watch must not report a hangup again and again */
		l->fds[i].fd = w->events ? w->fd : -1;
		l->fds[i].events = w->events;
		l->fds[i].revents = 0;
	}
	return n;
}

int loop_once(struct loop *l, int max_ms)
{
	int hook_ms = l->before ? l->before(l->before_arg) : -1;
	int failed = 0;
	size_t n;
	int ready;

	if (l->stop)
		return 0;
	sweep(l);
	n = fill_fds(l);
	ready = poll(l->fds, n, wait_ms(l, hook_ms, max_ms));
	if (ready < 0 && errno != EINTR && errno != EAGAIN) {
		failed = errno;
		(void)poll(NULL, 0, FAILED_PAUSE_MS);
	}
	/* First of all: a signal to the whole job ends the runtime, too, and
	 * that is then no failure. */
	serve_signals(l);
	for (size_t i = 0; ready > 0 && i < n; i++) {
		struct loop_fd *w = l->watches[i];
		short revents = l->fds[i].revents;

		if (revents)
			ready--;
		if (revents && !w->dead && w->events)
			w->fn(w->arg, w->fd, revents);
	}
	run_timers(l);
	sweep(l);
	errno = failed;
	return failed ? -1 : 0;
}

int loop_run(struct loop *l)
{
	l->stop = false;
	while (!l->stop) {
		if (loop_once(l, -1) < 0)
			return -1;
	}
	l->stop = false;
	return 0;
}

void loop_stop(struct loop *l)
{
	l->stop = true;
}

#include "config.h"

#include "base/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/xalloc.h"

#define SIGNALS 65

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
	struct signal_watch signals[SIGNALS];
};

/* The write end for the handlers; a process has one signal table, so one. */
static volatile sig_atomic_t signal_pipe = -1;

static void on_signal(int signo)
{
	int saved = errno;
	unsigned char byte = (unsigned char)signo;

	if (signal_pipe >= 0)
		(void)!write(signal_pipe, &byte, 1); /* full: one is enough */
	errno = saved;
}

static void read_signals(void *arg, int fd, short revents)
{
	struct loop *l = arg;
	bool seen[SIGNALS] = {false};
	unsigned char buf[256];
	ssize_t n;

	(void)revents;
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] < SIGNALS)
				seen[buf[i]] = true;
		}
	}
	for (int s = 1; s < SIGNALS; s++) {
		if (seen[s] && l->signals[s].fn)
			l->signals[s].fn(l->signals[s].arg, s);
	}
}

struct loop *loop_new(void)
{
	struct loop *l = xcalloc(1, sizeof(*l));

	if (io_pipe(l->pipe) != 0)
		die("cannot make a pipe: %s", strerror(errno));
	io_set_nonblock(l->pipe[0], true);
	io_set_nonblock(l->pipe[1], true);
	signal_pipe = l->pipe[1];
	l->pipe_watch = loop_watch(l, l->pipe[0], POLLIN, read_signals, l);
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	for (int s = 1; s < SIGNALS; s++)
		loop_signal(l, s, NULL, NULL);
	if (signal_pipe == l->pipe[1])
		signal_pipe = -1;
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
	struct sigaction sa;

	w->fn = fn;
	w->arg = arg;
	if (!fn) {
		if (w->installed)
			sigaction(signo, &w->old, NULL);
		w->installed = false;
		return 0;
	}
	if (w->installed)
		return 0;
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sa.sa_flags = SA_RESTART;
	sigfillset(&sa.sa_mask);
	if (sigaction(signo, &sa, &w->old) != 0)
		return -1;
	w->installed = true;
	return 0;
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

void loop_once(struct loop *l, int max_ms)
{
	int hook_ms = l->before ? l->before(l->before_arg) : -1;
	size_t n;
	int ready;

	if (l->stop)
		return;
	sweep(l);
	n = fill_fds(l);
	ready = poll(l->fds, n, wait_ms(l, hook_ms, max_ms));
	if (ready < 0 && errno != EINTR && errno != EAGAIN)
		die("poll failed: %s", strerror(errno));
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
}

void loop_run(struct loop *l)
{
	l->stop = false;
	while (!l->stop)
		loop_once(l, -1);
	l->stop = false;
}

void loop_stop(struct loop *l)
{
	l->stop = true;
}

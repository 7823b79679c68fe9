#include "config.h"

#include "base/outq.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

/* After a stall bigger than this its memory is given back. */
#define OUTQ_KEEP ((size_t)1 << 20)
/* A terminal with any room at all has as much as this: the kernel counts its
 * buffers in pieces of 256 bytes, and a newline may need two. */
#define TTY_MOST 64
#define LOOK_MS 50 /* for the first reader of a FIFO */

void outq_init(struct outq *q, int fd)
{
	memset(q, 0, sizeof(*q));
	q->fd = fd;
	q->own_fd = -1;
	strbuf_init(&q->pending);
}

static void unwatch(struct outq *q)
{
	if (q->loop)
		loop_timer_clear(q->loop, &q->look);
	loop_unwatch(q->watch);
	q->watch = NULL;
}

void outq_release(struct outq *q)
{
	unwatch(q);
	q->loop = NULL;
	if (q->own_fd >= 0)
		close(q->own_fd);
	q->own_fd = -1;
	strbuf_release(&q->pending);
	q->sent = 0;
}

int outq_fd(const struct outq *q)
{
	return q->own_fd >= 0 ? q->own_fd : q->fd;
}

size_t outq_queued(const struct outq *q)
{
	return q->pending.len - q->sent;
}

void outq_drop(struct outq *q)
{
	q->sent = 0;
	if (q->pending.cap > OUTQ_KEEP)
		strbuf_release(&q->pending);
	else
		strbuf_reset(&q->pending);
	if (q->watch)
		loop_watch_set(q->watch, POLLERR);
}

void outq_touch(struct outq *q)
{
	if (q->loop)
		q->moved_ms = loop_now_ms(q->loop);
}

int64_t outq_stalled_ms(const struct outq *q)
{
	if (!q->loop || !outq_queued(q))
		return 0;
	return loop_now_ms(q->loop) - q->moved_ms;
}

/* Returns -1 with errno. */
static int failed(struct outq *q, int errnum)
{
	unwatch(q);
	outq_drop(q);
	q->errnum = errnum;
	errno = errnum;
	return -1;
}

/* One write(2) that does not block. */
static ssize_t write_once(struct outq *q, const char *data, size_t len)
{
	int fd = outq_fd(q);
	struct pollfd p = {fd, POLLOUT, 0};

	if (q->is_socket)
		return send(fd, data, len, MSG_DONTWAIT);
	if (q->most && poll(&p, 1, 0) <= 0) {
		errno = EAGAIN;
		return -1;
	}
	return write(fd, data, q->most && len > q->most ? q->most : len);
}

/* Writes what can be written now. Returns the bytes, or -1 with errno. */
static ssize_t write_some(struct outq *q, const char *data, size_t len)
{
	size_t done = 0;

	while (done < len && !q->is_late) {
		ssize_t n = write_once(q, data + done, len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			break;
		else if (errno != EINTR)
			return failed(q, errno);
	}
	q->written += done;
	return (ssize_t)done;
}

int outq_flush(struct outq *q)
{
	ssize_t n = write_some(
		q, q->pending.buf + q->sent, q->pending.len - q->sent);

	if (n < 0)
		return -1;
	if (n > 0)
		outq_touch(q);
	q->sent += (size_t)n;
	if (!outq_queued(q))
		outq_drop(q);
	return 0;
}

/* A reader that is slow but steady must not make the sent part grow. */
static void queue(struct outq *q, const char *data, size_t len)
{
	if (!outq_queued(q))
		outq_touch(q);
	if (q->sent > OUTQ_KEEP && q->sent > q->pending.len / 2) {
		strbuf_drop(&q->pending, q->sent);
		q->sent = 0;
	}
	strbuf_add(&q->pending, data, len);
	if (q->watch)
		loop_watch_set(q->watch, POLLOUT);
}

int outq_write(struct outq *q, const char *data, size_t len)
{
	ssize_t n = 0;

	if (!q->loop)
		return io_write_all(q->fd, data, len);
	if (q->errnum)
		return failed(q, q->errnum);
	if (!outq_queued(q))
		n = write_some(q, data, len);
	if (n < 0)
		return -1;
	if ((size_t)n < len)
		queue(q, data + n, len - (size_t)n);
	return 0;
}

static void on_writable(void *arg, int fd, short revents)
{
	struct outq *q = arg;
	int ret = 0;

	(void)fd;
	if (outq_queued(q))
		ret = outq_flush(q);
	else if (revents & (POLLERR | POLLHUP | POLLNVAL))
		ret = failed(q, EPIPE);
	if (q->fn && (ret < 0 || !outq_queued(q)))
		q->fn(q->arg, ret < 0 ? q->errnum : 0);
}

static void watch(struct outq *q)
{
	/* A pipe whose reader goes away says so without being written to. */
	q->watch = loop_watch(q->loop, outq_fd(q),
		outq_queued(q) ? POLLOUT : POLLERR, on_writable, q);
}

/* O_NONBLOCK belongs to the open file, which others share (the shell, the next
 * program of the pipeline): it is not ours to set. Opening the pipe or terminal
 * again gives an open file of our own. Returns it, or -1 with errno. */
static int open_again(int fd)
{
	const int flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
#ifdef __linux__
	char path[64];
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, flags);
	/* After su(1) the terminal is another user's, but still ours. */
	if (own < 0 && errno == EACCES && tcgetpgrp(fd) >= 0)
		own = open("/dev/tty", flags);
	return own;
#else
	const char *name = ttyname(fd);

	return name ? open(name, flags) : -1;
#endif
}

static void look_for_reader(void *arg)
{
	struct outq *q = arg;

	q->own_fd = open_again(q->fd);
	if (q->own_fd < 0 && errno == ENXIO) {
		loop_timer_set(q->loop, &q->look, LOOK_MS, look_for_reader, q);
		return;
	}
	if (q->own_fd < 0) {
		(void)failed(q, errno);
		if (q->fn)
			q->fn(q->arg, q->errnum);
		return;
	}
	q->is_late = false;
	watch(q);
}

/* How Q's descriptor is written to without blocking. */
static void look_at(struct outq *q)
{
	struct stat st;
	int flags = fcntl(q->fd, F_GETFL);

	if (flags < 0 || fstat(q->fd, &st) < 0)
		return;
#ifdef O_PATH
	q->is_late = (flags & O_PATH) != 0;
#endif
	q->is_socket = S_ISSOCK(st.st_mode);
	if (q->is_late || q->is_socket || (flags & O_NONBLOCK) ||
		S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(q->fd)))
		return;
	q->own_fd = open_again(q->fd);
	/* Where that fails, small pieces after POLLOUT do not block either. */
	if (q->own_fd < 0)
		q->most = S_ISCHR(st.st_mode) ? TTY_MOST : PIPE_BUF;
}

void outq_attach(struct outq *q, struct loop *l, outq_fn *fn, void *arg)
{
	q->loop = l;
	q->fn = fn;
	q->arg = arg;
	look_at(q);
	outq_touch(q);
	if (q->is_late)
		look_for_reader(q);
	else
		watch(q);
}

/* Whether Q is still worth waiting for; *LEFT_MS: how long at most, if that is
 * less. */
static bool is_waited_for(
	const struct outq *q, int64_t grace_ms, int64_t *left_ms)
{
	int64_t left;

	if (!q || !outq_queued(q))
		return false;
	left = grace_ms - outq_stalled_ms(q);
	if (left <= 0)
		return false;
	if (left < *left_ms)
		*left_ms = left;
	return true;
}

void outq_settle(struct loop *l, struct outq *const *queues, size_t n,
	const int64_t *grace_ms)
{
	for (;;) {
		int64_t left = INT_MAX;
		bool any = false;

		for (size_t i = 0; i < n; i++)
			any = is_waited_for(queues[i], *grace_ms, &left) || any;
		if (!any)
			break;
		(void)loop_once(l, (int)left);
	}
	for (size_t i = 0; i < n; i++)
		if (queues[i] && outq_queued(queues[i]))
			(void)outq_flush(queues[i]);
}

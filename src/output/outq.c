#include "config.h"

#include "output/outq.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

/* After a stall bigger than this its memory is given back. */
#define OUTQ_KEEP ((size_t)1 << 20)

void outq_init(struct outq *q, int fd)
{
	q->fd = fd;
	q->own_fd = -1;
	q->most = 0;
	q->patient = true;
	strbuf_init(&q->pending);
	q->sent = 0;
}

void outq_release(struct outq *q)
{
	if (q->own_fd >= 0)
		close(q->own_fd);
	q->own_fd = -1;
	strbuf_release(&q->pending);
}

/* O_NONBLOCK belongs to the open file, which others share (the shell, the next
 * program of the pipeline): it is not ours to set. Opening the pipe or terminal
 * again gives an open file of our own. Where that fails, small pieces after
 * POLLOUT do not block either. */
void outq_set_impatient(struct outq *q)
{
	char path[64];
	struct stat st;
	int flags = fcntl(q->fd, F_GETFL);

	q->patient = false;
	if (flags < 0 || (flags & O_NONBLOCK) || fstat(q->fd, &st) < 0)
		return;
	if (S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(q->fd)))
		return;
	q->most = PIPE_BUF;
#ifdef __linux__
	snprintf(path, sizeof(path), "/proc/self/fd/%d", q->fd);
	q->own_fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
#else
	(void)path;
#endif
	if (q->own_fd >= 0)
		q->most = 0;
}

int outq_fd(const struct outq *q)
{
	return q->own_fd >= 0 ? q->own_fd : q->fd;
}

size_t outq_queued(const struct outq *q)
{
	return q->pending.len - q->sent;
}

/* Writes what can be written now. Returns the bytes, or -1 with errno. */
static ssize_t write_some(struct outq *q, const char *data, size_t len)
{
	int fd = outq_fd(q);
	size_t done = 0;

	while (done < len) {
		size_t part = len - done;
		ssize_t n;

		if (q->most) {
			struct pollfd p = {fd, POLLOUT, 0};

			if (poll(&p, 1, 0) <= 0)
				break;
			if (part > q->most)
				part = q->most;
		}
		n = write(fd, data + done, part);
		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			break;
		else if (errno != EINTR)
			return -1;
	}
	return (ssize_t)done;
}

int outq_flush(struct outq *q)
{
	ssize_t n = write_some(
		q, q->pending.buf + q->sent, q->pending.len - q->sent);

	if (n < 0)
		return -1;
	q->sent += (size_t)n;
	if (outq_queued(q))
		return 0;
	q->sent = 0;
	if (q->pending.cap > OUTQ_KEEP)
		strbuf_release(&q->pending);
	else
		strbuf_reset(&q->pending);
	return 0;
}

int outq_write(struct outq *q, const char *data, size_t len)
{
	ssize_t n = 0;

	if (q->patient)
		return io_write_all(q->fd, data, len);
	if (!outq_queued(q))
		n = write_some(q, data, len);
	if (n < 0)
		return -1;
	strbuf_add(&q->pending, data + n, len - (size_t)n);
	return 0;
}

#include "config.h"

#include "run/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/encoding.h"
#include "base/i18n.h"

#define PIECE 65536

struct reading {
	struct strbuf *out;
	size_t left; /* of the most that is wanted */
	bool done;
	int errnum;
};

static void on_readable(void *arg, int fd, short revents)
{
	struct reading *p = arg;
	char *to = strbuf_reserve(p->out, PIECE);
	ssize_t n = read(fd, to, PIECE);

	(void)revents;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0)
		p->errnum = errno;
	else if ((size_t)n > p->left)
		p->errnum = EFBIG;
	p->done = n == 0 || p->errnum;
	if (p->done)
		return;
	p->left -= (size_t)n;
	strbuf_setlen(p->out, p->out->len + (size_t)n);
}

static int cannot_read(const char *name, int errnum, struct err *err)
{
	return err_set(err, AR_EUSAGE,
		N_("cannot read '%s': %s; name a file that can be read"), name,
		err_str(errnum));
}

int reader_fd(const struct reader *r, int fd, const char *name, size_t max,
	struct strbuf *out, struct err *err)
{
	const size_t before = out->len;
	struct reading p = {out, max, false, 0};
	struct loop_fd *watch =
		loop_watch(r->loop, fd, POLLIN, on_readable, &p);

	while (!p.done && !*r->stopped)
		if (loop_once(r->loop, -1) < 0) {
			p.errnum = errno;
			p.done = true;
		}
	loop_unwatch(watch);
	if (p.errnum)
		return cannot_read(name, p.errnum, err);
	if (!p.done)
		return -1;
	if (encoding_check(name, out->buf + before, out->len - before, err) ==
		0)
		return 0;
	err->code = AR_EUSAGE;
	return -1;
}

int reader_file(const struct reader *r, const char *path, size_t max,
	struct strbuf *out, struct err *err)
{
	/* A FIFO opens at once; poll(2) then waits for its first writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int ret;

	if (fd < 0)
		return cannot_read(path, errno, err);
	ret = reader_fd(r, fd, path, max, out, err);
	close(fd);
	return ret;
}

#include "config.h"

#include "output/spool.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/keep.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

struct spool {
	struct sink sink; /* must be first */
	struct sink *to;
	int fd;
	bool broken;
	struct strbuf line;
};

static int spool_event(
	struct sink *s, const struct event *ev, int *syserr, struct err *err)
{
	struct spool *spool = (struct spool *)s;

	if (!spool->broken) {
		strbuf_reset(&spool->line);
		event_write(&spool->line, ev);
		if (io_write_all(spool->fd, spool->line.buf, spool->line.len) !=
			0)
			spool->broken = true;
	}
	return spool->to->ops->event(spool->to, ev, syserr, err);
}

static void spool_free(struct sink *s)
{
	struct spool *spool = (struct spool *)s;

	if (spool->fd >= 0)
		close(spool->fd);
	strbuf_release(&spool->line);
	free(spool);
}

static const struct sink_ops spool_ops = {
	.event = spool_event,
	.free = spool_free,
};

struct sink *spool_new(struct sink *to)
{
	struct spool *spool = xcalloc(1, sizeof(*spool));

	spool->sink.ops = &spool_ops;
	spool->to = to;
	spool->fd = keep_open_private();
	spool->broken = spool->fd < 0;
	strbuf_init(&spool->line);
	return &spool->sink;
}

int spool_fd(const struct sink *s)
{
	return ((const struct spool *)s)->fd;
}

bool spool_is_broken(const struct sink *s)
{
	return ((const struct spool *)s)->broken;
}

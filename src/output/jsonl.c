#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/outq.h"
#include "base/xalloc.h"
#include "output/sink.h"

/* After an event bigger than this its memory is given back. */
#define JSONL_KEEP ((size_t)1 << 20)

struct jsonl {
	struct sink sink; /* must be first */
	struct outq queue;
	bool own;
	char *name;
	struct strbuf line;
};

static int jsonl_event(
	struct sink *s, const struct event *ev, int *syserr, struct err *err)
{
	struct jsonl *j = (struct jsonl *)s;
	int failed;

	strbuf_reset(&j->line);
	event_write(&j->line, ev);
	failed = outq_write(&j->queue, j->line.buf, j->line.len);
	*syserr = failed ? errno : 0;
	if (j->line.cap > JSONL_KEEP)
		strbuf_release(&j->line);
	if (failed)
		return err_set(err, AR_EIO, N_("cannot write '%s': %s"),
			j->name, err_str(*syserr));
	return 0;
}

static void jsonl_free(struct sink *s)
{
	struct jsonl *j = (struct jsonl *)s;

	if (j->own)
		close(j->queue.fd);
	outq_release(&j->queue);
	strbuf_release(&j->line);
	free(j->name);
	free(j);
}

static struct outq *jsonl_queue(struct sink *s)
{
	return &((struct jsonl *)s)->queue;
}

static const struct sink_ops jsonl_ops = {
	.event = jsonl_event,
	.free = jsonl_free,
	.queue = jsonl_queue,
};

struct sink *jsonl_new(int fd, bool own, const char *name)
{
	struct jsonl *j = xmalloc(sizeof(*j));

	j->sink.ops = &jsonl_ops;
	outq_init(&j->queue, fd);
	j->own = own;
	j->name = xstrdup(name);
	strbuf_init(&j->line);
	return &j->sink;
}

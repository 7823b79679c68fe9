#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/i18n.h"
#include "base/outq.h"
#include "base/xalloc.h"
#include "output/sink.h"
#include "output/textfmt.h"

/* After lines longer than this their memory is given back. */
#define TEXT_KEEP ((size_t)1 << 20)

struct text {
	struct sink sink; /* must be first */
	struct outq queue;
	char *name;
	struct textfmt *fmt;
	struct strbuf lines;
};

static int text_event(
	struct sink *s, const struct event *ev, int *syserr, struct err *err)
{
	struct text *t = (struct text *)s;
	int failed = 0;

	*syserr = 0;
	strbuf_reset(&t->lines);
	textfmt_event(t->fmt, ev, &t->lines);
	if (t->lines.len)
		failed = outq_write(&t->queue, t->lines.buf, t->lines.len);
	if (failed)
		*syserr = errno;
	if (t->lines.cap > TEXT_KEEP)
		strbuf_release(&t->lines);
	if (failed)
		return err_set(err, AR_EIO, N_("cannot write '%s': %s"),
			t->name, err_str(*syserr));
	return 0;
}

static void text_free(struct sink *s)
{
	struct text *t = (struct text *)s;

	outq_release(&t->queue);
	textfmt_free(t->fmt);
	strbuf_release(&t->lines);
	free(t->name);
	free(t);
}

static struct outq *text_queue(struct sink *s)
{
	return &((struct text *)s)->queue;
}

static const struct sink_ops text_ops = {
	.event = text_event,
	.free = text_free,
	.queue = text_queue,
};

struct sink *text_new(int fd, bool clean, const char *name)
{
	struct text *t = xmalloc(sizeof(*t));

	t->sink.ops = &text_ops;
	outq_init(&t->queue, fd);
	t->name = xstrdup(name);
	t->fmt = textfmt_new(clean);
	strbuf_init(&t->lines);
	return &t->sink;
}

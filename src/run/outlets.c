#include "config.h"

#include "run/outlets.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/i18n.h"

void outlets_init(struct outlets *o, struct loop *loop)
{
	memset(o, 0, sizeof(*o));
	o->loop = loop;
	for (int i = 0; i < OUTLET_COUNT; i++) {
		o->v[i].all = o;
		o->v[i].kind = (enum outlet_kind)i;
	}
	outq_init(&o->raw, -1);
}

static void close_outlet(struct outlet *t)
{
	loop_unwatch(t->watch);
	t->watch = NULL;
	t->sink = NULL;
	t->queue = NULL;
}

void outlets_release(struct outlets *o)
{
	for (int i = 0; i < OUTLET_COUNT; i++)
		close_outlet(&o->v[i]);
	outq_release(&o->raw);
}

size_t outlets_queued(const struct outlets *o)
{
	size_t n = 0;

	for (int i = 0; i < OUTLET_COUNT; i++) {
		if (o->v[i].queue)
			n += outq_queued(o->v[i].queue);
	}
	return n;
}

static void failed(struct outlet *t, int syserr, const struct err *err)
{
	struct outlets *o = t->all;

	close_outlet(t);
	o->failed(o->arg, t->kind, syserr, err);
}

static void write_failed(struct outlet *t, int syserr)
{
	struct err err = ERR_INIT;

	err_set(&err, AR_EIO, N_("cannot write '%s': %s"), t->name,
		err_str(syserr));
	failed(t, syserr, &err);
}

static void on_writable(void *arg, int fd, short revents)
{
	struct outlet *t = arg;
	struct outlets *o = t->all;

	(void)fd;
	if (!outq_queued(t->queue) && (revents & (POLLERR | POLLHUP)))
		write_failed(t, EPIPE);
	else if (outq_flush(t->queue) < 0)
		write_failed(t, errno);
	else if (!outq_queued(t->queue))
		loop_watch_set(t->watch, POLLERR);
	if (!outlets_queued(o))
		o->drained(o->arg);
}

/* Watches the descriptor of an outlet that has something queued. */
static void watch(struct outlet *t)
{
	if (!t->queue || !outq_queued(t->queue))
		return;
	if (t->watch)
		loop_watch_set(t->watch, POLLOUT);
	else
		t->watch = loop_watch(t->all->loop, outq_fd(t->queue), POLLOUT,
			on_writable, t);
}

void outlets_set_sink(struct outlets *o, enum outlet_kind kind,
	struct sink *sink, const char *name)
{
	struct outlet *t = &o->v[kind];

	close_outlet(t);
	t->sink = sink;
	t->name = name;
	if (sink && sink->ops->queue)
		t->queue = sink->ops->queue(sink);
	if (!t->queue)
		return;
	outq_set_impatient(t->queue);
	/* A pipe whose reader goes away says so without being written to. */
	t->watch =
		loop_watch(o->loop, outq_fd(t->queue), POLLERR, on_writable, t);
}

void outlets_set_raw(struct outlets *o, int fd, const char *name)
{
	struct outlet *t = &o->v[OUTLET_RAW];

	outq_init(&o->raw, fd);
	outq_set_impatient(&o->raw);
	t->queue = &o->raw;
	t->name = name;
}

void outlets_event(struct outlets *o, const struct event *ev)
{
	static const enum outlet_kind order[] = {OUTLET_SAVE, OUTLET_OUT};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		struct outlet *t = &o->v[order[i]];
		struct err err = ERR_INIT;
		int syserr = 0;

		if (!t->sink)
			continue;
		if (t->sink->ops->event(t->sink, ev, &syserr, &err) < 0)
			failed(t, syserr, &err);
		else
			watch(t);
	}
}

void outlets_raw(struct outlets *o, const char *data, size_t len)
{
	struct outlet *t = &o->v[OUTLET_RAW];

	if (!t->queue)
		return;
	if (outq_write(t->queue, data, len) < 0)
		write_failed(t, errno);
	else
		watch(t);
}

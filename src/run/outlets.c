#include "config.h"

#include "run/outlets.h"

#include <errno.h>
#include <string.h>

#include "base/i18n.h"
#include "base/log.h"

static void on_diag(void *arg)
{
	struct outlets *o = arg;

	o->drained(o->arg);
}

void outlets_init(struct outlets *o, struct loop *loop)
{
	memset(o, 0, sizeof(*o));
	o->loop = loop;
	for (int i = 0; i < OUTLET_COUNT; i++) {
		o->v[i].all = o;
		o->v[i].kind = (enum outlet_kind)i;
	}
	outq_init(&o->raw, -1);
	diag_on_drained(on_diag, o);
}

static void close_outlet(struct outlet *t)
{
	t->sink = NULL;
	t->queue = NULL;
}

void outlets_release(struct outlets *o)
{
	diag_on_drained(NULL, NULL);
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

int64_t outlets_stalled_ms(const struct outlets *o)
{
	int64_t most = 0;

	for (int i = 0; i < OUTLET_COUNT; i++) {
		const struct outq *q = o->v[i].queue;
		int64_t ms = q ? outq_stalled_ms(q) : 0;

		if (ms > most)
			most = ms;
	}
	return most;
}

void outlets_touch(struct outlets *o)
{
	for (int i = 0; i < OUTLET_COUNT; i++) {
		if (o->v[i].queue)
			outq_touch(o->v[i].queue);
	}
	outq_touch(diag_queue());
}

void outlets_settle(struct outlets *o, const int64_t *grace_ms)
{
	struct outq *all[OUTLET_COUNT + 1];

	for (int i = 0; i < OUTLET_COUNT; i++)
		all[i] = o->v[i].queue;
	all[OUTLET_COUNT] = diag_queue();
	outq_settle(o->loop, all, OUTLET_COUNT + 1, grace_ms);
	for (int i = 0; i < OUTLET_COUNT; i++) {
		struct outlet *t = &o->v[i];

		if (!t->queue || !outq_queued(t->queue))
			continue;
		outq_drop(t->queue);
		diag_lost(t->name);
	}
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

static void on_queue(void *arg, int errnum)
{
	struct outlet *t = arg;
	struct outlets *o = t->all;

	if (errnum && t->queue)
		write_failed(t, errnum);
	o->drained(o->arg);
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
	if (t->queue)
		outq_attach(t->queue, o->loop, on_queue, t);
}

void outlets_set_raw(struct outlets *o, int fd, const char *name)
{
	struct outlet *t = &o->v[OUTLET_RAW];

	outq_init(&o->raw, fd);
	t->queue = &o->raw;
	t->name = name;
	outq_attach(t->queue, o->loop, on_queue, t);
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
	}
}

void outlets_raw(struct outlets *o, const char *data, size_t len)
{
	struct outlet *t = &o->v[OUTLET_RAW];

	if (t->queue && outq_write(t->queue, data, len) < 0)
		write_failed(t, errno);
}

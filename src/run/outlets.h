#ifndef AGENTRUN_RUN_OUTLETS_H
#define AGENTRUN_RUN_OUTLETS_H

#include "base/err.h"
#include "base/loop.h"
#include "base/outq.h"
#include "output/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* outlets: where the output of a run goes: events to stdout (or the UI) and to
 * --save, the raw bytes to --raw.
 *
 * None of them is waited for. What a slow reader does not take yet is queued,
 * and signals and timers are served all the same. What goes to stderr has its
 * queue elsewhere (base/log.h). */
enum outlet_kind {
	OUTLET_OUT,
	OUTLET_SAVE,
	OUTLET_RAW
};
#define OUTLET_COUNT 3

struct outlet {
	struct outlets *all;
	enum outlet_kind kind;
	struct sink *sink;  /* of OUT and SAVE; borrowed; NULL: none */
	struct outq *queue; /* NULL: none */
	const char *name;   /* for messages */
};

struct outlets {
	struct loop *loop;
	struct outlet v[OUTLET_COUNT];
	struct outq raw;

	/* KIND cannot be written any more and is not tried again. SYSERR is
	 * errno; ERR says it with the file's name. */
	void (*failed)(void *arg, enum outlet_kind kind, int syserr,
		const struct err *err);
	/* One of them, or stderr, has nothing queued any more. Called from the
	 * loop. */
	void (*drained)(void *arg);
	void *arg;
};

/* The callbacks and arg are set by the caller afterwards. */
void outlets_init(struct outlets *o, struct loop *loop);
void outlets_release(struct outlets *o);

/* SINK NULL: none. NAME: borrowed. */
void outlets_set_sink(struct outlets *o, enum outlet_kind kind,
	struct sink *sink, const char *name);
void outlets_set_raw(struct outlets *o, int fd, const char *name);

void outlets_event(struct outlets *o, const struct event *ev);
void outlets_raw(struct outlets *o, const char *data, size_t len);
size_t outlets_queued(const struct outlets *o); /* bytes */

/* For how long the reader that has stopped longest has taken nothing. */
int64_t outlets_stalled_ms(const struct outlets *o);

/* The run is over: readers have their time from now. */
void outlets_touch(struct outlets *o);

/* Waits for the readers, stderr's too, *GRACE_MS for each that takes nothing
 * (outq_settle). Who has not got everything then is said on stderr. */
void outlets_settle(struct outlets *o, const int64_t *grace_ms);

#endif

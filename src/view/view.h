#ifndef AGENTRUN_VIEW_VIEW_H
#define AGENTRUN_VIEW_VIEW_H

#include "base/err.h"
#include "base/loop.h"
#include "base/strvec.h"
#include "output/sink.h"
#include "runtime/runtime.h"

#include <stdbool.h>

/* view: saved, piped and growing streams as events, read in the poll loop.
 *
 * A source reads one file, FIFO or stdin; lines are events, or raw output when
 * FROM is given. Every event goes to the sink of its source, at once or by the
 * events' own times (speed). */
struct view_source;

enum view_state {
	VIEW_READING,
	VIEW_DONE,   /* `end` seen and the input is over */
	VIEW_NO_END, /* the input is over without an `end` */
	VIEW_FAILED  /* could not be read; ERR was reported */
};

struct view_source_config {
	const char *path;               /* "-": stdin */
	const struct runtime_ops *from; /* or NULL: an event stream */
	bool follow;     /* keep reading a growing file; also when it is
			    truncated or replaced */
	double speed;    /* 0: at once; 1: as it was */
	const char *cwd; /* for raw output without a directory of its own */
};

struct view_source_events {
	/* A line that is no event: its number (from 1) and why. */
	void (*bad_line)(void *arg, uint64_t number, const char *why);
	void (*state)(void *arg, enum view_state state, const struct err *err);
	void *arg;
};

struct view_source *view_source_new(struct loop *loop,
	const struct view_source_config *config, struct sink *sink,
	const struct view_source_events *events);
void view_source_free(struct view_source *v);
enum view_state view_source_state(const struct view_source *v);
uint64_t view_source_bad_lines(const struct view_source *v);

/* Replay control (speed > 0). */
void view_source_pause(struct view_source *v, bool paused);
bool view_source_paused(const struct view_source *v);
void view_source_step(struct view_source *v); /* the next event at once */
void view_source_set_speed(struct view_source *v, double speed);
double view_source_speed(const struct view_source *v);

#endif

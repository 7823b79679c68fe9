#ifndef AGENTRUN_VIEW_VIEW_H
#define AGENTRUN_VIEW_VIEW_H

#include "base/clock.h"
#include "base/err.h"
#include "base/loop.h"
#include "output/sink.h"
#include "runtime/runtime.h"
#include "view/looks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* view: saved, piped and growing streams as events, read in the poll loop
 * (spec: interface 8).
 *
 * A source reads one file, FIFO or stdin in bounded pieces, so that a regular
 * file, which is always readable, never keeps the keys waiting. Its lines are
 * events, or raw output when FROM is given. Every event goes to the sink of
 * the source, at once or by the events' own times (speed).
 *
 * Raw output becomes events by the same adapter and aggregator as in a run; the
 * `start` holds what is known and is kept back until the raw stream has named
 * its working directory or given its first event. Lines that are no JSON are
 * none of ours, as in a run. */
struct view_source;

enum view_state {
	VIEW_READING,
	VIEW_DONE,    /* `end` seen and the input is over */
	VIEW_NO_END,  /* the input is over without an `end` */
	VIEW_FOREIGN, /* no line of it was output of FROM: nothing was given */
	VIEW_FAILED   /* could not be read; ERR was reported */
};

/* Why a stream begins anew within one source. */
enum view_next {
	VIEW_NEXT_START, /* a further `start`: streams behind one another */
	VIEW_NEXT_TRUNCATED,
	VIEW_NEXT_REPLACED /* another file under the same name */
};

struct view_source_config {
	const char *path;               /* "-": stdin */
	const struct runtime_ops *from; /* or NULL: an event stream */
	bool follow;  /* keep reading a growing file until its `end`; also when
			 it is truncated or replaced. Regular files only */
	double speed; /* 0: at once; 1: as it was. Raw output has no times:
			 always at once */
	size_t piece; /* at most so many bytes per turn of the loop; 0: 256 KiB
			 (smaller when many sources share the loop) */
	const char *cwd; /* for raw output without a directory of its own */
	const struct clock *clock; /* times of converted raw output */
};

/* No callback may free the source. */
struct view_source_events {
	/* A line that is no event: its number (from 1) and why. */
	void (*bad_line)(void *arg, uint64_t number, const char *why);

	/* Bytes that were read; may be NULL. */
	void (*bytes)(void *arg, const char *data, size_t len);

	/* The state is no longer VIEW_READING, or (a followed file that was
	 * done and came back) is so again. ERR only with VIEW_FAILED. */
	void (*state)(void *arg, enum view_state state, const struct err *err);

	/* A new stream begins: returns the sink it goes to (NULL: the present
	 * one). WHOLE: the one before had its `end`. The callback may be NULL.
	 */
	struct sink *(*next)(void *arg, enum view_next why, bool whole);

	/* The sink could not write (SYSERR is its errno); the source stops
	 * reading and stays VIEW_READING. */
	void (*sink_failed)(void *arg, int syserr, const struct err *err);
	void *arg;
};

/* Copies CONFIG's strings and EVENTS; CLOCK, FROM and the sink are borrowed. */
struct view_source *view_source_new(struct loop *loop,
	const struct view_source_config *config, struct sink *sink,
	const struct view_source_events *events);

/* Opens the file; what comes of it arrives through the callbacks. */
void view_source_start(struct view_source *v);
void view_source_free(struct view_source *v);

enum view_state view_source_state(const struct view_source *v);
uint64_t view_source_lines(const struct view_source *v);

/* What the first line that tells it looks like, of a stream that has given no
 * event before. */
struct view_looks view_source_looks(const struct view_source *v);
uint64_t view_source_bad_lines(const struct view_source *v);

/* True while a followed file has no more to read for now. */
bool view_source_waiting(const struct view_source *v);

/* The file may have changed: a followed source looks at once instead of at its
 * next poll (4 times a second). Also wakes a source that was done when another
 * stream stands under its name now. */
void view_source_poke(struct view_source *v);

/* Replay control. A source at speed 0 can be paused, too; speed is clamped to
 * 1/64..1024 unless it is 0. */
void view_source_pause(struct view_source *v, bool paused);
bool view_source_paused(const struct view_source *v);
void view_source_step(struct view_source *v); /* the next event at once */
void view_source_set_speed(struct view_source *v, double speed);
double view_source_speed(const struct view_source *v);

#endif

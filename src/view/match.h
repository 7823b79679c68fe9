#ifndef AGENTRUN_VIEW_MATCH_H
#define AGENTRUN_VIEW_MATCH_H

#include "base/keep.h"
#include "event/event.h"
#include "runtime/runtime.h"

#include <stdbool.h>
#include <stdint.h>

/* match: finds the lines of raw output that the events of a saved stream were
 * made from: the raw output goes through adapter and aggregator again, and each
 * event that comes out must be the next one of the saved stream: the same type,
 * ids and texts. What raw output cannot know (start, network, times, numbers,
 * the prompt of runtimes that do not echo it, and the end) is not compared. */
struct match;

enum match_state {
	MATCH_OK,      /* as far as both streams go */
	MATCH_FOREIGN, /* they do not belong together */
	MATCH_UNKNOWN  /* the saved stream names no runtime that is known */
};

/* Both are borrowed, and may grow meanwhile. */
struct match *match_new(const struct keep *events, const struct keep *raw);
void match_free(struct match *m);

/* Goes on for a piece of raw output. False when there is no more for now. */
bool match_step(struct match *m);

enum match_state match_state(const struct match *m);
const struct runtime_ops *match_runtime(const struct match *m); /* or NULL */
int match_percent(const struct match *m); /* of the raw output */

/* The raw line of the event whose line stands at OFFSET; len 0: there is none.
 */
struct raw_ref match_find(const struct match *m, uint64_t offset);

#endif

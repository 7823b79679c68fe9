#ifndef AGENTRUN_UI_TRAIL_H
#define AGENTRUN_UI_TRAIL_H

#include "base/arena.h"
#include "event/event.h"

/* trail: what the lines of a model do not hold but their details need: the
 * places of the lines they were made from, ids, and the end of the run. Nothing
 * of the contents is kept. Zeroed storage is empty. */
struct trail_item {
	struct raw_ref first;
	struct raw_ref last;
	uint32_t id; /* offset in ids; 0: none */
};

struct trail {
	struct trail_item *v; /* by the index of the item */
	size_t count;
	size_t cap;
	struct strbuf ids; /* each a uint32_t with its length, then its bytes */
	bool ended;
	struct event_end end; /* copied */
	struct usage usage;   /* in the arena */
	struct arena arena;
};

void trail_init(struct trail *t);
void trail_release(struct trail *t);

/* Item I was made from these lines; ID may be null. */
void trail_add(struct trail *t, size_t i, struct raw_ref first,
	struct raw_ref last, struct str id);

/* Zero when nothing is known of item I. */
struct trail_item trail_of(const struct trail *t, size_t i);
struct str trail_id(const struct trail *t, const struct trail_item *it);

void trail_end(struct trail *t, const struct event_end *e);

#endif

#ifndef AGENTRUN_EVENT_DETAIL_H
#define AGENTRUN_EVENT_DETAIL_H

#include "event/content.h"
#include "event/event.h"

/* detail: where the content behind a run's events comes from. Whoever has the
 * lines of the runtime gives one of these; the view and documents ask it and
 * know neither runtime nor file. */

/* A tool call or subagent as its events say it; or any other event. */
struct detail_ask {
	bool is_agent;
	bool is_tool;
	struct str id;
	struct str name;      /* of the tool */
	struct raw_ref first; /* source of tool_start, of subagent_start, or of
				 the event */
	struct raw_ref last;  /* of tool, of subagent_end; or none (yet) */
};

struct detail {
	const struct detail_ops *ops;
};

struct detail_ops {
	/* Work to be done before anything can be answered, a bounded piece of
	 * it. True while there is more; *PERCENT says how far it is. */
	bool (*prepare)(struct detail *d, int *percent);

	/* Adds the parts. What is missing is said in a PART_NOTE. */
	void (*content)(struct detail *d, const struct detail_ask *ask,
		struct content *c);

	/* Adds the lines themselves: PART_JSON, or PART_PLAIN for what is no
	 * JSON. */
	void (*lines)(struct detail *d, const struct detail_ask *ask,
		struct content *c);

	/* The file of the raw output, or NULL. */
	const char *(*name)(struct detail *d);

	void (*free)(struct detail *d);
};

static inline void detail_free(struct detail *d) /* NULL is allowed */
{
	if (d)
		d->ops->free(d);
}

#endif

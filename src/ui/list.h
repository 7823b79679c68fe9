#ifndef AGENTRUN_UI_LIST_H
#define AGENTRUN_UI_LIST_H

#include "ui/grid.h"
#include "ui/model.h"

/* list: the subagents of a run, one row each (spec: rich 2). */
enum list_sort {
	LIST_START,
	LIST_TIME,
	LIST_CONTEXT,
	LIST_SORTS
};

struct list {
	uint32_t selected; /* an agent; AGENT_MAIN: none yet */
	size_t top;        /* first row on the screen */
	enum list_sort sort;
	bool reverse;
	bool finished; /* also finished ones */
	uint32_t *order;
	size_t count;
	size_t cap;
	size_t built_for; /* agents and ended ones when it was built */
	int64_t built_at;
};

void list_release(struct list *l); /* zeroed storage is a new list */

/* Takes up what changed by MONO ms. Before everything below. */
void list_sync(struct list *l, const struct model *m, int64_t mono);
void list_changed(struct list *l); /* sort, reverse or finished changed */

/* Nobody runs: it is the finished ones that are wanted. */
void list_keep_some(struct list *l, const struct model *m, int64_t mono);

void list_move(struct list *l, int delta);
void list_edge(struct list *l, bool end);

/* Rows the area wants on a screen of ROWS: separators, title, agents; 0: no
 * area. */
int list_rows(const struct list *l, const struct model *m, int rows);

/* Draws the area at Y, as many rows as list_rows gave. FRAME: the spinner. */
void list_draw(struct list *l, const struct model *m, struct grid *g, int y,
	int rows, bool focused, int64_t mono, struct str frame);

#endif

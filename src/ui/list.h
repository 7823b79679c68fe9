#ifndef AGENTRUN_UI_LIST_H
#define AGENTRUN_UI_LIST_H

#include "ui/find.h"
#include "ui/grid.h"
#include "ui/model.h"

/* list: the subagents of a run, one row each (spec: rich 2).
 *
 * In the order of their start they are a tree: each below who started it. Any
 * other order is flat. */
enum list_sort {
	LIST_START,
	LIST_STATE, /* running, failed, finished */
	LIST_TIME,
	LIST_COST,
	LIST_TOKENS,
	LIST_CONTEXT,
	LIST_SORTS
};

enum list_show {
	LIST_AUTO, /* the running ones; all when nothing more will come */
	LIST_ALL,
	LIST_RUNNING,
	LIST_FAILED
};

enum list_column {
	LIST_COL_LABEL,
	LIST_COL_MODEL,
	LIST_COL_DESCRIPTION,
	LIST_COL_TOOL,
	LIST_COL_TIME,
	LIST_COL_TOKENS,
	LIST_COL_COST,
	LIST_COL_CONTEXT,
	LIST_COLS
};

struct list_row {
	uint32_t agent;
	uint32_t hidden; /* how many are folded away below it */
	uint16_t level;  /* of indentation */
};

struct list {
	uint32_t selected; /* an agent; AGENT_MAIN: none yet */
	bool chosen;       /* by the reader */
	size_t top;        /* first row on the screen */
	enum list_sort sort;
	bool reverse;
	enum list_show show;
	struct find match; /* in label, description or model */
	bool *folded;      /* by agent */
	size_t folded_cap;
	bool all_folded; /* by list_fold_all, last */
	struct list_row *rows;
	size_t count;
	size_t cap;
	size_t built_for; /* agents and ended ones when it was built */
	int64_t built_at;
	enum list_show built_show;
	/* Columns do not get narrower while data comes. */
	int widest[LIST_COLS];
	bool tools;  /* there is a column of tools */
	int shown;   /* rows of the last drawing */
	int first_y; /* and where it began */
};

void list_release(struct list *l); /* zeroed storage is a new list */

/* Takes up what changed by MONO ms. Before everything below. */
void list_sync(struct list *l, const struct model *m, int64_t mono);
void list_changed(struct list *l); /* sort, reverse, show or match changed */

/* What is shown at present: never LIST_AUTO. */
enum list_show list_shows(const struct list *l, const struct model *m);

/* Nobody runs: it is the finished ones that are wanted. */
void list_keep_some(struct list *l, const struct model *m, int64_t mono);

void list_select(struct list *l, uint32_t agent);
void list_move(struct list *l, int delta);
void list_edge(struct list *l, bool end);

/* Folds (ON) or unfolds what is below the selected agent, or below all. */
void list_fold(struct list *l, const struct model *m, bool on);
void list_fold_all(struct list *l, const struct model *m, bool on);
bool list_is_folded(const struct list *l, uint32_t agent);

/* The index of the selected row; count when it is not listed. */
size_t list_position(const struct list *l);

/* How long AGENT takes or took at MONO ms. */
int64_t list_agent_ms(
	const struct model *m, const struct agent *g, int64_t mono);

/* Rows the area wants on a screen of ROWS: separators, title, agents; 0: no
 * area. */
int list_rows(const struct list *l, const struct model *m, int rows);

struct list_look {
	bool focused;
	bool utf8;
	int64_t mono;
	struct str frame; /* of the spinner */
};

/* Draws the area at Y, as many rows as list_rows gave (list-draw.c). */
void list_draw(struct list *l, const struct model *m, struct grid *g, int y,
	int rows, const struct list_look *look);

#endif

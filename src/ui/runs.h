#ifndef AGENTRUN_UI_RUNS_H
#define AGENTRUN_UI_RUNS_H

#include "ui/find.h"
#include "ui/grid.h"

#include <stdbool.h>
#include <stdint.h>

/* runs: the list of all runs, one row each, and the sums over them. */
struct ui;
struct ui_run;

enum runs_sort {
	RUNS_ADDED,
	RUNS_STATE,
	RUNS_AGE,
	RUNS_IN,
	RUNS_COST,
	RUNS_SORTS
};

struct runs_list {
	struct ui_run *selected;
	size_t top;
	enum runs_sort sort;
	bool reverse;
	struct find match; /* name, label, runtime, model or state */
	struct ui_run **order;
	size_t count;
	size_t cap;
	int rows; /* of the last drawing, for pages */
};

void runs_release(struct runs_list *l);

/* Filters and sorts; before drawing and moving. */
void runs_sync(struct ui *ui);
void runs_move(struct runs_list *l, int delta);

void runs_draw(struct ui *ui, struct grid *g, int y, int rows);

#endif

#ifndef AGENTRUN_UI_TABLE_H
#define AGENTRUN_UI_TABLE_H

#include "ui/grid.h"

/* table: columns that share the width of a row. */
#define TABLE_GAP 2

struct column {
	int width; /* wanted; then what it gets, 0: it is not shown */
	int min;   /* it is cut down to this before one is dropped */
	int cut;   /* who is cut first: 1, 2, ...; 0: never */
	int drop;  /* who is dropped first: 1, 2, ...; 0: never */
	bool right;
};

/* Fits the N <= TABLE_MAX columns, with gaps, into COLS: cuts in order down to
 * min; if that is not enough, drops one in order and begins again. What is
 * still too wide is cut at the edge when drawn. */
#define TABLE_MAX 12
void table_fit(struct column *c, size_t n, int cols);

/* Draws a cell of column C at X and returns where the next column begins. A
 * column without width takes no gap. */
int table_cell(struct grid *g, int y, int x, const struct column *c,
	struct str text, uint32_t style);

#endif

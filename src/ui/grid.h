#ifndef AGENTRUN_UI_GRID_H
#define AGENTRUN_UI_GRID_H

#include "base/str.h"
#include "ui/style.h"

#include <stdbool.h>
#include <stdint.h>

/* grid: a screen as cells, without curses. Everything is drawn into a grid and
 * only term.c brings it to the terminal, so drawing is a function of model and
 * size.
 *
 * Invariants: no cell holds a control character; a wide character has both its
 * cells inside the row. */
#define GRID_MARKS 3 /* combining characters kept per cell */

struct cell {
	uint32_t ch; /* ' ' when empty */
	uint32_t marks[GRID_MARKS];
	uint8_t width; /* 1, 2; 0: second half of the cell before */
	uint32_t style;
};

struct grid {
	int rows;
	int cols;
	struct cell *cells;
};

void grid_release(struct grid *g); /* zeroed storage is an empty grid */

/* Sets the size (each clamped to at least 1) and empties every cell. */
void grid_reset(struct grid *g, int rows, int cols);

/* Draws TEXT from column X, nothing at or behind column END, with tabs as four
 * blanks. Returns the column after the last cell. Outside of the grid nothing
 * happens. */
int grid_text(
	struct grid *g, int y, int x, int end, struct str text, uint32_t style);

/* The same for text that may be too long: the last cell is then '~'. */
int grid_cut(
	struct grid *g, int y, int x, int end, struct str text, uint32_t style);

/* A dim line over the whole row. */
void grid_line(struct grid *g, int y);

/* Adds the flags of STYLE to the cells X..END-1. */
void grid_mark(struct grid *g, int y, int x, int end, uint32_t style);

/* Copies the cells of FROM to row Y and column X, as far as they fit. */
void grid_blit(struct grid *g, int y, int x, const struct grid *from);

/* The columns of TEXT when drawn. */
int grid_width(struct str text);

#endif

#include "config.h"

#include "ui/grid.h"

#include <limits.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "ui/wrap.h"

static const struct cell empty = {' ', {0}, 1, 0};

void grid_release(struct grid *g)
{
	free(g->cells);
	memset(g, 0, sizeof(*g));
}

void grid_reset(struct grid *g, int rows, int cols)
{
	size_t i;

	rows = rows < 1 ? 1 : rows;
	cols = cols < 1 ? 1 : cols;
	if (rows != g->rows || cols != g->cols) {
		g->cells = xreallocarray(g->cells, (size_t)rows * (size_t)cols,
			sizeof(*g->cells));
		g->rows = rows;
		g->cols = cols;
	}
	for (i = 0; i < (size_t)rows * (size_t)cols; i++)
		g->cells[i] = empty;
}

static struct cell *cell_at(struct grid *g, int y, int x)
{
	return &g->cells[(size_t)y * (size_t)g->cols + (size_t)x];
}

static void put(
	struct grid *g, int y, int x, uint32_t ch, int w, uint32_t style)
{
	struct cell *c = cell_at(g, y, x);

	/* Half of a wide character does not stay behind. */
	if (c->width == 2 && w == 1)
		c[1] = empty;
	if (!c->width && x > 0)
		c[-1] = empty;
	if (w == 2 && x + 2 < g->cols && c[1].width == 2)
		c[2] = empty;
	*c = empty;
	/* The cleaner lets no control through; the screen must not depend on
	 * it. */
	if (ch < 0x20 || (ch >= 0x7f && ch < 0xa0))
		ch = 0xfffd;
	c->ch = ch;
	c->width = (uint8_t)w;
	c->style = style;
	if (w == 2) {
		c[1] = empty;
		c[1].width = 0;
		c[1].style = style;
	}
}

static void put_mark(struct grid *g, int y, int x, uint32_t ch)
{
	struct cell *c = cell_at(g, y, x);
	int i;

	if (!c->width && x > 0)
		c--;
	for (i = 0; i < GRID_MARKS; i++) {
		if (c->marks[i])
			continue;
		c->marks[i] = ch;
		return;
	}
}

int grid_text(
	struct grid *g, int y, int x, int end, struct str text, uint32_t style)
{
	int start = x;
	size_t pos = 0;

	if (y < 0 || y >= g->rows || x < 0)
		return x;
	if (end > g->cols)
		end = g->cols;
	while (pos < text.len) {
		uint32_t ch;
		int w = wrap_char(text, pos, &pos, &ch);

		if (!w) {
			if (x > start)
				put_mark(g, y, x - 1, ch);
			continue;
		}
		if (ch == '\t') {
			for (; w && x < end; w--)
				put(g, y, x++, ' ', 1, style);
			continue;
		}
		if (x + w > end)
			break;
		put(g, y, x, ch, w, style);
		x += w;
	}
	return x;
}

int grid_cut(
	struct grid *g, int y, int x, int end, struct str text, uint32_t style)
{
	if (end > g->cols)
		end = g->cols;
	if (x >= end)
		return x;
	if (grid_width(text) <= end - x)
		return grid_text(g, y, x, end, text, style);
	x = grid_text(g, y, x, end - 1, text, style);
	return grid_text(g, y, x, end, str_of("~"), style);
}

void grid_line(struct grid *g, int y)
{
	int x;

	if (y < 0 || y >= g->rows)
		return;
	for (x = 0; x < g->cols; x++)
		put(g, y, x, 0x2500, 1, STYLE_DIM | STYLE_LINE);
}

void grid_mark(struct grid *g, int y, int x, int end, uint32_t style)
{
	if (y < 0 || y >= g->rows)
		return;
	if (end > g->cols)
		end = g->cols;
	for (x = x < 0 ? 0 : x; x < end; x++)
		cell_at(g, y, x)->style |= style;
}

int grid_width(struct str text)
{
	size_t pos = 0;
	int cols = 0;

	while (pos < text.len && cols < INT_MAX / 2) {
		uint32_t ch;

		cols += wrap_char(text, pos, &pos, &ch);
	}
	return cols;
}

void grid_blit(struct grid *g, int y, int x, const struct grid *from)
{
	int cols = from->cols < g->cols - x ? from->cols : g->cols - x;

	for (int i = 0; i < from->rows && y + i < g->rows && cols > 0; i++)
		memcpy(&g->cells[(y + i) * g->cols + x],
			&from->cells[i * from->cols],
			(size_t)cols * sizeof(*g->cells));
}

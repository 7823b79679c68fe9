#include "config.h"

#include "ui/table.h"

static int total(const struct column *c, size_t n)
{
	int sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (c[i].width > 0)
			sum += c[i].width + (sum ? TABLE_GAP : 0);
	return sum;
}

/* Cuts in order down to min; true when all fit. */
static bool cut(struct column *c, size_t n, int cols)
{
	int order;
	size_t i;

	for (order = 1; order <= (int)n; order++) {
		for (i = 0; i < n; i++) {
			int over = total(c, n) - cols;

			if (over <= 0)
				return true;
			if (c[i].cut != order || c[i].width <= c[i].min)
				continue;
			c[i].width -= over;
			if (c[i].width < c[i].min)
				c[i].width = c[i].min;
		}
	}
	return total(c, n) <= cols;
}

void table_fit(struct column *c, size_t n, int cols)
{
	int wanted[TABLE_MAX];
	int order;
	size_t i;

	for (i = 0; i < n; i++)
		wanted[i] = c[i].width;
	for (order = 1; !cut(c, n, cols) && order <= (int)n; order++) {
		for (i = 0; i < n; i++) {
			if (c[i].drop == order)
				wanted[i] = 0;
			c[i].width = wanted[i];
		}
	}
}

int table_cell(struct grid *g, int y, int x, const struct column *c,
	struct str text, uint32_t style)
{
	int at = x;

	if (c->width <= 0)
		return x;
	if (c->right) {
		int w = grid_width(text);

		at += w < c->width ? c->width - w : 0;
	}
	grid_cut(g, y, at, x + c->width, text, style);
	return x + c->width + TABLE_GAP;
}

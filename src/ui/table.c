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

/* One round: each column that may be cut, in order, down to min or nothing. */
static void cut(struct column *c, size_t n, int cols, bool to_min)
{
	int order;
	size_t i;

	for (order = 1; order <= (int)n; order++) {
		for (i = 0; i < n; i++) {
			int over = total(c, n) - cols;
			int floor = to_min ? c[i].min : 0;

			if (over <= 0)
				return;
			if (c[i].order != order || c[i].width <= floor)
				continue;
			c[i].width -= over;
			if (c[i].width < floor || !to_min)
				c[i].width = floor;
		}
	}
}

void table_fit(struct column *c, size_t n, int cols)
{
	cut(c, n, cols, true);
	cut(c, n, cols, false);
}

int table_cell(struct grid *g, int y, int x, const struct column *c,
	struct str text, uint8_t attr)
{
	int at = x;

	if (c->width <= 0)
		return x;
	if (c->right) {
		int w = grid_width(text);

		at += w < c->width ? c->width - w : 0;
	}
	grid_cut(g, y, at, x + c->width, text, attr);
	return x + c->width + TABLE_GAP;
}

#include "config.h"

#include "ui/pane.h"

#include <stdlib.h>
#include <string.h>

#define TIME_MIN_COLS 30 /* narrower panes have no room for them */
#define LEFT_MIN_COLS 12 /* nor these for the mark of the selected line */
#define SETTLE_PAGES 2   /* pages around the screen whose rows are exact */

void pane_init(struct pane *p, struct model *m, uint32_t agent)
{
	memset(p, 0, sizeof(*p));
	lens_init(&p->lens, m, agent);
	p->cursor = ROWS_NONE;
	p->follow = true;
	p->margin = 1;
	p->rows = p->cols = 1;
}

void pane_release(struct pane *p)
{
	lens_release(&p->lens);
	search_release(&p->search);
	free(p->marks);
}

int pane_left(const struct pane *p)
{
	if (p->times && p->cols >= TIME_MIN_COLS)
		return PANE_TIME;
	return p->cols < LEFT_MIN_COLS ? 0 : p->margin;
}

static uint64_t top(const struct pane *p)
{
	return rows_before(&p->lens.rows, p->top_line) + p->top_row;
}

static uint64_t last_top(const struct pane *p)
{
	uint64_t total = p->lens.rows.total;

	return total > (uint64_t)p->rows ? total - (uint64_t)p->rows : 0;
}

/* Makes the rows around LINE exact, as far as MORE beyond some pages. */
static void settle(struct pane *p, size_t line, int more)
{
	uint64_t rows = (uint64_t)p->rows * SETTLE_PAGES +
			(uint64_t)(more < 0 ? -(int64_t)more : more);

	lens_settle(&p->lens, line, rows, rows);
}

static void settle_end(struct pane *p)
{
	settle(p, p->lens.rows.count, 0);
}

static void set_top(struct pane *p, uint64_t row)
{
	if (row > last_top(p))
		row = last_top(p);
	p->top_line = 0;
	p->top_row = 0;
	if (row < p->lens.rows.total)
		p->top_line = rows_find(&p->lens.rows, row, &p->top_row);
}

/* The last line of which a row is on the screen. */
static size_t bottom_line(const struct pane *p)
{
	uint64_t row = top(p) + (uint64_t)p->rows - 1;
	uint32_t in;

	if (!p->lens.rows.total)
		return ROWS_NONE;
	if (row >= p->lens.rows.total)
		row = p->lens.rows.total - 1;
	return rows_find(&p->lens.rows, row, &in);
}

/* The cursor stays on the screen. */
static void clamp_cursor(struct pane *p)
{
	size_t last = bottom_line(p);

	if (p->follow || last == ROWS_NONE) {
		p->cursor = ROWS_NONE;
		return;
	}
	if (p->cursor == ROWS_NONE || p->cursor > last)
		p->cursor = last;
	if (p->cursor < p->top_line)
		p->cursor = p->top_line;
	if (!rows_of(&p->lens.rows, p->cursor))
		p->cursor = rows_prev(&p->lens.rows, p->cursor);
	if (p->cursor == ROWS_NONE || p->cursor < p->top_line)
		p->cursor = rows_next(&p->lens.rows, p->top_line);
}

void pane_sync(struct pane *p, int rows, int cols)
{
	struct rows *r = &p->lens.rows;
	size_t line;

	p->rows = rows < 1 ? 1 : rows;
	p->cols = cols < 1 ? 1 : cols;
	lens_sync(&p->lens, p->rows, p->cols - pane_left(p));
	if (p->follow) {
		settle_end(p);
		set_top(p, last_top(p));
		clamp_cursor(p);
		return;
	}
	line = rows_prev(r, p->top_line);
	if (line == ROWS_NONE)
		line = rows_next(r, p->top_line);
	if (line != p->top_line)
		p->top_row = 0;
	if (line == ROWS_NONE) {
		p->top_line = 0;
	} else {
		p->top_line = line;
		settle(p, line, 0);
		if (p->top_row >= rows_of(r, line))
			p->top_row = rows_of(r, line) - 1;
	}
	if (top(p) > last_top(p))
		set_top(p, last_top(p));
	clamp_cursor(p);
}

void pane_stop_following(struct pane *p)
{
	if (!p->follow)
		return;
	p->follow = false;
	p->seen = p->lens.m->doc.count;
	clamp_cursor(p);
}

void pane_follow(struct pane *p)
{
	p->follow = true;
	settle_end(p);
	set_top(p, last_top(p));
	clamp_cursor(p);
}

void pane_scroll(struct pane *p, int delta)
{
	uint64_t at;

	settle(p, p->top_line, delta);
	at = top(p);
	if (delta > 0 && at >= last_top(p)) {
		pane_follow(p);
		return;
	}
	pane_stop_following(p);
	if (delta < 0 && at < (uint64_t)-delta)
		at = 0;
	else
		at += (uint64_t)(int64_t)delta;
	set_top(p, at);
	clamp_cursor(p);
}

/* Whether the last row of LINE lies below the screen, or its first above. */
static bool runs_out(const struct pane *p, size_t line, int dir)
{
	uint64_t first = rows_before(&p->lens.rows, line);
	uint64_t end = first + rows_of(&p->lens.rows, line);

	return dir > 0 ? end > top(p) + (uint64_t)p->rows : first < top(p);
}

void pane_move(struct pane *p, int dir)
{
	struct rows *r = &p->lens.rows;
	size_t line;

	if (p->follow) {
		if (dir > 0)
			return;
		pane_stop_following(p);
		if (p->cursor == ROWS_NONE)
			return;
	}
	if (p->cursor == ROWS_NONE)
		return;
	settle(p, p->cursor, p->rows);
	if (runs_out(p, p->cursor, dir)) {
		set_top(p, dir > 0 ? top(p) + 1 : top(p) - 1);
		return;
	}
	if (dir > 0)
		line = rows_next(r, p->cursor + 1);
	else
		line = p->cursor ? rows_prev(r, p->cursor - 1) : ROWS_NONE;
	if (line == ROWS_NONE) {
		if (dir > 0)
			pane_follow(p);
		return;
	}
	p->cursor = line;
	if (dir > 0 && rows_before(r, line) >= top(p) + (uint64_t)p->rows)
		set_top(p, top(p) + 1);
	else if (dir < 0 && rows_before(r, line) + rows_of(r, line) <= top(p))
		set_top(p, top(p) - 1);
	/* A short line comes to the screen as a whole. */
	while (rows_of(r, line) <= (uint32_t)p->rows && runs_out(p, line, dir))
		set_top(p, dir > 0 ? top(p) + 1 : top(p) - 1);
}

void pane_home(struct pane *p)
{
	pane_stop_following(p);
	settle(p, 0, 0);
	set_top(p, 0);
	p->cursor = p->top_line;
	clamp_cursor(p);
}

void pane_goto(struct pane *p, size_t line)
{
	uint64_t third = (uint64_t)p->rows / 3;
	uint64_t at;

	pane_stop_following(p);
	settle(p, line, 0);
	at = rows_before(&p->lens.rows, line);
	if (at < top(p) || at >= top(p) + (uint64_t)p->rows)
		set_top(p, at > third ? at - third : 0);
	p->cursor = line;
	clamp_cursor(p);
}

size_t pane_item(const struct pane *p)
{
	size_t line = p->cursor;

	if (line == ROWS_NONE)
		line = bottom_line(p);
	if (line == ROWS_NONE)
		return MODEL_NO_ITEM;
	return model_item_of(p->lens.m, line);
}

/* The first shown line of item I, ROWS_NONE if all are hidden. */
static size_t shown_line(const struct pane *p, size_t i)
{
	size_t line = rows_next(&p->lens.rows, p->lens.m->items[i].line);

	return line < model_item_end(p->lens.m, i) ? line : ROWS_NONE;
}

bool pane_next_item(struct pane *p, int dir, uint8_t flags)
{
	const struct model *m = p->lens.m;
	size_t i = pane_item(p);
	bool first = p->follow && dir < 0; /* the last one itself counts */

	if (i == MODEL_NO_ITEM)
		return false;
	/* At the end, the next error is the newest one. */
	if (p->follow && flags) {
		dir = -1;
		first = true;
	}
	for (;; first = false) {
		size_t line;

		if (!first && dir < 0 && i-- == 0)
			return false;
		if (dir > 0 && ++i >= p->lens.next)
			return false;
		if (flags && !(m->items[i].flags & flags))
			continue;
		line = shown_line(p, i);
		if (line == ROWS_NONE)
			continue;
		pane_goto(p, line);
		return true;
	}
}

size_t pane_new_lines(const struct pane *p)
{
	size_t count = p->lens.m->doc.count;

	return p->follow || count < p->seen ? 0 : count - p->seen;
}

bool pane_search(struct pane *p, int dir, bool *wrapped)
{
	struct lens *l = &p->lens;
	size_t from = p->cursor;
	size_t line;
	size_t i;

	if (p->follow && dir > 0)
		from = p->top_line ? p->top_line - 1 : ROWS_NONE;
	line = search_next(&p->search, l, from, dir, wrapped);
	if (line == ROWS_NONE)
		return false;
	i = model_item_of(l->m, line);
	if (!rows_of(&l->rows, line)) {
		l->m->items[i].flags |= ITEM_FULL;
		lens_relay(l, i);
	}
	pane_goto(p, line);
	return true;
}

void pane_relayout(struct pane *p)
{
	size_t line = p->cursor != ROWS_NONE ? p->cursor : p->top_line;

	lens_relayout(&p->lens);
	search_restart(&p->search);
	lens_sync(&p->lens, p->rows, p->lens.width);
	if (!p->follow) {
		size_t shown = rows_prev(&p->lens.rows, line);

		if (shown == ROWS_NONE)
			shown = rows_next(&p->lens.rows, line);
		p->top_row = 0;
		p->top_line = 0;
		if (shown != ROWS_NONE)
			pane_goto(p, shown);
	}
	pane_sync(p, p->rows, p->cols);
}

struct pane_place pane_keep(const struct pane *p)
{
	const struct model *m = p->lens.m;
	struct pane_place at = {0};

	if (!m->item_count)
		return at;
	at.top_item = model_item_of(m, p->top_line);
	at.top_line = p->top_line - m->items[at.top_item].line;
	if (p->cursor != ROWS_NONE) {
		at.cursor_item = model_item_of(m, p->cursor);
		at.cursor_line = p->cursor - m->items[at.cursor_item].line;
	}
	at.below = pane_new_lines(p);
	return at;
}

/* Line OFFSET of item I, or its last one. */
static size_t line_of(const struct model *m, size_t i, size_t offset)
{
	size_t line = m->items[i].line + offset;
	size_t end = model_item_end(m, i);

	return line < end ? line : end - 1;
}

void pane_restore(struct pane *p, const struct pane_place *place)
{
	const struct model *m = p->lens.m;

	lens_relayout(&p->lens);
	search_restart(&p->search);
	p->mark_count = 0;
	if (m->item_count) {
		p->top_line = line_of(m, place->top_item, place->top_line);
		p->top_row = 0;
		if (p->cursor != ROWS_NONE)
			p->cursor = line_of(
				m, place->cursor_item, place->cursor_line);
	}
	p->seen = m->doc.count - place->below;
	pane_sync(p, p->rows, p->cols);
}

void pane_fold(struct pane *p)
{
	size_t i = pane_item(p);
	struct item *it;

	if (i == MODEL_NO_ITEM)
		return;
	/* Following, the newest text is meant, whatever came behind it. */
	while (p->follow && i && p->lens.m->items[i].kind != ITEM_TEXT)
		i--;
	it = &p->lens.m->items[i];
	if (p->follow && (it->kind != ITEM_TEXT || !lens_selects(&p->lens, i)))
		return;
	it->flags ^= ITEM_FULL;
	lens_relay(&p->lens, i);
	if (!p->follow && p->cursor != ROWS_NONE &&
		!rows_of(&p->lens.rows, p->cursor))
		pane_goto(p, it->line);
	pane_sync(p, p->rows, p->cols);
}

void pane_chop(struct pane *p, bool on)
{
	p->lens.chop = on;
	p->left = 0;
	p->top_row = 0;
	pane_sync(p, p->rows, p->cols);
}

void pane_shift(struct pane *p, int dir)
{
	int half = p->lens.width / 2 > 0 ? p->lens.width / 2 : 1;

	if (dir < 0)
		p->left = p->left > half ? p->left - half : 0;
	else if (p->left + p->lens.width < p->widest)
		p->left += half;
}

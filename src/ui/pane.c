#include "config.h"

#include "ui/pane.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "ui/text.h"
#include "ui/wrap.h"

#define TIME_COLS 9      /* "13:00:03 " */
#define LEFT_MIN_COLS 30 /* narrower panes have no room for them */

void pane_init(struct pane *p, struct model *m, uint32_t agent)
{
	memset(p, 0, sizeof(*p));
	lens_init(&p->lens, m, agent);
	p->cursor = ROWS_NONE;
	p->follow = true;
	p->rows = p->cols = 1;
}

void pane_release(struct pane *p)
{
	lens_release(&p->lens);
	search_release(&p->search);
	free(p->marks);
}

/* Columns left of the text: time stamps, or the margin of a page. */
static int left_cols(const struct pane *p)
{
	if (p->cols < LEFT_MIN_COLS)
		return 0;
	return p->times ? TIME_COLS : p->margin;
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
	if (!p->lens.rows.v[p->cursor])
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
	lens_sync(&p->lens, p->rows, p->cols - left_cols(p));
	if (p->follow) {
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
		if (p->top_row >= r->v[line])
			p->top_row = r->v[line] - 1;
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
	set_top(p, last_top(p));
	clamp_cursor(p);
}

void pane_scroll(struct pane *p, int delta)
{
	uint64_t at = top(p);

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
	uint64_t end = first + p->lens.rows.v[line];

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
	else if (dir < 0 && rows_before(r, line) + r->v[line] <= top(p))
		set_top(p, top(p) - 1);
	/* A short line comes to the screen as a whole. */
	while (r->v[line] <= (uint32_t)p->rows && runs_out(p, line, dir))
		set_top(p, dir > 0 ? top(p) + 1 : top(p) - 1);
}

void pane_home(struct pane *p)
{
	pane_stop_following(p);
	set_top(p, 0);
	p->cursor = p->top_line;
	clamp_cursor(p);
}

void pane_goto(struct pane *p, size_t line)
{
	uint64_t at = rows_before(&p->lens.rows, line);
	uint64_t third = (uint64_t)p->rows / 3;

	pane_stop_following(p);
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
	if (!l->rows.v[line]) {
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
	if (!p->follow && p->cursor != ROWS_NONE && !p->lens.rows.v[p->cursor])
		pane_goto(p, it->line);
	pane_sync(p, p->rows, p->cols);
}

/* The bytes of a head line that are its label: "[main]". */
static size_t label_len(const struct model *m, size_t line)
{
	const struct item *it = &m->items[model_item_of(m, line)];
	struct str s = doc_line(&m->doc, line);
	size_t len = strlen(m->agents.v[it->agent].label) + 2;
	bool labelled = false;

	switch ((enum item_kind)it->kind) {
	case ITEM_PROMPT:
	case ITEM_TOOL:
	case ITEM_TEXT:
	case ITEM_AGENT_START:
	case ITEM_AGENT_END:
	case ITEM_NET:
		labelled = line == it->line;
		break;
	case ITEM_NOTE:
	case ITEM_RESULT:
	case ITEM_END:
	case ITEM_STDERR:
	case ITEM_PLAIN:
		break;
	}
	if (!labelled || s.len < len || s.ptr[len - 1] != ']')
		return 0;
	return len;
}

static struct str part(struct str s, size_t from, size_t to)
{
	struct str r = {s.ptr + from, to - from};

	return r;
}

/* Marks what FIND finds in the row FROM..TO of a line. */
static void mark_matches(struct grid *g, int y, int x, const struct find *find,
	struct str s, size_t from, size_t to)
{
	size_t at = from > find->len ? from - find->len + 1 : 0;

	while (at < to) {
		ptrdiff_t found = find_in(find,
			part(s, 0,
				s.len < to + find->len ? s.len
						       : to + find->len),
			at);
		size_t a;
		size_t b;

		if (found < 0 || (size_t)found >= to)
			return;
		a = (size_t)found < from ? from : (size_t)found;
		b = (size_t)found + find->len;
		at = b;
		b = b > to ? to : b;
		if (a < b) {
			int x1 = x + grid_width(part(s, from, a));

			grid_mark(g, y, x1, x1 + grid_width(part(s, a, b)),
				STYLE_MATCH);
		}
	}
}

/* The styles of LINE in the order of its bytes: of its label, its state and its
 * own spans. The label of an item's head comes before all of them. */
static size_t head_spans(const struct model *m, size_t line, struct span *out)
{
	const struct item *it = &m->items[model_item_of(m, line)];
	size_t label = label_len(m, line);
	size_t len = doc_len(&m->doc, line);
	const char *state = it->flags & ITEM_DENIED   ? " (denied)"
			    : it->flags & ITEM_FAILED ? " (error)"
						      : "";
	size_t n = 0;

	if (!label)
		return 0;
	out[n++] = (struct span){0, (uint32_t)label, style_tag(it->agent)};
	if (it->kind == ITEM_TOOL && *state && len > label + strlen(state))
		out[n++] = (struct span){(uint32_t)(len - strlen(state) + 1),
			(uint32_t)len,
			style_role(it->flags & ITEM_DENIED ? ROLE_DENIED
							   : ROLE_ERROR)};
	return n;
}

/* Draws the bytes FROM..TO of S with the N SPANS; returns the column behind. */
static int draw_spans(struct grid *g, int y, int x, struct str s, size_t from,
	size_t to, const struct span *spans, size_t n)
{
	size_t i;

	for (i = 0; i < n && from < to; i++) {
		size_t a = spans[i].from > from ? spans[i].from : from;
		size_t b = spans[i].to < to ? spans[i].to : to;

		if (a >= b)
			continue;
		x = grid_text(g, y, x, g->cols, part(s, from, a), 0);
		x = grid_text(g, y, x, g->cols, part(s, a, b), spans[i].style);
		from = b;
	}
	return grid_text(g, y, x, g->cols, part(s, from, to), 0);
}

/* Draws the row FROM..TO of LINE. */
static void draw_row(struct pane *p, struct grid *g, int y, size_t line,
	size_t from, size_t to, const struct find *find)
{
	const struct model *m = p->lens.m;
	struct str s = doc_line(&m->doc, line);
	struct span head[2];
	size_t count;
	const struct span *spans = doc_spans(&m->doc, line, &count);
	int x = left_cols(p);
	int x0 = x;

	if (p->times && x && from == 0) {
		const struct item *it = &m->items[model_item_of(m, line)];
		char buf[TEXT_TIME_SIZE];

		text_time(buf, m->first_ms + it->time);
		if (it->line == line)
			grid_text(g, y, 0, x, str_of(buf), STYLE_DIM);
	}
	if (!count) {
		count = head_spans(m, line, head);
		spans = head;
	}
	draw_spans(g, y, x, s, from, to, spans, count);
	if (line == p->cursor && !p->quiet) {
		grid_mark(g, y, x0, g->cols, STYLE_SELECTED);
		if (from == 0)
			grid_text(g, y, x0 ? x0 - 1 : 0, x0 ? x0 : 1,
				str_of(">"), STYLE_SELECTED);
	}
	if (find_is_set(find))
		mark_matches(g, y, x0, find, s, from, to);
}

/* The offset of row ROW in LINE, from the nearest mark before it. */
static size_t seek(struct pane *p, size_t line, uint32_t row)
{
	struct str s = doc_line(&p->lens.m->doc, line);
	int width = p->lens.width;
	size_t at;
	uint32_t i;

	if (doc_is_ascii(&p->lens.m->doc, line) || row < PANE_MARK)
		return wrap_seek(
			s, doc_is_ascii(&p->lens.m->doc, line), width, row);
	if (p->mark_line != line || p->mark_width != width)
		p->mark_count = 0;
	p->mark_line = line;
	p->mark_width = width;
	while (p->mark_count <= row / PANE_MARK) {
		if (p->mark_count == p->mark_cap) {
			p->mark_cap += p->mark_cap / 2 + 16;
			p->marks = xreallocarray(
				p->marks, p->mark_cap, sizeof(*p->marks));
		}
		at = p->mark_count ? p->marks[p->mark_count - 1] : 0;
		for (i = 0; p->mark_count && i < PANE_MARK; i++)
			at = wrap_next(s, at, false, width);
		p->marks[p->mark_count++] = at;
	}
	at = p->marks[row / PANE_MARK];
	for (i = row % PANE_MARK; i; i--)
		at = wrap_next(s, at, false, width);
	return at;
}

void pane_draw(struct pane *p, struct grid *g, int y)
{
	const struct find *find = &p->search.find;
	const struct doc *d = &p->lens.m->doc;
	struct rows *r = &p->lens.rows;
	size_t line = p->top_line;
	uint32_t row = p->top_row;
	int end = y + p->rows;

	if (!r->total)
		return;
	while (y < end && line != ROWS_NONE) {
		struct str s = doc_line(d, line);
		bool ascii = doc_is_ascii(d, line);
		size_t from = row ? seek(p, line, row) : 0;

		for (; row < r->v[line] && y < end; row++, y++) {
			size_t to = wrap_next(s, from, ascii, p->lens.width);

			draw_row(p, g, y, line, from, to, find);
			from = to;
		}
		line = rows_next(r, line + 1);
		row = 0;
	}
}

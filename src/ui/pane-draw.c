#include "config.h"

#include <string.h>

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "ui/pane.h"
#include "ui/text.h"

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
	size_t reach = find->len * FIND_SPREAD;
	size_t at = from > reach ? from - reach : 0;

	while (at && ((unsigned char)s.ptr[at] & 0xc0) == 0x80)
		at--;
	while (at < to) {
		size_t len;
		ptrdiff_t found = find_span(find,
			part(s, 0, s.len < to + reach ? s.len : to + reach), at,
			&len);
		size_t a;
		size_t b;

		if (found < 0 || (size_t)found >= to)
			return;
		a = (size_t)found < from ? from : (size_t)found;
		b = (size_t)found + len;
		at = b;
		b = b > to ? to : b;
		if (a < b) {
			int x1 = x + grid_width(part(s, from, a));

			grid_mark(g, y, x1, x1 + grid_width(part(s, a, b)),
				STYLE_MATCH);
		}
	}
}

#define HEAD_SPANS 3

/* "[end] failed": how long that is. */
static size_t end_word(struct str s)
{
	size_t n = strlen("[end] ");

	while (n < s.len && s.ptr[n] != ' ')
		n++;
	return n;
}

static void add_span(
	struct span *out, size_t *n, size_t from, size_t to, uint32_t style)
{
	out[(*n)++] = (struct span){(uint32_t)from, (uint32_t)to, style};
}

/* The styles of an item's head by what it says: its label, who it is about, and
 * how it stands. Returns how many of the HEAD_SPANS there are. */
static size_t head_spans(const struct model *m, size_t line, struct span *out)
{
	const struct item *it = &m->items[model_item_of(m, line)];
	struct str s = doc_line(&m->doc, line);
	size_t label = label_len(m, line);
	size_t n = 0;

	if (label)
		add_span(out, &n, 0, label, style_tag(it->agent));
	switch ((enum item_kind)it->kind) {
	case ITEM_TOOL:
		if (label && (it->flags & ITEM_DENIED) && s.len > label + 9)
			add_span(out, &n, s.len - 8, s.len,
				style_role(ROLE_DENIED));
		else if (label && (it->flags & ITEM_FAILED) &&
			 s.len > label + 8)
			add_span(out, &n, s.len - 7, s.len,
				style_role(ROLE_ERROR));
		break;
	case ITEM_AGENT_START:
		/* " agent start explore#1" */
		if (label && s.len > label + 13) {
			size_t from = label + 13;
			size_t to = from + strlen(m->agents.v[it->aux].label);

			add_span(out, &n, from, to < s.len ? to : s.len,
				style_tag(it->aux));
		}
		break;
	case ITEM_AGENT_END:
		/* " agent failed" */
		if (label && (it->flags & ITEM_FAILED) && s.len > label + 13)
			add_span(out, &n, label + 7, label + 13,
				style_role(ROLE_ERROR));
		break;
	case ITEM_NET:
		/* " net denied" */
		if (label && s.len > label + 11)
			add_span(out, &n, label + 1, label + 11,
				style_role(ROLE_DENIED));
		break;
	case ITEM_NOTE:
		if (str_starts(s, "[note]"))
			add_span(out, &n, 0, 6, style_role(ROLE_NOTE));
		break;
	case ITEM_RESULT:
		if (line == it->line)
			add_span(out, &n, 0, s.len, style_role(ROLE_TITLE));
		break;
	case ITEM_END:
		if (str_starts(s, "[warn]"))
			add_span(out, &n, 0, s.len, style_role(ROLE_NOTE));
		else if (str_starts(s, "[end] "))
			add_span(out, &n, 0, end_word(s),
				style_role(it->flags & ITEM_FAILED ? ROLE_ERROR
								   : ROLE_OK));
		break;
	case ITEM_PROMPT:
	case ITEM_TEXT:
	case ITEM_STDERR:
	case ITEM_PLAIN:
		break;
	}
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

/* The time of an item before its first row. */
static void draw_time(struct pane *p, struct grid *g, int y, size_t line)
{
	const struct model *m = p->lens.m;
	const struct item *it = &m->items[model_item_of(m, line)];
	char buf[TEXT_TIME_SIZE];

	if (it->line != line)
		return;
	text_time(buf, m->first_ms + it->time);
	grid_text(g, y, 0, PANE_TIME, str_of(buf), STYLE_DIM);
}

/* A row of the screen: the bytes FROM..TO of LINE, from column X on. */
struct row {
	size_t line;
	struct str text;
	size_t from;
	size_t to;
	int x;
	bool first; /* of its line */
	bool last;
};

static void draw_text(struct pane *p, struct grid *g, int y, struct row *r)
{
	const struct model *m = p->lens.m;
	const struct find *find = &p->search.find;
	struct span head[HEAD_SPANS];
	size_t count;
	const struct span *spans = doc_spans(&m->doc, r->line, &count);

	if (!count) {
		count = head_spans(m, r->line, head);
		spans = head;
	}
	draw_spans(g, y, r->x, r->text, r->from, r->to, spans, count);
	if (find_is_set(find))
		mark_matches(g, y, r->x, find, r->text, r->from, r->to);
}

/* Behind the head of a folded item stands how much is not shown, over the end
 * of the row if there is no room. */
static void draw_hidden(struct pane *p, struct grid *g, int y, struct row *r)
{
	size_t item = model_item_of(p->lens.m, r->line);
	struct str row = part(r->text, r->from, r->to);
	struct strbuf sb = STRBUF_INIT;
	size_t n;
	int cols;
	int x;

	if (!r->last || r->line != p->lens.m->items[item].line)
		return;
	n = lens_hidden(&p->lens, item);
	if (!n)
		return;
	strbuf_addf(&sb, " … (+%zu line%s)", n, n == 1 ? "" : "s");
	while (row.len && row.ptr[row.len - 1] == ' ')
		row.len--;
	x = r->x + grid_width(row);
	cols = grid_width(strbuf_str(&sb));
	if (x + cols > g->cols)
		x = g->cols > cols ? g->cols - cols : 0;
	grid_text(g, y, x, g->cols, strbuf_str(&sb), STYLE_DIM);
	strbuf_release(&sb);
}

static void draw_row(struct pane *p, struct grid *g, int y, struct row *r)
{
	int left = pane_left(p);

	if (p->times && left == PANE_TIME && r->first)
		draw_time(p, g, y, r->line);
	draw_text(p, g, y, r);
	draw_hidden(p, g, y, r);
	if (r->line != p->cursor || p->quiet)
		return;
	if (left && r->first)
		grid_text(g, y, left - 1, left, str_of(">"), 0);
	grid_mark(g, y, left ? left - 1 : 0, g->cols, STYLE_SELECTED);
}

/* The offset of row ROW in LINE, from the nearest mark before it. */
static size_t seek(struct pane *p, size_t line, uint32_t row)
{
	struct str s = doc_line(&p->lens.m->doc, line);
	struct wrap w = lens_wrap(&p->lens, line);
	size_t at;
	uint32_t i;

	if (row < PANE_MARK)
		return wrap_seek(s, &w, row);
	if (p->mark_line != line || p->mark_wrap.width != w.width)
		p->mark_count = 0;
	p->mark_line = line;
	p->mark_wrap = w;
	while (p->mark_count <= row / PANE_MARK) {
		if (p->mark_count == p->mark_cap) {
			p->mark_cap += p->mark_cap / 2 + 16;
			p->marks = xreallocarray(
				p->marks, p->mark_cap, sizeof(*p->marks));
		}
		at = p->mark_count ? p->marks[p->mark_count - 1] : 0;
		for (i = 0; p->mark_count && i < PANE_MARK; i++)
			at = wrap_next(s, at, &w);
		p->marks[p->mark_count++] = at;
	}
	at = p->marks[row / PANE_MARK];
	for (i = row % PANE_MARK; i; i--)
		at = wrap_next(s, at, &w);
	return at;
}

/* The rows of LINE from its row ROW on; returns the Y behind them. */
static int draw_wrapped(struct pane *p, struct grid *g, int y, int end,
	size_t line, uint32_t row)
{
	uint32_t rows = rows_of(&p->lens.rows, line);
	struct wrap w = lens_wrap(&p->lens, line);
	struct row r = {.line = line, .text = doc_line(&p->lens.m->doc, line)};

	r.to = row ? seek(p, line, row) : 0;
	for (; row < rows && y < end; row++, y++) {
		r.from = r.to;
		r.to = wrap_next(r.text, r.from, &w);
		r.x = pane_left(p) + (row ? w.indent : 0);
		r.first = row == 0;
		r.last = row + 1 == rows;
		draw_row(p, g, y, &r);
	}
	return y;
}

/* What is left of a chopped line, with marks where it goes on. */
static void draw_chopped(struct pane *p, struct grid *g, int y, size_t line)
{
	bool ascii = doc_is_ascii(&p->lens.m->doc, line);
	struct row r = {.line = line,
		.text = doc_line(&p->lens.m->doc, line),
		.first = true,
		.last = true};
	int x = pane_left(p);
	int width = p->lens.width;
	int begin;

	r.from = wrap_column(r.text, ascii, p->left, &begin);
	if (begin < p->left && r.from < r.text.len) {
		uint32_t ch;

		begin += wrap_char(r.text, r.from, &r.from, &ch);
	}
	r.x = x + begin - p->left;
	r.to = wrap_column(r.text, ascii, p->left + width, &begin);
	if (r.from > r.to)
		r.from = r.to;
	draw_row(p, g, y, &r);
	if (p->left && r.text.len)
		grid_text(g, y, x, x + 1, str_of("<"), STYLE_REVERSE);
	if (r.to < r.text.len)
		grid_text(
			g, y, g->cols - 1, g->cols, str_of(">"), STYLE_REVERSE);
	width = grid_width(r.text);
	p->widest = width > p->widest ? width : p->widest;
}

void pane_draw(struct pane *p, struct grid *g, int y)
{
	struct rows *r = &p->lens.rows;
	size_t line = p->top_line;
	uint32_t row = p->top_row;
	int end = y + p->rows;

	p->widest = 0;
	if (!r->total)
		return;
	for (; y < end && line != ROWS_NONE; line = rows_next(r, line + 1)) {
		if (p->lens.chop)
			draw_chopped(p, g, y++, line);
		else
			y = draw_wrapped(p, g, y, end, line, row);
		row = 0;
	}
}

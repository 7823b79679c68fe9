#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/i18n.h"
#include "base/xalloc.h"
#include "ui/list.h"
#include "ui/table.h"
#include "ui/text.h"

#define LEVELS_SHOWN 6 /* deeper ones are not indented further */
#define TOOL_MIN 12
#define TOOL_MOST 40  /* of the tool, when there is room for more */
#define SUMS_COLS 100 /* from here on tokens and cost have columns */

static const char *sort_word(enum list_sort sort)
{
	static const char *const words[LIST_SORTS] = {N_("start"), N_("state"),
		N_("time"), N_("cost"), N_("tokens"), N_("context")};

	return _(words[sort]);
}

static const char *show_word(enum list_show show)
{
	switch (show) {
	case LIST_RUNNING:
		return _("running");
	case LIST_FAILED:
		return _("failed");
	case LIST_AUTO:
	case LIST_ALL:
		break;
	}
	return _("all");
}

/* What keys do here, as long as there is room. */
static void draw_hints(const struct list *l, const struct model *m,
	struct grid *g, int y, int x, bool focused)
{
	struct strbuf sb = STRBUF_INIT;
	int i;

	for (i = 0; i < 2; i++) {
		strbuf_reset(&sb);
		if (i == 0) {
			strbuf_addstr(&sb,
				focused ? _("Enter: open") : _("Tab: select"));
			strbuf_addstr(&sb, "  ");
		}
		strbuf_addf(&sb, _("sort: %s%s"), sort_word(l->sort),
			l->reverse ? " ^" : "");
		strbuf_addstr(&sb, "  ");
		/* TRANSLATORS: which agents are listed; a is the key */
		strbuf_addf(&sb, _("a: %s"), show_word(list_shows(l, m)));
		strbuf_addch(&sb, ' ');
		if (x + 3 + grid_width(strbuf_str(&sb)) > g->cols)
			continue;
		grid_text(g, y, g->cols - grid_width(strbuf_str(&sb)), g->cols,
			strbuf_str(&sb), 0);
		break;
	}
	strbuf_release(&sb);
}

static void draw_title(const struct list *l, const struct model *m,
	struct grid *g, int y, bool focused)
{
	const struct agents *a = &m->agents;
	struct strbuf sb = STRBUF_INIT;
	int x;

	/* TRANSLATORS: title of the list of subagents */
	strbuf_addf(&sb, _(" agents  %zu running"), a->running);
	if (a->ended > a->failed)
		strbuf_addf(&sb, _("  %zu done"), a->ended - a->failed);
	x = grid_cut(g, y, 0, g->cols, strbuf_str(&sb), 0);
	strbuf_reset(&sb);
	if (a->failed)
		strbuf_addf(&sb, _("  %zu failed"), a->failed);
	x = grid_cut(g, y, x, g->cols, strbuf_str(&sb), style_role(ROLE_ERROR));
	strbuf_reset(&sb);
	if (l->count > (size_t)l->shown && l->shown)
		strbuf_addf(&sb, "  %zu-%zu/%zu", l->top + 1,
			l->top + (size_t)l->shown, l->count);
	if (find_is_set(&l->match))
		strbuf_addf(&sb, "  /%s", l->match.text);
	x = grid_cut(g, y, x, g->cols, strbuf_str(&sb), 0);
	draw_hints(l, m, g, y, x, focused);
	strbuf_release(&sb);
}

/* The texts of one agent's cells. */
struct row {
	struct strbuf cell[LIST_COLS];
	const struct list_row *at;
	enum agent_state state;
};

static void fill_row(struct row *r, const struct model *m, int64_t mono)
{
	uint32_t agent = r->at->agent;
	const struct agent *g = &m->agents.v[agent];
	int64_t tokens = token_counts_total(&g->used);
	int i;

	r->state = g->state;
	for (i = 0; i < LIST_COLS; i++)
		strbuf_init(&r->cell[i]);
	for (i = 0; i < r->at->level && i < LEVELS_SHOWN; i++)
		strbuf_addstr(&r->cell[LIST_COL_LABEL], "  ");
	strbuf_addstr(&r->cell[LIST_COL_LABEL], g->label);
	if (r->at->hidden)
		strbuf_addf(&r->cell[LIST_COL_LABEL], " +%u",
			(unsigned)r->at->hidden);
	strbuf_adds(&r->cell[LIST_COL_MODEL], model_of(m, agent));
	strbuf_addstr(&r->cell[LIST_COL_DESCRIPTION], g->description);
	if (g->state == AGENT_RUNNING)
		strbuf_addstr(&r->cell[LIST_COL_TOOL],
			agents_tool(&m->agents, agent));
	text_clock(&r->cell[LIST_COL_TIME], list_agent_ms(m, g, mono));
	if (tokens)
		textfmt_tokens(&r->cell[LIST_COL_TOKENS], tokens);
	if (isfinite(g->used.cost_usd))
		strbuf_addf(&r->cell[LIST_COL_COST], "$%.4f", g->used.cost_usd);
	if (g->context != COUNT_UNKNOWN) {
		strbuf_addstr(&r->cell[LIST_COL_CONTEXT], "ctx ");
		textfmt_tokens(&r->cell[LIST_COL_CONTEXT], g->context);
	}
}

/* The widest of what was shown so far: columns stay where they are while data
 * comes. */
static void measure(struct list *l, const struct row *rows, int count)
{
	bool tools = false;
	bool running = false;
	int i;
	int k;

	for (i = 0; i < count; i++) {
		running = running || rows[i].state == AGENT_RUNNING;
		tools = tools || rows[i].cell[LIST_COL_TOOL].len;
		for (k = 0; k < LIST_COLS; k++) {
			int w = grid_width(strbuf_str(&rows[i].cell[k]));

			l->widest[k] = w > l->widest[k] ? w : l->widest[k];
		}
	}
	l->tools = tools || (l->tools && running);
}

/* The tool changes all the time, its column does not. What the others leave is
 * the description's. */
static void fit(struct list *l, struct column *c, int cols)
{
	int rest = cols - (LIST_COLS - 1) * TABLE_GAP;
	int tool;
	int used = 0;
	int k;

	for (k = 0; k < LIST_COLS; k++) {
		bool sum = k == LIST_COL_TOKENS || k == LIST_COL_COST;
		bool asked = l->sort ==
			     (k == LIST_COL_COST ? LIST_COST : LIST_TOKENS);

		c[k].width = l->widest[k];
		if (sum && cols < SUMS_COLS && !asked)
			c[k].width = 0;
		if (k != LIST_COL_TOOL && k != LIST_COL_DESCRIPTION)
			rest -= c[k].width;
	}
	tool = rest - c[LIST_COL_DESCRIPTION].width;
	tool = tool < rest / 3 ? rest / 3 : tool;
	tool = tool > TOOL_MOST ? TOOL_MOST : tool;
	tool = tool < TOOL_MIN ? TOOL_MIN : tool;
	c[LIST_COL_TOOL].width = l->tools ? tool : 0;
	table_fit(c, LIST_COLS, cols);
	for (k = 0; k < LIST_COLS; k++)
		used += c[k].width ? c[k].width + TABLE_GAP : 0;
	if (c[LIST_COL_DESCRIPTION].width && used - TABLE_GAP < cols)
		c[LIST_COL_DESCRIPTION].width += cols - (used - TABLE_GAP);
}

/* How it stands: a sign in a colour. */
static void draw_sign(struct grid *g, int y, int x, enum agent_state state,
	const struct list_look *look)
{
	switch (state) {
	case AGENT_RUNNING:
		grid_text(
			g, y, x, x + 1, look->frame, style_role(ROLE_RUNNING));
		break;
	case AGENT_FINISHED:
		grid_text(g, y, x, x + 1,
			str_of(look->utf8 ? "\xe2\x9c\x93" : "+"),
			style_role(ROLE_OK));
		break;
	case AGENT_FAILED:
		grid_text(g, y, x, x + 1,
			str_of(look->utf8 ? "\xe2\x9c\x97" : "x"),
			style_role(ROLE_ERROR));
		break;
	}
}

static void mark_matches(
	struct grid *g, int y, int x, const struct find *f, struct str s)
{
	ptrdiff_t at = 0;
	size_t len;

	while ((at = find_span(f, s, (size_t)at, &len)) >= 0 && len) {
		struct str before = {s.ptr, (size_t)at};
		struct str found = {s.ptr + at, len};
		int from = x + grid_width(before);

		grid_mark(g, y, from, from + grid_width(found), STYLE_MATCH);
		at += (ptrdiff_t)len;
	}
}

static void draw_row(const struct list *l, struct grid *g, int y,
	const struct row *r, const struct column *c, int x)
{
	int k;

	for (k = 0; k < LIST_COLS; k++) {
		uint32_t style = k == LIST_COL_LABEL   ? style_tag(r->at->agent)
				 : k == LIST_COL_MODEL ? STYLE_DIM
						       : 0;
		int next = table_cell(
			g, y, x, &c[k], strbuf_str(&r->cell[k]), style);

		if (next > x && k <= LIST_COL_DESCRIPTION)
			mark_matches(
				g, y, x, &l->match, strbuf_str(&r->cell[k]));
		x = next;
	}
}

static void draw_rows(struct list *l, struct grid *g, const struct row *rows,
	size_t agents, const struct list_look *look)
{
	struct column c[LIST_COLS] = {
		[LIST_COL_MODEL] = {.min = 12, .cut = 2, .drop = 1},
		[LIST_COL_DESCRIPTION] = {.min = 20, .cut = 3, .drop = 3},
		[LIST_COL_TOOL] = {.min = TOOL_MIN, .cut = 1, .drop = 2},
		[LIST_COL_TIME] = {.right = true},
		[LIST_COL_TOKENS] = {.right = true},
		[LIST_COL_COST] = {.right = true},
	};
	struct strbuf sb = STRBUF_INIT;
	int digits;
	int i;

	strbuf_addf(&sb, "%zu", agents - 1);
	digits = (int)sb.len;
	measure(l, rows, l->shown);
	fit(l, c, g->cols - (digits + 5));
	for (i = 0; i < l->shown; i++) {
		bool selected = rows[i].at->agent == l->selected;
		int y = l->first_y + i;

		strbuf_reset(&sb);
		strbuf_addf(&sb, "%c %*u ", selected ? '>' : ' ', digits,
			(unsigned)rows[i].at->agent);
		grid_text(g, y, 0, digits + 3, strbuf_str(&sb), 0);
		draw_sign(g, y, digits + 3, rows[i].state, look);
		draw_row(l, g, y, &rows[i], c, digits + 5);
		if (selected && look->focused)
			grid_mark(g, y, 0, g->cols, STYLE_SELECTED);
	}
	strbuf_release(&sb);
}

void list_draw(struct list *l, const struct model *m, struct grid *g, int y,
	int rows, const struct list_look *look)
{
	size_t at = list_position(l);
	size_t shown = (size_t)(rows - 3);
	struct row *r = xcalloc(shown, sizeof(*r));
	size_t i;
	int k;

	l->shown = rows - 3;
	l->first_y = y + 2;
	if (at < l->count && at < l->top)
		l->top = at;
	if (at < l->count && at >= l->top + shown)
		l->top = at + 1 - shown;
	if (l->top + shown > l->count)
		l->top = l->count - shown;
	for (i = 0; i < shown; i++) {
		r[i].at = &l->rows[l->top + i];
		fill_row(&r[i], m, look->mono);
	}
	grid_line(g, y);
	draw_title(l, m, g, y + 1, look->focused);
	draw_rows(l, g, r, m->agents.count, look);
	grid_line(g, y + rows - 1);
	for (i = 0; i < shown; i++)
		for (k = 0; k < LIST_COLS; k++)
			strbuf_release(&r[i].cell[k]);
	free(r);
}

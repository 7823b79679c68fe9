#include "config.h"

#include "ui/list.h"

#include <stdlib.h>

#include "base/i18n.h"
#include "base/xalloc.h"
#include "ui/table.h"
#include "ui/text.h"

#define MIN_ROWS 10   /* smaller screens have no list */
#define MANY 5000     /* from here on the order is built once a second */
#define DEPTH_SHOWN 6 /* deeper ones are not indented further */
#define TOOL_COLS 24  /* the tool's share before the description's */
#define TOOL_MOST 40  /* and at most, when there is room for both */

enum {
	COL_LABEL,
	COL_MODEL,
	COL_DESCRIPTION,
	COL_TOOL,
	COL_TIME,
	COL_CONTEXT,
	COLS
};

void list_release(struct list *l)
{
	free(l->order);
	memset(l, 0, sizeof(*l));
}

static int64_t agent_ms(
	const struct model *m, const struct agent *g, int64_t mono)
{
	if (g->state != AGENT_RUNNING)
		return g->duration_ms;
	return model_now(m, mono) - g->start_ms;
}

struct sorting {
	const struct list *l;
	const struct model *m;
	int64_t mono;
};

static int compare(const struct sorting *s, uint32_t a, uint32_t b)
{
	const struct agent *ga = &s->m->agents.v[a];
	const struct agent *gb = &s->m->agents.v[b];
	int64_t va = 0;
	int64_t vb = 0;

	switch (s->l->sort) {
	case LIST_TIME:
		va = agent_ms(s->m, ga, s->mono);
		vb = agent_ms(s->m, gb, s->mono);
		break;
	case LIST_CONTEXT:
		va = ga->context;
		vb = gb->context;
		break;
	case LIST_START:
	case LIST_SORTS:
		break;
	}
	if (va != vb)
		return va > vb ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int compare_r(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;
	int c = compare(s, *(const uint32_t *)a, *(const uint32_t *)b);

	return s->l->reverse ? -c : c;
}

void list_changed(struct list *l)
{
	l->built_for = SIZE_MAX;
	l->built_at = 0;
}

static void build(struct list *l, const struct model *m, int64_t mono)
{
	const struct agents *a = &m->agents;
	struct sorting s = {l, m, mono};
	uint32_t i;

	l->count = 0;
	for (i = 1; i < a->count; i++) {
		if (a->v[i].state != AGENT_RUNNING && !l->finished)
			continue;
		if (l->count == l->cap) {
			l->cap += l->cap / 2 + 16;
			l->order = xreallocarray(
				l->order, l->cap, sizeof(*l->order));
		}
		l->order[l->count++] = i;
	}
	if (l->count && (l->sort != LIST_START || l->reverse))
		qsort_r(l->order, l->count, sizeof(*l->order), compare_r, &s);
}

static size_t position(const struct list *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (l->order[i] == l->selected)
			return i;
	return l->count;
}

/* The selected agent stays; when it left the list, who is in its place. */
static void keep_selection(struct list *l, size_t was)
{
	if (!l->count)
		return;
	if (l->selected && position(l) < l->count)
		return;
	l->selected = l->order[was < l->count ? was : l->count - 1];
}

void list_sync(struct list *l, const struct model *m, int64_t mono)
{
	size_t state = m->agents.count + m->agents.ended;
	bool moving = l->sort != LIST_START && m->agents.running;
	bool many = m->agents.count > MANY;
	size_t was = position(l);

	if (l->built_at && many && mono < l->built_at + 1000)
		return;
	if (state == l->built_for && !(moving && mono >= l->built_at + 1000))
		return;
	build(l, m, mono);
	l->built_for = state;
	l->built_at = mono ? mono : 1;
	keep_selection(l, was < l->count || l->selected ? was : 0);
}

void list_keep_some(struct list *l, const struct model *m, int64_t mono)
{
	if (m->agents.running || l->finished)
		return;
	l->finished = true;
	list_changed(l);
	list_sync(l, m, mono);
}

void list_move(struct list *l, int delta)
{
	size_t at = position(l);

	if (!l->count)
		return;
	if (at == l->count)
		at = 0;
	else if (delta < 0)
		at = at > (size_t)-delta ? at - (size_t)-delta : 0;
	else
		at += (size_t)delta;
	l->selected = l->order[at < l->count ? at : l->count - 1];
}

void list_edge(struct list *l, bool end)
{
	if (l->count)
		l->selected = l->order[end ? l->count - 1 : 0];
}

int list_rows(const struct list *l, const struct model *m, int rows)
{
	int most = rows / 3 - 1;

	if (m->agents.count < 2 || rows < MIN_ROWS)
		return 0;
	if (most < 1)
		most = 1;
	return 3 + (l->count < (size_t)most ? (int)l->count : most);
}

/* What keys do here, as long as there is room. */
static void draw_hints(
	const struct list *l, struct grid *g, int y, int x, bool focused)
{
	static const char *const sorts[] = {
		N_("start"), N_("time"), N_("context")};
	struct strbuf sb = STRBUF_INIT;
	int i;

	for (i = 0; i < 2; i++) {
		strbuf_reset(&sb);
		if (i == 0) {
			strbuf_addstr(&sb,
				focused ? _("Enter: open") : _("Tab: select"));
			strbuf_addstr(&sb, "  ");
		}
		strbuf_addf(&sb, _("sort: %s%s"), _(sorts[l->sort]),
			l->reverse ? " ^" : "");
		strbuf_addstr(&sb, "  ");
		strbuf_addstr(
			&sb, l->finished ? _("a: running only") : _("a: all"));
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
	struct grid *g, int y, int shown, bool focused)
{
	struct strbuf sb = STRBUF_INIT;
	int x;

	/* TRANSLATORS: title of the list of subagents */
	strbuf_addf(&sb, _(" agents  %zu running"), m->agents.running);
	if (m->agents.ended)
		strbuf_addf(&sb, _("  %zu done"), m->agents.ended);
	if (l->count > (size_t)shown && shown)
		strbuf_addf(&sb, "  %zu-%zu/%zu", l->top + 1,
			l->top + (size_t)shown, l->count);
	x = grid_cut(g, y, 0, g->cols, strbuf_str(&sb), 0);
	draw_hints(l, g, y, x, focused);
	strbuf_release(&sb);
}

/* The texts of one agent's cells. */
struct row {
	struct strbuf cell[COLS];
	uint32_t agent;
	bool running;
};

static void fill_row(
	struct row *r, const struct model *m, uint32_t agent, int64_t mono)
{
	const struct agent *g = &m->agents.v[agent];
	uint32_t depth = g->depth < DEPTH_SHOWN ? g->depth : DEPTH_SHOWN;
	uint32_t i;

	r->agent = agent;
	r->running = g->state == AGENT_RUNNING;
	for (i = 0; i < COLS; i++)
		strbuf_init(&r->cell[i]);
	for (i = 1; i < depth; i++)
		strbuf_addstr(&r->cell[COL_LABEL], "  ");
	strbuf_addstr(&r->cell[COL_LABEL], g->label);
	strbuf_adds(&r->cell[COL_MODEL], model_of(m, agent));
	strbuf_addstr(&r->cell[COL_DESCRIPTION], g->description);
	if (r->running)
		strbuf_addstr(
			&r->cell[COL_TOOL], agents_tool(&m->agents, agent));
	else
		strbuf_addstr(&r->cell[COL_TOOL],
			g->state == AGENT_FAILED ? _("failed") : _("finished"));
	text_clock(&r->cell[COL_TIME], agent_ms(m, g, mono));
	if (g->context != COUNT_UNKNOWN) {
		strbuf_addstr(&r->cell[COL_CONTEXT], "ctx ");
		textfmt_tokens(&r->cell[COL_CONTEXT], g->context);
	}
}

/* The tool changes all the time, its column does not: it and the description
 * share what the others leave. */
static void fit(struct column *c, const struct row *rows, int count, int cols)
{
	int rest = cols - (COLS - 1) * TABLE_GAP;
	int tool;
	int i;
	int k;

	for (k = 0; k < COLS; k++) {
		c[k].width = 0;
		for (i = 0; i < count; i++) {
			int w = grid_width(strbuf_str(&rows[i].cell[k]));

			c[k].width = w > c[k].width ? w : c[k].width;
		}
		if (k != COL_TOOL && k != COL_DESCRIPTION)
			rest -= c[k].width;
	}
	tool = rest / 2 < TOOL_COLS ? rest / 2 : TOOL_COLS;
	if (tool < rest - c[COL_DESCRIPTION].width)
		tool = rest - c[COL_DESCRIPTION].width;
	if (tool > TOOL_MOST)
		tool = TOOL_MOST;
	c[COL_TOOL].width = tool > c[COL_TOOL].min ? tool : c[COL_TOOL].min;
	table_fit(c, COLS, cols);
}

static void draw_rows(const struct list *l, struct grid *g, int y,
	const struct row *rows, int count, bool focused, struct str frame)
{
	struct column c[COLS] = {
		[COL_MODEL] = {.min = 8, .cut = 3, .drop = 3},
		[COL_DESCRIPTION] = {.min = 9, .cut = 1, .drop = 1},
		[COL_TOOL] = {.min = 12, .cut = 2, .drop = 2},
		[COL_TIME] = {.right = true},
	};
	struct strbuf sb = STRBUF_INIT;
	int digits = 1;
	int i;
	int k;

	for (i = 0; i < count; i++) {
		strbuf_reset(&sb);
		strbuf_addf(&sb, "%u", (unsigned)rows[i].agent);
		if ((int)sb.len > digits)
			digits = (int)sb.len;
	}
	fit(c, rows, count, g->cols - (digits + 5));
	for (i = 0; i < count; i++, y++) {
		bool selected = rows[i].agent == l->selected;
		int x = digits + 5;

		strbuf_reset(&sb);
		strbuf_addf(&sb, "%c %*u ", selected ? '>' : ' ', digits,
			(unsigned)rows[i].agent);
		strbuf_adds(&sb, rows[i].running ? frame : str_of(" "));
		grid_text(g, y, 0, x, strbuf_str(&sb), 0);
		for (k = 0; k < COLS; k++)
			x = table_cell(g, y, x, &c[k],
				strbuf_str(&rows[i].cell[k]), 0);
		if (selected && focused)
			grid_mark(g, y, 0, g->cols, STYLE_SELECTED);
	}
	strbuf_release(&sb);
}

void list_draw(struct list *l, const struct model *m, struct grid *g, int y,
	int rows, bool focused, int64_t mono, struct str frame)
{
	int shown = rows - 3;
	size_t at = position(l);
	struct row *r = xcalloc((size_t)shown, sizeof(*r));
	int i;
	int k;

	if (at < l->count && at < l->top)
		l->top = at;
	if (at < l->count && at >= l->top + (size_t)shown)
		l->top = at + 1 - (size_t)shown;
	if (l->top + (size_t)shown > l->count)
		l->top = l->count - (size_t)shown;
	for (i = 0; i < shown; i++)
		fill_row(&r[i], m, l->order[l->top + (size_t)i], mono);
	grid_line(g, y);
	draw_title(l, m, g, y + 1, shown, focused);
	draw_rows(l, g, y + 2, r, shown, focused, frame);
	grid_line(g, y + rows - 1);
	for (i = 0; i < shown; i++)
		for (k = 0; k < COLS; k++)
			strbuf_release(&r[i].cell[k]);
	free(r);
}

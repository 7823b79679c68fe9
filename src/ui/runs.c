#include "config.h"

#include "ui/runs.h"

#include <math.h>
#include <stdlib.h>

#include "base/i18n.h"
#include "base/xalloc.h"
#include "event/status.h"
#include "ui/state.h"
#include "ui/table.h"
#include "ui/text.h"

enum {
	COL_STATE,
	COL_RUNTIME,
	COL_LABEL,
	COL_TIME,
	COL_AGE,
	COL_MODEL,
	COL_IN,
	COL_COST,
	COL_AGENTS,
	COL_TOOL,
	COLS
};

void runs_release(struct runs_list *l)
{
	find_release(&l->match);
	free(l->order);
}

static const char *state_word(const struct ui_run *r)
{
	static const char *const ends[] = {
		[END_FINISHED] = N_("finished"),
		[END_FAILED] = N_("failed"),
		[END_INTERRUPTED] = N_("interrupted"),
		[END_TIMEOUT] = N_("timeout"),
		[END_LIMIT] = N_("limit"),
		[END_REJECTED] = N_("rejected"),
	};

	if (r->model.ended)
		return _(ends[r->model.status]);
	if (r->note)
		return r->note;
	return r->model.began ? _("running") : _("waiting");
}

static const char *label_of(const struct ui_run *r)
{
	return r->model.label ? r->model.label : r->name;
}

static bool has(const struct find *f, const char *s)
{
	return s && find_in(f, str_of(s), 0) >= 0;
}

static bool is_shown(const struct find *f, const struct ui_run *r)
{
	struct str model = model_of(&r->model, AGENT_MAIN);

	return !find_is_set(f) || has(f, r->name) || has(f, r->model.label) ||
	       has(f, r->model.runtime) || has(f, state_word(r)) ||
	       (r->model.ended && has(f, status_word(r->model.status))) ||
	       (model.len && find_in(f, model, 0) >= 0);
}

/* Running ones first, then what ended badly. */
static int64_t state_rank(const struct ui_run *r)
{
	if (!r->model.ended)
		return r->model.still ? 1 : 2;
	return r->model.status == END_FINISHED ? -1 : 0;
}

static int64_t sort_value(enum runs_sort sort, const struct ui_run *r)
{
	switch (sort) {
	case RUNS_STATE:
		return state_rank(r);
	case RUNS_AGE:
		return r->model.first_ms;
	case RUNS_IN:
		return token_counts_in(&r->model.used);
	case RUNS_COST:
		return isfinite(r->model.used.cost_usd)
			       ? (int64_t)(r->model.used.cost_usd * 1e6)
			       : -1;
	case RUNS_ADDED:
	case RUNS_SORTS:
		break;
	}
	return 0;
}

struct keyed {
	struct ui_run *run;
	int64_t value;
	size_t index;
};

static int compare(const void *a, const void *b)
{
	const struct keyed *x = a;
	const struct keyed *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static size_t position(const struct runs_list *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (l->order[i] == l->selected)
			return i;
	return l->count;
}

void runs_sync(struct ui *ui)
{
	struct runs_list *l = &ui->list;
	struct keyed *k = xcalloc(ui->run_count, sizeof(*k));
	size_t was = position(l);
	size_t n = 0;
	size_t i;

	for (i = 0; i < ui->run_count; i++) {
		if (!is_shown(&l->match, ui->runs[i]))
			continue;
		k[n].run = ui->runs[i];
		k[n].index = i;
		k[n++].value = sort_value(l->sort, ui->runs[i]);
	}
	qsort(k, n, sizeof(*k), compare);
	if (n > l->cap) {
		l->cap = n;
		l->order = xreallocarray(l->order, n, sizeof(*l->order));
	}
	for (i = 0; i < n; i++)
		l->order[l->reverse ? n - 1 - i : i] = k[i].run;
	l->count = n;
	free(k);
	if (n && position(l) == n)
		l->selected = l->order[was < n ? was : 0];
}

void runs_move(struct runs_list *l, int delta)
{
	size_t at = position(l);

	if (!l->count)
		return;
	if (delta < 0)
		at = at > (size_t)-delta ? at - (size_t)-delta : 0;
	else
		at += (size_t)delta;
	l->selected = l->order[at < l->count ? at : l->count - 1];
}

static void add_cost(struct strbuf *out, double usd)
{
	if (isfinite(usd))
		strbuf_addf(out, "$%.4f", usd);
}

static void add_in(struct strbuf *out, const struct token_counts *c)
{
	int64_t in = token_counts_in(c);

	if (in != COUNT_UNKNOWN)
		textfmt_tokens(out, in);
}

static void fill(struct strbuf *cell, const struct ui *ui, struct ui_run *r)
{
	const struct model *m = &r->model;
	int i;

	for (i = 0; i < COLS; i++)
		strbuf_reset(&cell[i]);
	strbuf_addstr(&cell[COL_STATE], state_word(r));
	strbuf_addstr(&cell[COL_RUNTIME], m->runtime ? m->runtime : "");
	strbuf_addstr(&cell[COL_LABEL], label_of(r));
	if (m->began)
		text_clock(&cell[COL_TIME], model_elapsed(m, ui->now));
	if (m->began)
		text_age(&cell[COL_AGE], ui->wall - m->first_ms);
	strbuf_adds(&cell[COL_MODEL], model_of(m, AGENT_MAIN));
	add_in(&cell[COL_IN], &m->used);
	add_cost(&cell[COL_COST], m->used.cost_usd);
	if (m->agents.running && !m->ended)
		strbuf_addf(&cell[COL_AGENTS], "%zu", m->agents.running);
	if (!m->ended)
		strbuf_addstr(
			&cell[COL_TOOL], agents_tool(&m->agents, AGENT_MAIN));
}

static void draw_totals(struct ui *ui, struct grid *g, int y)
{
	struct token_counts sum = token_counts_unknown();
	struct strbuf sb = STRBUF_INIT;
	size_t running = 0;
	size_t failed = 0;
	size_t agents = 0;
	size_t i;

	for (i = 0; i < ui->run_count; i++) {
		const struct model *m = &ui->runs[i]->model;

		token_counts_add(&sum, &m->used);
		running += m->began && !m->ended && !m->still;
		failed += m->ended && m->status != END_FINISHED;
		if (!m->ended)
			agents += m->agents.running;
	}
	strbuf_addf(&sb,
		ngettext(" %zu run", " %zu runs", (unsigned long)ui->run_count),
		ui->run_count);
	strbuf_addf(&sb, _("  %zu running  %zu failed"), running, failed);
	if (agents)
		strbuf_addf(&sb,
			ngettext("  %zu agent", "  %zu agents",
				(unsigned long)agents),
			agents);
	textfmt_usage(&sb, &sum, false);
	if (isfinite(sum.cost_usd)) {
		strbuf_addstr(&sb, "  ");
		add_cost(&sb, sum.cost_usd);
	}
	grid_cut(g, y, 0, g->cols, strbuf_str(&sb), 0);
	strbuf_release(&sb);
}

static void heads(struct strbuf *cell, const struct runs_list *l)
{
	static const char *const names[COLS] = {N_("state"), N_("runtime"),
		N_("prompt"), N_("time"), N_("age"), N_("model"), N_("in"),
		N_("cost"), N_("agents"), N_("tool")};
	static const int sorted[RUNS_SORTS] = {
		-1, COL_STATE, COL_AGE, COL_IN, COL_COST};
	int i;

	for (i = 0; i < COLS; i++) {
		strbuf_reset(&cell[i]);
		strbuf_addstr(&cell[i], _(names[i]));
		if (i == sorted[l->sort])
			strbuf_addstr(&cell[i], l->reverse ? " ^" : " v");
	}
}

static void measure(struct column *c, const struct strbuf *cell)
{
	int i;

	for (i = 0; i < COLS; i++) {
		int w = grid_width(strbuf_str(&cell[i]));

		c[i].width = w > c[i].width ? w : c[i].width;
	}
}

static void draw_cells(struct grid *g, int y, const struct column *c,
	const struct strbuf *cell, bool selected, uint32_t style)
{
	int x = 2;
	int i;

	grid_text(g, y, 0, 1, str_of(selected ? ">" : " "), 0);
	for (i = 0; i < COLS; i++)
		x = table_cell(g, y, x, &c[i], strbuf_str(&cell[i]), style);
	if (selected)
		grid_mark(g, y, 0, g->cols, STYLE_SELECTED);
}

void runs_draw(struct ui *ui, struct grid *g, int y, int rows)
{
	bool narrow = g->cols < 40;
	struct column c[COLS] = {
		[COL_STATE] = {.min = 8, .cut = narrow ? 5 : 0},
		[COL_RUNTIME] = {.min = 5, .cut = 4, .drop = 5},
		[COL_LABEL] = {.min = narrow ? 6 : 16, .cut = 3},
		[COL_TIME] = {.drop = 8, .right = true},
		[COL_AGE] = {.drop = 2, .right = true},
		[COL_MODEL] = {.min = 12, .cut = 2, .drop = 1},
		[COL_IN] = {.drop = 7, .right = true},
		[COL_COST] = {.drop = 6, .right = true},
		[COL_AGENTS] = {.drop = 4, .right = true},
		[COL_TOOL] = {.min = 10, .cut = 1, .drop = 3},
	};
	struct runs_list *l = &ui->list;
	struct strbuf cell[COLS];
	size_t at = position(l);
	size_t shown;
	size_t i;
	int k;

	for (k = 0; k < COLS; k++)
		strbuf_init(&cell[k]);
	draw_totals(ui, g, y);
	/* One row: the sums alone; two: no heads. */
	l->rows = rows > 2 ? rows - 2 : rows - 1;
	shown = (size_t)l->rows;
	if (at < l->top)
		l->top = at;
	if (at >= l->top + shown)
		l->top = at + 1 - shown;
	if (l->top >= l->count)
		l->top = 0;
	heads(cell, l);
	measure(c, cell);
	for (i = l->top; i < l->count && i < l->top + shown; i++) {
		fill(cell, ui, l->order[i]);
		measure(c, cell);
	}
	table_fit(c, COLS, g->cols - 2);
	heads(cell, l);
	if (rows > 2)
		draw_cells(g, y + 1, c, cell, false, STYLE_DIM);
	for (i = l->top; i < l->count && i < l->top + shown; i++) {
		fill(cell, ui, l->order[i]);
		draw_cells(g, y + 2 + (int)(i - l->top) - (rows <= 2), c, cell,
			l->order[i] == l->selected, 0);
	}
	for (k = 0; k < COLS; k++)
		strbuf_release(&cell[k]);
}

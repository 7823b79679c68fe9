#include "config.h"

#include "base/i18n.h"
#include "ui/state.h"
#include "ui/text.h"

#define LINE_ROWS 10 /* from here on a line stands above the bar */
#define LIST_TOO_ROWS                                                    \
	36           /* from here on the agents stand below details, too \
		      */
#define BODY_COLS 5  /* what stands before the lines of a text */
#define TITLE_ROWS 3 /* from here on transcripts and pages have a title */

static void draw_page(struct ui *ui, struct grid *g, int rows)
{
	struct page *p = ui->page;
	int y = 0;

	if (g->rows >= TITLE_ROWS) {
		grid_text(g, 0, 1, g->cols, str_of(p->title), 0);
		y = 1;
	}
	if (rows > y) {
		pane_sync(&p->pane, rows - y, g->cols);
		pane_draw(&p->pane, g, y);
	}
}

/* "explore#1  haiku  running 0:12  in 14.1k  cached 69%  ctx 14.1k". */
static void draw_title(struct ui *ui, const struct run_view *v, struct grid *g)
{
	static const char *const states[] = {
		N_("running"), N_("finished"), N_("failed")};
	const struct model *m = &ui->run->model;
	const struct agent *a = &m->agents.v[v->agent];
	struct token_counts used = agents_used(&m->agents, v->agent);
	struct str model = model_of(m, v->agent);
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, " %s", a->label);
	if (model.len) {
		strbuf_addstr(&sb, "  ");
		strbuf_adds(&sb, model);
	}
	strbuf_addf(&sb, "  %s ", _(states[a->state]));
	if (a->state == AGENT_RUNNING)
		text_clock(&sb, model_now(m, ui->now) - a->start_ms);
	else
		textfmt_duration(&sb, a->duration_ms);
	textfmt_usage(&sb, &used, true);
	if (a->context != COUNT_UNKNOWN) {
		strbuf_addstr(&sb, "  ctx ");
		textfmt_tokens(&sb, a->context);
	}
	strbuf_addf(&sb, "  %s", a->description);
	grid_cut(g, 0, 0, g->cols, strbuf_str(&sb), 0);
	strbuf_release(&sb);
}

/* Which of several runs this is. */
static void draw_run_title(struct ui *ui, struct grid *g)
{
	const struct ui_run *r = ui->run;
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, " %s", r->name);
	if (r->model.label)
		strbuf_addf(&sb, "  %s", r->model.label);
	grid_cut(g, 0, 0, g->cols, strbuf_str(&sb), 0);
	strbuf_release(&sb);
}

/* The line above what is selected: what it is, and how far it is shown. */
static void draw_inspect_title(struct ui *ui, struct grid *g)
{
	const struct inspect *in = &ui->inspect;
	uint32_t style = style_role(in->bad == ITEM_DENIED   ? ROLE_DENIED
				    : in->bad == ITEM_FAILED ? ROLE_ERROR
							     : ROLE_TITLE);
	struct strbuf sb = STRBUF_INIT;

	if (in->focus)
		style |= STYLE_REVERSE;

	grid_line(g, 0);
	strbuf_addf(&sb, " %s ", in->title.buf);
	if (in->raw)
		strbuf_addf(&sb, " %s ", _("raw"));
	if (in->waiting) {
		strbuf_addch(&sb, ' ');
		/* TRANSLATORS: how much of the raw output was gone through */
		strbuf_addf(&sb, _("looking for it, %d%%"), in->percent);
		strbuf_addch(&sb, ' ');
	}
	grid_cut(g, 0, 1, g->cols - 1, strbuf_str(&sb), style);
	strbuf_release(&sb);
}

static void draw_inspect(
	struct ui *ui, struct grid *g, int y, const struct inspect_place *at)
{
	struct inspect *in = &ui->inspect;
	struct grid *part = &ui->part;

	grid_reset(part, at->rows, at->cols);
	draw_inspect_title(ui, part);
	if (at->rows > 1) {
		pane_sync(&in->pane, at->rows - 1, at->cols);
		in->pane.quiet = !in->focus;
		pane_draw(&in->pane, part, 1);
	}
	grid_blit(g, y + at->y, at->x, part);
	for (int i = 0; at->beside && i < at->rows; i++)
		grid_text(g, y + i, at->x - 1, at->x,
			str_of(ui->utf8 ? "\xe2\x94\x82" : "|"), STYLE_DIM);
}

/* The run, and what is selected in it. */
static void draw_panes(struct ui *ui, struct grid *g, int y, int rows)
{
	struct inspect *in = &ui->inspect;
	struct pane *p = ui_run_pane(ui);
	struct inspect_place at = inspect_place(in, rows, g->cols);
	struct grid *part = &ui->part;
	size_t cursor;

	p->times = ui->times;
	ui_show(ui->run,
		(in->open && at.run_rows ? at.run_cols : g->cols) - BODY_COLS,
		ui->run->model.show_source);
	if (!in->open) {
		pane_sync(p, rows, g->cols);
		pane_draw(p, g, y);
		return;
	}
	in->alone = !at.run_rows;
	in->focus |= in->alone;
	cursor = p->cursor;
	pane_sync(p, at.run_rows ? at.run_rows : rows,
		at.run_rows ? at.run_cols : g->cols);
	/* What is selected stays so when its pane gets smaller. */
	if (p->cursor != cursor && cursor != ROWS_NONE)
		pane_goto(p, cursor);
	if (at.run_rows) {
		grid_reset(part, at.run_rows, at.run_cols);
		pane_draw(p, part, 0);
		grid_blit(g, y, 0, part);
	}
	inspect_fit(in, at.cols - 2, ui->run->model.show_source);
	if (pane_item(p) != MODEL_NO_ITEM)
		inspect_show(
			in, &ui->run->model, ui->run->detail, pane_item(p));
	draw_inspect(ui, g, y, &at);
}

static void draw_run(struct ui *ui, struct grid *g, int rows)
{
	struct run_view *v = ui_view(ui->run);
	const struct model *m = &ui->run->model;
	int y = 0;
	int list;

	list_sync(&v->list, m, ui->now);
	if (ui->focus_list)
		list_keep_some(&v->list, m, ui->now);
	list = list_rows(&v->list, m, g->rows);
	if (!list)
		ui->focus_list = false;
	if (ui->inspect.open && !ui->focus_list && g->rows < LIST_TOO_ROWS)
		list = 0;
	if (v->agent != AGENT_MAIN && g->rows >= TITLE_ROWS) {
		draw_title(ui, v, g);
		y = 1;
	} else if (ui->run_count > 1 && g->rows >= TITLE_ROWS) {
		draw_run_title(ui, g);
		y = 1;
	}
	if (list) {
		rows -= list;
		list_draw(&v->list, m, g, rows, list,
			&(struct list_look){.focused = ui->focus_list,
				.utf8 = ui->utf8,
				.mono = ui->now,
				.frame = m->still ? str_of(" ")
						  : bar_frame(ui)});
	} else if (g->rows >= LINE_ROWS) {
		grid_line(g, --rows);
	}
	if (rows > y)
		draw_panes(ui, g, y, rows - y);
}

void ui_draw(struct ui *ui, int rows, int cols)
{
	struct grid *g = &ui->grid;
	int bar;

	grid_reset(g, rows, cols);
	bar = g->rows - 1;
	if (ui->page) {
		draw_page(ui, g, bar);
	} else if (ui->run) {
		draw_run(ui, g, bar);
	} else {
		runs_sync(ui);
		if (bar > 0)
			runs_draw(
				ui, g, 0, g->rows >= LINE_ROWS ? bar - 1 : bar);
		if (g->rows >= LINE_ROWS)
			grid_line(g, bar - 1);
	}
	if (ui->prompt.kind != PROMPT_NONE && g->cols > 1)
		prompt_draw(ui, g, bar);
	else
		bar_draw(ui, g, bar);
}

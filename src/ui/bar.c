#include "config.h"

#include "base/i18n.h"
#include "ui/state.h"
#include "ui/text.h"

#define QUIET_MS 30000 /* from here on the bar says that nothing comes */
#define NARROW 60      /* below it a stop stands in place of names */
#define EDGE 3         /* columns free at the right: ^C is echoed there */

struct str bar_frame(const struct ui *ui)
{
	static const char *const braille[] = {
		"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
	static const char *const plain[] = {"|", "/", "-", "\\"};
	int64_t n = ui->now / SPINNER_MS;

	return str_of(ui->utf8 ? braille[n % 10] : plain[n % 4]);
}

/* The pieces of the bar: what stands left and right of the tool, and what is
 * dropped first. */
struct bar {
	struct strbuf head;
	struct strbuf tool;
	struct strbuf tail;
	struct strbuf words;    /* stay when the rest is cut */
	struct strbuf right[3]; /* dropped in this order */
};

static void add_clocks(struct bar *b, struct ui *ui, const struct model *m)
{
	struct strbuf *sb = &b->tail;
	int64_t quiet = ui->now - m->last_mono;

	strbuf_addstr(sb, "  ");
	text_clock(sb, model_elapsed(m, ui->now));
	textfmt_usage(sb, &m->used, false);
	if (m->agents.v[AGENT_MAIN].context != COUNT_UNKNOWN) {
		strbuf_addstr(sb, "  ctx ");
		textfmt_tokens(sb, m->agents.v[AGENT_MAIN].context);
	}
	if (m->began && !m->still && quiet >= QUIET_MS) {
		strbuf_addstr(&b->words, "  ");
		/* TRANSLATORS: nothing came from the runtime for so long */
		strbuf_addstr(&b->words, _("quiet"));
		strbuf_addch(&b->words, ' ');
		text_clock(&b->words, quiet);
	}
}

/* A stop in progress is always said: in place of who runs, where there is no
 * room for both. */
static void add_names(struct bar *b, const struct ui *ui, const struct model *m)
{
	const struct ui_requests *q = &ui->config.requests;
	struct str model = model_of(m, AGENT_MAIN);
	int64_t ms = 0;
	bool stopping = q->stopping && q->stopping(q->arg, &ms);
	int seconds = (int)((ms + 999) / 1000);

	if (stopping && ui->grid.cols < NARROW) {
		strbuf_addch(&b->head, ' ');
		strbuf_addf(&b->head, _("stopping, %d s"), seconds);
		return;
	}
	strbuf_addstr(&b->head, " main");
	if (model.len) {
		strbuf_addstr(&b->head, "  ");
		strbuf_adds(&b->head, model);
	}
	if (!stopping)
		return;
	strbuf_addstr(&b->words, "  ");
	strbuf_addf(&b->words, _("stopping, %d s (Ctrl-C: at once)"), seconds);
}

static void running_bar(struct bar *b, struct ui *ui, struct ui_run *r)
{
	const struct model *m = &r->model;

	strbuf_addch(&b->head, ' ');
	strbuf_adds(&b->head, m->still ? str_of(" ") : bar_frame(ui));
	strbuf_addstr(&b->tool, agents_tool(&m->agents, AGENT_MAIN));
	add_clocks(b, ui, m);
	add_names(b, ui, m);
}

/* At the end the bar is the end line (spec: rich 3). */
static void ended_bar(struct bar *b, struct ui_run *r)
{
	const struct doc *d = &r->model.doc;

	strbuf_addch(&b->head, ' ');
	if (d->count)
		strbuf_adds(&b->head, doc_line(d, d->count - 1));
}

static void add_right(struct bar *b, const struct pane *p)
{
	size_t below = pane_new_lines(p);

	if (p->follow)
		strbuf_addstr(&b->right[0], _("FOLLOW"));
	strbuf_addf(&b->right[1],
		ngettext("%zu line", "%zu lines",
			(unsigned long)p->lens.m->doc.count),
		p->lens.m->doc.count);
	strbuf_addstr(&b->right[2], _("? help"));
	if (below)
		strbuf_addf(&b->words, "  +%zu", below);
}

static void add_search(struct bar *b, const struct pane *p)
{
	const struct search *s = &p->search;

	if (!find_is_set(&s->find))
		return;
	strbuf_addstr(&b->words, "  ");
	if (p->cursor != ROWS_NONE)
		strbuf_addf(&b->words, "%llu/",
			(unsigned long long)search_index(
				s, &p->lens, p->cursor));
	strbuf_addf(&b->words,
		ngettext("%llu match", "%llu matches", (unsigned long)s->total),
		(unsigned long long)s->total);
	if (s->line < p->lens.m->doc.count)
		strbuf_addch(&b->words, '+');
}

static void place_right(
	const struct bar *b, struct grid *g, int y, int free, int end)
{
	int from = 0;
	int x = end;
	int i;

	while (from < 3) {
		int sum = 1;

		for (i = from; i < 3; i++)
			if (b->right[i].len)
				sum += 2 + grid_width(strbuf_str(&b->right[i]));
		if (sum <= free)
			break;
		from++;
	}
	for (i = 2; i >= from; i--) {
		if (!b->right[i].len)
			continue;
		x -= grid_width(strbuf_str(&b->right[i]));
		grid_text(g, y, x, end, strbuf_str(&b->right[i]), 0);
		x -= 2;
	}
}

/* First the tool is cut, then the line; the words keep their place. */
static void place(struct bar *b, struct grid *g, int y)
{
	int end = g->cols - EDGE > 1 ? g->cols - EDGE : 1;
	int tool = grid_width(strbuf_str(&b->tool));
	int words = grid_width(strbuf_str(&b->words));
	int need = grid_width(strbuf_str(&b->head)) +
		   grid_width(strbuf_str(&b->tail)) + words +
		   (tool ? tool + 2 : 0);
	int left;
	int x;

	place_right(b, g, y, end - need, end);
	left = words < end * 2 / 3 ? end - words : end;
	if (tool && need > end)
		tool = tool - (need - end) > 1 ? tool - (need - end) : 0;
	x = grid_cut(g, y, 0, left, strbuf_str(&b->head), 0);
	if (tool)
		x = grid_cut(g, y, x + 2,
			x + 2 + tool < left ? x + 2 + tool : left,
			strbuf_str(&b->tool), 0);
	x = grid_cut(g, y, x, left, strbuf_str(&b->tail), 0);
	grid_cut(g, y, x, end, strbuf_str(&b->words), 0);
}

static void one_run(struct bar *b, struct ui *ui)
{
	struct ui_run *r = ui->run;
	struct pane *p = ui_pane(ui);

	if (r->model.ended)
		ended_bar(b, r);
	else
		running_bar(b, ui, r);
	if (r->note) {
		strbuf_addstr(&b->words, "  ");
		strbuf_addstr(&b->words, r->note);
	}
	if (lens_is_filtered(&p->lens))
		strbuf_addstr(&b->words, _("  filtered (&)"));
	add_search(b, p);
	if (r->model.ended && ui->run_count == 1 && !ui->config.list)
		strbuf_addstr(&b->words, _("  done, q leaves"));
	add_right(b, p);
}

void bar_draw(struct ui *ui, struct grid *g, int y)
{
	struct bar b;
	size_t i;

	if (g->cols <= EDGE) {
		grid_text(g, y, 0, 1, bar_frame(ui), 0);
		return;
	}
	strbuf_init(&b.head);
	strbuf_init(&b.tool);
	strbuf_init(&b.tail);
	strbuf_init(&b.words);
	for (i = 0; i < 3; i++)
		strbuf_init(&b.right[i]);
	if (ui->run) {
		one_run(&b, ui);
	} else {
		strbuf_addstr(&b.head, " agentrun");
		strbuf_addstr(&b.tail,
			_("  Enter: open  /: filter  s: sort  q: leave"));
		if (find_is_set(&ui->list.match))
			strbuf_addstr(&b.words, _("  filtered (&)"));
		strbuf_addstr(&b.right[2], _("? help"));
	}
	if (ui->message.len) {
		strbuf_reset(&b.head);
		strbuf_reset(&b.tool);
		strbuf_reset(&b.tail);
		strbuf_reset(&b.words);
		strbuf_addf(&b.head, " %s", ui->message.buf);
	}
	place(&b, g, y);
	strbuf_release(&b.head);
	strbuf_release(&b.tool);
	strbuf_release(&b.tail);
	strbuf_release(&b.words);
	for (i = 0; i < 3; i++)
		strbuf_release(&b.right[i]);
}

void prompt_draw(struct ui *ui, struct grid *g, int y)
{
	struct strbuf sb = STRBUF_INIT;
	int over;

	switch (ui->prompt.kind) {
	case PROMPT_SEARCH:
		strbuf_addch(&sb, '/');
		break;
	case PROMPT_FILTER:
		if (!ui->run)
			strbuf_addstr(&sb, _("filter (text; empty: all): "));
		else if (g->cols < 70)
			strbuf_addch(&sb, '&');
		else
			/* TRANSLATORS: the words with : stay as they are */
			strbuf_addstr(
				&sb, _("filter (text  :tools :errors :denials "
				       ":texts  @agent; empty: all): "));
		break;
	case PROMPT_WRITE:
		strbuf_addstr(&sb, _("write to the file: "));
		break;
	case PROMPT_PIPE:
		strbuf_addch(&sb, '|');
		break;
	case PROMPT_LEAVE:
		strbuf_addstr(&sb, g->cols < 60
					   ? _("[d]etach [s]top [c]ontinue")
					   : _(" The run goes on.  [d]etach  "
					       "[s]top the run  "
					       "[c]ontinue"));
		break;
	case PROMPT_NONE:
		return;
	}
	if (ui->prompt.kind != PROMPT_LEAVE) {
		strbuf_adds(&sb, strbuf_str(&ui->prompt.text));
		strbuf_addch(&sb, ' ');
	}
	over = grid_width(strbuf_str(&sb)) - (g->cols - 1);
	if (over > 0 && ui->prompt.kind != PROMPT_LEAVE) {
		/* What was typed last stays in sight. */
		struct str s = strbuf_str(&sb);

		while (s.len && grid_width(s) > g->cols - 1) {
			s.ptr++;
			s.len--;
			while (s.len &&
				((unsigned char)*s.ptr & 0xc0) == 0x80) {
				s.ptr++;
				s.len--;
			}
		}
		grid_text(g, y, 0, g->cols - 1, s, 0);
	} else {
		grid_cut(g, y, 0, g->cols - 1, strbuf_str(&sb), 0);
	}
	grid_mark(g, y, 0, g->cols - 1, STYLE_REVERSE);
	strbuf_release(&sb);
}

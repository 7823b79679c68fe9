#include "config.h"

#include <signal.h>

#include "base/i18n.h"
#include "ui/state.h"
#include "ui/term.h"

#define WHEEL_ROWS 3

static void not_here(struct ui *ui)
{
	ui_message(ui, _("that key does nothing here"));
}

static bool over(const struct ui *ui)
{
	size_t i;

	for (i = 0; i < ui->run_count; i++)
		if (!ui->runs[i]->model.ended)
			return false;
	return true;
}

/* q and Esc: one level back, at the top out. */
static void go_back(struct ui *ui, bool quit)
{
	struct pane *p = ui_pane(ui);

	if (ui->page) {
		page_free(ui->page);
		ui->page = NULL;
	} else if (!quit && p && find_is_set(&p->search.find)) {
		search_set(&p->search, str_of(""));
	} else if (ui->run && ui->inspect.open) {
		inspect_close(&ui->inspect);
	} else if (!quit && ui->focus_list) {
		ui->focus_list = false;
	} else if (ui->run && ui_view(ui->run)->agent != AGENT_MAIN) {
		ui_open_agent(ui, AGENT_MAIN);
	} else if (!quit && p && lens_is_filtered(&p->lens)) {
		prompt_open(ui, PROMPT_FILTER);
		prompt_key(ui, UIKEY_ENTER);
	} else if (ui->run && (ui->run_count > 1 || ui->config.list)) {
		ui_open_run(ui, NULL);
	} else if (ui->config.live && !over(ui)) {
		prompt_open(ui, PROMPT_LEAVE);
	} else if (quit) {
		ui_leave(ui);
	} else {
		ui_message(ui, _("q leaves"));
	}
}

/* Movements in whatever has the focus. */
static void move(struct ui *ui, int lines, int pages_num, int pages_den)
{
	struct pane *p = ui_pane(ui);

	if (!p) {
		int page =
			ui->list.rows * pages_num / (pages_den ? pages_den : 1);

		runs_move(&ui->list, lines + (pages_den ? page : 0));
	} else if (!ui->page && ui->focus_list) {
		struct list *l = &ui_view(ui->run)->list;

		list_move(l, lines ? lines : pages_num * 8 / pages_den);
	} else if (lines) {
		if (p->quiet)
			pane_scroll(p, lines);
		else
			pane_move(p, lines);
	} else {
		int page = p->rows * pages_num / pages_den;

		pane_scroll(p, page ? page : pages_num);
	}
}

static void to_edge(struct ui *ui, bool end)
{
	struct pane *p = ui_pane(ui);

	if (end && p == &ui->inspect.pane)
		inspect_finish(&ui->inspect);
	if (!p)
		runs_move(&ui->list, end ? 1 << 28 : -(1 << 28));
	else if (!ui->page && ui->focus_list)
		list_edge(&ui_view(ui->run)->list, end);
	else if (end)
		pane_follow(p);
	else
		pane_home(p);
	if (end && p == &ui->inspect.pane)
		pane_stop_following(p);
}

static void next_match(struct ui *ui, struct pane *p, int dir)
{
	bool wrapped = false;

	if (p == &ui->inspect.pane)
		inspect_finish(&ui->inspect);
	if (!find_is_set(&p->search.find) && ui->last_search.len)
		search_set(&p->search, strbuf_str(&ui->last_search));
	if (!pane_search(p, dir, &wrapped))
		ui_message(ui, find_is_set(&p->search.find)
				       ? _("no match")
				       : _("no search yet: / searches"));
	else if (wrapped)
		ui_message(ui, dir > 0 ? _("from the top again")
				       : _("from the end again"));
}

static void next_item(struct ui *ui, struct pane *p, int dir, uint8_t flags)
{
	if (pane_next_item(p, dir, flags))
		return;
	if (flags & ITEM_FAILED)
		ui_message(ui, dir > 0 ? _("no further error or denial")
				       : _("no earlier error or denial"));
}

/* The selected item opens below; once more goes into it: for a subagent that is
 * its transcript. */
static void open_item(struct ui *ui)
{
	struct run_view *v = ui_view(ui->run);
	struct pane *p = ui_run_pane(ui);
	size_t i = pane_item(p);
	const struct item *it;
	uint32_t agent = AGENT_MAIN;

	if (i == MODEL_NO_ITEM)
		return;
	it = &ui->run->model.items[i];
	if (it->kind == ITEM_AGENT_START)
		agent = it->aux;
	else if (it->kind == ITEM_AGENT_END)
		agent = it->agent;
	if (!ui->inspect.open) {
		pane_stop_following(p);
		ui->inspect.open = true;
	} else if (agent != AGENT_MAIN && agent != v->agent) {
		ui_open_agent(ui, agent);
	} else {
		ui->inspect.focus = true;
	}
}

static void open_selected(struct ui *ui)
{
	struct run_view *v;

	if (ui->page)
		return;
	if (!ui->run) {
		if (ui->list.selected && ui->list.count)
			ui_open_run(ui, ui->list.selected);
		return;
	}
	v = ui_view(ui->run);
	if (ui->focus_list) {
		ui_open_agent(ui, v->list.selected);
		ui->focus_list = false; /* the keys now scroll in it */
	} else {
		open_item(ui);
	}
}

/* What y, w, | and v act on: the part under the cursor in the details, all of
 * them when they are open, else the text of the selected item. */
static bool selected_text(struct ui *ui, struct strbuf *out)
{
	struct pane *p = ui_pane(ui);
	size_t i;

	if (!ui->page && ui->run && ui->inspect.open)
		return inspect_text(&ui->inspect, !ui->inspect.focus, out);
	i = p ? pane_item(p) : MODEL_NO_ITEM;
	if (i == MODEL_NO_ITEM)
		return false;
	item_text(p->lens.m, i, out);
	return true;
}

static void copy(struct ui *ui)
{
	struct strbuf sb = STRBUF_INIT;

	if (!selected_text(ui, &sb))
		ui_message(ui, _("nothing is selected"));
	else if (ui->open && !term_copy(strbuf_str(&sb)))
		ui_message(ui, _("too long for the clipboard"));
	else
		ui_message(ui,
			ngettext("copied %zu byte", "copied %zu bytes",
				(unsigned long)sb.len),
			sb.len);
	strbuf_release(&sb);
}

/* --- the details --- */

/* They are wanted: opens them and makes what there is to be made. False, and a
 * message, when that takes longer. */
static bool need_details(struct ui *ui)
{
	struct inspect *in = &ui->inspect;
	struct pane *p = ui->run && !ui->page ? ui_run_pane(ui) : NULL;

	if (!p || pane_item(p) == MODEL_NO_ITEM) {
		not_here(ui);
		return false;
	}
	if (!in->open) {
		pane_stop_following(p);
		in->open = true;
	}
	inspect_show(in, &ui->run->model, ui->run->detail, pane_item(p));
	if (in->waiting)
		ui_message(ui, _("the raw output is still being gone through"));
	return !in->waiting;
}

static void to_command(struct ui *ui, enum prompt_kind kind)
{
	if (need_details(ui))
		prompt_open(ui, kind);
}

static void to_pager(struct ui *ui)
{
	struct strbuf sb = STRBUF_INIT;

	if (need_details(ui) && ui->open && selected_text(ui, &sb))
		handover_pager(ui, strbuf_str(&sb));
	strbuf_release(&sb);
}

void request_accept(struct ui *ui, enum prompt_kind kind, struct str line)
{
	struct strbuf sb = STRBUF_INIT;

	/* Without a terminal (tests) nothing leaves. */
	if (ui->open && line.len && selected_text(ui, &sb)) {
		if (kind == PROMPT_WRITE)
			handover_write(ui, line, strbuf_str(&sb));
		else
			handover_pipe(ui, line, strbuf_str(&sb));
	}
	strbuf_release(&sb);
}

/* Requests about the details. Returns false for those that are not. */
static bool detail_request(struct ui *ui, enum ui_request req)
{
	struct inspect *in = &ui->inspect;

	if (req == REQ_PIPE) {
		to_command(ui, PROMPT_PIPE);
	} else if (req == REQ_PAGER) {
		to_pager(ui);
	} else if (req == REQ_EXPORT && ui->run && !ui->page && in->open) {
		to_command(ui, PROMPT_WRITE);
	} else if (req == REQ_RAW && ui->run && !ui->page) {
		in->raw = !in->raw;
		if (!in->open)
			(void)need_details(ui);
		else
			inspect_again(in);
	} else if (req == REQ_WHOLE && ui->run && !ui->page) {
		in->whole = need_details(ui) && !in->whole;
		in->focus = in->whole || in->focus;
	} else if (req == REQ_SIDE && ui->run && !ui->page) {
		in->other = !in->other;
	} else {
		return false;
	}
	return true;
}

static void export_run(struct ui *ui)
{
	const struct ui_requests *q = &ui->config.requests;
	struct ui_run *run = ui->run ? ui->run : ui->list.selected;
	char msg[512] = "";

	if (!q->export_run || !run) {
		not_here(ui);
		return;
	}
	q->export_run(q->arg, run, msg, sizeof(msg));
	ui_message(ui, "%s", msg);
}

static void replay(struct ui *ui, enum ui_replay what)
{
	const struct ui_requests *q = &ui->config.requests;
	struct ui_run *run = ui->run ? ui->run : ui->list.selected;
	char msg[128] = "";

	if (!q->replay || !run) {
		not_here(ui);
		return;
	}
	q->replay(q->arg, run, (int)what, msg, sizeof(msg));
	if (msg[0])
		ui_message(ui, "%s", msg);
}

static void focus(struct ui *ui)
{
	struct run_view *v = ui_view(ui->run);
	const struct agents *a = &ui->run->model.agents;
	struct inspect *in = &ui->inspect;

	/* around: run, details, list of agents */
	if (ui->focus_list || (in->focus && a->count < 2)) {
		ui->focus_list = false;
		in->focus = in->whole;
		return;
	}
	if (in->open && !in->focus) {
		in->focus = true;
		return;
	}
	in->focus = false;
	in->whole = false;
	if (a->count < 2) {
		ui_message(ui, _("no subagent yet"));
		return;
	}
	if (!list_rows(&v->list, &ui->run->model, ui->grid.rows)) {
		ui_message(ui, _("no room for the list; ] opens a subagent"));
		return;
	}
	ui->focus_list = true;
	list_keep_some(&v->list, &ui->run->model, ui->now);
}

static void open_agent(struct ui *ui, size_t agent)
{
	size_t count = ui->run->model.agents.count;

	if (count < 2)
		ui_message(ui, _("no subagent yet"));
	else if (agent == 0 || agent >= count)
		ui_message(ui, _("there are %zu subagents"), count - 1);
	else
		ui_open_agent(ui, (uint32_t)agent);
}

static void unfold_all(struct ui *ui)
{
	struct run_view *v = ui_view(ui->run);
	bool on = !v->all.lens.unfolded;

	v->all.lens.unfolded = on;
	pane_relayout(&v->all);
	if (v->agent != AGENT_MAIN) {
		v->sub.lens.unfolded = on;
		pane_relayout(&v->sub);
	}
	ui_message(ui, on ? _("all texts in full") : _("texts folded"));
}

static void chop(struct ui *ui, struct pane *p)
{
	bool on = !p->lens.chop;
	struct run_view *v;

	ui_message(ui, on ? _("long lines are chopped; Left and Right shift")
			  : _("long lines are wrapped"));
	if (ui->page) {
		pane_chop(p, on);
		return;
	}
	pane_chop(&ui->inspect.pane, on);
	v = ui_view(ui->run);
	pane_chop(&v->all, on);
	if (v->agent != AGENT_MAIN)
		pane_chop(&v->sub, on);
	ui->chop = on;
}

static void show_source(struct ui *ui)
{
	bool on = !ui->run->model.show_source;

	ui_show(ui->run, ui->run->model.cols, on);
	ui_message(ui,
		on ? _("texts as their Markdown source") : _("texts rendered"));
}

static void shift(struct ui *ui, struct pane *p, int dir)
{
	if (p->lens.chop)
		pane_shift(p, dir);
	else
		ui_message(ui, _("long lines are wrapped; Z chops them"));
}

static void toggle_follow(struct pane *p)
{
	if (p->follow)
		pane_stop_following(p);
	else
		pane_follow(p);
}

static void sort_list(struct ui *ui, bool reverse)
{
	struct list *l;

	if (!ui->run) {
		if (reverse)
			ui->list.reverse = !ui->list.reverse;
		else
			ui->list.sort = (ui->list.sort + 1) % RUNS_SORTS;
		return;
	}
	l = &ui_view(ui->run)->list;
	if (reverse)
		l->reverse = !l->reverse;
	else
		l->sort = (l->sort + 1) % LIST_SORTS;
	list_changed(l);
}

/* running, all, failed, and around. */
static void show_others(struct ui *ui)
{
	struct list *l = &ui_view(ui->run)->list;

	switch (list_shows(l, &ui->run->model)) {
	case LIST_RUNNING:
		l->show = LIST_ALL;
		break;
	case LIST_ALL:
		l->show = LIST_FAILED;
		break;
	case LIST_FAILED:
	case LIST_AUTO:
		l->show = LIST_RUNNING;
		break;
	}
	list_changed(l);
}

/* In the list: folds and unfolds what is below an agent. */
static bool fold_request(struct ui *ui, enum ui_request req)
{
	const struct model *m = &ui->run->model;
	struct list *l = &ui_view(ui->run)->list;
	bool folded = list_is_folded(l, l->selected);

	if (req == REQ_LEFT || req == REQ_RIGHT)
		list_fold(l, m, req == REQ_LEFT);
	else if (req == REQ_FOLD)
		list_fold(l, m, !folded);
	else if (req == REQ_FOLD_ALL)
		list_fold_all(l, m, !l->all_folded);
	else
		return false;
	return true;
}

/* Requests about one run. Returns false for those that are not. */
static bool run_request(struct ui *ui, enum ui_request req, uint32_t key)
{
	struct run_view *v;
	struct pane *p;

	if (!ui->run || ui->page)
		return false;
	v = ui_view(ui->run);
	p = ui_run_pane(ui);
	if (ui->focus_list && fold_request(ui, req))
		return true;
	if (req == REQ_FOLD)
		pane_fold(p);
	else if (req == REQ_FOLD_ALL)
		unfold_all(ui);
	else if (req == REQ_SOURCE)
		show_source(ui);
	else if (req == REQ_FOCUS)
		focus(ui);
	else if (req == REQ_AGENT)
		open_agent(ui, key - '0');
	else if (req == REQ_ALL)
		ui_open_agent(ui, AGENT_MAIN);
	else if (req == REQ_NEXT_AGENT)
		open_agent(ui, (size_t)v->agent + 1);
	else if (req == REQ_PREV_AGENT)
		open_agent(ui, v->agent ? v->agent - 1
					: ui->run->model.agents.count - 1);
	else if (req == REQ_SHOW)
		show_others(ui);
	else
		return false;
	return true;
}

/* Requests about a pane. */
static bool pane_request(struct ui *ui, enum ui_request req)
{
	struct pane *p = ui_pane(ui);
	const uint8_t bad = ITEM_FAILED | ITEM_DENIED;
	const uint8_t part = p == &ui->inspect.pane ? ITEM_PART : 0;

	if (!p)
		return false;
	if (req == REQ_FOLLOW)
		toggle_follow(ui->page ? p : ui_run_pane(ui));
	else if (req == REQ_NEXT_ITEM)
		next_item(ui, p, 1, part);
	else if (req == REQ_PREV_ITEM)
		next_item(ui, p, -1, part);
	else if (req == REQ_NEXT_ERROR)
		next_item(ui, ui->page ? p : ui_run_pane(ui), 1, bad);
	else if (req == REQ_PREV_ERROR)
		next_item(ui, ui->page ? p : ui_run_pane(ui), -1, bad);
	else if (req == REQ_SEARCH)
		prompt_open(ui, PROMPT_SEARCH);
	else if (req == REQ_SEARCH_NEXT)
		next_match(ui, p, 1);
	else if (req == REQ_SEARCH_PREV)
		next_match(ui, p, -1);
	else if (req == REQ_CHOP)
		chop(ui, p);
	else if (req == REQ_LEFT || req == REQ_RIGHT)
		shift(ui, p, req == REQ_LEFT ? -1 : 1);
	else if (req == REQ_COPY)
		copy(ui);
	else
		return false;
	return true;
}

static bool move_request(struct ui *ui, enum ui_request req)
{
	if (req == REQ_DOWN)
		move(ui, 1, 0, 1);
	else if (req == REQ_UP)
		move(ui, -1, 0, 1);
	else if (req == REQ_PAGE_DOWN)
		move(ui, 0, 1, 1);
	else if (req == REQ_PAGE_UP)
		move(ui, 0, -1, 1);
	else if (req == REQ_HALF_DOWN)
		move(ui, 0, 1, 2);
	else if (req == REQ_HALF_UP)
		move(ui, 0, -1, 2);
	else if (req == REQ_HOME)
		to_edge(ui, false);
	else if (req == REQ_END)
		to_edge(ui, true);
	else
		return false;
	return true;
}

static void interrupt(struct ui *ui)
{
	const struct ui_requests *q = &ui->config.requests;

	/* Ctrl-C is a signal (ISIG is on); as a key it comes only from a
	 * terminal that was set otherwise. */
	if (q->stop)
		q->stop(q->arg);
}

static void toggle_mouse(struct ui *ui)
{
	ui->mouse = !ui->mouse;
	if (ui->open)
		term_mouse(ui->mouse);
	ui_message(ui, ui->mouse ? _("mouse wheel on") : _("mouse off"));
}

static void close_page(struct ui *ui)
{
	page_free(ui->page);
	ui->page = NULL;
}

/* ? works everywhere, and once more it is the way back. */
static void help(struct ui *ui)
{
	bool was_help = ui->page && ui->page->is_help;

	close_page(ui);
	if (!was_help)
		ui->page = help_page();
}

/* The keys to subagents work everywhere in a run: a page makes way. */
static bool leads_to_agents(enum ui_request req)
{
	return req == REQ_FOCUS || req == REQ_AGENT || req == REQ_ALL ||
	       req == REQ_NEXT_AGENT || req == REQ_PREV_AGENT;
}

static void other_request(struct ui *ui, enum ui_request req)
{
	if (req == REQ_OPEN)
		open_selected(ui);
	else if (req == REQ_BACK || req == REQ_QUIT)
		go_back(ui, req == REQ_QUIT);
	else if ((req == REQ_FILTER || req == REQ_SEARCH) && !ui->page)
		prompt_open(ui, PROMPT_FILTER);
	else if (req == REQ_TIMES)
		ui->times = !ui->times;
	else if ((req == REQ_SORT || req == REQ_REVERSE) && !ui->page)
		sort_list(ui, req == REQ_REVERSE);
	else if (req == REQ_EXPORT)
		export_run(ui);
	else if (req == REQ_PAUSE)
		replay(ui, UI_REPLAY_PAUSE);
	else if (req == REQ_STEP)
		replay(ui, UI_REPLAY_STEP);
	else if (req == REQ_SLOWER)
		replay(ui, UI_REPLAY_SLOWER);
	else if (req == REQ_FASTER)
		replay(ui, UI_REPLAY_FASTER);
	else if (req == REQ_MOUSE)
		toggle_mouse(ui);
	else if (req == REQ_REPAINT && ui->open)
		term_repaint();
	else if (req == REQ_HELP)
		help(ui);
	else if (req == REQ_INTERRUPT)
		interrupt(ui);
	else if (req == REQ_SUSPEND)
		ui_suspend(ui);
	else if (req == REQ_ABORT)
		raise(SIGQUIT);
	else
		not_here(ui);
}

/* Keys may come faster than frames: a pane that was opened by the key before is
 * laid out before the next one acts on it. */
static void lay_out(struct ui *ui)
{
	struct pane *p = ui_pane(ui);

	if (p == &ui->inspect.pane)
		pane_sync(p, p->rows, p->cols);
	else if (p && !p->lens.rows.count)
		pane_sync(p, ui->grid.rows - 2, ui->grid.cols);
}

void ui_key(struct ui *ui, uint32_t key, bool pasted)
{
	enum ui_request req;

	lay_out(ui);
	ui->touched = true;
	ui->dirty = true;
	if (ui->prompt.kind != PROMPT_NONE) {
		if (!pasted || ui->prompt.kind != PROMPT_LEAVE)
			prompt_key(
				ui, pasted && key == UIKEY_ENTER ? ' ' : key);
		return;
	}
	if (pasted || key == UIKEY_OTHER)
		return;
	strbuf_reset(&ui->message);
	if (key == UIKEY_WHEEL_UP || key == UIKEY_WHEEL_DOWN) {
		int rows = key == UIKEY_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;

		if (ui_pane(ui))
			pane_scroll(ui_pane(ui), rows);
		else
			runs_move(&ui->list, rows);
		return;
	}
	req = keys_request(key);
	if (req == REQ_NONE) {
		struct strbuf name = STRBUF_INIT;

		keys_name(&name, key);
		ui_message(ui, _("%s is no key here; ? helps"), name.buf);
		strbuf_release(&name);
		return;
	}
	if (ui->run && leads_to_agents(req)) {
		close_page(ui);
		if (ui->inspect.open && ui->inspect.alone && req != REQ_FOCUS)
			inspect_close(&ui->inspect);
	}
	if (!move_request(ui, req) && !detail_request(ui, req) &&
		!run_request(ui, req, key) && !pane_request(ui, req))
		other_request(ui, req);
}

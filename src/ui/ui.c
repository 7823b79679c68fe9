#include "config.h"

#include "ui/ui.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "ui/state.h"
#include "ui/term.h"

#define LINES_BUDGET ((size_t)1 << 20) /* bytes made into lines per turn */
#define COUNT_BUDGET ((size_t)2 << 20) /* bytes searched per turn */
#define LIST_TICK_MS 1000
#define AWAY_LOOK_MS 250 /* whether the terminal is ours again */

struct run_view *ui_view(struct ui_run *run)
{
	if (!run->view) {
		run->view = xcalloc(1, sizeof(*run->view));
		pane_init(&run->view->all, &run->model, AGENT_MAIN);
		run->view->all.lens.chop = run->ui->chop;
	}
	return run->view;
}

struct pane *ui_pane(struct ui *ui)
{
	if (ui->page)
		return &ui->page->pane;
	if (ui->run && ui->inspect.open && ui->inspect.focus)
		return &ui->inspect.pane;
	return ui_run_pane(ui);
}

struct pane *ui_run_pane(struct ui *ui)
{
	struct run_view *v;

	if (!ui->run)
		return NULL;
	v = ui_view(ui->run);
	return v->agent != AGENT_MAIN ? &v->sub : &v->all;
}

void ui_message(struct ui *ui, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_reset(&ui->message);
	strbuf_vaddf(&ui->message, fmt, ap);
	va_end(ap);
	ui->message_until = ui->now + MESSAGE_MS;
	ui->dirty = true;
}

void ui_open_run(struct ui *ui, struct ui_run *run)
{
	if (ui->run != run)
		inspect_close(&ui->inspect);
	ui->run = run;
	ui->focus_list = false;
	ui->dirty = true;
}

void ui_open_agent(struct ui *ui, uint32_t agent)
{
	struct run_view *v = ui_view(ui->run);

	if (v->agent == agent)
		return;
	if (v->agent != AGENT_MAIN)
		pane_release(&v->sub);
	v->agent = agent;
	if (agent == AGENT_MAIN)
		return;
	pane_init(&v->sub, &ui->run->model, agent);
	v->sub.lens.unfolded = v->all.lens.unfolded;
	v->sub.lens.chop = v->all.lens.chop;
	pane_sync(&v->sub, v->all.rows, v->all.cols);
	list_select(&v->list, agent);
}

void ui_show(struct ui_run *run, int cols, bool source)
{
	struct run_view *v = ui_view(run);
	bool sub = v->agent != AGENT_MAIN;
	struct pane_place all = pane_keep(&v->all);
	struct pane_place below = {0};

	if (sub)
		below = pane_keep(&v->sub);
	if (!model_show(&run->model, cols, source))
		return;
	pane_restore(&v->all, &all);
	if (sub)
		pane_restore(&v->sub, &below);
}

void ui_leave(struct ui *ui)
{
	const struct ui_requests *q = &ui->config.requests;

	ui->done = true;
	if (q->leave)
		q->leave(q->arg);
}

/* --- the frame clock --- */

/* How often the screen changes by itself; 0: never. */
static int64_t tick_ms(const struct ui *ui)
{
	size_t i;

	if (ui->run) {
		const struct model *m = &ui->run->model;

		return m->ended || m->still ? 0 : SPINNER_MS;
	}
	for (i = 0; i < ui->run_count; i++) {
		const struct model *m = &ui->runs[i]->model;

		if (m->began && !m->ended && !m->still)
			return LIST_TICK_MS;
	}
	return 0;
}

static void frame(struct ui *ui)
{
	int rows;
	int cols;

	term_size(&rows, &cols);
	ui_draw(ui, rows, cols);
	term_show(&ui->grid);
	ui->dirty = false;
	ui->last_frame = ui->now;
}

/* Another job has the terminal, or we have it. */
static void set_away(struct ui *ui, bool away)
{
	ui->away = away;
	if (ui->watch)
		loop_watch_set(ui->watch, away ? 0 : POLLIN);
	ui->dirty = true;
}

/* Not every shell says when it gives the terminal to a job that runs: so this
 * is tried again and again. */
static void take_back(struct ui *ui)
{
	set_away(ui, !term_take());
}

void ui_leave_terminal(struct ui *ui)
{
	if (ui->open)
		term_leave();
	set_away(ui, true);
}

/* Stops this process as soon as the terminal has got what gives it back, or
 * does not take it. Returns the ms until then; -1: done. */
static int suspend(struct ui *ui)
{
	if (outq_queued(&ui->out) && ui->now < ui->stop_at)
		return (int)(ui->stop_at - ui->now);
	term_force_back();
	ui->stop_at = 0;
	ui->resumed = true;
	kill(getpid(), SIGSTOP);
	take_back(ui);
	return -1;
}

/* Lines of the selected item's contents. Returns whether there is more. */
static bool make_lines(struct ui *ui)
{
	if (!inspect_busy(&ui->inspect))
		return false;
	ui->dirty = true;
	inspect_work(&ui->inspect, LINES_BUDGET);
	return inspect_busy(&ui->inspect);
}

/* Work on what is shown: the count of matches. Returns whether there is more
 * of it. */
static bool count_matches(struct ui *ui)
{
	struct pane *p = ui_pane(ui);
	size_t before = p ? p->search.line : 0;
	bool more = p && search_count(&p->search, &p->lens, COUNT_BUDGET);

	if (p && p->search.line != before)
		ui->dirty = true;
	return more;
}

/* The ms until something is to be drawn, -1: until something happens. A frame
 * is drawn only when the last one has left: a terminal that is slow skips
 * frames. */
static int64_t draw(struct ui *ui)
{
	int64_t tick = tick_ms(ui);
	int64_t next = -1;

	if (ui->message.len && ui->now >= ui->message_until) {
		strbuf_reset(&ui->message);
		ui->dirty = true;
	}
	if (tick && ui->now / tick != ui->last_frame / tick)
		ui->dirty = true;
	if (ui->away)
		return AWAY_LOOK_MS;
	if (outq_queued(&ui->out))
		return -1;
	if (ui->dirty) {
		int64_t wait = ui->last_frame + FRAME_MS - ui->now;

		if (wait > 0)
			return wait;
		frame(ui);
	}
	if (tick)
		next = tick - ui->now % tick;
	if (ui->message.len && (next < 0 || ui->message_until - ui->now < next))
		next = ui->message_until - ui->now;
	return next;
}

static int before_poll(void *arg)
{
	struct ui *ui = arg;
	int64_t next;
	bool more;

	if (ui->detached)
		return leave_print(ui) || leave_waits(ui) ? -1 : 0;
	if (!ui->open)
		return -1;
	ui->now = loop_now_ms(ui->loop);
	ui->wall = clock_system.wall_ms(clock_system.arg);
	if (ui->stop_at) {
		int wait = suspend(ui);

		if (wait >= 0)
			return wait;
		ui->now = loop_now_ms(ui->loop);
	} else if (ui->handover) {
		int wait = handover_work(ui);

		if (wait >= 0)
			return wait;
		take_back(ui);
	} else if (ui->away) {
		take_back(ui);
	}
	more = make_lines(ui);
	more = count_matches(ui) || more;
	next = draw(ui);
	/* what was drawn may have opened something */
	return more || inspect_busy(&ui->inspect) ? 0 : (int)next;
}

/* --- the terminal --- */

static void on_late_keys(void *arg);

/* LATE: nothing more comes of what is there. Returns whether there was a key.
 */
static bool take_keys(struct ui *ui, bool late)
{
	struct input_key key;
	bool any = false;
	int wait;

	loop_timer_clear(ui->loop, &ui->late_keys);
	while (ui->open && term_key(late, &key)) {
		any = true;
		ui_key(ui, key.key, key.pasted);
	}
	wait = ui->open ? term_key_wait() : -1;
	if (wait >= 0)
		loop_timer_set(
			ui->loop, &ui->late_keys, wait, on_late_keys, ui);
	return any || wait >= 0;
}

static void on_late_keys(void *arg)
{
	(void)take_keys(arg, true);
}

static void on_keys(void *arg, int fd, short revents)
{
	struct ui *ui = arg;

	(void)fd;
	term_read();
	if (take_keys(ui, false) || !ui->open ||
		!((revents & (POLLHUP | POLLERR | POLLNVAL)) || term_is_gone()))
		return;
	/* Nobody is there any more: as if SIGHUP had come, unless it has, or
	 * another: two of them end a run at once. Where it is ignored, a run
	 * goes on to its end, which nobody is shown. */
	loop_unwatch(ui->watch);
	ui->watch = NULL;
	if (loop_stopped(ui->loop))
		ui_leave(ui);
	else if (!signals_ignored(SIGHUP))
		raise(SIGHUP);
	else if (ui->config.live && !ui->runs[0]->model.ended)
		ui->config.stay = -1;
	else
		ui_leave(ui);
}

void ui_suspend(struct ui *ui)
{
	if (!ui->open || ui->stop_at)
		return;
	term_leave();
	set_away(ui, true);
	ui->stop_at = loop_now_ms(ui->loop) + SUSPEND_MS;
}

static void on_signal(void *arg, int signo)
{
	struct ui *ui = arg;

	if (signo == SIGTSTP)
		ui_suspend(ui);
	else if (signo == SIGCONT && ui->open && !ui->resumed)
		take_back(ui);
	if (signo == SIGCONT)
		ui->resumed = false;
	ui->dirty = true;
}

/* The terminal is gone. Without keys only this tells; else they do. */
static void on_out(void *arg, int errnum)
{
	struct ui *ui = arg;

	if (errnum && ui->open && term_fd() < 0 && !loop_stopped(ui->loop))
		raise(SIGHUP);
}

static const int signals[] = {SIGWINCH, SIGTSTP, SIGCONT};

static void watch_signals(struct ui *ui, loop_signal_fn *fn)
{
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		loop_signal(ui->loop, signals[i], fn, ui);
}

/* Diagnostics while the terminal is ours: lines of the run they are about. */
static void on_diag(void *arg, const char *data, size_t len)
{
	struct ui *ui = arg;
	struct ui_run *run = ui->about;

	if (!ui->run_count) {
		strbuf_add(&ui->early, data, len);
		return;
	}
	model_stderr(&(run ? run : ui->runs[0])->model, data, len);
	ui->dirty = true;
}

static void close_terminal(struct ui *ui)
{
	if (!ui->open)
		return;
	handover_release(ui);
	ui->open = false;
	loop_unwatch(ui->watch);
	ui->watch = NULL;
	loop_timer_clear(ui->loop, &ui->late_keys);
	term_close();
	watch_signals(ui, NULL);
	diag_hook(NULL, NULL);
}

/* --- runs --- */

/* A run of ours has ended: whether the reader sees it out and nothing is lost
 * when the UI goes. */
static bool may_leave(struct ui *ui)
{
	const struct run_view *v;

	if (!ui->config.live || ui->config.stay > 0)
		return false;
	if (ui->config.stay < 0)
		return true;
	if (ui->away || ui->page || !ui->run || ui->inspect.open ||
		(ui->prompt.kind != PROMPT_NONE &&
			ui->prompt.kind != PROMPT_LEAVE))
		return false;
	v = ui_view(ui->run);
	return v->agent == AGENT_MAIN && v->all.follow &&
	       !find_is_set(&v->all.search.find);
}

static int print_now(struct ui *ui, int *syserr, struct err *err)
{
	(void)leave_print(ui);
	*syserr = ui->out.errnum;
	if (!*syserr)
		return 0;
	return err_set(err, AR_EIO, N_("cannot write '%s': %s"), "stdout",
		err_str(*syserr));
}

static int sink_event(
	struct sink *s, const struct event *ev, int *syserr, struct err *err)
{
	struct ui_run *run = (struct ui_run *)s;
	struct ui *ui = run->ui;

	model_event(&run->model, ev, loop_now_ms(ui->loop));
	ui->dirty = true;
	if (ui->detached)
		return print_now(ui, syserr, err);
	if (ev->kind == EVENT_END) {
		if (ui->prompt.kind == PROMPT_LEAVE)
			ui->prompt.kind = PROMPT_NONE;
		if (may_leave(ui))
			ui->done = true;
	}
	return 0;
}

static void sink_free(struct sink *s)
{
	(void)s; /* the run belongs to the UI */
}

static const struct sink_ops sink_ops = {
	.event = sink_event,
	.free = sink_free,
};

struct ui_run *ui_run_add(struct ui *ui, const char *name)
{
	struct ui_run *r = xcalloc(1, sizeof(*r));
	struct strbuf sb = STRBUF_INIT;

	r->sink.ops = &sink_ops;
	r->ui = ui;
	utf8_display(&sb, name, strlen(name), UTF8_AGENT, 1);
	r->name = strbuf_detach(&sb);
	model_init(&r->model);
	if (ui->run_count == ui->run_cap) {
		ui->run_cap = ui->run_cap ? ui->run_cap * 2 : 4;
		ui->runs = xreallocarray(
			ui->runs, ui->run_cap, sizeof(struct ui_run *));
	}
	ui->runs[ui->run_count++] = r;
	if (ui->run_count == 1 && ui->early.len) {
		model_stderr(&r->model, ui->early.buf, ui->early.len);
		strbuf_release(&ui->early);
	}
	if (ui->run_count == 1 && !ui->config.list)
		ui_open_run(ui, r);
	else if (ui->run_count == 2 && !ui->touched)
		ui_open_run(ui, NULL);
	ui->dirty = true;
	return r;
}

struct sink *ui_run_sink(struct ui_run *run)
{
	return &run->sink;
}

void ui_run_diagnose(struct ui_run *run)
{
	run->ui->about = run;
}

void ui_run_set_detail(struct ui_run *run, struct detail *d)
{
	detail_free(run->detail);
	run->detail = d;
}

void ui_run_set_note(struct ui_run *run, const char *note)
{
	struct strbuf sb = STRBUF_INIT;

	free(run->note);
	run->note = NULL;
	if (note) {
		utf8_display(&sb, note, strlen(note), UTF8_AGENT, 1);
		run->note = strbuf_detach(&sb);
	}
	run->ui->dirty = true;
}

void ui_run_set_still(struct ui_run *run, bool still)
{
	struct model *m = &run->model;

	if (still == m->still)
		return;
	if (!still)
		m->last_mono = loop_now_ms(run->ui->loop);
	m->still = still;
	run->ui->dirty = true;
}

static void run_free(struct ui_run *r)
{
	struct run_view *v = r->view;

	if (v) {
		pane_release(&v->all);
		if (v->agent != AGENT_MAIN)
			pane_release(&v->sub);
		list_release(&v->list);
		free(v);
	}
	model_release(&r->model);
	detail_free(r->detail);
	free(r->name);
	free(r->note);
	free(r);
}

/* --- life --- */

struct ui *ui_create(struct loop *loop, const struct ui_config *config)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));

	ui->loop = loop;
	ui->config = *config;
	ui->mouse = true;
	ui->chop = config->chop;
	ui->utf8 = true;
	outq_init(&ui->out, STDOUT_FILENO);
	strbuf_init(&ui->prompt.text);
	strbuf_init(&ui->last_search);
	strbuf_init(&ui->message);
	strbuf_init(&ui->early);
	inspect_init(&ui->inspect);
	return ui;
}

struct ui *ui_new(
	struct loop *loop, const struct ui_config *config, struct err *err)
{
	struct ui *ui = ui_create(loop, config);

	/* Before curses looks at the signals: it leaves alone what is handled.
	 */
	watch_signals(ui, on_signal);
	outq_attach(&ui->out, loop, on_out, ui);
	if (term_open(&ui->out, config->color, err) != 0) {
		watch_signals(ui, NULL);
		outq_release(&ui->out);
		ui_free(ui);
		return NULL;
	}
	ui->open = true;
	ui->utf8 = term_is_utf8();
	ui->dirty = true;
	ui->now = loop_now_ms(loop);
	if (term_fd() >= 0)
		ui->watch = loop_watch(loop, term_fd(), POLLIN, on_keys, ui);
	loop_before_poll(loop, before_poll, ui);
	if (config->stderr_tty)
		diag_hook(on_diag, ui);
	return ui;
}

void ui_detach(struct ui *ui)
{
	if (ui->open)
		close_terminal(ui);
	for (size_t i = 0; i < ui->run_count; i++)
		model_stderr_finish(&ui->runs[i]->model);
	ui->detached = true;
	(void)leave_print(ui);
}

/* Until the terminal has all of the transcripts, or takes nothing. */
static void settle(struct ui *ui)
{
	static const int64_t usual = OUTQ_GRACE_MS;
	const int64_t *grace_ms =
		ui->config.grace_ms ? ui->config.grace_ms : &usual;
	struct outq *const queues[] = {&ui->out, diag_queue()};
	bool whole;

	outq_touch(&ui->out);
	do {
		whole = leave_print(ui);
		loop_once(ui->loop, 0);
		outq_settle(ui->loop, queues, 2, grace_ms);
	} while (!whole && *grace_ms && !outq_queued(&ui->out));
	if (whole && !outq_queued(&ui->out))
		return;
	term_force_back();
	outq_drop(&ui->out);
	diag_lost("stdout");
	diag_try();
}

void ui_free(struct ui *ui)
{
	size_t i;

	if (!ui)
		return;
	ui_detach(ui);
	if (ui->out.loop) {
		settle(ui);
		loop_before_poll(ui->loop, NULL, NULL);
		outq_release(&ui->out);
	}
	page_free(ui->page);
	inspect_release(&ui->inspect);
	grid_release(&ui->part);
	for (i = 0; i < ui->run_count; i++)
		run_free(ui->runs[i]);
	free(ui->runs);
	runs_release(&ui->list);
	grid_release(&ui->grid);
	strbuf_release(&ui->prompt.text);
	strbuf_release(&ui->last_search);
	strbuf_release(&ui->message);
	strbuf_release(&ui->early);
	free(ui);
}

bool ui_done(const struct ui *ui)
{
	return ui->done || ui->detached;
}

#include "config.h"

#include "run-cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/log.h"
#include "event/status.h"
#include "run/preflight.h"
#include "run/run.h"
#if WITH_UI
#include "base/keep.h"
#include "export-cmd.h"
#include "output/spool.h"
#include "ui/ui.h"
#include "view/detail.h"
#endif

/* Told twice to end, readers get so long in which they take nothing. */
#define HASTE_MS 300

struct run_cmd {
	const struct options *o;
	const struct clock *clock;
	int64_t start_ms;
	struct loop *loop;
	struct run_plan plan;
	struct run *run; /* NULL before and after */
	int signo;       /* the first signal */
	int signals;     /* how many came */
	bool stopped;    /* by the first */
	bool done;
	bool leave;   /* the UI, when the run is over */
	bool leaving; /* only readers are waited for */
	int64_t grace_ms;
	int status;
#if WITH_UI
	struct ui *ui;
	struct sink *spool; /* keeps the events for the key w */
	struct keep *keep;  /* of the raw output, for details; or NULL */
#endif
};

static void on_signal(void *arg, int signo)
{
	struct run_cmd *c = arg;

	if (!c->signo)
		c->signo = signo;
	c->stopped = true;
	c->signals++;
	if (c->signals > 1)
		c->grace_ms = c->leaving ? 0 : HASTE_MS;
	/* Nobody is to be waited for in the full-screen view, except after a
	 * Ctrl-C of the reader's own. */
	if (c->done || signo != SIGINT)
		c->leave = true;
	if (c->run && !c->done)
		run_stop(c->run, signo);
}

static void on_done(void *arg)
{
	struct run_cmd *c = arg;

	c->done = true;
}

static struct sink *stdout_sink(enum format format)
{
	if (format == FORMAT_JSONL)
		return jsonl_new(STDOUT_FILENO, false, "stdout");
	return text_new(STDOUT_FILENO, isatty(STDOUT_FILENO), "stdout");
}

/* What becomes the one `end` of a run that never began. */
struct ending {
	enum format format;
	const struct run_request *rq; /* as far as it is known */
	int64_t start_ms;
	enum end_status status;
	const struct err *why;
};

/* The sink of --save; NULL: none, or it is what was wrong. */
static struct sink *save_ending(const struct ending *e)
{
	struct err err = ERR_INIT;
	int fd = preflight_save_rejected(e->rq, &err);

	if (fd >= 0)
		return jsonl_new(fd, true, e->rq->save);
	if (err.code != AR_OK && strcmp(err.msg, e->why->msg) != 0)
		diag_error("%s", err.local);
	return NULL;
}

/* LOOP NULL: none could be had. */
static void give_end(struct loop *loop, const struct ending *e)
{
	const int64_t grace_ms = OUTQ_GRACE_MS;
	struct sink *out = stdout_sink(e->format);
	struct sink *save = save_ending(e);
	struct sink *const sinks[] = {out, save};
	struct outq *const queues[] = {out->ops->queue(out), diag_queue(),
		save ? save->ops->queue(save) : NULL};

	if (loop)
		outq_attach(queues[0], loop, NULL, NULL);
	if (loop && save)
		outq_attach(queues[2], loop, NULL, NULL);
	(void)run_reject(&clock_system, e->start_ms, sinks, save ? 2 : 1,
		e->status, e->why->msg);
	if (loop)
		outq_settle(loop, queues, 3, &grace_ms);
	if (outq_queued(queues[0]))
		diag_lost("stdout");
	if (save && (outq_queued(queues[2]) || queues[2]->errnum))
		diag_lost(e->rq->save);
	out->ops->free(out);
	if (save)
		save->ops->free(save);
}

static int reject(struct loop *loop, enum format format,
	const struct run_request *rq, int64_t start_ms, const struct err *err)
{
	const struct ending e = {format, rq, start_ms, END_REJECTED, err};

	diag_error("%s", err->local);
	give_end(loop, &e);
	return status_exit(END_REJECTED, 0);
}

int run_cmd_reject(enum format format, const struct run_request *rq,
	int64_t start_ms, const struct err *err)
{
	struct loop *loop = loop_new(NULL);
	int status;

	if (loop)
		diag_attach(loop);
	status = reject(loop, format, rq, start_ms, err);
	diag_detach();
	loop_free(loop);
	return status;
}

/* A signal came before anything was started. */
static int interrupted(struct run_cmd *c)
{
	struct err why = ERR_INIT;
	const struct ending e = {
		c->o->format, c->plan.rq, c->start_ms, END_INTERRUPTED, &why};
	struct strbuf detail = STRBUF_INIT;

	status_signal(c->signo, &detail);
	snprintf(why.msg, sizeof(why.msg), "%s", detail.buf);
	strbuf_release(&detail);
	give_end(c->loop, &e);
	return status_exit(END_INTERRUPTED, c->signo);
}

static int dry_run(struct run_cmd *c)
{
	struct strbuf out = STRBUF_INIT;
	struct outq queue;
	struct outq *const queues[] = {&queue, diag_queue()};
	int ret;

	outq_init(&queue, STDOUT_FILENO);
	outq_attach(&queue, c->loop, NULL, NULL);
	run_plan_describe(&c->plan, environ, &out);
	(void)outq_write(&queue, out.buf, out.len);
	outq_settle(c->loop, queues, 2, &c->grace_ms);
	if (outq_queued(&queue))
		diag_lost("stdout");
	ret = queue.errnum || outq_queued(&queue) ? 1 : 0;
	outq_release(&queue);
	strbuf_release(&out);
	return ret;
}

#if WITH_UI
static void on_ui_stop(void *arg)
{
	on_signal(arg, SIGINT);
}

static void on_ui_leave(void *arg)
{
	struct run_cmd *c = arg;

	c->leave = true;
}

/* The terminal has been given back; there is nothing to leave at the end. */
static void on_ui_detach(void *arg)
{
	on_ui_leave(arg);
}

static bool on_ui_stopping(void *arg, int64_t *kill_in_ms)
{
	const struct run_cmd *c = arg;
	struct run_stop_state state = run_stop_state(c->run);

	*kill_in_ms = state.kill_in_ms;
	return state.stopping;
}

static void on_ui_export(void *arg, struct ui_run *run, char *msg, size_t size)
{
	struct run_cmd *c = arg;

	(void)run;
	if (spool_is_broken(c->spool))
		snprintf(msg, size, "%s",
			_("cannot export: no copy could be kept"));
	else
		export_key(spool_fd(c->spool), c->plan.rt->name, msg, size);
}

/* Details come from the file of --raw, else from a copy of our own. */
static void keep_details(struct run_cmd *c, struct ui_run *run)
{
	const char *raw = c->plan.rq->raw;
	struct stat st;

	if (raw && (stat(raw, &st) != 0 || !S_ISREG(st.st_mode)))
		raw = NULL;
	if (!raw)
		c->keep = keep_new(c->o->keep_detail);
	ui_run_set_detail(run, view_detail_raw(c->plan.rt, c->keep, raw));
}

/* The sink of the full-screen view, or NULL: it cannot be used here. */
static struct sink *ui_sink(struct run_cmd *c)
{
	struct ui_config config = {
		.live = true,
		.stay = c->o->stay == STAY_YES  ? 1
			: c->o->stay == STAY_NO ? -1
						: 0,
		.color = c->o->color,
		.chop = c->o->chop,
		.stderr_tty = isatty(STDERR_FILENO),
		.grace_ms = &c->grace_ms,
		.requests =
			{
				.stop = on_ui_stop,
				.detach = on_ui_detach,
				.leave = on_ui_leave,
				.stopping = on_ui_stopping,
				.export_run = on_ui_export,
				.arg = c,
			},
	};
	struct err err = ERR_INIT;
	struct ui_run *run;

	if (c->o->format != FORMAT_RICH)
		return NULL;
	c->ui = ui_new(c->loop, &config, &err);
	if (!c->ui) {
		diag_error("%s", err.local);
		return NULL;
	}
	run = ui_run_add(c->ui, c->plan.rt->name);
	keep_details(c, run);
	c->spool = spool_new(ui_run_sink(run));
	return c->spool;
}

/* At the end the reader may still be at it. */
static void ui_end(struct run_cmd *c)
{
	while (c->ui && !c->leave && !ui_done(c->ui) &&
		loop_once(c->loop, -1) == 0)
		continue;
	c->leaving = true;
	if (!c->ui)
		return;
	ui_free(c->ui);
	c->spool->ops->free(c->spool);
	keep_free(c->keep);
	c->keep = NULL;
}
#else
static struct sink *ui_sink(struct run_cmd *c)
{
	if (c->o->format == FORMAT_RICH)
		diag_error(_("built without the full-screen view; printing "
			     "text"));
	return NULL;
}

static void ui_end(struct run_cmd *c)
{
	(void)c;
}
#endif

static void debug_plan(const struct run_cmd *c)
{
	struct strbuf text = STRBUF_INIT;

	if (!log_enabled())
		return;
	run_plan_describe(&c->plan, environ, &text);
	for (const char *p = text.buf; *p;) {
		size_t len = strcspn(p, "\n");

		log_debug("%.*s", (int)len, p);
		p += len + (p[len] == '\n');
	}
	strbuf_release(&text);
}

static void play(struct run_cmd *c)
{
	struct run_config config = {
		.loop = c->loop,
		.plan = &c->plan,
		.done = on_done,
		.arg = c,
	};
	struct sink *own = NULL;

	config.out = ui_sink(c);
	if (!config.out)
		config.out = own = stdout_sink(c->o->format);
	if (c->plan.save_fd >= 0) {
		config.save =
			jsonl_new(c->plan.save_fd, true, c->plan.rq->save);
		c->plan.save_fd = -1;
	}
#if WITH_UI
	config.keep = c->keep;
#endif
	debug_plan(c);
	c->run = run_new(&config);
	run_start(c->run);
	if (c->stopped)
		run_stop(c->run, c->signo);
	while (!c->done)
		if (loop_once(c->loop, -1) < 0)
			run_broken(c->run, errno);
	run_plan_clean(&c->plan);
	ui_end(c);
	c->leaving = true;
	c->status = run_settle(c->run, &c->grace_ms);
	run_free(c->run);
	c->run = NULL;
	if (config.save)
		config.save->ops->free(config.save);
	if (own)
		own->ops->free(own);
}

int run_cmd_play(const struct options *o, const struct run_request *rq,
	int64_t start_ms, run_cmd_fill_fn *fill)
{
	struct run_cmd c = {
		.o = o,
		.clock = &clock_system,
		.start_ms = start_ms,
		.grace_ms = OUTQ_GRACE_MS,
	};
	struct err err = ERR_INIT;

	log_enable(o->debug);
	c.loop = loop_new(&err);
	if (!c.loop)
		return run_cmd_reject(o->format, rq, start_ms, &err);
	diag_attach(c.loop);
	loop_stops(c.loop, on_signal, &c);
	run_plan_init(&c.plan, rq, c.clock, start_ms);
	if (fill(&c.plan, c.loop, &c.stopped, &err) < 0)
		c.status = c.stopped ? interrupted(&c)
				     : reject(c.loop, o->format, rq, start_ms,
					       &err);
	else if (rq->dry_run)
		c.status = dry_run(&c);
	else
		play(&c);
	run_plan_release(&c.plan);
	diag_detach();
	loop_free(c.loop);
	return c.status;
}

int run_cmd(const struct options *o, int64_t start_ms)
{
	return run_cmd_play(o, &o->run, start_ms, preflight);
}

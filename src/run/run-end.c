#include "config.h"

#include "run/run-private.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/log.h"

#define GRACE_MS 5000 /* from the stop signal to SIGKILL */
#define DRAIN_MS 1000 /* for pipes that someone still holds */
#define GIVE_UP 5     /* times DRAIN_MS after SIGKILL */
#define EXIT_EPIPE 141

static void on_kill(void *arg)
{
	run_kill_all(arg);
}

void run_begin_stop(struct run *r)
{
	if (r->stopping || r->finished)
		return;
	r->stopping = true;
	loop_timer_clear(r->loop, &r->after_result);
	loop_timer_clear(r->loop, &r->timeout);
	if (!r->running || r->exited)
		return;
	log_debug("stopping with signal %d", r->plan->rt->stop_signal);
	run_pace(r);
	r->plan->sandbox->signal(r->sandbox, r->plan->rt->stop_signal);
	r->kill_at_ms = loop_now_ms(r->loop) + GRACE_MS;
	loop_timer_set(r->loop, &r->kill, GRACE_MS, on_kill, r);
}

static void finish(struct run *r);

static void on_drain(void *arg)
{
	struct run *r = arg;

	if (!r->exited && ++r->drains < GIVE_UP) {
		loop_timer_set(r->loop, &r->drain, DRAIN_MS, on_drain, r);
		return;
	}
	run_drain_pipes(r);
	finish(r);
}

void run_kill_all(struct run *r)
{
	loop_timer_clear(r->loop, &r->kill);
	r->killed = true;
	if (r->sandbox)
		r->plan->sandbox->kill(r->sandbox);
	loop_timer_set(r->loop, &r->drain, DRAIN_MS, on_drain, r);
}

void run_check_end(struct run *r)
{
	if (r->exited && r->outp.fd < 0 && r->errs.fd < 0)
		finish(r);
}

void run_exited(void *arg, int wait_status)
{
	struct run *r = arg;

	r->exited = true;
	r->wait_status = wait_status;
	loop_timer_clear(r->loop, &r->timeout);
	loop_timer_clear(r->loop, &r->after_result);
	loop_timer_clear(r->loop, &r->kill);
	run_close_pipe(&r->in);
	loop_timer_set(r->loop, &r->drain, DRAIN_MS, on_drain, r);
	run_pace(r);
	run_check_end(r);
}

/* Copies the session out of the state folder; others may have it then. Returns
 * 1 when it is saved, 0 when there was none to save, or -1. */
static int save_session(struct run *r, struct str id)
{
	struct run_plan *plan = r->plan;
	struct err err = ERR_INIT;
	int ret = 0;

	if (plan->session_dir.refused)
		ret = -1; /* said when it ended the run */
	else if (plan->rq->session_dir && !str_is_null(id))
		ret = session_save(&plan->session_dir, id, plan->rt, plan->cwd,
			plan->rq->model, plan->state.dir.path,
			plan->clock->wall_ms(plan->clock->arg), &err);
	if (err.code != AR_OK)
		diag_error("%s", err.local);
	session_lock_drop(&plan->session_dir.lock);
	return ret;
}

static void end_outside(struct run *r)
{
	struct err err = ERR_INIT;

	/* Everything of the run is gone before `end` says so. */
	r->plan->sandbox->free(r->sandbox);
	r->sandbox = NULL;
	network_free(r->network);
	r->network = NULL;
	if (r->plan->state.dir.path &&
		state_write_back(&r->plan->state, &err) < 0)
		diag_error("%s", err.local);
}

/* SAVED: as save_session() says it. */
static void give_end(struct run *r, struct aggregate_end *end, int saved)
{
	const struct runtime_ops *rt = r->plan->rt;
	struct strbuf detail = STRBUF_INIT;
	struct strbuf tail = STRBUF_INIT;
	struct strbuf remark = STRBUF_INIT;
	struct strvec warn = STRVEC_INIT;
	struct runtime_verdict rv = {0};
	struct exit_info info = {
		.known = true,
		.exited = r->exited && WIFEXITED(r->wait_status),
		.stopped = r->stopping,
	};

	if (info.exited)
		info.code = WEXITSTATUS(r->wait_status);
	else
		info.signo = r->exited ? WTERMSIG(r->wait_status) : SIGKILL;
	run_stderr_cause(r, &tail);
	info.stderr_tail = strbuf_str(&tail);
	rt->verdict(r->ad, &rv);
	feed_remark(&r->feed, r->split.unfinished, &remark);
	rv.remark = strbuf_str(&remark);
	status_judge(
		rt->name, &r->stop, &info, &rv, &end->status, &detail, &warn);
	end->exit_code = info.exited ? info.code : EXIT_CODE_NULL;
	end->detail = strbuf_str(&detail);
	end->warnings = &warn;
	end->cost_expected = rt->warns_cost;
	end->last_line_cut = feed_is_cut(&r->feed, r->split.unfinished);
	end->lines_skipped = r->split.skipped;
	/* A run that ended well is one to go on with. */
	if (r->plan->rq->session_dir)
		end->session_lost =
			end->status == END_FINISHED ? saved <= 0 : saved < 0;
	aggregate_end(r->agg, end);
	end->detail = str_null();
	end->warnings = NULL;
	strbuf_release(&detail);
	strbuf_release(&tail);
	strbuf_release(&remark);
	strvec_release(&warn);
}

void run_over(struct run *r, int exit_status)
{
	r->finished = true;
	loop_timer_clear(r->loop, &r->timeout);
	loop_timer_clear(r->loop, &r->kill);
	loop_timer_clear(r->loop, &r->after_result);
	loop_timer_clear(r->loop, &r->drain);
	loop_timer_clear(r->loop, &r->stall);
	outlets_touch(&r->outlets);
	r->exit_status = exit_status;
	r->done(r->done_arg);
}

int run_settle(struct run *r, const int64_t *grace_ms)
{
	if (outlets_queued(&r->outlets) || outq_queued(diag_queue()))
		log_debug("waiting for the readers of the output");
	outlets_settle(&r->outlets, grace_ms);
	if (r->out_gone)
		return EXIT_EPIPE;
	return r->output_failure.len ? 1 : r->exit_status;
}

static void finish(struct run *r)
{
	struct record_out out = {run_record, r};
	struct aggregate_end end = {0};
	struct strbuf id = STRBUF_INIT;
	int saved;

	if (r->finished)
		return;
	r->stopping = true; /* nothing more can be stopped */
	loop_timer_clear(r->loop, &r->drain);
	r->plan->rt->finish(r->ad, &out);
	run_check_limits(r);
	end_outside(r);
	if (!str_is_null(aggregate_session(r->agg)))
		strbuf_adds(&id, aggregate_session(r->agg));
	saved = save_session(r, id.len ? strbuf_str(&id) : str_null());
	if (saved > 0)
		end.session_id = strbuf_str(&id);
	give_end(r, &end, saved);
	strbuf_release(&id);
	run_over(r, status_exit(end.status, r->stop.signo));
}

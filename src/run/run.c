#include "config.h"

#include "run/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/log.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "run/run-private.h"

#define TRIES_MAX 8 /* to start a sandbox when the file system changes */

/* --- events to sinks --- */

/* The first output that fails ends the run. */
void run_output_failed(struct run *r, const struct err *err)
{
	if (!r->output_failure.len) {
		utf8_repair(&r->output_failure, err->msg, strlen(err->msg));
		r->stop.output_failure = strbuf_str(&r->output_failure);
		diag_error("%s", err->local);
	}
	run_begin_stop(r);
}

static void emit(void *arg, const struct event *ev)
{
	struct run *r = arg;

	outlets_event(&r->outlets, ev);
}

static void on_outlet_failed(
	void *arg, enum outlet_kind kind, int syserr, const struct err *err)
{
	struct run *r = arg;

	if (kind != OUTLET_OUT || syserr != EPIPE) {
		run_output_failed(r, err);
		return;
	}
	/* Nobody reads any more: as if told to end. */
	r->out_gone = true;
	if (!r->stop.signo && !r->exited)
		r->stop.signo = SIGTERM;
	run_begin_stop(r);
}

static void on_drained(void *arg)
{
	run_pace(arg);
}

/* Two runs that would save the same session: the second must not. */
static void hold_session(struct run *r, struct str id)
{
	struct err err = ERR_INIT;

	if (session_hold(&r->plan->session_dir, id, &err) < 0)
		run_output_failed(r, &err);
}

void run_record(void *arg, const struct record *rec)
{
	struct run *r = arg;

	aggregate_record(r->agg, rec);
	if (rec->kind == RECORD_SESSION && r->plan->session_dir.fd >= 0)
		hold_session(r, rec->id);
}

/* --- the network --- */

static void on_seen(void *arg, const char *host, uint16_t port, bool allowed,
	const char *reason)
{
	struct run *r = arg;
	struct record rec = {
		.kind = RECORD_NETWORK,
		.host = str_of(host),
		.port = port,
		.allowed = allowed,
		.reason = str_of(reason),
	};

	if (r->running && !r->finished)
		run_record(r, &rec);
}

static void on_listener(void *arg, int fd, uint16_t port)
{
	struct run *r = arg;

	network_listener(r->network, fd, port);
}

static int start_network(struct run *r, struct err *err)
{
	struct run_plan *plan = r->plan;
	uint16_t port;

	if (!plan->network.proxy_port)
		return 0;
	r->network = network_new(r->loop, &plan->network, on_seen, r, err);
	if (!r->network)
		return -1;
	if (plan->sandbox->own_network)
		return 0;
	port = network_listen_here(r->network, err);
	if (!port)
		return -1;
	plan->network.proxy_port = port;
	network_env(&plan->vars, port);
	return 0;
}

static void stop_network(struct run *r)
{
	network_free(r->network);
	r->network = NULL;
}

/* --- starting --- */

static void repaired_images(const struct run *r, struct strvec *out)
{
	struct strbuf sb = STRBUF_INIT;
	const struct strvec *images = &r->plan->rq->images;

	for (size_t i = 0; i < images->count; i++) {
		strbuf_reset(&sb);
		utf8_repair(&sb, images->v[i], strlen(images->v[i]));
		strvec_push(out, sb.buf);
	}
	strbuf_release(&sb);
}

static void give_start(struct run *r)
{
	struct event_start start;
	struct strvec images = STRVEC_INIT;

	arena_reset(&r->feed.arena);
	run_plan_start_event(r->plan, &r->feed.arena, &start);
	aggregate_start(r->agg, &start);
	repaired_images(r, &images);
	aggregate_images(r->agg, &images);
	if (!r->plan->rt->echoes_prompt)
		aggregate_prompt(r->agg, strbuf_str(&r->plan->prompt));
	strvec_release(&images);
}

static void on_timeout(void *arg)
{
	struct run *r = arg;

	r->stop.timeout = true;
	run_begin_stop(r);
}

static void on_running(void *arg)
{
	struct run *r = arg;
	const struct run_request *rq = r->plan->rq;
	bool stop = r->stopping;

	r->running = true;
	r->plan->sandbox->pipes(
		r->sandbox, &r->in.fd, &r->outp.fd, &r->errs.fd);
	run_watch_pipes(r);
	if (rq->timeout_ms)
		loop_timer_set(
			r->loop, &r->timeout, rq->timeout_ms, on_timeout, r);
	give_start(r);
	if (stop) { /* told to end while it was starting */
		r->stopping = false;
		run_begin_stop(r);
	}
}

/* It never ran. */
static void give_up(struct run *r, const struct err *err)
{
	struct err said = *err;
	enum end_status status = r->stop.signo ? END_INTERRUPTED : END_REJECTED;
	struct strbuf detail = STRBUF_INIT;
	struct aggregate_end end = {
		.status = status,
		.exit_code = EXIT_CODE_NULL,
	};

	if (r->sandbox)
		r->plan->sandbox->free(r->sandbox);
	r->sandbox = NULL;
	session_lock_drop(&r->plan->session_dir.lock);
	if (status == END_INTERRUPTED) {
		status_signal(r->stop.signo, &detail);
	} else {
		utf8_repair(&detail, said.msg, strlen(said.msg));
		diag_error("%s", said.local);
	}
	end.detail = strbuf_str(&detail);
	aggregate_end(r->agg, &end);
	strbuf_release(&detail);
	run_over(r, status_exit(status, r->stop.signo));
}

static void start_now(struct run *r);

static void on_relax(void *arg)
{
	struct run *r = arg;
	struct err err = ERR_INIT;

	r->plan->sandbox->free(r->sandbox);
	r->sandbox = NULL;
	stop_network(r);
	if (preflight_relax(r->plan, &r->relax_why, &err) < 0)
		give_up(r, &err);
	else
		start_now(r);
}

static void on_retry(void *arg)
{
	struct run *r = arg;

	r->plan->sandbox->free(r->sandbox);
	r->sandbox = NULL;
	stop_network(r);
	log_debug("starting again: %s", r->relax_why.msg);
	start_now(r);
}

static void on_give_up(void *arg)
{
	struct run *r = arg;

	give_up(r, &r->relax_why);
}

/* Not done here and now: the sandbox is still on the stack. */
static void on_failed(void *arg, const struct err *err)
{
	struct run *r = arg;
	bool no_box = err->code == AR_ESANDBOX || err->code == AR_ERACE;
	loop_timer_fn *next = on_give_up;

	r->relax_why = *err;
	if (r->stopping)
		next = on_give_up;
	else if (err->code == AR_ERACE && ++r->tries < TRIES_MAX)
		next = on_retry;
	else if (no_box && r->plan->rq->sandbox == SANDBOX_RELAX &&
		 r->plan->box == RUNTIME_BOX_OURS)
		next = on_relax;
	loop_timer_set(r->loop, &r->later, 0, next, r);
}

static void start_now(struct run *r)
{
	static const struct sandbox_events events = {
		.running = on_running,
		.failed = on_failed,
		.exited = run_exited,
		.listener = on_listener,
	};
	const struct run_plan *plan = r->plan;
	struct sandbox_spec spec;
	struct err err = ERR_INIT;

	if (start_network(r, &err) < 0) {
		on_failed(r, &err);
		return;
	}
	run_plan_spec(plan, &spec);
	r->sandbox = plan->sandbox->start(r->loop, &spec, &events, r, &err);
	if (!r->sandbox)
		on_failed(r, &err);
}

static void on_start(void *arg)
{
	struct run *r = arg;
	struct err err = ERR_INIT;

	if (r->stop.signo) /* told to end before it began */
		give_up(r, &err);
	else
		start_now(r);
}

struct run *run_new(const struct run_config *config)
{
	struct run *r = xcalloc(1, sizeof(*r));
	struct run_plan *plan = config->plan;
	struct adapter_config ac = {
		.cwd = plan->cwd,
		.model = plan->rq->model,
		.prompt = plan->prompt.len ? strbuf_str(&plan->prompt)
					   : str_null(), /* recorded */
		.image_count = plan->images.count,
		.images = plan->images.v,
		.resumed = plan->rq->resume != NULL,
		.baseline = plan->baseline,
	};

	r->loop = config->loop;
	r->plan = plan;
	outlets_init(&r->outlets, config->loop);
	r->outlets.failed = on_outlet_failed;
	r->outlets.drained = on_drained;
	r->outlets.arg = r;
	outlets_set_sink(&r->outlets, OUTLET_OUT, config->out, "stdout");
	outlets_set_sink(
		&r->outlets, OUTLET_SAVE, config->save, plan->rq->save);
	if (plan->raw_fd >= 0)
		outlets_set_raw(&r->outlets, plan->raw_fd, plan->rq->raw);
	r->keep = config->keep;
	r->done = config->done;
	r->done_arg = config->arg;
	r->agg = aggregate_new(plan->clock, plan->start_ms, emit, r);
	r->ad = plan->rt->adapter_new(&ac);
	feed_init(&r->feed);
	split_init(&r->split, SPLIT_LINE_MAX);
	r->in.fd = r->outp.fd = r->errs.fd = -1;
	strbuf_init(&r->tail);
	strbuf_init(&r->limit_text);
	strbuf_init(&r->output_failure);
	r->stop.timeout_text = plan->rq->timeout_text;
	return r;
}

void run_start(struct run *r)
{
	loop_timer_set(r->loop, &r->later, 0, on_start, r);
}

void run_free(struct run *r)
{
	if (!r)
		return;
	loop_timer_clear(r->loop, &r->timeout);
	loop_timer_clear(r->loop, &r->kill);
	loop_timer_clear(r->loop, &r->after_result);
	loop_timer_clear(r->loop, &r->drain);
	loop_timer_clear(r->loop, &r->stall);
	loop_timer_clear(r->loop, &r->later);
	run_close_pipe(&r->in);
	run_close_pipe(&r->outp);
	run_close_pipe(&r->errs);
	if (r->sandbox)
		r->plan->sandbox->free(r->sandbox);
	network_free(r->network);
	r->plan->rt->adapter_free(r->ad);
	aggregate_free(r->agg);
	outlets_release(&r->outlets);
	feed_release(&r->feed);
	split_release(&r->split);
	strbuf_release(&r->tail);
	strbuf_release(&r->limit_text);
	strbuf_release(&r->output_failure);
	free(r);
}

void run_stop(struct run *r, int signo)
{
	if (r->finished)
		return;
	if (!r->stop.signo && !r->exited)
		r->stop.signo = signo == SIGHUP ? SIGTERM : signo;
	r->signals++;
	log_debug("signal %d to end (%d)", signo, r->signals);
	if (r->signals > 1)
		run_kill_all(r);
	else
		run_begin_stop(r);
}

void run_broken(struct run *r, int errnum)
{
	struct err err = ERR_INIT;

	err_set(&err, AR_EIO, N_("cannot wait for events: %s"),
		err_str(errnum));
	if (!r->running)
		on_failed(r, &err);
	else if (!r->output_failure.len)
		run_output_failed(r, &err);
	else if (!r->killed)
		run_kill_all(r);
}

struct run_stop_state run_stop_state(const struct run *r)
{
	struct run_stop_state s = {r->stopping && !r->finished, 0};
	int64_t left = r->kill_at_ms - loop_now_ms(r->loop);

	if (s.stopping && !r->killed && left > 0)
		s.kill_in_ms = left;
	return s;
}

struct rejected {
	struct sink *const *sinks;
	size_t count;
	bool failed;
};

static void emit_to_all(void *arg, const struct event *ev)
{
	struct rejected *to = arg;
	struct err err = ERR_INIT;
	int syserr;

	for (size_t i = 0; i < to->count; i++)
		if (to->sinks[i]->ops->event(to->sinks[i], ev, &syserr, &err) <
			0)
			to->failed = true;
}

int run_reject(const struct clock *clock, int64_t start_ms,
	struct sink *const *sinks, size_t count, enum end_status status,
	const char *detail)
{
	struct rejected to = {sinks, count, false};
	struct aggregate *a = aggregate_new(clock, start_ms, emit_to_all, &to);
	struct strbuf sb = STRBUF_INIT;
	struct aggregate_end end = {
		.status = status,
		.exit_code = EXIT_CODE_NULL,
	};

	utf8_repair(&sb, detail, strlen(detail));
	end.detail = strbuf_str(&sb);
	aggregate_end(a, &end);
	aggregate_free(a);
	strbuf_release(&sb);
	return to.failed ? -1 : 0;
}

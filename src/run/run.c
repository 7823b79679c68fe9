#include "config.h"

#include "run/run.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/split.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "event/aggregate.h"
#include "event/status.h"
#include "run/limits.h"
#include "run/outlets.h"

#define GRACE_MS 5000         /* from the stop signal to SIGKILL */
#define AFTER_RESULT_MS 10000 /* from the final result to the stop signal */
#define DRAIN_MS 1000         /* for pipes that someone still holds */
#define GIVE_UP 5             /* times DRAIN_MS after SIGKILL */
#define READ_MAX ((size_t)65536)
#define DRAIN_MAX ((size_t)1 << 20)       /* a pipe holds no more */
#define TAIL_POINTS 500                   /* of stderr, for end.detail */
#define TAIL_BYTES ((size_t)4096)         /* enough for them */
#define STOP_QUEUE_MAX ((size_t)64 << 20) /* held for a slow reader then */
#define EXIT_EPIPE 141

/* One end of a pipe of the runtime. */
struct run_pipe {
	int fd; /* -1: closed */
	struct loop_fd *watch;
};

struct run {
	struct loop *loop;
	struct run_plan *plan;
	struct outlets outlets;
	void (*done)(void *arg, int exit_status);
	void *done_arg;

	struct aggregate *agg;
	struct adapter *ad;
	struct arena arena; /* of the line at hand */
	struct split split;

	struct network *network; /* NULL: none (the demo) */
	struct sandbox *sandbox;
	bool running; /* start was given */
	bool exited;
	int wait_status;
	int drains;    /* DRAIN_MS that have passed after the kill */
	bool finished; /* `end` was given */
	bool leaving;  /* and the outlets are still busy */
	int exit_status;

	struct run_pipe in;
	struct run_pipe outp;
	struct run_pipe errs;
	size_t in_done;             /* bytes of the input that are written */
	struct strbuf tail;         /* of stderr */
	struct loop_fd *own_stderr; /* watched while its reader is slow */

	bool stopping;
	bool killed;
	int signals; /* how often run_stop was called */
	int64_t kill_at_ms;
	struct stop_info stop;
	struct strbuf limit_text;
	struct strbuf output_failure; /* detail: what could not be written */
	bool out_gone;                /* EPIPE on stdout */
	struct err relax_why;

	struct loop_timer timeout;
	struct loop_timer kill;
	struct loop_timer after_result;
	struct loop_timer drain;
	struct loop_timer later; /* work that must not be done in a callback of
				    the sandbox */
};

static void begin_stop(struct run *r);
static void pace(struct run *r);
static void kill_all(struct run *r);
static void check_end(struct run *r);
static void leave(struct run *r);

/* --- events to sinks --- */

/* The first output that fails ends the run. */
static void output_failed(struct run *r, const struct err *err)
{
	if (!r->output_failure.len) {
		utf8_repair(&r->output_failure, err->msg, strlen(err->msg));
		r->stop.output_failure = strbuf_str(&r->output_failure);
		diag_error("%s", err->local);
	}
	begin_stop(r);
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
		output_failed(r, err);
		return;
	}
	/* Nobody reads any more: as if told to end. */
	r->out_gone = true;
	if (!r->stop.signo)
		r->stop.signo = SIGTERM;
	begin_stop(r);
}

static void on_drained(void *arg)
{
	struct run *r = arg;

	if (r->leaving)
		leave(r);
	else
		pace(r);
}

static void on_record(void *arg, const struct record *rec)
{
	struct run *r = arg;

	aggregate_record(r->agg, rec);
}

/* --- the runtime's stdout --- */

static void on_after_result(void *arg)
{
	struct run *r = arg;

	log_debug("no end after the final result, stopping");
	r->stop.after_result = true;
	begin_stop(r);
}

static void check_limits(struct run *r)
{
	if (r->stop.limit)
		return;
	if (!limits_reached(r->plan->rq, r->agg, &r->limit_text))
		return;
	r->stop.limit = true;
	r->stop.limit_text = strbuf_str(&r->limit_text);
	begin_stop(r);
}

/* A runtime that has given its final result and stays gets 10 s; every line
 * starts them anew. */
static void check_result(struct run *r)
{
	struct runtime_verdict rv = {0};

	if (r->stopping || r->exited)
		return;
	r->plan->rt->verdict(r->ad, &rv);
	if (rv.final)
		loop_timer_set(r->loop, &r->after_result, AFTER_RESULT_MS,
			on_after_result, r);
	else
		loop_timer_clear(r->loop, &r->after_result);
}

static void on_line(void *arg, const char *line, size_t len)
{
	struct run *r = arg;
	struct record_out out = {on_record, r};
	const struct json *tree;

	arena_reset(&r->arena);
	tree = json_parse(&r->arena, line, len);
	if (tree && tree->kind == JSON_OBJECT)
		r->plan->rt->line(r->ad, tree, &out);
	check_limits(r);
	check_result(r);
}

static void close_pipe(struct run_pipe *p)
{
	loop_unwatch(p->watch);
	p->watch = NULL;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}

static void note_skipped(struct run *r, uint64_t before)
{
	if (before == 0 && r->split.skipped > 0)
		diag_error(_("a line of more than %zu MiB was skipped"),
			SPLIT_LINE_MAX >> 20);
}

/* One read. Returns bytes, 0 when there is nothing more for now or at all. */
static size_t read_stdout(struct run *r)
{
	uint64_t skipped = r->split.skipped;
	size_t avail;
	char *to;
	ssize_t n;

	to = split_space(&r->split, &avail);
	n = read(r->outp.fd, to, avail < READ_MAX ? avail : READ_MAX);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		split_finish(&r->split, on_line, r);
		note_skipped(r, skipped);
		close_pipe(&r->outp);
		return 0;
	}
	outlets_raw(&r->outlets, to, (size_t)n);
	split_commit(&r->split, (size_t)n, on_line, r);
	note_skipped(r, skipped);
	return (size_t)n;
}

/* A reader of ours that is slow slows the runtime down. Not while the runtime
 * is to end: blocked in its own output it could not. */
static void pace(struct run *r)
{
	size_t queued = outlets_queued(&r->outlets);
	size_t most = r->stopping ? STOP_QUEUE_MAX : 0;

	if (r->outp.watch)
		loop_watch_set(r->outp.watch, queued > most ? 0 : POLLIN);
}

static void on_stdout(void *arg, int fd, short revents)
{
	struct run *r = arg;

	(void)fd;
	(void)revents;
	(void)read_stdout(r);
	pace(r);
	check_end(r);
}

/* --- the runtime's stderr --- */

/* Whether our own stderr takes PIPE_BUF bytes without blocking. */
static bool stderr_takes(void)
{
	struct pollfd p = {STDERR_FILENO, POLLOUT, 0};

	return poll(&p, 1, 0) != 0;
}

static void on_stderr_takes(void *arg, int fd, short revents)
{
	struct run *r = arg;

	(void)fd;
	(void)revents;
	loop_watch_set(r->own_stderr, 0);
	if (r->errs.watch)
		loop_watch_set(r->errs.watch, POLLIN);
}

/* Our stderr has a reader that is slow: the runtime's waits for it. */
static void wait_for_stderr(struct run *r)
{
	loop_watch_set(r->errs.watch, 0);
	if (r->own_stderr)
		loop_watch_set(r->own_stderr, POLLOUT);
	else
		r->own_stderr = loop_watch(
			r->loop, STDERR_FILENO, POLLOUT, on_stderr_takes, r);
}

static size_t read_stderr(struct run *r)
{
	char buf[PIPE_BUF];
	ssize_t n = read(r->errs.fd, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		close_pipe(&r->errs);
		return 0;
	}
	/* Told twice to end: not even a stopped reader holds us up. */
	if (r->signals < 2 || stderr_takes())
		diag_write(buf, (size_t)n);
	strbuf_add(&r->tail, buf, (size_t)n);
	if (r->tail.len > 2 * TAIL_BYTES)
		strbuf_drop(&r->tail, r->tail.len - TAIL_BYTES);
	return (size_t)n;
}

static void on_stderr(void *arg, int fd, short revents)
{
	struct run *r = arg;

	(void)fd;
	(void)revents;
	if (stderr_takes())
		(void)read_stderr(r);
	else
		wait_for_stderr(r);
	check_end(r);
}

/* The last 500 code points of stderr. */
static void tail_text(const struct run *r, struct strbuf *out)
{
	size_t points;
	size_t at = 0;

	utf8_repair(out, r->tail.buf, r->tail.len);
	points = utf8_points(out->buf, out->len);
	for (; points > TAIL_POINTS; points--) {
		at++;
		while (at < out->len && (out->buf[at] & 0xc0) == 0x80)
			at++;
	}
	strbuf_drop(out, at);
}

/* --- the runtime's stdin --- */

static void on_stdin(void *arg, int fd, short revents)
{
	struct run *r = arg;
	const struct strbuf *input = &r->plan->cmd.input;
	ssize_t n = 0;

	(void)revents;
	if (r->in_done < input->len)
		n = write(fd, input->buf + r->in_done, input->len - r->in_done);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		r->in_done += (size_t)n;
	/* A runtime that does not want all of its input says why itself. */
	if (n < 0 || r->in_done == input->len)
		close_pipe(&r->in);
}

/* --- ending --- */

static void on_kill(void *arg)
{
	kill_all(arg);
}

static void begin_stop(struct run *r)
{
	if (r->stopping || r->finished)
		return;
	r->stopping = true;
	loop_timer_clear(r->loop, &r->after_result);
	loop_timer_clear(r->loop, &r->timeout);
	if (!r->running || r->exited)
		return;
	log_debug("stopping with signal %d", r->plan->rt->stop_signal);
	pace(r);
	r->plan->sandbox->signal(r->sandbox, r->plan->rt->stop_signal);
	r->kill_at_ms = loop_now_ms(r->loop) + GRACE_MS;
	loop_timer_set(r->loop, &r->kill, GRACE_MS, on_kill, r);
}

/* Reads what is still in a pipe and takes no notice of who holds it. */
static void drain_pipe(
	struct run *r, struct run_pipe *p, size_t (*one)(struct run *r))
{
	size_t total = 0;

	while (p->fd >= 0 && total < DRAIN_MAX) {
		size_t n = one(r);

		if (!n)
			break;
		total += n;
	}
}

static void finish(struct run *r);

static void on_drain(void *arg)
{
	struct run *r = arg;

	if (!r->exited && ++r->drains < GIVE_UP) {
		loop_timer_set(r->loop, &r->drain, DRAIN_MS, on_drain, r);
		return;
	}
	drain_pipe(r, &r->outp, read_stdout);
	drain_pipe(r, &r->errs, read_stderr);
	if (r->outp.fd >= 0)
		split_finish(&r->split, on_line, r);
	close_pipe(&r->outp);
	close_pipe(&r->errs);
	finish(r);
}

static void kill_all(struct run *r)
{
	loop_timer_clear(r->loop, &r->kill);
	r->killed = true;
	if (r->sandbox)
		r->plan->sandbox->kill(r->sandbox);
	loop_timer_set(r->loop, &r->drain, DRAIN_MS, on_drain, r);
}

/* The run is over when the runtime is reaped and its pipes are at their end. */
static void check_end(struct run *r)
{
	if (r->exited && r->outp.fd < 0 && r->errs.fd < 0)
		finish(r);
}

static void on_exited(void *arg, int wait_status)
{
	struct run *r = arg;

	r->exited = true;
	r->wait_status = wait_status;
	loop_timer_clear(r->loop, &r->timeout);
	loop_timer_clear(r->loop, &r->after_result);
	loop_timer_clear(r->loop, &r->kill);
	close_pipe(&r->in);
	loop_timer_set(r->loop, &r->drain, DRAIN_MS, on_drain, r);
	check_end(r);
}

/* Copies the session out of the state folder. Returns whether it is saved. */
static bool save_session(struct run *r, struct str id)
{
	const struct run_plan *plan = r->plan;
	struct err err = ERR_INIT;
	int ret;

	if (!plan->rq->session_dir || str_is_null(id))
		return false;
	ret = session_save(&plan->session_dir, id, plan->rt, plan->cwd,
		plan->rq->model, plan->state.path,
		plan->clock->wall_ms(plan->clock->arg), &err);
	if (ret < 0)
		diag_error("%s", err.local);
	return ret > 0;
}

static void end_outside(struct run *r)
{
	struct err err = ERR_INIT;

	/* Everything of the run is gone before `end` says so. */
	r->plan->sandbox->free(r->sandbox);
	r->sandbox = NULL;
	network_free(r->network);
	r->network = NULL;
	if (r->plan->state.path && state_write_back(&r->plan->state, &err) < 0)
		diag_error("%s", err.local);
}

static void give_end(struct run *r, struct aggregate_end *end)
{
	const struct runtime_ops *rt = r->plan->rt;
	struct strbuf detail = STRBUF_INIT;
	struct strbuf tail = STRBUF_INIT;
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
	tail_text(r, &tail);
	info.stderr_tail = strbuf_str(&tail);
	rt->verdict(r->ad, &rv);
	status_judge(
		rt->name, &r->stop, &info, &rv, &end->status, &detail, &warn);
	end->exit_code = info.exited ? info.code : EXIT_CODE_NULL;
	end->detail = strbuf_str(&detail);
	end->warnings = &warn;
	end->cost_expected = rt->warns_cost;
	end->lines_skipped = r->split.skipped;
	aggregate_end(r->agg, end);
	strbuf_release(&detail);
	strbuf_release(&tail);
	strvec_release(&warn);
}

static void leave(struct run *r)
{
	r->leaving = false;
	if (r->out_gone)
		r->exit_status = EXIT_EPIPE;
	else if (r->output_failure.len)
		r->exit_status = 1;
	r->done(r->done_arg, r->exit_status);
}

static void over(struct run *r, int exit_status)
{
	r->finished = true;
	loop_timer_clear(r->loop, &r->timeout);
	loop_timer_clear(r->loop, &r->kill);
	loop_timer_clear(r->loop, &r->after_result);
	loop_timer_clear(r->loop, &r->drain);
	r->exit_status = exit_status;
	r->leaving = outlets_queued(&r->outlets) > 0;
	if (r->leaving) /* a slow reader gets its `end` */
		log_debug("waiting for the reader of the output");
	else
		leave(r);
}

static void finish(struct run *r)
{
	struct record_out out = {on_record, r};
	struct aggregate_end end = {0};
	struct strbuf id = STRBUF_INIT;

	if (r->finished)
		return;
	r->stopping = true; /* nothing more can be stopped */
	loop_timer_clear(r->loop, &r->drain);
	r->plan->rt->finish(r->ad, &out);
	check_limits(r);
	end_outside(r);
	if (!str_is_null(aggregate_session(r->agg)))
		strbuf_adds(&id, aggregate_session(r->agg));
	if (save_session(r, id.len ? strbuf_str(&id) : str_null()))
		end.session_id = strbuf_str(&id);
	give_end(r, &end);
	strbuf_release(&id);
	over(r, status_exit(end.status, r->stop.signo));
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
		on_record(r, &rec);
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

	arena_reset(&r->arena);
	run_plan_start_event(r->plan, &r->arena, &start);
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
	begin_stop(r);
}

static void on_running(void *arg)
{
	struct run *r = arg;
	const struct run_request *rq = r->plan->rq;
	bool stop = r->stopping;

	r->running = true;
	r->plan->sandbox->pipes(
		r->sandbox, &r->in.fd, &r->outp.fd, &r->errs.fd);
	r->in.watch = loop_watch(r->loop, r->in.fd, POLLOUT, on_stdin, r);
	r->outp.watch = loop_watch(r->loop, r->outp.fd, POLLIN, on_stdout, r);
	r->errs.watch = loop_watch(r->loop, r->errs.fd, POLLIN, on_stderr, r);
	if (rq->timeout_ms)
		loop_timer_set(
			r->loop, &r->timeout, rq->timeout_ms, on_timeout, r);
	give_start(r);
	if (stop) { /* told to end while it was starting */
		r->stopping = false;
		begin_stop(r);
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
	if (status == END_REJECTED) {
		utf8_repair(&detail, said.msg, strlen(said.msg));
		diag_error("%s", said.local);
	}
	end.detail = strbuf_str(&detail);
	aggregate_end(r->agg, &end);
	strbuf_release(&detail);
	over(r, status_exit(status, r->stop.signo));
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

static void on_give_up(void *arg)
{
	struct run *r = arg;

	give_up(r, &r->relax_why);
}

/* Not done here and now: the sandbox is still on the stack. */
static void on_failed(void *arg, const struct err *err)
{
	struct run *r = arg;
	bool relax = err->code == AR_ESANDBOX &&
		     r->plan->rq->sandbox == SANDBOX_RELAX &&
		     r->plan->box == RUNTIME_BOX_OURS && !r->stopping;

	r->relax_why = *err;
	loop_timer_set(r->loop, &r->later, 0, relax ? on_relax : on_give_up, r);
}

static void start_now(struct run *r)
{
	static const struct sandbox_events events = {
		.running = on_running,
		.failed = on_failed,
		.exited = on_exited,
		.listener = on_listener,
	};
	const struct run_plan *plan = r->plan;
	struct sandbox_spec spec = {
		.program = plan->program,
		.argv = plan->cmd.argv.v,
		.cwd = plan->cwd,
		.home = strvec_env_get(&plan->env.vars, "HOME"),
		.state_dir = plan->state.path,
		.tmp_dir = plan->tmp_dir.len ? plan->tmp_dir.buf : NULL,
		.path_dirs = &plan->path_dirs,
		.deny_read = &plan->deny_read,
		.loopback_ports = plan->network.loopback_ports,
		.loopback_count = plan->network.loopback_count,
	};
	struct err err = ERR_INIT;

	if (start_network(r, &err) < 0) {
		on_failed(r, &err);
		return;
	}
	spec.envp = plan->vars.v;
	spec.proxy_port = plan->network.proxy_port;
	r->sandbox = plan->sandbox->start(r->loop, &spec, &events, r, &err);
	if (!r->sandbox)
		on_failed(r, &err);
}

static void on_start(void *arg)
{
	start_now(arg);
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
	r->done = config->done;
	r->done_arg = config->arg;
	r->agg = aggregate_new(plan->clock, plan->start_ms, emit, r);
	r->ad = plan->rt->adapter_new(&ac);
	arena_init(&r->arena);
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
	loop_timer_clear(r->loop, &r->later);
	close_pipe(&r->in);
	close_pipe(&r->outp);
	close_pipe(&r->errs);
	loop_unwatch(r->own_stderr);
	if (r->sandbox)
		r->plan->sandbox->free(r->sandbox);
	network_free(r->network);
	r->plan->rt->adapter_free(r->ad);
	aggregate_free(r->agg);
	outlets_release(&r->outlets);
	arena_release(&r->arena);
	split_release(&r->split);
	strbuf_release(&r->tail);
	strbuf_release(&r->limit_text);
	strbuf_release(&r->output_failure);
	free(r);
}

void run_stop(struct run *r, int signo)
{
	if (r->leaving) {
		/* The reader of the output has stopped, too. */
		r->exit_status = status_exit(END_INTERRUPTED, signo);
		leave(r);
		return;
	}
	if (r->finished)
		return;
	if (!r->stop.signo)
		r->stop.signo = signo == SIGINT ? SIGINT : SIGTERM;
	r->signals++;
	log_debug("signal %d to end (%d)", signo, r->signals);
	if (r->signals > 1)
		kill_all(r);
	else
		begin_stop(r);
}

struct run_stop_state run_stop_state(const struct run *r)
{
	struct run_stop_state s = {r->stopping && !r->finished, 0};
	int64_t left = r->kill_at_ms - loop_now_ms(r->loop);

	if (s.stopping && !r->killed && left > 0)
		s.kill_in_ms = left;
	return s;
}

static void emit_once(void *arg, const struct event *ev)
{
	struct sink **sink = arg;
	struct err err = ERR_INIT;
	int syserr;

	if (*sink && (*sink)->ops->event(*sink, ev, &syserr, &err) < 0)
		*sink = NULL;
}

int run_reject(const struct clock *clock, int64_t start_ms, struct sink *sink,
	enum end_status status, const char *detail)
{
	struct sink *left = sink;
	struct aggregate *a = aggregate_new(clock, start_ms, emit_once, &left);
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
	return left ? 0 : -1;
}

#include "config.h"

#include "run/run-private.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/log.h"
#include "run/cause.h"
#include "run/limits.h"

#define AFTER_RESULT_MS 10000 /* from the final result to the stop signal */
#define READ_MAX ((size_t)65536)
#define DRAIN_MAX ((size_t)1 << 20)  /* a pipe holds no more */
#define TAIL_BYTES ((size_t)32768)   /* of stderr, for end.detail */
#define QUEUE_MAX ((size_t)64 << 20) /* held for readers that stopped */
#define STALL_MS 250                 /* that is when one has */

/* --- the runtime's stdout --- */

static void on_after_result(void *arg)
{
	struct run *r = arg;

	log_debug("no end after the final result, stopping");
	r->stop.after_result = true;
	run_begin_stop(r);
}

void run_check_limits(struct run *r)
{
	if (r->stop.limit)
		return;
	if (!limits_reached(r->plan->rq, r->agg, &r->limit_text))
		return;
	r->stop.limit = true;
	r->stop.limit_text = strbuf_str(&r->limit_text);
	run_begin_stop(r);
}

/* A runtime that has given its final result and stays gets 10 s; every line
 * starts them anew. */
static void check_result(struct run *r)
{
	struct runtime_verdict rv = {0};

	if (r->stopping || r->exited)
		return;
	r->plan->rt->verdict(r->ad, &rv);
	r->final = rv.final;
	if (rv.final)
		loop_timer_set(r->loop, &r->after_result, AFTER_RESULT_MS,
			on_after_result, r);
	else
		loop_timer_clear(r->loop, &r->after_result);
}

static void on_object(
	void *arg, const struct json *object, size_t at, size_t len)
{
	struct run *r = arg;
	const struct record_out out = {run_record, r};
	const struct raw_ref source = {r->line_offset + at, (uint32_t)len};

	aggregate_source(r->agg, source);
	r->plan->rt->line(r->ad, object, &out);
	aggregate_source(r->agg, (struct raw_ref){0});
	run_check_limits(r);
}

static void on_line(void *arg, const char *line, size_t len)
{
	struct run *r = arg;

	r->line_offset = split_offset(&r->split, line);
	feed_line(&r->feed, line, len, on_object, r);
	check_result(r);
}

void run_close_pipe(struct run_pipe *p)
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
		run_close_pipe(&r->outp);
		return 0;
	}
	outlets_raw(&r->outlets, to, (size_t)n);
	if (r->keep)
		keep_add(r->keep, to, (size_t)n);
	split_commit(&r->split, (size_t)n, on_line, r);
	note_skipped(r, skipped);
	return (size_t)n;
}

static void on_stall(void *arg)
{
	run_pace(arg);
}

/* A limit may be in what is not read yet, and the final result; and a runtime
 * that is to end must not be blocked in its own output. */
static bool reads_on(const struct run *r)
{
	const struct run_request *rq = r->plan->rq;

	return r->stopping || r->exited || r->final || rq->max_turns ||
	       rq->max_tokens || rq->max_usd > 0;
}

/* Whether P is read, of which QUEUED bytes wait for a reader that has taken
 * nothing for STALLED_MS. */
static bool pace(
	struct run *r, struct run_pipe *p, size_t queued, int64_t stalled_ms)
{
	size_t most = stalled_ms >= STALL_MS || reads_on(r) ? QUEUE_MAX : 0;

	if (p->watch)
		loop_watch_set(p->watch, queued > most ? 0 : POLLIN);
	return queued <= most;
}

/* A reader of ours that is slow slows the runtime down; one that has stopped
 * does not: it must not decide how the run goes. */
void run_pace(struct run *r)
{
	const struct outq *diag = diag_queue();
	bool all = pace(r, &r->outp, outlets_queued(&r->outlets),
		outlets_stalled_ms(&r->outlets));

	if (!pace(r, &r->errs, outq_queued(diag), outq_stalled_ms(diag)))
		all = false;
	if (all)
		loop_timer_clear(r->loop, &r->stall);
	else if (!r->stall.armed)
		loop_timer_set(r->loop, &r->stall, STALL_MS, on_stall, r);
}

static void on_stdout(void *arg, int fd, short revents)
{
	struct run *r = arg;

	(void)fd;
	(void)revents;
	(void)read_stdout(r);
	run_pace(r);
	run_check_end(r);
}

/* --- the runtime's stderr --- */

static size_t read_stderr(struct run *r)
{
	char buf[PIPE_BUF];
	ssize_t n = read(r->errs.fd, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		run_close_pipe(&r->errs);
		return 0;
	}
	diag_write(buf, (size_t)n);
	strbuf_add(&r->tail, buf, (size_t)n);
	if (r->tail.len > 2 * TAIL_BYTES) {
		strbuf_drop(&r->tail, r->tail.len - TAIL_BYTES);
		r->tail_cut = true;
	}
	return (size_t)n;
}

static void on_stderr(void *arg, int fd, short revents)
{
	struct run *r = arg;

	(void)fd;
	(void)revents;
	(void)read_stderr(r);
	run_pace(r);
	run_check_end(r);
}

void run_stderr_cause(const struct run *r, struct strbuf *out)
{
	cause_find(strbuf_str(&r->tail), r->tail_cut, out);
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
		run_close_pipe(&r->in);
}

void run_watch_pipes(struct run *r)
{
	r->in.watch = loop_watch(r->loop, r->in.fd, POLLOUT, on_stdin, r);
	r->outp.watch = loop_watch(r->loop, r->outp.fd, POLLIN, on_stdout, r);
	r->errs.watch = loop_watch(r->loop, r->errs.fd, POLLIN, on_stderr, r);
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

void run_drain_pipes(struct run *r)
{
	drain_pipe(r, &r->outp, read_stdout);
	drain_pipe(r, &r->errs, read_stderr);
	if (r->outp.fd >= 0)
		split_finish(&r->split, on_line, r);
	run_close_pipe(&r->outp);
	run_close_pipe(&r->errs);
}

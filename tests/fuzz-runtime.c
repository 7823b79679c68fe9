/* fuzz-runtime: raw output of each runtime, in pieces as read(2) gives them,
 * through its adapter and the aggregator to the sinks. Whatever a runtime
 * prints, the stream keeps its rules (fuzz-stream.h), and other pieces give the
 * same stream. */
#include "config.h"

#include <string.h>

#include "base/split.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "event/aggregate.h"
#include "event/status.h"
#include "fuzz-stream.h"
#include "fuzz.h"
#include "runtime/feed.h"
#include "runtime/runtime.h"
#include "view/convert.h"

struct run {
	const struct runtime_ops *ops;
	struct adapter *adapter;
	struct aggregate *aggregate;
	struct feed feed;
	struct fuzz_stream stream;
	struct split split;
	struct str data;      /* all of the input */
	uint64_t line_offset; /* of the line at hand */
	int64_t calls;
};

static int64_t no_time(void *arg)
{
	(void)arg;
	return 0;
}

static const struct clock still = {no_time, no_time, NULL};

static void on_record(void *arg, const struct record *rec)
{
	struct run *r = arg;

	if (rec->kind == RECORD_TOTALS)
		r->stream.has_totals = true;
	aggregate_record(r->aggregate, rec);
}

/* As run/run-io.c has it. */
static void on_object(
	void *arg, const struct json *object, size_t at, size_t len)
{
	struct run *r = arg;
	struct record_out out = {on_record, r};
	const struct raw_ref source = {r->line_offset + at, (uint32_t)len};
	int64_t calls;

	ar_assert(source.offset + len <= r->data.len);
	ar_assert(object->kind == JSON_OBJECT);
	aggregate_source(r->aggregate, source);
	r->ops->line(r->adapter, object, &out);
	aggregate_source(r->aggregate, (struct raw_ref){0});
	/* What the limits look at. */
	ar_assert(aggregate_tokens(r->aggregate) >= 0);
	calls = aggregate_main_calls(r->aggregate);
	ar_assert(calls >= r->calls);
	r->calls = calls;
}

static void on_line(void *arg, const char *line, size_t len)
{
	struct run *r = arg;
	struct runtime_verdict rv = {0};

	r->line_offset = split_offset(&r->split, line);
	ar_assert(memcmp(r->data.ptr + r->line_offset, line, len) == 0);
	feed_line(&r->feed, line, len, on_object, r);
	r->ops->verdict(r->adapter, &rv);
}

static void end_run(struct run *r)
{
	struct stop_info stop = {0};
	struct exit_info ei = {.known = true, .exited = true};
	struct runtime_verdict rv = {0};
	struct strbuf remark = STRBUF_INIT;
	struct strbuf detail = STRBUF_INIT;
	struct strvec warn = STRVEC_INIT;
	struct aggregate_end end = {0};

	r->ops->verdict(r->adapter, &rv);
	feed_remark(&r->feed, r->split.unfinished, &remark);
	ar_assert(utf8_valid(remark.buf, remark.len));
	ar_assert(!remark.len || !memchr(remark.buf, '\n', remark.len));
	rv.remark = strbuf_str(&remark);
	status_judge(
		r->ops->name, &stop, &ei, &rv, &end.status, &detail, &warn);
	end.detail = strbuf_str(&detail);
	end.session_id = str_null();
	end.warnings = &warn;
	end.cost_expected = r->ops->warns_cost;
	aggregate_end(r->aggregate, &end);
	ar_assert(r->stream.ended);
	strvec_release(&warn);
	strbuf_release(&remark);
	strbuf_release(&detail);
}

static void read_all(struct run *r, struct fuzz_rand *pieces)
{
	struct str data = r->data;

	split_init(&r->split, SPLIT_LINE_MAX);
	while (data.len) {
		size_t n = pieces ? 1 + fuzz_below(pieces, 97) : data.len;

		if (n > data.len)
			n = data.len;
		split_feed(&r->split, data.ptr, n, on_line, r);
		data.ptr += n;
		data.len -= n;
	}
	split_finish(&r->split, on_line, r);
}

/* The lines of the whole stream go to ALL. */
static void play_run(const struct runtime_ops *ops, struct str data,
	struct fuzz_rand *pieces, struct strbuf *all)
{
	struct adapter_config config = {.cwd = "/work", .prompt = str_null()};
	struct event_start start = {.runtime = str_of(ops->name),
		.sandbox = str_of("none"),
		.network_mode = str_of("none"),
		.cwd = str_of("/work"),
		.has_notes = true};
	struct run r = {.ops = ops, .data = data};
	struct record_out out = {on_record, &r};

	config.baseline = token_counts_unknown();
	feed_init(&r.feed);
	fuzz_stream_init(&r.stream);
	r.adapter = ops->adapter_new(&config);
	r.aggregate = aggregate_new(&still, 0, fuzz_stream_event, &r.stream);
	aggregate_start(r.aggregate, &start);
	read_all(&r, pieces);
	ops->finish(r.adapter, &out);
	end_run(&r);
	strbuf_adds(all, strbuf_str(&r.stream.all));
	aggregate_free(r.aggregate);
	ops->adapter_free(r.adapter);
	fuzz_stream_release(&r.stream);
	feed_release(&r.feed);
	split_release(&r.split);
}

/* The same as `view --from`. */
static void play_view(const struct runtime_ops *ops, struct str data)
{
	struct fuzz_stream stream;
	struct convert *c;
	struct str line;

	fuzz_stream_init(&stream);
	stream.has_totals = true; /* not known here */
	c = convert_new(ops, "/work", &still, fuzz_stream_event, &stream);
	while (fuzz_line(&data, &line))
		convert_line(c, 0, line.ptr, line.len);
	/* One `end`, or nothing at all. */
	ar_assert(convert_finish(c, 0, false) == stream.ended);
	ar_assert(stream.ended || !stream.all.len);
	convert_free(c);
	fuzz_stream_release(&stream);
}

static void play(const void *arg, const char *bytes, size_t len)
{
	const struct runtime_ops *ops = arg;
	struct fuzz_rand r = fuzz_choice(bytes, len);
	struct strbuf whole = STRBUF_INIT;
	struct strbuf pieces = STRBUF_INIT;
	struct str data = {bytes, len};

	play_run(ops, data, NULL, &whole);
	switch (fuzz_below(&r, 4)) {
	case 0:
		play_run(ops, data, &r, &pieces);
		ar_assert(str_eq(strbuf_str(&whole), strbuf_str(&pieces)));
		break;
	case 1:
		play_view(ops, data);
		break;
	default:
		break;
	}
	strbuf_release(&whole);
	strbuf_release(&pieces);
}

const struct fuzz_target fuzz_claude_code = {
	.name = "claude-code",
	.seeds = "golden/claude-code/*/in.jsonl",
	.play = play,
	.arg = &runtime_claude_code,
	.json = true,
};

const struct fuzz_target fuzz_codex = {
	.name = "codex",
	.seeds = "golden/codex/*/in.jsonl",
	.play = play,
	.arg = &runtime_codex,
	.json = true,
};

const struct fuzz_target fuzz_pi = {
	.name = "pi",
	.seeds = "golden/pi/*/in.jsonl",
	.play = play,
	.arg = &runtime_pi,
	.json = true,
};

const struct fuzz_target fuzz_dsh = {
	.name = "dsh",
	.seeds = "golden/dsh/*/in.jsonl",
	.play = play,
	.arg = &runtime_dsh,
	.json = true,
};

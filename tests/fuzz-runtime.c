/* fuzz-runtime: raw output of each runtime, through its adapter, the
 * aggregator and the stream. Whatever a runtime prints, the stream keeps its
 * rules: one start, one end, every line an event, every tool and subagent
 * begun and ended once. */
#include "config.h"

#include "fuzz.h"

#include "base/split.h"
#include "base/strbuf.h"
#include "event/aggregate.h"
#include "event/status.h"
#include "runtime/runtime.h"

struct run {
	const struct runtime_ops *ops;
	struct adapter *adapter;
	struct aggregate *aggregate;
	struct arena arena;
	struct arena check;
	struct strbuf line;
	int open; /* tools and subagents that have begun and not ended */
	bool ended;
};

static int64_t no_time(void *arg)
{
	(void)arg;
	return 0;
}

static void on_event(void *arg, const struct event *ev)
{
	struct run *r = arg;
	struct err err = ERR_INIT;
	struct event again;

	ar_assert(!r->ended);
	strbuf_reset(&r->line);
	event_write(&r->line, ev);
	ar_assert(memchr(r->line.buf, '\n', r->line.len) ==
		  r->line.buf + r->line.len - 1);
	ar_assert(event_read(&again, &r->check, r->line.buf, r->line.len - 1,
			  &err) == 0);
	ar_assert(again.kind == ev->kind);
	arena_reset(&r->check);
	if (ev->kind == EVENT_TOOL_START || ev->kind == EVENT_SUBAGENT_START)
		r->open++;
	if (ev->kind == EVENT_TOOL || ev->kind == EVENT_SUBAGENT_END)
		r->open--;
	ar_assert(r->open >= 0);
	if (ev->kind == EVENT_END) {
		ar_assert(r->open == 0);
		r->ended = true;
	}
}

static void on_record(void *arg, const struct record *rec)
{
	struct run *r = arg;

	aggregate_record(r->aggregate, rec);
}

static void on_line(void *arg, const char *line, size_t len)
{
	struct run *r = arg;
	struct record_out out = {on_record, r};
	const struct json *v = json_parse(&r->arena, line, len);

	if (v && v->kind == JSON_OBJECT)
		r->ops->line(r->adapter, v, &out);
	arena_reset(&r->arena);
	(void)aggregate_tokens(r->aggregate);
	(void)aggregate_main_calls(r->aggregate);
}

static void end_run(struct run *r)
{
	struct stop_info stop = {0};
	struct exit_info ei = {.known = true, .exited = true};
	struct runtime_verdict rv = {0};
	struct strbuf detail = STRBUF_INIT;
	struct strvec warn = STRVEC_INIT;
	struct aggregate_end end = {0};

	r->ops->verdict(r->adapter, &rv);
	status_judge(
		r->ops->name, &stop, &ei, &rv, &end.status, &detail, &warn);
	end.detail = strbuf_str(&detail);
	end.session_id = str_null();
	end.warnings = &warn;
	end.cost_expected = r->ops->warns_cost;
	aggregate_end(r->aggregate, &end);
	ar_assert(r->ended);
	strvec_release(&warn);
	strbuf_release(&detail);
}

static void play(const struct runtime_ops *ops, const char *data, size_t size)
{
	const struct clock clock = {no_time, no_time, NULL};
	struct adapter_config config = {.cwd = "/work", .prompt = str_null()};
	struct event_start start = {.runtime = str_of(ops->name),
		.sandbox = str_of("none"),
		.network_mode = str_of("none"),
		.cwd = str_of("/work"),
		.has_notes = true};
	struct run r = {.ops = ops, .line = STRBUF_INIT};
	struct record_out out = {on_record, &r};
	struct split s;

	arena_init(&r.arena);
	arena_init(&r.check);
	split_init(&s, SPLIT_LINE_MAX);
	r.adapter = ops->adapter_new(&config);
	r.aggregate = aggregate_new(&clock, 0, on_event, &r);
	aggregate_start(r.aggregate, &start);
	split_feed(&s, data, size, on_line, &r);
	split_finish(&s, on_line, &r);
	ops->finish(r.adapter, &out);
	end_run(&r);
	aggregate_free(r.aggregate);
	ops->adapter_free(r.adapter);
	split_release(&s);
	strbuf_release(&r.line);
	arena_release(&r.arena);
	arena_release(&r.check);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t i;

	for (i = 0; runtime_table[i]; i++)
		play(runtime_table[i], (const char *)data, size);
	return 0;
}

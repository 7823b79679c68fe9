#include "config.h"

#include <math.h>

#include "event/aggregate.h"
#include "tests/check-main.h"

/* The warnings of `end`, in their order, joined by blanks. */

static int64_t no_time(void *arg)
{
	(void)arg;
	return 0;
}

static const struct clock no_clock = {no_time, no_time, NULL};
static struct strbuf warnings = STRBUF_INIT;
static struct aggregate *agg;
static struct aggregate_end end;

static void on_event(void *arg, const struct event *ev)
{
	(void)arg;
	if (ev->kind != EVENT_END)
		return;
	strbuf_reset(&warnings);
	for (size_t i = 0; i < ev->u.end.warnings.count; i++) {
		if (i)
			strbuf_addch(&warnings, ' ');
		strbuf_adds(&warnings, ev->u.end.warnings.v[i]);
	}
}

static void begin(void)
{
	struct event_start start = {.runtime = str_of("pi")};

	end = (struct aggregate_end){.status = END_FINISHED};
	agg = aggregate_new(&no_clock, 0, on_event, NULL);
	aggregate_start(agg, &start);
}

#define put(...) aggregate_record(agg, &(struct record){__VA_ARGS__})
#define ID(s) .id = str_of(s)
#define START(s) .kind = RECORD_TOOL_START, ID(s)
#define DONE(s) .kind = RECORD_TOOL_END, ID(s)
#define COUNTS(n) .counts = {n, n, n, n, (double)NAN}

static void want(const char *expected)
{
	aggregate_end(agg, &end);
	aggregate_free(agg);
	ck_assert_str_eq(warnings.buf ? warnings.buf : "", expected);
	strbuf_release(&warnings);
}

START_TEST(nothing_done_is_empty)
{
	begin();
	want("empty_run");
	begin();
	put(.kind = RECORD_PROMPT, .text = str_of("do it"));
	put(.kind = RECORD_TEXT, .text = str_of(" \n"));
	put(.kind = RECORD_RESULT, .text = str_of("\t"));
	put(.kind = RECORD_NETWORK, .host = str_of("h"), .port = 443);
	put(.kind = RECORD_USAGE, COUNTS(0));
	put(.kind = RECORD_CALL_START, ID("c"));
	want("empty_run");
}
END_TEST

START_TEST(anything_done_is_not)
{
	struct usage totals;
	struct token_counts one = {0, 1, 0, 0, 0};

	begin();
	put(.kind = RECORD_TEXT, .text = str_of("x"));
	want("");
	begin();
	put(START("t"));
	put(DONE("t"));
	want("");
	begin();
	put(.kind = RECORD_SUBAGENT_START, ID("a"));
	put(.kind = RECORD_SUBAGENT_END, ID("a"));
	want("");
	begin();
	put(.kind = RECORD_USAGE, COUNTS(1));
	want("");
	begin();
	put(.kind = RECORD_CALL_USAGE, ID("c"), COUNTS(1));
	want("");
	begin();
	put(.kind = RECORD_RESULT, .text = str_of("42"));
	want("");
	begin();
	usage_init(&totals);
	usage_add(&totals, str_of("m"), &one);
	put(.kind = RECORD_TOTALS, .totals = &totals);
	usage_release(&totals);
	want("");
	for (int status = END_FAILED; status <= END_REJECTED; status++) {
		begin();
		end.status = (enum end_status)status;
		want("");
	}
}
END_TEST

START_TEST(open_tasks_are_counted_once)
{
	begin();
	put(START("open"));
	put(START("over"));
	put(DONE("over"));
	put(.kind = RECORD_SUBAGENT_START, ID("a"));
	put(.kind = RECORD_SUBAGENT_START, ID("b"));
	put(.kind = RECORD_SUBAGENT_END, ID("b"));
	put(.kind = RECORD_TASK, ID("open"));
	put(.kind = RECORD_TASK, ID("a"));
	put(.kind = RECORD_TASK, ID("over"));
	put(.kind = RECORD_TASK, ID("b"));
	put(.kind = RECORD_TASK, ID("unknown"));
	put(.kind = RECORD_TASK, .id = str_null());
	put(.kind = RECORD_TASK, .id = str_null());
	want("subagents_unfinished:1 tools_unfinished:1 tasks_unfinished:5");
}
END_TEST

START_TEST(refusals_are_counted_unless_shown)
{
	begin();
	put(START("told first"));
	put(START("shown first"));
	put(START("as error"));
	put(.kind = RECORD_REFUSED, ID("told first"));
	put(.kind = RECORD_REFUSED, ID("told first"));
	put(DONE("told first"), .denied = true);
	put(DONE("shown first"), .denied = true);
	put(.kind = RECORD_REFUSED, ID("shown first"));
	put(.kind = RECORD_REFUSED, ID("told first"));
	want("tools_unfinished:1");
	begin();
	put(START("as error"));
	put(DONE("as error"), .error = TRI_TRUE);
	put(START("open"));
	put(.kind = RECORD_REFUSED, ID("as error"));
	put(.kind = RECORD_REFUSED, ID("as error"));
	put(.kind = RECORD_REFUSED, ID("open"));
	put(.kind = RECORD_REFUSED, ID("no lines"));
	put(.kind = RECORD_REFUSED, .id = str_null());
	put(.kind = RECORD_REFUSED, .id = str_null());
	want("tools_unfinished:1 denied:5");
}
END_TEST

START_TEST(the_order_is_fixed)
{
	struct strvec more = STRVEC_INIT;

	strvec_push(&more, "exit_after_result:2");
	begin();
	put(START("t"));
	put(.kind = RECORD_SUBAGENT_START, ID("a"));
	put(.kind = RECORD_TASK, ID("x"));
	put(.kind = RECORD_REFUSED, ID("y"));
	put(.kind = RECORD_USAGE, COUNTS(1));
	end.warnings = &more;
	end.lines_skipped = 3;
	end.cost_expected = true;
	end.session_lost = true;
	want("subagents_unfinished:1 tools_unfinished:1 tasks_unfinished:1 "
	     "denied:1 exit_after_result:2 lines_skipped:3 cost_unknown "
	     "session_not_saved");
	begin();
	put(.kind = RECORD_TASK, ID("x"));
	end.session_lost = true;
	want("empty_run tasks_unfinished:1 session_not_saved");
	strvec_release(&more);
}
END_TEST

CHECK_MAIN("tally", nothing_done_is_empty, anything_done_is_not,
	open_tasks_are_counted_once, refusals_are_counted_unless_shown,
	the_order_is_fixed)

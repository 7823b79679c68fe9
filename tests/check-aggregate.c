#include "config.h"

#include <math.h>
#include <stdio.h>

#include "event/aggregate.h"
#include "tests/check-main.h"

/* Records in, events out. Events are compared as their lines, without
 * `schema` and `time`, which the tests that care look at by themselves. */

static const double none = (double)NAN;

struct bench {
	int64_t mono;
	int64_t wall;
	struct clock clock;
	struct aggregate *a;
	struct strbuf lines;
	int64_t time_ms; /* of the newest event */
	struct raw_ref source;
	size_t count;
};

static int64_t mono(void *arg)
{
	return ((struct bench *)arg)->mono;
}

static int64_t wall(void *arg)
{
	return ((struct bench *)arg)->wall;
}

static void collect(void *arg, const struct event *ev)
{
	struct bench *b = arg;
	struct strbuf line = STRBUF_INIT;
	const char *body;

	b->time_ms = ev->time_ms;
	b->source = ev->source;
	b->count++;
	event_write(&line, ev);
	ck_assert(str_starts(strbuf_str(&line), "{\"schema\":1,\"type\":"));
	strbuf_addf(&b->lines, "%s ", event_type(ev->kind));
	body = strstr(line.buf, "\"time\":") + strlen("\"time\":\"\",") +
	       CLOCK_TIME_LEN;
	strbuf_add(&b->lines, body, strlen(body) - 2);
	strbuf_addch(&b->lines, '\n');
	strbuf_release(&line);
}

static void quiet(void *arg, const struct event *ev)
{
	struct bench *b = arg;

	b->time_ms = ev->time_ms;
	b->count++;
}

static void setup(struct bench *b, event_fn *fn)
{
	struct event_start start = {
		.runtime = str_of("pi"),
		.sandbox = str_of("none"),
		.network_mode = str_of("full"),
		.cwd = str_of("/"),
		.has_notes = true,
	};

	memset(b, 0, sizeof(*b));
	b->mono = 1000;
	b->wall = 1000000;
	b->clock = (struct clock){mono, wall, b};
	strbuf_init(&b->lines);
	b->a = aggregate_new(&b->clock, 400, fn, b);
	aggregate_start(b->a, &start);
	strbuf_reset(&b->lines);
	b->count = 0;
}

static void teardown(struct bench *b)
{
	aggregate_free(b->a);
	strbuf_release(&b->lines);
}

#define put(b, ...) aggregate_record((b)->a, &(struct record){__VA_ARGS__})
#define ID(s) .id = str_of(s)
#define PARENT(s) .parent = str_of(s)
#define TOOL(i)                                                          \
	.kind = RECORD_TOOL_START, .id = str_of(i), .name = str_of("N"), \
	.summary = str_of("N: s")
#define TOOL_DONE(i) .kind = RECORD_TOOL_END, .id = str_of(i)
#define TEXT(s) .kind = RECORD_TEXT, .text = str_of(s)
#define AGENT(i)                                        \
	.kind = RECORD_SUBAGENT_START, .id = str_of(i), \
	.agent_kind = str_of("Explore"), .description = str_of("d")
#define AGENT_DONE(i) .kind = RECORD_SUBAGENT_END, .id = str_of(i)
#define COUNTS(in, out) \
	.counts = {in, out, COUNT_UNKNOWN, COUNT_UNKNOWN, (double)NAN}
#define USAGE(i, in, out)                                            \
	.kind = RECORD_USAGE, .id = str_of(i), .model = str_of("m"), \
	COUNTS(in, out)

static void expect(struct bench *b, const char *lines)
{
	ck_assert_str_eq(b->lines.buf, lines);
	strbuf_reset(&b->lines);
}

static void finish(struct bench *b)
{
	struct aggregate_end end = {.status = END_FINISHED, .exit_code = 0};

	aggregate_end(b->a, &end);
}

#define TOOL_START_LINE(id, parent)                           \
	"tool_start \"id\":\"" id "\",\"parent\":" parent "," \
	"\"name\":\"N\",\"summary\":\"N: s\"\n"
#define TOOL_LINE(id, parent, denied, error)                     \
	"tool \"id\":\"" id "\",\"parent\":" parent ","          \
	"\"name\":\"N\",\"summary\":\"N: s\",\"denied\":" denied \
	",\"error\":" error "\n"
#define AGENT_LINE(id, parent, number)                                \
	"subagent_start \"id\":\"" id "\",\"parent\":" parent         \
	",\"number\":" number ",\"kind\":\"Explore\",\"model\":null," \
	"\"description\":\"d\"\n"
#define SUM(in, out)                                               \
	"{\"input_tokens\":" in ",\"output_tokens\":" out          \
	",\"cache_read_tokens\":null,\"cache_write_tokens\":null," \
	"\"cost_usd\":null"
#define NO_USAGE SUM("null", "null") ",\"by_model\":{}}"
#define M_USAGE(in, out) SUM(in, out) ",\"by_model\":{\"m\":" SUM(in, out) "}}}"
#define AGENT_END_LINE(id, status, ms, usage)                 \
	"subagent_end \"id\":\"" id "\",\"status\":\"" status \
	"\",\"duration_ms\":" ms ",\"usage\":" usage "\n"
#define USAGE_LINE(parent, in, out)                                        \
	"usage \"parent\":" parent ",\"model\":\"m\",\"input_tokens\":" in \
	",\"output_tokens\":" out ",\"cache_read_tokens\":null,"           \
	"\"cache_write_tokens\":null,\"cost_usd\":null,"                   \
	"\"context_tokens\":null\n"
#define END_LINE(ms, usage, result, warnings)                           \
	"end \"status\":\"finished\",\"exit_code\":0,\"detail\":\"\","  \
	"\"duration_ms\":" ms ",\"usage\":" usage ",\"result\":" result \
	",\"session_id\":null,\"warnings\":[" warnings "]\n"

START_TEST(a_tool_call_is_a_pair)
{
	struct bench b;

	setup(&b, collect);
	put(&b, TOOL("t1"));
	expect(&b, TOOL_START_LINE("t1", "null"));
	put(&b, TOOL("t1"));      /* a repeated start */
	put(&b, TOOL_DONE("t2")); /* an id that nobody started */
	expect(&b, "");
	put(&b, TOOL_DONE("t1"), .error = TRI_TRUE);
	expect(&b, TOOL_LINE("t1", "null", "false", "true"));
	put(&b, TOOL_DONE("t1"), .error = TRI_FALSE); /* a second end */
	put(&b, TOOL("t1"));                          /* it had its time */
	put(&b, TOOL_DONE("t1"));
	expect(&b, "");
	put(&b, .kind = RECORD_TOOL_START); /* no id */
	put(&b, .kind = RECORD_TOOL_END);
	expect(&b, "");
	teardown(&b);
}
END_TEST

START_TEST(denied_is_no_error)
{
	struct bench b;

	setup(&b, collect);
	put(&b, TOOL("a"));
	put(&b, TOOL("b"));
	put(&b, TOOL("c"));
	strbuf_reset(&b.lines);
	put(&b, TOOL_DONE("c"), .denied = true, .error = TRI_TRUE);
	put(&b, TOOL_DONE("a"), .error = TRI_NULL);
	put(&b, TOOL_DONE("b"), .error = TRI_FALSE);
	expect(&b, TOOL_LINE("c", "null", "true", "false")
			   TOOL_LINE("a", "null", "false", "null")
				   TOOL_LINE("b", "null", "false", "false"));
	teardown(&b);
}
END_TEST

START_TEST(the_parent_is_fixed_at_the_start)
{
	struct bench b;

	setup(&b, collect);
	put(&b, TOOL("early"), PARENT("a1"));
	put(&b, AGENT("a1"));
	put(&b, TOOL("late"), PARENT("a1"));
	put(&b, TOOL_DONE("early"));
	put(&b, TOOL_DONE("late"), PARENT("other"));
	expect(&b,
		TOOL_START_LINE("early", "null") AGENT_LINE("a1", "null", "1")
			TOOL_START_LINE("late", "\"a1\"") TOOL_LINE(
				"early", "null", "false", "false")
				TOOL_LINE("late", "\"a1\"", "false", "false"));
	teardown(&b);
}
END_TEST

START_TEST(subagents_are_numbered)
{
	struct bench b;

	setup(&b, collect);
	put(&b, AGENT("a1"), .model = str_of("haiku"));
	expect(&b, "subagent_start \"id\":\"a1\",\"parent\":null,\"number\":1,"
		   "\"kind\":\"Explore\",\"model\":\"haiku\","
		   "\"description\":\"d\"\n");
	put(&b, AGENT("a1")); /* again */
	put(&b, AGENT("a2"), PARENT("a1"));
	put(&b, AGENT("a3"), PARENT("a3")); /* its own parent */
	put(&b, AGENT("a4"), PARENT("nobody"));
	expect(&b, AGENT_LINE("a2", "\"a1\"", "2") AGENT_LINE("a3", "null", "3")
			   AGENT_LINE("a4", "null", "4"));
	b.mono += 1234;
	put(&b, AGENT_DONE("a1"), .failed = true);
	put(&b, AGENT_DONE("a1"));
	put(&b, AGENT_DONE("nobody"));
	put(&b, .kind = RECORD_SUBAGENT_END);
	expect(&b, AGENT_END_LINE("a1", "failed", "1234", NO_USAGE));
	/* What it still says keeps it as its parent (SendMessage). */
	put(&b, TEXT("late"), PARENT("a1"));
	put(&b, AGENT("a1"));
	expect(&b, "text \"parent\":\"a1\",\"text\":\"late\"\n");
	/* One space of ids: a tool call and a subagent are never both. */
	put(&b, TOOL("a2"));
	put(&b, TOOL("t"));
	put(&b, AGENT("t"));
	expect(&b, TOOL_START_LINE("t", "null"));
	put(&b, TOOL_DONE("t"));
	put(&b, AGENT("t"));
	expect(&b, TOOL_LINE("t", "null", "false", "false"));
	teardown(&b);
}
END_TEST

START_TEST(usage_counts_once)
{
	struct bench b;

	setup(&b, collect);
	put(&b, USAGE("c1", 5, 1));
	put(&b, USAGE("c1", 9, 9));               /* the same call */
	put(&b, USAGE("c1", 7, 1), PARENT("a1")); /* another parent */
	put(&b, .kind = RECORD_USAGE, .model = str_of("m"), COUNTS(1, 1));
	put(&b, .kind = RECORD_USAGE, .model = str_of("m"), COUNTS(1, 1));
	expect(&b, USAGE_LINE("null", "5", "1") USAGE_LINE("null", "7", "1")
			   USAGE_LINE("null", "1", "1")
				   USAGE_LINE("null", "1", "1"));
	ck_assert_int_eq(aggregate_tokens(b.a), 18);
	finish(&b);
	expect(&b, END_LINE("600", M_USAGE("14", "4"), "null", ""));
	teardown(&b);
}
END_TEST

START_TEST(context_and_cost)
{
	struct bench b;

	setup(&b, collect);
	put(&b, .kind = RECORD_USAGE, .counts = {1, 2, 3, 4, 0.5});
	put(&b, .kind = RECORD_USAGE, .counts = {1, -5, 3, 4, -1});
	expect(&b, "usage \"parent\":null,\"model\":null,\"input_tokens\":1,"
		   "\"output_tokens\":2,\"cache_read_tokens\":3,"
		   "\"cache_write_tokens\":4,\"cost_usd\":0.5,"
		   "\"context_tokens\":8\n"
		   "usage \"parent\":null,\"model\":null,\"input_tokens\":1,"
		   "\"output_tokens\":null,\"cache_read_tokens\":3,"
		   "\"cache_write_tokens\":4,\"cost_usd\":null,"
		   "\"context_tokens\":8\n");
	ck_assert_double_eq(aggregate_cost(b.a), 0.5);
	teardown(&b);
}
END_TEST

START_TEST(sums_go_up_the_chain)
{
	struct bench b;

	setup(&b, collect);
	put(&b, AGENT("outer"));
	put(&b, AGENT("inner"), PARENT("outer"));
	put(&b, USAGE("c1", 10, 1), PARENT("inner"));
	put(&b, USAGE("c2", 100, 2), PARENT("outer"));
	put(&b, USAGE("c3", 1000, 3));
	strbuf_reset(&b.lines);
	put(&b, AGENT_DONE("inner"));
	expect(&b,
		AGENT_END_LINE("inner", "finished", "0", M_USAGE("10", "1")));
	/* After its end it still counts for those above it. */
	put(&b, USAGE("c4", 20, 4), PARENT("inner"));
	strbuf_reset(&b.lines);
	put(&b, AGENT_DONE("outer"));
	expect(&b,
		AGENT_END_LINE("outer", "finished", "0", M_USAGE("130", "7")));
	finish(&b);
	expect(&b, END_LINE("600", M_USAGE("1130", "10"), "null", ""));
	teardown(&b);
}
END_TEST

START_TEST(open_calls_count_for_the_limits)
{
	struct bench b;

	setup(&b, collect);
	ck_assert_int_eq(aggregate_main_calls(b.a), 0);
	put(&b, .kind = RECORD_CALL_START, ID("c1"));
	ck_assert_int_eq(aggregate_main_calls(b.a), 1);
	put(&b, .kind = RECORD_CALL_START, ID("c1"));
	put(&b, .kind = RECORD_CALL_START, ID("s1"), PARENT("a1"));
	ck_assert_int_eq(aggregate_main_calls(b.a), 1);
	put(&b, .kind = RECORD_CALL_USAGE, ID("c1"), COUNTS(50, 1));
	put(&b, .kind = RECORD_CALL_USAGE, ID("c1"), COUNTS(50, 7));
	put(&b, .kind = RECORD_CALL_USAGE, ID("s1"), PARENT("a1"),
		COUNTS(10, 0));
	ck_assert_int_eq(aggregate_tokens(b.a), 67);
	expect(&b, "");
	put(&b, USAGE("c1", 50, 20));
	ck_assert_int_eq(aggregate_tokens(b.a), 80);
	put(&b, .kind = RECORD_CALL_USAGE, ID("c1"), COUNTS(999, 9));
	put(&b, .kind = RECORD_CALL_START, ID("c1"));
	ck_assert_int_eq(aggregate_tokens(b.a), 80);
	ck_assert_int_eq(aggregate_main_calls(b.a), 1);
	put(&b, .kind = RECORD_CALL_START, ID("c2"));
	ck_assert_int_eq(aggregate_main_calls(b.a), 2);
	put(&b, .kind = RECORD_CALL_USAGE, ID("c2"),
		COUNTS(INT64_MAX, INT64_MAX));
	put(&b, .kind = RECORD_CALL_USAGE, ID("c3"),
		COUNTS(INT64_MAX, INT64_MAX));
	ck_assert(aggregate_tokens(b.a) > INT64_C(1000000000000));
	put(&b, USAGE("c2", 1, 1));
	put(&b, USAGE("c3", 1, 1));
	ck_assert_int_eq(aggregate_tokens(b.a), 84);
	teardown(&b);
}
END_TEST

START_TEST(calls_without_an_id_come_one_by_one)
{
	struct bench b;

	setup(&b, collect);
	put(&b, .kind = RECORD_CALL_START);
	put(&b, .kind = RECORD_CALL_USAGE, COUNTS(50, 1));
	put(&b, .kind = RECORD_CALL_USAGE, COUNTS(50, 9));
	ck_assert_int_eq(aggregate_tokens(b.a), 59);
	put(&b, .kind = RECORD_USAGE, COUNTS(50, 10));
	ck_assert_int_eq(aggregate_tokens(b.a), 60);
	put(&b, .kind = RECORD_CALL_START);
	put(&b, .kind = RECORD_CALL_USAGE, COUNTS(7, 0));
	ck_assert_int_eq(aggregate_tokens(b.a), 67);
	/* That one broke off: the next replaces it. */
	put(&b, .kind = RECORD_CALL_START);
	ck_assert_int_eq(aggregate_tokens(b.a), 60);
	ck_assert_int_eq(aggregate_main_calls(b.a), 3);
	put(&b, .kind = RECORD_CALL_USAGE, PARENT("a1"), COUNTS(1, 0));
	put(&b, .kind = RECORD_CALL_USAGE, ID(""), COUNTS(1, 0));
	ck_assert_int_eq(aggregate_tokens(b.a), 62);
	teardown(&b);
}
END_TEST

START_TEST(totals_win)
{
	struct bench b;
	struct usage totals;
	struct token_counts c = {500, 60, 70, 80, 0.25};

	setup(&b, collect);
	usage_init(&totals);
	usage_add(&totals, str_of("big"), &c);
	ck_assert(isnan(aggregate_cost(b.a)));
	put(&b, USAGE("c1", 5, 1));
	put(&b, .kind = RECORD_TOTALS, .totals = &totals);
	ck_assert_double_eq(aggregate_cost(b.a), 0.25);
	ck_assert_int_eq(aggregate_tokens(b.a), 710);
	put(&b, .kind = RECORD_TOTALS, .totals = &totals);
	strbuf_reset(&b.lines);
	finish(&b);
	expect(&b, END_LINE("600",
			   "{\"input_tokens\":500,\"output_tokens\":60,"
			   "\"cache_read_tokens\":70,\"cache_write_tokens\":80,"
			   "\"cost_usd\":0.25,\"by_model\":{\"big\":{"
			   "\"input_tokens\":500,\"output_tokens\":60,"
			   "\"cache_read_tokens\":70,\"cache_write_tokens\":80,"
			   "\"cost_usd\":0.25}}}",
			   "null", ""));
	usage_release(&totals);
	teardown(&b);
}
END_TEST

START_TEST(empty_totals_are_totals)
{
	struct bench b;
	struct usage totals;

	setup(&b, collect);
	usage_init(&totals);
	put(&b, USAGE("c1", 5, 1));
	put(&b, .kind = RECORD_TOTALS, .totals = &totals);
	strbuf_reset(&b.lines);
	finish(&b);
	expect(&b, END_LINE("600", NO_USAGE, "null", ""));
	teardown(&b);
}
END_TEST

START_TEST(the_result_is_the_last_text_of_main)
{
	struct bench b;

	setup(&b, collect);
	put(&b, AGENT("a1"));
	put(&b, TEXT("first"));
	put(&b, TEXT("second"));
	put(&b, TEXT(" \n\t\xe3\x80\x80")); /* blank: no event */
	put(&b, TEXT(""));
	put(&b, .kind = RECORD_TEXT);
	put(&b, TEXT("of a subagent"), PARENT("a1"));
	put(&b, TEXT("foreign"), .foreign = true);
	put(&b, TEXT("of nobody"), PARENT("gone"));
	put(&b, AGENT_DONE("a1"));
	expect(&b, AGENT_LINE("a1", "null",
			   "1") "text \"parent\":null,\"text\":\"first\"\n"
				"text \"parent\":null,\"text\":\"second\"\n"
				"text \"parent\":\"a1\",\"text\":\"of a "
				"subagent\"\n"
				"text \"parent\":null,\"text\":\"foreign\"\n"
				"text \"parent\":null,\"text\":\"of "
				"nobody\"\n" AGENT_END_LINE(
					"a1", "finished", "0", NO_USAGE));
	finish(&b);
	expect(&b, END_LINE("600", NO_USAGE, "\"second\"", ""));
	teardown(&b);
}
END_TEST

START_TEST(the_runtimes_own_result_wins)
{
	static const struct {
		const char *result;
		const char *line;
	} cases[] = {
		{"final", END_LINE("600", NO_USAGE, "\"final\"", "")},
		{" \n ", END_LINE("600", NO_USAGE, "\"text\"", "")},
		{"", END_LINE("600", NO_USAGE, "\"text\"", "")},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b;

		setup(&b, collect);
		put(&b, TEXT("text"));
		put(&b, .kind = RECORD_RESULT, .text = str_of("older"));
		put(&b, .kind = RECORD_RESULT, .text = str_of(cases[i].result));
		strbuf_reset(&b.lines);
		finish(&b);
		expect(&b, cases[i].line);
		teardown(&b);
	}
}
END_TEST

START_TEST(what_is_open_is_completed_in_order)
{
	struct bench b;

	setup(&b, collect);
	put(&b, AGENT("a1"));
	put(&b, TOOL("t1"));
	put(&b, AGENT("a2"), PARENT("a1"));
	put(&b, TOOL("t2"), PARENT("a2"));
	put(&b, TOOL("t3"));
	put(&b, TOOL_DONE("t1"));
	put(&b, .kind = RECORD_CALL_USAGE, ID("c"), COUNTS(1, 1));
	strbuf_reset(&b.lines);
	b.mono += 250;
	finish(&b);
	expect(&b, TOOL_LINE("t2", "\"a2\"", "false", "null") TOOL_LINE(
			   "t3", "null", "false", "null") AGENT_END_LINE("a1",
			   "failed", "250", NO_USAGE)
			   AGENT_END_LINE("a2", "failed", "250", NO_USAGE)
				   END_LINE("850", NO_USAGE, "null",
					   "\"subagents_unfinished:2\","
					   "\"tools_unfinished:2\""));
	put(&b, TOOL("after"));
	put(&b, TEXT("after"));
	expect(&b, "");
	teardown(&b);
}
END_TEST

START_TEST(warnings_stand_in_order)
{
	struct bench b;
	struct strvec more = STRVEC_INIT;
	struct aggregate_end end = {
		.status = END_FAILED,
		.exit_code = EXIT_CODE_NULL,
		.detail = str_of("bad \xff"),
		.session_id = str_of("sess"),
		.warnings = &more,
		.cost_expected = true,
		.lines_skipped = 3,
	};

	setup(&b, collect);
	strvec_push(&more, "exit_after_result:2");
	put(&b, TOOL("t1"));
	put(&b, USAGE("c1", 0, COUNT_UNKNOWN));
	strbuf_reset(&b.lines);
	aggregate_end(b.a, &end);
	expect(&b,
		TOOL_LINE("t1", "null", "false",
			"null") "end \"status\":\"failed\",\"exit_code\":null,"
				"\"detail\":\"bad "
				"\xef\xbf\xbd\",\"duration_ms\":600,"
				"\"usage\":" M_USAGE(
					"0", "null") ",\"result\":null,"
						     "\"session_id\":\"sess\","
						     "\"warnings\":["
						     "\"tools_unfinished:1\","
						     "\"exit_after_result:2\","
						     "\"lines_skipped:3\","
						     "\"cost_unknown\"]\n");
	strvec_release(&more);
	teardown(&b);
}
END_TEST

START_TEST(an_unknown_cost_needs_known_tokens)
{
	struct aggregate_end end = {.cost_expected = true};
	struct bench b;

	setup(&b, collect);
	put(&b, TEXT("x"));
	strbuf_reset(&b.lines);
	aggregate_end(b.a, &end);
	expect(&b, END_LINE("600", NO_USAGE, "\"x\"", ""));
	teardown(&b);
	setup(&b, collect);
	put(&b, .kind = RECORD_USAGE, .counts = {1, 1, 1, 1, 0});
	strbuf_reset(&b.lines);
	aggregate_end(b.a, &end);
	ck_assert_ptr_nonnull(strstr(b.lines.buf, "\"warnings\":[]"));
	teardown(&b);
}
END_TEST

START_TEST(rejected_is_one_event)
{
	struct bench b;
	struct aggregate_end end = {
		.status = END_REJECTED,
		.exit_code = EXIT_CODE_NULL,
		.detail = str_of("'claude' is not in PATH"),
		.cost_expected = true,
	};

	setup(&b, collect);
	aggregate_free(b.a);
	b.a = aggregate_new(&b.clock, 1000, collect, &b);
	put(&b, TEXT("too early"));
	aggregate_end(b.a, &end);
	expect(&b, "end \"status\":\"rejected\",\"exit_code\":null,\"detail\":"
		   "\"'claude' is not in "
		   "PATH\",\"duration_ms\":0,\"usage\":" NO_USAGE
		   ",\"result\":null,\"session_id\":null,"
		   "\"warnings\":[]\n");
	teardown(&b);
}
END_TEST

/* view converts recorded output: its start may come late. */
START_TEST(silent_records_count_before_the_start)
{
	struct event_start start = {.runtime = str_of("pi")};
	struct usage totals;
	struct token_counts c = {1, 2, COUNT_UNKNOWN, COUNT_UNKNOWN, none};
	struct bench b;

	setup(&b, collect);
	aggregate_free(b.a);
	b.a = aggregate_new(&b.clock, 400, collect, &b);
	usage_init(&totals);
	usage_add(&totals, str_of("m"), &c);
	put(&b, .kind = RECORD_SESSION, ID("s"));
	put(&b, .kind = RECORD_CALL_START);
	put(&b, .kind = RECORD_TOTALS, .totals = &totals);
	put(&b, .kind = RECORD_RESULT, .text = str_of("done"));
	aggregate_start(b.a, &start);
	strbuf_reset(&b.lines);
	ck_assert_is(aggregate_session(b.a), "s");
	ck_assert_int_eq(aggregate_main_calls(b.a), 1);
	finish(&b);
	expect(&b, END_LINE("600", M_USAGE("1", "2"), "\"done\"", ""));
	usage_release(&totals);
	teardown(&b);
}
END_TEST

START_TEST(one_prompt_with_the_images)
{
	struct strvec images = STRVEC_INIT;
	struct bench b;

	setup(&b, collect);
	strvec_push(&images, "a.png");
	strvec_push(&images, "b\xff.png");
	aggregate_images(b.a, &images);
	put(&b, .kind = RECORD_PROMPT, .text = str_of("do it"));
	put(&b, .kind = RECORD_PROMPT, .text = str_of("again"));
	aggregate_prompt(b.a, str_of("again"));
	expect(&b, "prompt \"text\":\"do it\",\"images\":[\"a.png\","
		   "\"b\xef\xbf\xbd.png\"]\n");
	strvec_release(&images);
	teardown(&b);
}
END_TEST

START_TEST(a_connection_is_told_once)
{
	struct bench b;

	setup(&b, collect);
#define NET(h, p, ok, why)                                              \
	put(&b, .kind = RECORD_NETWORK, .host = str_of(h), .port = (p), \
		.allowed = (ok), .reason = str_of(why))
	NET("a.org", 443, false, "not_allowed");
	NET("a.org", 443, false, "not_allowed");
	NET("a.org", 443, true, "not_allowed");
	NET("a.org", 44, true, NULL);
	NET("a.org", 443, true, NULL);
	expect(&b, "network \"host\":\"a.org\",\"port\":443,\"allowed\":false,"
		   "\"reason\":\"not_allowed\"\n"
		   "network \"host\":\"a.org\",\"port\":443,\"allowed\":true,"
		   "\"reason\":null\n"
		   "network \"host\":\"a.org\",\"port\":44,\"allowed\":true,"
		   "\"reason\":null\n");
	teardown(&b);
}
END_TEST

START_TEST(time_never_runs_back)
{
	struct bench b;

	setup(&b, collect);
	put(&b, TEXT("a"));
	ck_assert_int_eq(b.time_ms, 1000000);
	b.wall = 5;
	put(&b, TEXT("b"));
	ck_assert_int_eq(b.time_ms, 1000000);
	b.wall = 1000007;
	b.mono = 100; /* not that it could */
	finish(&b);
	ck_assert_int_eq(b.time_ms, 1000007);
	ck_assert_ptr_nonnull(strstr(b.lines.buf, "\"duration_ms\":0,"));
	teardown(&b);
}
END_TEST

START_TEST(the_newest_session_is_kept)
{
	struct bench b;

	setup(&b, collect);
	ck_assert(str_is_null(aggregate_session(b.a)));
	put(&b, .kind = RECORD_SESSION, ID("one"));
	put(&b, .kind = RECORD_SESSION, ID("two"));
	ck_assert_is(aggregate_session(b.a), "two");
	teardown(&b);
}
END_TEST

/* A hostile stream: very many open calls, and a chain of subagents whose sums
 * would take forever if each call walked all the way up. */
START_TEST(many_ids_take_no_time)
{
	struct bench b;
	char id[32];
	char up[32];

	setup(&b, quiet);
	for (int i = 0; i < 300000; i++) {
		snprintf(id, sizeof(id), "t%d", i);
		put(&b, TOOL(id));
		put(&b, .kind = RECORD_CALL_START, ID(id));
	}
	for (int i = 299999; i >= 0; i--) {
		snprintf(id, sizeof(id), "t%d", i);
		put(&b, TOOL_DONE(id));
	}
	ck_assert_int_eq(b.count, 600000);
	ck_assert_int_eq(aggregate_main_calls(b.a), 300000);
	for (int i = 0; i < 5000; i++) {
		snprintf(id, sizeof(id), "a%d", i);
		snprintf(up, sizeof(up), "a%d", i - 1);
		put(&b, AGENT(id), PARENT(up));
		put(&b, USAGE(id, 1, 1), PARENT(id));
	}
	finish(&b);
	ck_assert_int_eq(b.count, 600000 + 3 * 5000 + 1);
	teardown(&b);
}
END_TEST

#define check_source(b, from, length)                       \
	do {                                                \
		ck_assert_uint_eq((b).source.offset, from); \
		ck_assert_uint_eq((b).source.len, length);  \
	} while (0)

START_TEST(events_know_their_line)
{
	const struct raw_ref none_at_all = {0};
	struct bench b;

	setup(&b, collect);
	aggregate_source(b.a, (struct raw_ref){10, 5});
	put(&b, TOOL("t"));
	check_source(b, 10, 5);
	put(&b, .kind = RECORD_NETWORK, .host = str_of("h"), .port = 1);
	check_source(b, 0, 0);
	aggregate_source(b.a, (struct raw_ref){16, 7});
	put(&b, TOOL_DONE("t"));
	check_source(b, 16, 7);
	aggregate_source(b.a, (struct raw_ref){24, 9});
	put(&b, .kind = RECORD_RESULT, .text = str_of("x"));
	aggregate_source(b.a, none_at_all);
	put(&b, USAGE("c", 1, 1));
	check_source(b, 0, 0);
	finish(&b);
	check_source(b, 24, 9);
	teardown(&b);
}
END_TEST

CHECK_MAIN("aggregate", events_know_their_line, a_tool_call_is_a_pair,
	denied_is_no_error, the_parent_is_fixed_at_the_start,
	subagents_are_numbered, usage_counts_once, context_and_cost,
	sums_go_up_the_chain, open_calls_count_for_the_limits,
	calls_without_an_id_come_one_by_one, totals_win,
	empty_totals_are_totals, the_result_is_the_last_text_of_main,
	the_runtimes_own_result_wins, what_is_open_is_completed_in_order,
	warnings_stand_in_order, an_unknown_cost_needs_known_tokens,
	rejected_is_one_event, silent_records_count_before_the_start,
	one_prompt_with_the_images, a_connection_is_told_once,
	time_never_runs_back, the_newest_session_is_kept, many_ids_take_no_time)

#include "config.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "event/event.h"
#include "tests/check-main.h"

/* Events as lines and back: field order, numbers, what is refused. */

#define HEAD(type)                                      \
	"{\"schema\":1,\"type\":\"" type "\",\"time\":" \
	"\"2026-10-04T13:00:00.000Z\""
#define COUNTS(in)                                                \
	"\"input_tokens\":" in ",\"output_tokens\":85,"           \
	"\"cache_read_tokens\":null,\"cache_write_tokens\":1200," \
	"\"cost_usd\":0.0436916"
#define USAGE                                                         \
	"\"usage\":{" COUNTS("3120") ",\"by_model\":{\"m\":{" COUNTS( \
		"9223372036854775807") "},\"unknown\":{" COUNTS("0") "}}}"

/* Lines that come out as they went in. */
static const char *const whole[] = {
	HEAD("start") ",\"runtime\":\"claude-code\",\"sandbox\":\"bubblewrap\","
		      "\"network\":{\"mode\":\"custom\",\"allow\":[\"a.org\","
		      "\"b.org:80\"],"
		      "\"enforced\":true},\"deny_read\":[\"/home/me/"
		      ".ssh\"],\"model\":null,"
		      "\"cwd\":\"/work/repo\",\"argv\":[\"/usr/bin/"
		      "claude\",\"-p\"],"
		      "\"env\":[\"GH_TOKEN\"],\"notes\":[]}",
	HEAD("start") ",\"runtime\":\"pi\",\"sandbox\":\"none\","
		      "\"network\":{\"mode\":\"full\",\"allow\":[],"
		      "\"enforced\":false},\"deny_read\":[],\"model\":\"m\","
		      "\"cwd\":\"/\",\"argv\":[],\"env\":[]}",
	HEAD("prompt") ",\"text\":\"\xe7\xbb\x99 \\\"x\\\"\\n\\u0000\\u001f\","
		       "\"images\":[\"a.png\"]}",
	HEAD("tool_start") ",\"id\":\"t\",\"parent\":\"p\",\"name\":\"Grep\","
			   "\"summary\":\"Grep: x\"}",
	HEAD("tool") ",\"id\":\"t\",\"parent\":null,\"name\":\"Grep\","
		     "\"summary\":\"Grep: x\",\"denied\":true,\"error\":false}",
	HEAD("tool") ",\"id\":\"t\",\"parent\":null,\"name\":\"Grep\","
		     "\"summary\":\"\",\"denied\":false,\"error\":true}",
	HEAD("tool") ",\"id\":\"\",\"parent\":null,\"name\":\"\","
		     "\"summary\":\"Grep: x\",\"denied\":false,\"error\":null}",
	HEAD("text") ",\"parent\":null,\"text\":\"Hi\\\\\\u007f\"}",
	HEAD("usage") ",\"parent\":null,\"model\":\"m\"," COUNTS(
		"3120") ",\"context_tokens\":14120}",
	HEAD("usage") ",\"parent\":\"a\",\"model\":null," COUNTS(
		"null") ",\"context_tokens\":null}",
	HEAD("subagent_start") ",\"id\":\"a\",\"parent\":null,\"number\":1,"
			       "\"kind\":\"Explore\",\"model\":\"haiku\","
			       "\"description\":\"find\"}",
	HEAD("subagent_end") ",\"id\":\"a\",\"status\":\"failed\","
			     "\"duration_ms\":12400," USAGE "}",
	HEAD("network") ",\"host\":\"a.org\",\"port\":443,\"allowed\":false,"
			"\"reason\":\"not_allowed\"}",
	HEAD("network") ",\"host\":\"a.org\",\"port\":443,\"allowed\":true,"
			"\"reason\":null}",
	HEAD("end") ",\"status\":\"finished\",\"exit_code\":0,\"detail\":\"\","
		    "\"duration_ms\":31250," USAGE ",\"result\":\"done\","
		    "\"session_id\":null,\"warnings\":[\"tools_unfinished:1\"]"
		    "}",
	HEAD("end") ",\"status\":\"rejected\",\"exit_code\":null,"
		    "\"detail\":\"why\",\"duration_ms\":0,\"usage\":{"
		    "\"input_tokens\":null,\"output_tokens\":null,"
		    "\"cache_read_tokens\":null,\"cache_write_tokens\":null,"
		    "\"cost_usd\":null,\"by_model\":{}},\"result\":null,"
		    "\"session_id\":\"s\",\"warnings\":[]}",
};

/* Reads LINE and writes the event anew into OUT. */
static int there_and_back(const char *line, struct strbuf *out, struct err *err)
{
	struct arena a;
	struct event ev;
	size_t len = strlen(line);
	int ret;

	arena_init(&a);
	strbuf_reset(out);
	ret = event_read(&ev, &a, line, len, err);
	if (!ret) {
		ck_assert_mem_is(ev.raw, line, len);
		ev.raw = str_null();
		event_write(out, &ev);
	}
	arena_release(&a);
	return ret;
}

START_TEST(written_lines_read_back)
{
	struct strbuf out = STRBUF_INIT;
	struct strbuf want = STRBUF_INIT;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		char *literal;

		ck_assert_msg(!there_and_back(whole[i], &out, &err), "%s: %s",
			whole[i], err.msg);
		strbuf_reset(&want);
		strbuf_addstr(&want, whole[i]);
		/* DEL needs no escape, so it comes back as a byte. */
		literal = strstr(want.buf, "\\u007f");
		if (literal) {
			literal[0] = '\x7f';
			memmove(literal + 1, literal + 6, strlen(literal + 5));
			strbuf_setlen(&want, strlen(want.buf));
		}
		strbuf_addch(&want, '\n');
		ck_assert_str_eq(out.buf, want.buf);
	}
	strbuf_release(&out);
	strbuf_release(&want);
}
END_TEST

START_TEST(a_raw_line_goes_through)
{
	static const char line[] =
		"{ \"time\" : \"2026-10-04T13:00:00Z\",\t\"type\":\"text\", "
		"\"text\":\"\xff\\ud800\", \"parent\":null, \"schema\":1, "
		"\"new\":[{}]}\r";
	struct strbuf out = STRBUF_INIT;
	struct strbuf want = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct arena a;
	struct event ev;

	arena_init(&a);
	ck_assert_int_eq(event_read(&ev, &a, line, sizeof(line) - 1, &err), 0);
	ck_assert_int_eq(ev.kind, EVENT_TEXT);
	ck_assert_is(ev.u.text.text, "\xef\xbf\xbd\xef\xbf\xbd");
	ck_assert(ev.time_ms == INT64_C(1791118800000));
	event_write(&out, &ev);
	strbuf_addstr(&want, line);
	strbuf_addch(&want, '\n');
	ck_assert_str_eq(out.buf, want.buf);
	strbuf_release(&out);
	strbuf_release(&want);
	arena_release(&a);
}
END_TEST

START_TEST(unknown_types_are_kept)
{
	static const char *const lines[] = {
		"{\"schema\":1,\"type\":\"later\",\"x\":1}",
		"{\"schema\":1,\"type\":\"\",\"time\":7}",
		"{\"schema\":1,\"type\":\"text\\u0000\"}",
	};
	struct err err = ERR_INIT;
	struct arena a;
	struct event ev;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		ck_assert_int_eq(
			event_read(&ev, &a, lines[i], strlen(lines[i]), &err),
			0);
		ck_assert_int_eq(ev.kind, EVENT_UNKNOWN);
		ck_assert_is(ev.raw, lines[i]);
	}
	ck_assert_str_eq(event_type(EVENT_UNKNOWN), "");
	ck_assert_str_eq(event_type(EVENT_SUBAGENT_END), "subagent_end");
	arena_release(&a);
}
END_TEST

START_TEST(what_is_no_event_is_refused)
{
	static const struct {
		const char *line;
		const char *why;
	} cases[] = {
		{"", "not a JSON object"},
		{"hello", "not a JSON object"},
		{"[]", "not a JSON object"},
		{"null", "not a JSON object"},
		{"{\"schema\":1,\"type\":\"text\"", "not a JSON object"},
		{HEAD("text") ",\"parent\":null,\"text\":\"\"}x",
			"not a JSON object"},
		{"{}", "no event: no type"},
		{"{\"schema\":1,\"type\":7}", "no event: no type"},
		{"{\"type\":\"text\"}", "no event: no schema"},
		{"{\"type\":\"text\",\"schema\":\"1\"}", "no event: no schema"},
		{"{\"type\":\"text\",\"schema\":2}",
			"events of schema 2 are not understood, only of schema "
			"1"},
		{"{\"type\":\"x\",\"schema\":11}",
			"events of schema 11 are not understood, only of "
			"schema 1"},
		{"{\"type\":\"text\",\"schema\":1}",
			"'text' event with a bad or missing field 'parent'"},
		{"{\"type\":\"text\",\"schema\":1,\"time\":\"now\"}",
			"'text' event with a bad or missing field 'time'"},
		{HEAD("text") ",\"parent\":null}",
			"'text' event with a bad or missing field 'text'"},
		{HEAD("text") ",\"parent\":null,\"text\":null}",
			"'text' event with a bad or missing field 'text'"},
		{HEAD("text") ",\"parent\":1,\"text\":\"\"}",
			"'text' event with a bad or missing field 'parent'"},
		{HEAD("prompt") ",\"text\":\"\",\"images\":[1]}",
			"'prompt' event with a bad or missing field 'images'"},
		{HEAD("tool") ",\"id\":\"t\",\"parent\":null,\"name\":\"\","
			      "\"summary\":\"\",\"denied\":null}",
			"'tool' event with a bad or missing field 'denied'"},
		{HEAD("tool") ",\"id\":\"t\",\"parent\":null,\"name\":\"\","
			      "\"summary\":\"\",\"denied\":true,\"error\":0}",
			"'tool' event with a bad or missing field 'error'"},
		{HEAD("start") ",\"runtime\":\"x\",\"sandbox\":\"none\","
			       "\"network\":[]}",
			"'start' event with a bad or missing field 'network'"},
		{HEAD("subagent_end") ",\"id\":\"a\",\"status\":\"limit\","
				      "\"duration_ms\":1}",
			"'subagent_end' event with a bad or missing field "
			"'status'"},
		{HEAD("subagent_end") ",\"id\":\"a\",\"status\":\"failed\","
				      "\"duration_ms\":1,\"usage\":{" COUNTS(
					      "1") ",\"by_model\":{\"m\":1}}}",
			"'subagent_end' event with a bad or missing field "
			"'by_model'"},
		{HEAD("usage") ",\"parent\":null,\"model\":\"m\"," COUNTS(
			 "\"1\"") ",\"context_tokens\":1}",
			"'usage' event with a bad or missing field "
			"'input_tokens'"},
		{HEAD("end") ",\"status\":\"broken\",\"exit_code\":0}",
			"'end' event with a bad or missing field 'status'"},
		{HEAD("end") ",\"status\":\"failed\",\"exit_code\":\"1\"}",
			"'end' event with a bad or missing field 'exit_code'"},
	};
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct err err = ERR_INIT;

		ck_assert_msg(there_and_back(cases[i].line, &out, &err) == -1,
			"accepted: %s", cases[i].line);
		ck_assert_str_eq(err.msg, cases[i].why);
		ck_assert_int_eq(err.code, AR_EFORMAT);
	}
	strbuf_release(&out);
}
END_TEST

START_TEST(fields_that_came_later_may_be_absent)
{
	static const char line[] =
		HEAD("end") ",\"status\":\"finished\",\"exit_code\":0,"
			    "\"detail\":\"\",\"duration_ms\":1," USAGE
			    ",\"result\":null,\"session_id\":null}";
	struct err err = ERR_INIT;
	struct arena a;
	struct event ev;

	arena_init(&a);
	ck_assert_int_eq(event_read(&ev, &a, line, sizeof(line) - 1, &err), 0);
	ck_assert_int_eq(ev.u.end.warnings.count, 0);
	arena_release(&a);
}
END_TEST

START_TEST(numbers_saturate)
{
	static const struct {
		const char *text;
		int64_t want;
	} cases[] = {
		{"0", 0},
		{"-1", 0},
		{"-99999999999999999999999", 0},
		{"9223372036854775807", INT64_MAX},
		{"9223372036854775808", INT64_MAX},
		{"1e400", INT64_MAX},
		{"-1e400", 0},
		{"1.9", 1},
		{"1e3", 1000},
		{"null", COUNT_UNKNOWN},
	};
	struct strbuf line = STRBUF_INIT;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *t = cases[i].text;
		struct err err = ERR_INIT;
		struct event ev;

		strbuf_reset(&line);
		strbuf_addf(&line,
			HEAD("usage") ",\"parent\":null,\"model\":null,"
				      "\"input_tokens\":%s,"
				      "\"output_tokens\":%s,"
				      "\"cache_read_tokens\":%s,"
				      "\"cache_write_tokens\":%s,"
				      "\"cost_usd\":%s,\"context_tokens\":%s}",
			t, t, t, t, t, t);
		ck_assert_int_eq(
			event_read(&ev, &a, line.buf, line.len, &err), 0);
		ck_assert_int_eq(ev.u.usage.counts.input, cases[i].want);
		ck_assert_int_eq(ev.u.usage.context_tokens, cases[i].want);
		if (cases[i].want == COUNT_UNKNOWN)
			ck_assert(isnan(ev.u.usage.counts.cost_usd));
		else
			ck_assert(ev.u.usage.counts.cost_usd >= 0 &&
				  ev.u.usage.counts.cost_usd <= DBL_MAX);
	}
	strbuf_release(&line);
	arena_release(&a);
}
END_TEST

START_TEST(an_exit_code_below_zero_is_no_success)
{
	static const char line[] =
		HEAD("end") ",\"status\":\"failed\",\"exit_code\":-5,"
			    "\"detail\":\"\",\"duration_ms\":1," USAGE
			    ",\"result\":null,\"session_id\":null}";
	struct err err = ERR_INIT;
	struct arena a;
	struct event ev;

	arena_init(&a);
	ck_assert_int_eq(event_read(&ev, &a, line, sizeof(line) - 1, &err), 0);
	ck_assert_int_eq(ev.u.end.exit_code, EXIT_CODE_NULL);
	arena_release(&a);
}
END_TEST

/* Every prefix of a good line, and every good line with one byte changed, is
 * either refused or read; nothing worse. */
START_TEST(damaged_lines_do_no_harm)
{
	struct strbuf line = STRBUF_INIT;
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		size_t len = strlen(whole[i]);

		for (size_t n = 0; n < len; n++) {
			struct err err = ERR_INIT;

			strbuf_reset(&line);
			strbuf_add(&line, whole[i], n);
			ck_assert_int_eq(
				there_and_back(line.buf, &out, &err), -1);
			strbuf_addch(&line, (char)(n * 37 % 255 + 1));
			strbuf_add(&line, whole[i] + n + 1, len - n - 1);
			there_and_back(line.buf, &out, &err);
		}
	}
	strbuf_release(&line);
	strbuf_release(&out);
}
END_TEST

CHECK_MAIN("event", written_lines_read_back, a_raw_line_goes_through,
	unknown_types_are_kept, what_is_no_event_is_refused,
	fields_that_came_later_may_be_absent, numbers_saturate,
	an_exit_code_below_zero_is_no_success, damaged_lines_do_no_harm)

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/textfmt.h"
#include "tests/check-main.h"

/* The text format, line by line. */

#define NOTE_OFF                                                         \
	"[note] sandbox not running (--sandbox off). agentrun does not " \
	"restrict what the agent writes or which hosts it reaches\n"

static const double none = (double)NAN;

struct page {
	struct textfmt *t;
	struct strbuf out;
};

static void setup(struct page *p, bool clean)
{
	p->t = textfmt_new(clean);
	strbuf_init(&p->out);
}

static void teardown(struct page *p)
{
	textfmt_free(p->t);
	strbuf_release(&p->out);
}

static void show(struct page *p, const struct event *ev)
{
	textfmt_event(p->t, ev, &p->out);
}

static void expect(struct page *p, const char *lines)
{
	ck_assert_str_eq(p->out.buf, lines);
	strbuf_reset(&p->out);
}

static void expect_ev(struct page *p, const struct event *ev, const char *lines)
{
	show(p, ev);
	expect(p, lines);
}

#define EV(k, ...) (&(struct event){.kind = (k), __VA_ARGS__})
#define TEXT(p, s) EV(EVENT_TEXT, .u.text = {str_of(p), str_of(s)})
#define TOOL(p, s, d, e)                                               \
	EV(EVENT_TOOL, .u.tool = {str_of("t"), str_of(p), str_of("n"), \
			       str_of(s), d, e})
#define AGENT(i, p, n, k, m, d)                                                \
	EV(EVENT_SUBAGENT_START, .u.subagent_start = {str_of(i), str_of(p), n, \
					 str_of(k), str_of(m), str_of(d)})
#define USAGE(p, m)                                       \
	EV(EVENT_USAGE, .u.usage = {str_of(p), str_of(m), \
				{1, 1, 1, 1, (double)NAN}, 3})
#define LIST(...)                                                   \
	{                                                           \
		(const struct str[]){__VA_ARGS__},                  \
			sizeof((const struct str[]){__VA_ARGS__}) / \
				sizeof(struct str)                  \
	}

START_TEST(numbers_round_half_up)
{
	static const struct {
		int64_t n;
		const char *text;
	} tokens[] = {{0, "0"}, {99, "99"}, {100, "0.1k"}, {912, "0.9k"},
		{949, "0.9k"}, {950, "1.0k"}, {1049, "1.0k"}, {1050, "1.1k"},
		{14120, "14.1k"}, {999949, "999.9k"}, {999950, "1000.0k"},
		{999999, "1000.0k"}, {1000000, "1.0M"}, {1049999, "1.0M"},
		{1050000, "1.1M"}, {INT64_MAX, "9223372036854.8M"}};
	static const struct {
		int64_t ms;
		const char *text;
	} durations[] = {{0, "0.0s"}, {49, "0.0s"}, {50, "0.1s"},
		{12400, "12.4s"}, {12449, "12.4s"}, {12450, "12.5s"},
		{59950, "60.0s"}, {3600000, "3600.0s"}, {-5, "0.0s"},
		{INT64_MAX, "9223372036854775.8s"}};
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(tokens) / sizeof(*tokens); i++) {
		strbuf_reset(&out);
		textfmt_tokens(&out, tokens[i].n);
		ck_assert_str_eq(out.buf, tokens[i].text);
	}
	for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++) {
		strbuf_reset(&out);
		textfmt_duration(&out, durations[i].ms);
		ck_assert_str_eq(out.buf, durations[i].text);
	}
	strbuf_release(&out);
}
END_TEST

START_TEST(usage_leaves_out_what_is_unknown)
{
	static const struct {
		struct token_counts c;
		const char *text;
		const char *without_out;
	} cases[] = {
		{{3120, 85, 9800, 1200, none}, "  in 14.1k  out 85  cached 69%",
			"  in 14.1k  cached 69%"},
		{{5000, 10, 0, -1, none}, "  in 5.0k  out 10  cached 0%",
			"  in 5.0k  cached 0%"},
		{{-1, -1, -1, -1, 0.5}, "", ""},
		{{-1, 7, -1, -1, none}, "  out 7", ""},
		{{0, 0, 0, 0, none}, "  in 0  out 0", "  in 0"},
		{{10, -1, -1, -1, none}, "  in 10", "  in 10"},
		{{-1, -1, 10, -1, none}, "  in 10  cached 100%",
			"  in 10  cached 100%"},
		{{199, -1, 1, -1, none}, "  in 0.2k  cached 1%",
			"  in 0.2k  cached 1%"},
		{{200, -1, 1, -1, none}, "  in 0.2k  cached 0%",
			"  in 0.2k  cached 0%"},
		{{INT64_MAX, 1, INT64_MAX, INT64_MAX, none},
			"  in 9223372036854.8M  out 1  cached 100%",
			"  in 9223372036854.8M  cached 100%"},
	};
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strbuf_reset(&out);
		textfmt_usage(&out, &cases[i].c, true);
		ck_assert_str_eq(out.buf, cases[i].text);
		strbuf_reset(&out);
		textfmt_usage(&out, &cases[i].c, false);
		ck_assert_str_eq(out.buf, cases[i].without_out);
	}
	strbuf_release(&out);
}
END_TEST

START_TEST(a_text_shows_three_lines)
{
	static const struct {
		const char *text;
		const char *three;
	} cases[] = {
		{"one", "[x] text one\n"},
		{"\n \n one  \n\n\ttwo", "[x] text  one  \n    \ttwo\n"},
		{"1\n2\n3\n\n", "[x] text 1\n    2\n    3\n"},
		{"1\n2\n3\n4", "[x] text 1\n    2\n    3\n    … (+1 line)\n"},
		{"1\r\n2\r3\n \n4\n5\r\r\n6",
			"[x] text 1\n    2\n    3\n    … (+3 lines)\n"},
		{" \n\t", ""},
		{"", ""},
	};
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strbuf_reset(&out);
		textfmt_text(&out, str_of("x"), str_of(cases[i].text), 3);
		ck_assert_str_eq(out.buf, cases[i].three);
	}
	strbuf_reset(&out);
	textfmt_text(&out, str_of("x"), str_of("1\n2\n\n3\n4"), 0);
	ck_assert_str_eq(out.buf, "[x] text 1\n    2\n    3\n    4\n");
	strbuf_reset(&out);
	textfmt_text(&out, str_of("x"), str_of("1\n2\n3"), 1);
	ck_assert_str_eq(out.buf, "[x] text 1\n    … (+2 lines)\n");
	strbuf_release(&out);
}
END_TEST

START_TEST(labels_are_lower_case)
{
	static const struct {
		const char *kind;
		const char *label;
	} cases[] = {
		{"Explore", "explore#7"},
		{"general-purpose", "general-purpose#7"},
		{"ÄÖÜ-Agent", "äöü-agent#7"},
		{"", "#7"},
	};
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strbuf_reset(&out);
		textfmt_make_label(&out, str_of(cases[i].kind), 7);
		ck_assert_str_eq(out.buf, cases[i].label);
	}
	strbuf_release(&out);
}
END_TEST

START_TEST(notes_stand_where_the_start_is)
{
	struct page p;
	struct str two[] = {
		str_of("sandbox not running (no user namespaces). x"),
		str_of("second\nline")};

	setup(&p, false);
	expect_ev(&p,
		EV(EVENT_START, .u.start = {.sandbox = str_of("none"),
					.has_notes = true,
					.notes = {two, 2}}),
		"[note] sandbox not running (no user namespaces). x\n"
		"[note] second line\n");
	expect_ev(&p,
		EV(EVENT_START, .u.start = {.sandbox = str_of("none"),
					.has_notes = true}),
		"");
	expect_ev(&p, EV(EVENT_START, .u.start = {.sandbox = str_of("none")}),
		NOTE_OFF);
	expect_ev(&p,
		EV(EVENT_START, .u.start = {.sandbox = str_of("bubblewrap")}),
		"");
	teardown(&p);
}
END_TEST

START_TEST(a_prompt_shows_its_first_line)
{
	struct page p;

	setup(&p, false);
	expect_ev(&p,
		EV(EVENT_PROMPT, .u.prompt = {.text = str_of("do it\nnow")}),
		"[main] prompt do it\n");
	expect_ev(&p,
		EV(EVENT_PROMPT, .u.prompt = {str_of("\n \r\n do it"),
					 LIST(str_of("a"))}),
		"[main] prompt  do it (+1 image)\n");
	expect_ev(&p,
		EV(EVENT_PROMPT, .u.prompt = {str_of("do it"),
					 LIST(str_of("a"), str_of("b"))}),
		"[main] prompt do it (+2 images)\n");
	teardown(&p);
}
END_TEST

START_TEST(tools_show_at_their_end)
{
	struct page p;

	setup(&p, false);
	expect_ev(&p,
		EV(EVENT_TOOL_START,
			.u.tool = {.id = str_of("t"), .summary = str_of("s")}),
		"");
	expect_ev(&p, TOOL(NULL, "Read: a.c", false, TRI_FALSE),
		"[main] tool Read: a.c\n");
	expect_ev(&p, TOOL(NULL, "Read: a.c", false, TRI_NULL),
		"[main] tool Read: a.c\n");
	expect_ev(&p, TOOL(NULL, "Bash: x", true, TRI_FALSE),
		"[main] tool Bash: x (denied)\n");
	expect_ev(&p, TOOL("gone", "Bash: x", false, TRI_TRUE),
		"[?] tool Bash: x (error)\n");
	expect_ev(&p, TOOL(NULL, "a\nb\x1b\x7f\xc2\x85g", false, TRI_FALSE),
		"[main] tool a b g\n");
	teardown(&p);
}
END_TEST

START_TEST(a_subagent_from_start_to_end)
{
	struct usage u;
	struct token_counts c = {3120, 85, 9800, 1200, 0.25};
	struct event_subagent_end end = {
		.id = str_of("a1"), .duration_ms = 12400, .usage = &u};
	struct page p;

	usage_init(&u);
	setup(&p, false);
	expect_ev(&p, AGENT("a1", NULL, 1, "Explore", "haiku", "find it"),
		"[main] agent start explore#1 (haiku): find it\n");
	expect_ev(&p, AGENT("a2", "a1", 2, "Plan", NULL, "a\r\nb"),
		"[explore#1] agent start plan#2: a b\n");
	expect_ev(&p, TEXT("a1", "Hi"), "[explore#1] text Hi\n");
	ck_assert_is(textfmt_model(p.t, str_of("a1")), "haiku");
	ck_assert(str_is_null(textfmt_model(p.t, str_of("a2"))));
	expect_ev(&p, USAGE("a1", "claude-haiku-4-5"), "");
	expect_ev(&p, USAGE("a1", NULL), "");
	usage_add(&u, str_of("x"), &c);
	expect_ev(&p, EV(EVENT_SUBAGENT_END, .u.subagent_end = end),
		"[explore#1] agent finished 12.4s claude-haiku-4-5  in 14.1k  "
		"out 85  cached 69%\n");
	usage_reset(&u);
	end.id = str_of("a2");
	end.failed = true;
	end.duration_ms = 49;
	expect_ev(&p, EV(EVENT_SUBAGENT_END, .u.subagent_end = end),
		"[plan#2] agent failed 0.0s\n");
	ck_assert_is(textfmt_label(p.t, str_of("a2")), "plan#2");
	ck_assert_is(textfmt_label(p.t, str_null()), "main");
	ck_assert_is(textfmt_label(p.t, str_of("a3")), "?");
	teardown(&p);
	usage_release(&u);
}
END_TEST

START_TEST(the_main_model)
{
	struct page p;

	setup(&p, false);
	ck_assert(str_is_null(textfmt_model(p.t, str_null())));
	show(&p, EV(EVENT_START, .u.start = {.model = str_of("opus")}));
	ck_assert_is(textfmt_model(p.t, str_null()), "opus");
	show(&p, USAGE("a1", "other"));
	ck_assert_is(textfmt_model(p.t, str_null()), "opus");
	show(&p, USAGE(NULL, "claude-opus-5-5"));
	ck_assert_is(textfmt_model(p.t, str_null()), "claude-opus-5-5");
	teardown(&p);
}
END_TEST

START_TEST(only_denied_connections_show)
{
	struct page p;

	setup(&p, false);
	expect_ev(&p,
		EV(EVENT_NETWORK, .u.network = {str_of("example.org"), 443,
					  false, str_of("not_allowed")}),
		"[main] net denied example.org:443 (not_allowed)\n");
	expect_ev(&p,
		EV(EVENT_NETWORK,
			.u.network = {str_of("a.org"), 443, true, str_null()}),
		"");
	teardown(&p);
}
END_TEST

#define END(...) EV(EVENT_END, .u.end = {__VA_ARGS__})

START_TEST(the_end_is_one_line)
{
	struct usage u;
	struct token_counts c = {18234, 912, 42000, 5100, 0.0436916};
	struct page p;

	usage_init(&u);
	usage_add(&u, str_of("m"), &c);
	setup(&p, false);
	expect_ev(&p, END(.duration_ms = 31250, .usage = &u),
		"[end] finished 31.3s  in 65.3k  out 0.9k  cached 64%  "
		"$0.0437\n");
	expect_ev(&p,
		END(.status = END_FAILED, .duration_ms = 1, .usage = &u,
			.session_id = str_of("4f0c"),
			.detail = str_of("a\r\nb\n\rc\n\r\n")),
		"[end] failed 0.0s  in 65.3k  out 0.9k  cached 64%  $0.0437  "
		"session 4f0c  a b  c\n");
	usage_reset(&u);
	expect_ev(&p,
		END(.status = END_INTERRUPTED, .usage = &u,
			.detail = str_of("\n")),
		"[end] interrupted 0.0s\n");
	expect_ev(&p,
		END(.status = END_REJECTED, .duration_ms = 12, .usage = &u,
			.session_id = str_of("x"),
			.detail = str_of("why\nand how")),
		"[end] rejected why and how\n");
	expect_ev(&p,
		END(.usage = &u, .warnings = LIST(str_of("tools_unfinished:1"),
					 str_of("cost_unknown"))),
		"[warn] tools_unfinished:1  cost_unknown\n"
		"[end] finished 0.0s\n");
	teardown(&p);
	usage_release(&u);
}
END_TEST

START_TEST(the_result_is_shown_when_the_text_was_not)
{
	static const struct {
		const char *text; /* the last of the main agent, or NULL */
		const char *result;
		const char *shown; /* or NULL */
	} cases[] = {
		{"done", "done", NULL},
		{"1\n2\n3", "1\n2\n3", NULL},
		{"1  \n\n2\r\n3\n", "\n1\n2\t\n\n3", NULL},
		{"1\n2\n3\n4", "1\n2\n3\n4", "1\n2\n3\n4"},
		{"1\n2\n3\n4", "\r\n\n1\n\n2\n3\n4 \n\n", "1\n\n2\n3\n4 "},
		{"done", "other", "other"},
		{"done", " done", " done"},
		{"a\nb", "a", "a"},
		{"a", "a\nb", "a\nb"},
		{NULL, "done", "done"},
		{NULL, " \n\t", NULL},
		{"done", NULL, NULL},
		{"done", "", NULL},
		{"a\xe3\x80\x80\nb", "a\nb", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct strbuf want = STRBUF_INIT;
		struct page p;

		setup(&p, false);
		show(&p, AGENT("a1", NULL, 1, "x", NULL, ""));
		if (cases[i].text)
			show(&p, TEXT(NULL, cases[i].text));
		show(&p, TEXT("a1", "what a subagent says is no matter"));
		strbuf_reset(&p.out);
		if (cases[i].shown)
			strbuf_addf(&want, "[result]\n%s\n", cases[i].shown);
		if (i == 0)
			strbuf_addstr(&want, "[warn] w\n");
		strbuf_addstr(&want, "[end] finished 0.0s\n");
		show(&p, END(.result = str_of(cases[i].result),
				 .warnings = {(const struct str[]){str_of("w")},
					 i == 0}));
		ck_assert_str_eq(p.out.buf, want.buf);
		strbuf_release(&want);
		teardown(&p);
	}
}
END_TEST

START_TEST(into_a_file_text_goes_as_it_is)
{
	struct page p;

	setup(&p, false);
	expect_ev(&p, TEXT(NULL, "\x1b[1ma\x07\tb"),
		"[main] text \x1b[1ma\x07\tb\n");
	expect_ev(&p,
		END(.result = str_of("\x1b]0;t\x07x"),
			.detail = str_of("\x1b[2Jd")),
		"[result]\n\x1b]0;t\x07x\n[end] finished 0.0s  \x1b[2Jd\n");
	teardown(&p);
}
END_TEST

START_TEST(on_a_terminal_nothing_acts)
{
	struct page p;

	setup(&p, true);
	show(&p, EV(EVENT_PROMPT,
			 .u.prompt = {.text = str_of("\x1b[2Jdo\tit\x07")}));
	show(&p,
		AGENT("a1", NULL, 1, "E\x1b[31m", "m\x1b[2J", "\xe2\x80\xaex"));
	show(&p, TEXT("a1", "\x1b[1mbold\x1b[0m\ra\tb\x07\n\xc2\x9b"
			    "2J\xe2\x80\xae"));
	show(&p, TOOL(NULL, "Bash: \x1b]0;t\x07", false, TRI_FALSE));
	show(&p, END(.result = str_of("\x1b]0;title\x07x\n"),
			 .detail = str_of("\x1b[2Jd\ne"),
			 .session_id = str_of("s\x1b[2J")));
	ck_assert_ptr_null(strchr(p.out.buf, '\x1b'));
	ck_assert_ptr_null(strchr(p.out.buf, '\x07'));
	ck_assert_ptr_null(strchr(p.out.buf, '\r'));
	ck_assert_ptr_null(strstr(p.out.buf, "\xe2\x80\xae"));
	ck_assert_ptr_null(strstr(p.out.buf, "\xc2\x9b"));
	ck_assert_ptr_nonnull(strstr(p.out.buf, "[main] prompt do\tit^G\n"));
	ck_assert_ptr_nonnull(strstr(p.out.buf, "] text bold\n    a\tb^G\n"));
	ck_assert_ptr_nonnull(strstr(p.out.buf, "[result]\nx\n"));
	ck_assert_ptr_nonnull(strstr(p.out.buf, "  d e\n"));
	teardown(&p);
}
END_TEST

CHECK_MAIN("textfmt", numbers_round_half_up, usage_leaves_out_what_is_unknown,
	a_text_shows_three_lines, labels_are_lower_case,
	notes_stand_where_the_start_is, a_prompt_shows_its_first_line,
	tools_show_at_their_end, a_subagent_from_start_to_end, the_main_model,
	only_denied_connections_show, the_end_is_one_line,
	the_result_is_shown_when_the_text_was_not,
	into_a_file_text_goes_as_it_is, on_a_terminal_nothing_acts)

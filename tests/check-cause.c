#include "config.h"

#include <stdio.h>
#include <string.h>

#include "run/cause.h"
#include "tests/check-main.h"

#define NODE                                                          \
	"(node:4711) [UNDICI-EHPA] Warning: EnvHttpProxyAgent is "    \
	"experimental, expect them to change at any time.\n"          \
	"(Use `node --trace-warnings ...` to show where the warning " \
	"was created)\n"
#define E "Error: no key\n"

static void check(const char *text, bool cut, const char *want)
{
	struct strbuf out = STRBUF_INIT;

	cause_find(str_of(text), cut, &out);
	ck_assert_msg(strcmp(out.buf, want) == 0,
		"of:\n%s\ngot:\n%s\nwant:\n%s\n", text, out.buf, want);
	strbuf_release(&out);
}

/* One line each: a warning, wherever it stands. */
START_TEST(test_warnings)
{
	static const char *const lines[] = {
		"(node:1) Warning: x",
		"(node:1) ExperimentalWarning: CommonJS module",
		"(node:22) [DEP0040] DeprecationWarning: The `punycode` module",
		"(node:22) [X Y] MaxListenersExceededWarning: Possible leak",
		"(Use `node --trace-deprecation ...` to show where",
		"(Use `codex --trace-warnings ...` to show where",
		"warning: x",
		"Warning: x",
		"WARNING: x",
		"WARN x",
		"WARN  x",
		"warn: x",
		"[warn] x",
		"[WARNING] x",
		"\033[33mwarning\033[0m: x",
		"\033[33m(node:1) Warning: x\033[39m",
		"\xe2\x9a\xa0 Warning: x",
		"\xe2\x9a\xa0\xef\xb8\x8f  warning: x",
		" WARN  deprecated x",
		"WARN",
		"npm warn deprecated x@1",
		"npm WARN x",
		"npm notice",
		"npm notice New version",
		"pnpm WARN x",
		"yarn warning x",
		"2026-12-01T03:07:30.226953Z  WARN codex_core::x: y",
		"2026-12-01 03:07:30,226 WARNING root: y",
		"[2026-12-01T03:07:30Z WARN  y] z",
		"[03:07:30] [warn] y",
		"WARNING:root:y",
		"git: warning: y",
		"x.c:3:5: warning: y [-Wz]",
		"/usr/lib/x.py:12: DeprecationWarning: y",
		"ts=1 level=warn msg=y",
		"level=warning msg=y",
		"10%\r20%\rwarning: y",
		"warning: y\r",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text), E "%s\n", lines[i]);
		check(text, false, E);
		snprintf(text, sizeof(text), E "%s", lines[i]);
		check(text, false, E);
		snprintf(text, sizeof(text), "%s\n" E, lines[i]);
		check(text, false, E);
		snprintf(text, sizeof(text), "a\n\n%s\n%s\n" E "%s\n\n%s\n",
			lines[i], lines[i], lines[i], lines[i]);
		check(text, false, "a\n\n" E);
		snprintf(text, sizeof(text), "%s\n", lines[i]);
		check(text, false, "");
	}
}
END_TEST

/* And what is none stays as it is. */
START_TEST(test_others)
{
	static const char *const lines[] = {
		"",
		"\n",
		"\n\n",
		"x",
		"x\n",
		"x\n\n",
		" x\n",
		"\033[31mx\033[0m\n",
		"Error: warning: x\n",
		"error: 3 warnings are errors\n",
		"warnings were found\n",
		"3 warnings and 1 error generated.\n",
		"warn users of this\n",
		"(node:x) Warning: y\n",
		"(node:12)\n",
		"(node:1) [x",
		"(node:1) Error: y\n",
		"npm error code E404\n",
		"npm ERR! x\n",
		"2026-12-01T03:07:30Z ERROR codex: WARN y\n",
		"(Use `x` instead)\n",
		"fatal: a warning\n",
		"[\n",
		"[1\n",
		"1 2 3 4\n",
		"(node:",
		":",
		"WARNED\n",
		"a: b: c: d\n",
		"reworking: x\n",
		"\xe2\x9a\xa0\n",
		"error: unexpected argument '--x' found\n\n  tip: y\n\nUsage\n",
		"Error: x\n    at f (y.js:1:2)\n    at g\n\nNode.js v22\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(lines[i], false, lines[i]);
	check("x\xffy\n", false, "x\xef\xbf\xbdy\n");
}
END_TEST

/* Warnings of several lines. */
START_TEST(test_groups)
{
	check(E NODE, false, E);
	check(NODE E, false, E);
	check(NODE, false, "");
	check("(node:1) [MODULE_TYPELESS_PACKAGE_JSON] Warning: Module type of "
	      "file:///x is not specified.\n"
	      "Reparsing as ES module.\n"
	      "To eliminate this warning, add it.\n"
	      "(Use `node --trace-warnings ...` to show where)\n" E,
		false, E);
	check("/x.py:3: UserWarning: y\n  import z\n" E, false, E);
	check("(node:1) Warning: y\n    at f (z)\n    at g\n" E, false, E);
	check(E "    at f\nwarning: x\n    at g\n", false, E "    at f\n");
	check("Warning: No models. See:\n  /a\n  /b\n" E
	      "\nLog in. See:\n  /a\n",
		false, E "\nLog in. See:\n  /a\n");
	/* A blank line ends one. */
	check("warning: x\n\n  y\n", false, "  y\n");
	/* Too far away to belong together. */
	check("(node:1) Warning: y\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"
	      "(Use `node --trace-warnings ...` to show where)\n",
		false, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n");
}
END_TEST

/* At most 500 code points, from the beginning of a line. */
START_TEST(test_length)
{
	struct strbuf text = STRBUF_INIT;
	struct strbuf want = STRBUF_INIT;

	for (int i = 0; i < 100; i++)
		strbuf_addf(&text, "line %03d \xc3\xa9\n", i); /* 11 points */
	for (int i = 100 - 500 / 11; i < 100; i++)
		strbuf_addf(&want, "line %03d \xc3\xa9\n", i);
	check(text.buf, false, want.buf);
	strbuf_addstr(&text, NODE);
	check(text.buf, false, want.buf);
	/* The last line is longer: its end. */
	for (int i = 0; i < 600; i++)
		strbuf_addstr(&text, i < 101 ? "x" : "\xc3\xa9");
	strbuf_reset(&want);
	for (int i = 101; i < 600; i++)
		strbuf_addstr(&want, "\xc3\xa9");
	strbuf_addstr(&text, "\n");
	strbuf_addstr(&want, "\n");
	check(text.buf, false, want.buf);
	strbuf_addstr(&text, "\n \n\n");
	check(text.buf, false, want.buf);
	strbuf_addstr(&text, NODE);
	check(text.buf, false, want.buf);
	/* No blank line where others were left out. */
	strbuf_reset(&text);
	strbuf_addf(&text, "%0600d\n\n" E, 1);
	check(text.buf, false, E);
	strbuf_release(&text);
	strbuf_release(&want);
}
END_TEST

/* What begins within a line. */
START_TEST(test_cut)
{
	check("CI-EHPA] Warning: x\n" E, true, E);
	check("half a line\n", true, "half a line\n");
	check("half a line", true, "half a line");
	check("", true, "");
}
END_TEST

CHECK_MAIN(
	"cause", test_warnings, test_others, test_groups, test_length, test_cut)

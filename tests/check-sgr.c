#include "config.h"

#include "base/sgr.h"

#include <stdlib.h>

#include "base/jsonw.h"
#include "base/strbuf.h"

#include "check-main.h"

/* "[attrs fg bg]text" for each piece. */
static void collect(void *arg, struct str piece, const struct sgr *look)
{
	struct strbuf *out = arg;

	ck_assert_uint_gt(piece.len, 0);
	if (look->attrs || look->fg >= 0 || look->bg >= 0)
		strbuf_addf(out, "[%u %d %d]", look->attrs, look->fg, look->bg);
	else
		strbuf_addstr(out, "[]");
	strbuf_adds(out, piece);
}

#define line_is(s, line, want)                                             \
	do {                                                               \
		struct strbuf sb = STRBUF_INIT;                            \
                                                                           \
		sgr_line(s, (struct str){line, sizeof(line) - 1}, collect, \
			&sb);                                              \
		ck_assert_str_eq(sb.buf, want);                            \
		strbuf_release(&sb);                                       \
	} while (0)

START_TEST(colours_are_pieces)
{
	struct sgr s = SGR_INIT;

	line_is(&s, "", "");
	line_is(&s, "plain", "[]plain");
	line_is(&s, "a\033[31mred\033[0mb", "[]a[0 1 -1]red[]b");
	line_is(&s, "\033[1;4;32;44mx\033[22my\033[my", "[9 2 4]x[8 2 4]y[]y");
	line_is(&s, "\033[91mx\033[39;107my\033[49mz",
		"[0 9 -1]x[0 -1 15]y[]z");
	line_is(&s, "\033[38;5;208mx\033[48;5;16my\033[0m",
		"[0 208 -1]x[0 208 16]y");
	line_is(&s, "\033[38;2;255;0;0mx\033[38:2:128:128:128my\033[m",
		"[0 196 -1]x[0 244 -1]y");
	line_is(&s, "\033[7;31m", "");
	line_is(&s, "the next line has it still",
		"[16 1 -1]the next line has "
		"it still");
}
END_TEST

START_TEST(other_sequences_are_dropped)
{
	struct sgr s = SGR_INIT;

	line_is(&s, "a\033[2Jb\033[10;20Hc\033[?25ld", "[]a[]b[]c[]d");
	line_is(&s, "a\033]0;title\007b\033]8;;http://x/\033\\c", "[]a[]b[]c");
	line_is(&s, "a\033Pq#0\033\\b\033(Bc\033=d\0337e", "[]a[]b[]c[]d[]e");
	line_is(&s, "\033", "");
	line_is(&s, "a\033[", "[]a");
	line_is(&s, "a\033[31", "[]a");
	line_is(&s, "a\033]never ends", "[]a");
	line_is(&s, "a\033\xe4\xbd\xa0", "[]a[]\xe4\xbd\xa0");
	line_is(&s, "a\033[\xe4\xbd\xa0", "[]a[]\xe4\xbd\xa0");
	line_is(&s, "a\033[?31mb\033[99999999999;1mc", "[]a[]b[1 -1 -1]c");
	line_is(&s, "\033[0m\033[38;5mx\033[38;5;999my\033[38;2;1mz",
		"[]x[]y[]z");
}
END_TEST

START_TEST(what_was_overwritten_is_gone)
{
	struct sgr s = SGR_INIT;

	line_is(&s, "10%\r50%\r100%", "[]100%");
	line_is(&s, "10%\r\033[32m50%\r100%\r\r", "[0 2 -1]100%");
	line_is(&s, "\033[0mdone\r", "[]done");
}
END_TEST

START_TEST(basic_colours)
{
	for (int c = 0; c < 16; c++)
		ck_assert_int_eq(sgr_basic(c), c);
	for (int c = 16; c < 256; c++)
		ck_assert_int_lt(sgr_basic(c), 16);
	ck_assert_int_eq(sgr_basic(196), 9);
	ck_assert_int_eq(sgr_basic(16), 0);
	ck_assert_int_eq(sgr_basic(231), 15);
}
END_TEST

#define indent_is(json, want)                                          \
	do {                                                           \
		struct strbuf sb = STRBUF_INIT;                        \
		struct arena a;                                        \
                                                                       \
		arena_init(&a);                                        \
		jsonw_indent(&sb, json_parse(&a, json, strlen(json))); \
		ck_assert_str_eq(sb.buf, want);                        \
		strbuf_release(&sb);                                   \
		arena_release(&a);                                     \
	} while (0)

START_TEST(json_is_indented)
{
	indent_is("1", "1");
	indent_is("{}", "{}");
	indent_is("[[],{}]", "[\n  [],\n  {}\n]");
	indent_is("{\"a\":1,\"b\":[true,\"x\\n\\u0001\"],\"c\":{\"d\":null}}",
		"{\n  \"a\": 1,\n  \"b\": [\n    true,\n"
		"    \"x\\n\\u0001\"\n  ],\n  \"c\": {\n    \"d\": null\n  "
		"}\n}");
}
END_TEST

START_TEST(json_is_indented_at_any_depth)
{
	struct strbuf deep = STRBUF_INIT;
	struct strbuf out = STRBUF_INIT;
	struct arena a;

	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		strbuf_addch(&deep, '[');
	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		strbuf_addch(&deep, ']');
	arena_init(&a);
	jsonw_indent(&out, json_parse(&a, deep.buf, deep.len));
	ck_assert(str_starts(strbuf_str(&out), "[\n  [\n    ["));
	ck_assert_str_eq(out.buf + out.len - 6, "\n  ]\n]");
	arena_release(&a);
	strbuf_release(&deep);
	strbuf_release(&out);
}
END_TEST

CHECK_MAIN("sgr", colours_are_pieces, other_sequences_are_dropped,
	what_was_overwritten_is_gone, basic_colours, json_is_indented,
	json_is_indented_at_any_depth)

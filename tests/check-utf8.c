#include "config.h"

#include "base/utf8.h"

#include <string.h>

#include "check-main.h"

#define BAD "\xEF\xBF\xBD"

/* Strings with their length, so that NUL bytes may stand inside. */
#define S(literal) literal, sizeof(literal) - 1

static void repairs_to(
	const char *in, size_t len, const char *want, size_t want_len)
{
	struct strbuf out = STRBUF_INIT;

	utf8_repair(&out, in, len);
	ck_assert_mem_is(strbuf_str(&out), want, want_len);
	ck_assert(utf8_valid(out.buf, out.len));
	ck_assert_int_eq(utf8_valid(in, len),
		len == want_len && memcmp(in, want, len) == 0);
	strbuf_release(&out);
}

START_TEST(repair_keeps_what_is_well_formed)
{
	repairs_to(S(""), S(""));
	repairs_to(S("plain"), S("plain"));
	repairs_to(S("a\0b"), S("a\0b"));
	repairs_to(S("\u00e9\u4e2d\U0001F600"), S("\u00e9\u4e2d\U0001F600"));
	/* Noncharacters and the last code point are well formed. */
	repairs_to(S("\xEF\xBF\xBF\xF4\x8F\xBF\xBF"),
		S("\xEF\xBF\xBF\xF4\x8F\xBF\xBF"));
	repairs_to(S("\xEF\xBB\xBFx"), S("\xEF\xBB\xBFx"));
}
END_TEST

START_TEST(repair_replaces_each_ill_formed_sequence)
{
	repairs_to(S("\x80"), S(BAD));
	repairs_to(S("a\xFFz"), S("a" BAD "z"));
	repairs_to(S("\xC3"), S(BAD));
	repairs_to(S("\xE4\xB8"), S(BAD));
	repairs_to(S("\xE4\xB8\"x"), S(BAD "\"x"));
	repairs_to(S("\xF0\x9F\x98z"), S(BAD "z"));
	repairs_to(S("\xF0\x9F\x98\xE4\xB8\xAD"), S(BAD "\xE4\xB8\xAD"));
	/* Overlong forms, surrogates, too big: no byte belongs together. */
	repairs_to(S("\xC0\x80"), S(BAD BAD));
	repairs_to(S("\xC1\xBF"), S(BAD BAD));
	repairs_to(S("\xE0\x80\xAF"), S(BAD BAD BAD));
	repairs_to(S("\xF0\x80\x80\xAF"), S(BAD BAD BAD BAD));
	repairs_to(S("\xED\xA0\xBD"), S(BAD BAD BAD));
	repairs_to(S("\xF4\x90\x80\x80"), S(BAD BAD BAD BAD));
	repairs_to(S("\xF5\x80"), S(BAD BAD));
	/* The example of Unicode 3.9, table 3-11. */
	repairs_to(S("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"),
		S(BAD BAD BAD BAD "A"));
}
END_TEST

static void json_repairs_to(
	const char *in, size_t len, const char *want, size_t want_len)
{
	struct strbuf out = STRBUF_INIT;
	bool repaired;

	strbuf_addstr(&out, "<");
	repaired = utf8_repair_json(&out, in, len);
	if (!want) {
		ck_assert_msg(!repaired, "touched: %.*s", (int)len, in);
		ck_assert_str_eq(out.buf, "<");
	} else {
		ck_assert_msg(repaired, "left alone: %.*s", (int)len, in);
		ck_assert_int_eq(out.buf[0], '<');
		strbuf_drop(&out, 1);
		ck_assert_mem_is(strbuf_str(&out), want, want_len);
	}
	strbuf_release(&out);
}

#define json_stays(in) json_repairs_to(in, sizeof(in) - 1, NULL, 0)
#define json_becomes(in, want) \
	json_repairs_to(in, sizeof(in) - 1, want, sizeof(want) - 1)

START_TEST(json_repair_leaves_good_lines)
{
	json_stays("");
	json_stays("{\"a\":\"\\n\\\"\\\\\\u0041\"}");
	json_stays("\"\\ud83d\\ude00\"");
	json_stays("\"\\uD83D\\uDE00\\ud83d\\ude00\"");
	json_stays("\"\\ud7ff\\ue000\\uDABZ\"");
	/* An escaped backslash, then text. */
	json_stays("\"\\\\ud83d\"");
	json_stays("\"\\\\\\\\udc00\"");
	/* Cut short: not JSON, but not ours to mend either. */
	json_stays("\"\\ud8");
	json_stays("\"\\u");
	json_stays("\\");
}
END_TEST

START_TEST(json_repair_replaces_lone_surrogates)
{
	json_becomes("\"\\ud83d\"", "\"" BAD "\"");
	json_becomes("\"\\udc00\"", "\"" BAD "\"");
	json_becomes("\"\\uDFFF\\uD800\"", "\"" BAD BAD "\"");
	json_becomes("\"\\ud83d\\u0041\"", "\"" BAD "\\u0041\"");
	json_becomes("\"\\ud83dx\\ude00\"", "\"" BAD "x" BAD "\"");
	json_becomes("\"\\ud83d\\ud83d\\ude00\"", "\"" BAD "\\ud83d\\ude00\"");
	json_becomes("\"\\ud83d\\ude00\\ude00\"", "\"\\ud83d\\ude00" BAD "\"");
	json_becomes("\"\\\\\\ud83d\"", "\"\\\\" BAD "\"");
	json_becomes("\"\\ud83d\\\\ude00\"", "\"" BAD "\\\\ude00\"");
	json_becomes("\\ud83d", BAD);
}
END_TEST

START_TEST(json_repair_replaces_bad_bytes)
{
	json_becomes("\"\xFF\"", "\"" BAD "\"");
	json_becomes("\"\xC0\xAF\"", "\"" BAD BAD "\"");
	json_becomes("\"\xED\xA0\xBD\\ud83d\"", "\"" BAD BAD BAD BAD "\"");
	json_becomes("\"\\ud83d\xE4\xB8\\ude00\"", "\"" BAD BAD BAD "\"");
	json_becomes("\"\xE4\xB8\"", "\"" BAD "\"");
}
END_TEST

static void shows_as(const char *in, size_t len, const char *want,
	size_t want_len, enum utf8_source source, int tab_width)
{
	struct strbuf out = STRBUF_INIT;

	utf8_display(&out, in, len, source, tab_width);
	ck_assert_mem_is(strbuf_str(&out), want, want_len);
	strbuf_release(&out);
}

#define shows(in, want) \
	shows_as(in, sizeof(in) - 1, want, sizeof(want) - 1, UTF8_AGENT, 4)
#define shows_stderr(in, want) \
	shows_as(in, sizeof(in) - 1, want, sizeof(want) - 1, UTF8_STDERR, 0)

START_TEST(display_removes_escape_sequences)
{
	shows("\033[1;31mred\033[0m", "red");
	shows("\033[?2004h\033[>4;1m\033[38:2::1:2:3mx", "x");
	shows("\033[2 q\033(Bx", "x");
	shows("\033]0;title\ax\033]8;;http://h\033\\y", "xy");
	shows("\033Pq#0\033\\x\033_apc\033\\y\033^pm\033\\\033Xsos\033\\z",
		"xyz");
	/* What is no whole sequence stays readable. */
	shows("\033", "^[");
	shows("\033[", "^[[");
	shows("\033[31", "^[[31");
	shows("\033[3\n1m", "^[[3\n1m");
	shows("\033[3\0331m", "^[[3^[1m");
	shows("\033]0;no end\nnext", "^[]0;no end\nnext");
	shows("\033\033[mx", "^[x");
	shows("\033c\0337", "^[c^[7");
	/* Removing one must not make another. */
	shows("\033\033[0m[31mx", "^[[31mx");
	shows("\033\033]0;\a]0;t\a", "^[]0;t^G");
}
END_TEST

START_TEST(display_shows_controls)
{
	shows("a\0b\x01\x08\x7f", "a^@b^A^H^?");
	shows("a\tb", "a    b");
	shows_as(S("a\tb"), S("a\tb"), UTF8_AGENT, 0);
	shows("\x1f\x0b\x0c", "^_^K^L");
	/* C1, also as a CSI of its own. */
	shows("\xC2\x9B"
	      "31mx\xC2\x85",
		BAD "31mx" BAD);
	shows("\x9b"
	      "31m",
		BAD "31m");
}
END_TEST

START_TEST(display_breaks_lines)
{
	shows("a\r\nb\nc\rd", "a\nb\nc\nd");
	shows("\r\r\n", "\n\n");
	shows_stderr("10%\r20%\r100%\nnext", "100%\nnext");
	shows_stderr("first\n10%\r20%", "first\n20%");
	shows_stderr("a\r\nb\r\r\nc\r", "a\nb\nc");
	shows_stderr("\rx", "x");
}
END_TEST

START_TEST(display_drops_only_its_own_text)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_addstr(&out, "kept");
	utf8_display(&out, S("10%\r20%"), UTF8_STDERR, 4);
	ck_assert_str_eq(out.buf, "kept20%");
	strbuf_release(&out);
}
END_TEST

START_TEST(display_replaces_what_deceives)
{
	shows("a\xFF"
	      "b\xE4\xB8",
		"a" BAD "b" BAD);
	shows("\xED\xA0\xBD", BAD BAD BAD);
	/* Bidi controls. */
	shows("\u061c\u200e\u200f\u202a\u202e\u2066\u2069",
		BAD BAD BAD BAD BAD BAD BAD);
	/* Noncharacters, separators, unassigned. */
	shows("\xEF\xB7\x90\xEF\xBF\xBE\xF0\x9F\xBF\xBF", BAD BAD BAD);
	shows("\u2028\u2029", BAD BAD);
	shows("\U000E0FFF", BAD);
}
END_TEST

START_TEST(display_removes_disputed_characters)
{
	shows("\u2764\uFE0F", "\u2764");
	shows("1\uFE0F\u20E3", "1");
	shows("\U0001F469\u200D\U0001F4BB", "\U0001F469\U0001F4BB");
	shows("\U0001F44D\U0001F3FD", "\U0001F44D");
	shows("so\u00ADft\u200B\uFEFF\U000E0041\U000E007F", "soft");
	/* Combining marks belong to their letter. */
	shows("e\u0301\u0e01\u0e34", "e\u0301\u0e01\u0e34");
}
END_TEST

START_TEST(display_knows_width_without_a_locale)
{
	ck_assert_ptr_nonnull(setlocale(LC_ALL, "C"));
	shows("\u4e2d\u00e9\U0001F600", "\u4e2d\u00e9\U0001F600");
	shows("\xC2\x9B\u202e\u2028", BAD BAD BAD);
	ck_assert_uint_eq(utf8_cols(S("\u4e2d\u00e9\U0001F600")), 5);
}
END_TEST

START_TEST(cols_count_cells)
{
	ck_assert_uint_eq(utf8_cols(S("")), 0);
	ck_assert_uint_eq(utf8_cols(S("abc")), 3);
	ck_assert_uint_eq(utf8_cols(S("\u4e2d\u6587a")), 5);
	ck_assert_uint_eq(utf8_cols(S("e\u0301")), 1);
	ck_assert_uint_eq(utf8_cols(S("\U0001F600")), 2);
	ck_assert_uint_eq(utf8_cols(S(BAD)), 1);
}
END_TEST

START_TEST(points_are_characters)
{
	ck_assert_uint_eq(utf8_points(S("")), 0);
	ck_assert_uint_eq(utf8_points(S("a\0b")), 3);
	ck_assert_uint_eq(utf8_points(S("\u00e9\u4e2d\U0001F600")), 3);
}
END_TEST

START_TEST(cut_keeps_clusters_whole)
{
	ck_assert_uint_eq(utf8_cut(S("abc"), 0), 0);
	ck_assert_uint_eq(utf8_cut(S("abc"), 2), 2);
	ck_assert_uint_eq(utf8_cut(S("abc"), 3), 3);
	ck_assert_uint_eq(utf8_cut(S("abc"), 9), 3);
	ck_assert_uint_eq(utf8_cut(S(""), 3), 0);
	ck_assert_uint_eq(utf8_cut(S("\u4e2d\u6587\u5b57"), 2), 6);
	/* A letter with its accent. */
	ck_assert_uint_eq(utf8_cut(S("ae\u0301"), 2), 1);
	ck_assert_uint_eq(utf8_cut(S("ae\u0301x"), 3), 4);
	ck_assert_uint_eq(utf8_cut(S("e\u0301\u0301\u0301"), 2), 0);
	/* CR LF, a family, a flag of two regional indicators. */
	ck_assert_uint_eq(utf8_cut(S("a\r\nb"), 2), 1);
	ck_assert_uint_eq(
		utf8_cut(S("x\U0001F469\u200D\U0001F469\u200D\U0001F467"), 4),
		1);
	ck_assert_uint_eq(utf8_cut(S("\U0001F1E9\U0001F1EA\U0001F1EB"
				     "\U0001F1F7"),
				  3),
		8);
	ck_assert_uint_eq(utf8_cut(S("\U0001F44D\U0001F3FD!"), 1), 0);
}
END_TEST

START_TEST(lines_end_in_three_ways)
{
	static const char text[] = "a\r\nb\rc\n\n\r\rd";
	static const char *const want[] = {"a", "b", "c", "", "", "", "d"};
	struct str s = {text, sizeof(text) - 1};
	struct str line;
	size_t pos = 0;
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(*want); i++) {
		ck_assert(utf8_next_line(s, &pos, &line));
		ck_assert_is(line, want[i]);
	}
	ck_assert(!utf8_next_line(s, &pos, &line));
	ck_assert(!utf8_next_line(s, &pos, &line));
}
END_TEST

START_TEST(lines_at_the_edges)
{
	struct str line;
	size_t pos = 0;

	ck_assert(!utf8_next_line(str_of(""), &pos, &line));
	ck_assert(!utf8_next_line(str_null(), &pos, &line));
	ck_assert(utf8_next_line(str_of("a\n"), &pos, &line));
	ck_assert(!utf8_next_line(str_of("a\n"), &pos, &line));
	pos = 0;
	ck_assert(utf8_next_line(str_of("\r"), &pos, &line));
	ck_assert_uint_eq(line.len, 0);
	ck_assert(!utf8_next_line(str_of("\r"), &pos, &line));
}
END_TEST

START_TEST(blank_is_unicode_white_space)
{
	ck_assert(utf8_is_blank(S("")));
	ck_assert(utf8_is_blank(S(" \t\r\n\v\f")));
	ck_assert(utf8_is_blank(S("\u00a0\u1680\u2003\u2028\u3000\xC2\x85")));
	ck_assert(!utf8_is_blank(S("  x")));
	ck_assert(!utf8_is_blank(S("\0")));
	ck_assert(!utf8_is_blank(S("\u200b")));
}
END_TEST

CHECK_MAIN("utf8", repair_keeps_what_is_well_formed,
	repair_replaces_each_ill_formed_sequence, json_repair_leaves_good_lines,
	json_repair_replaces_lone_surrogates, json_repair_replaces_bad_bytes,
	display_removes_escape_sequences, display_shows_controls,
	display_breaks_lines, display_drops_only_its_own_text,
	display_replaces_what_deceives, display_removes_disputed_characters,
	display_knows_width_without_a_locale, cols_count_cells,
	points_are_characters, cut_keeps_clusters_whole,
	lines_end_in_three_ways, lines_at_the_edges,
	blank_is_unicode_white_space)

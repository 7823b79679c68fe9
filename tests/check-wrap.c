#include "config.h"

#include <string.h>

#include "base/strbuf.h"
#include "tests/check-main.h"
#include "ui/wrap.h"

static bool is_plain(struct str s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] >= 0x80 || s.ptr[i] == '\t')
			return false;
	return true;
}

/* TEXT in rows of WIDTH columns, each ended by '|'; with and without the short
 * way for ASCII. */
static void hangs(const char *text, int width, int indent, const char *rows)
{
	struct str s = str_of(text);
	int ways = is_plain(s) ? 2 : 1;

	while (ways--) {
		struct wrap w = wrap_for(width, indent, ways == 1);
		struct strbuf got = STRBUF_INIT;
		size_t pos = 0;
		uint32_t n = 0;

		do {
			size_t next = wrap_next(s, pos, &w);

			ck_assert_uint_eq(wrap_seek(s, &w, n), pos);
			ck_assert(next > pos || !s.len);
			strbuf_add(&got, text + pos, next - pos);
			strbuf_addch(&got, '|');
			pos = next;
			n++;
		} while (pos < s.len);
		ck_assert_str_eq(got.buf, rows);
		ck_assert_uint_eq(wrap_rows(s, &w), n);
		strbuf_release(&got);
	}
}

static void wraps(const char *text, int width, const char *rows)
{
	hangs(text, width, 0, rows);
}

START_TEST(words_stay_whole)
{
	wraps("", 5, "|");
	wraps("abcde", 5, "abcde|");
	wraps("ab cde", 5, "ab |cde|");
	wraps("the quick brown fox", 10, "the quick |brown fox|");
	/* Blanks at the end of a row are no row. */
	wraps("ab cd    ef", 5, "ab cd    |ef|");
	wraps("abcde   ", 5, "abcde   |");
	/* Nor are those before the first word. */
	wraps("    abcdef", 6, "    ab|cdef|");
	wraps("           ", 5, "     |     | |");
}
END_TEST

START_TEST(long_words_by_cell)
{
	wraps("abcdef", 5, "abcde|f|");
	/* It begins where it stands when it fits no row and leaves much. */
	wraps("go abcdefghijklmn", 10, "go abcdefg|hijklmn|");
	wraps("go abcdefghij", 10, "go |abcdefghij|");
	/* Not when the row is rather full. */
	wraps("go on, go abcdefghijklmn", 12, "go on, go |abcdefghijkl|mn|");
}
END_TEST

START_TEST(hyphens_and_paths)
{
	wraps("a well-known fact", 8, "a well-|known |fact|");
	wraps("use --color=x", 8, "use |--color=|x|");
	wraps("1-2 3-4", 5, "1-2 |3-4|");
	/* A URL or path is not torn where it fits the next row. */
	wraps("see src/ui/lens.c now", 14, "see |src/ui/lens.c |now|");
	wraps("see https://a.b/c now", 16, "see |https://a.b/c |now|");
}
END_TEST

START_TEST(rows_hang)
{
	hangs("[main] tool one two three", 16, 5,
		"[main] tool one |two three|");
	hangs("[main] one two three four", 12, 4,
		"[main] one |two |three |four|");
	/* Too much of the row: little. */
	hangs("[a] b c d e f g h i j", 10, 8, "[a] b c d |e f g h |i j|");
}
END_TEST

START_TEST(scripts)
{
	wraps("ab中文", 5, "ab中|文|");
	wraps("中文", 1, "中|文|");
	wraps("abe\u0301x", 3, "abe\u0301|x|");
	wraps("ab\tc", 5, "ab\t|c|");
	/* Punctuation does not begin a row, nor open brackets end one. */
	wraps("中文字，中文", 6, "中文|字，中|文|");
	wraps("中文（中文）", 6, "中文|（中|文）|");
	wraps("中文 word 中文", 8, "中文 |word 中|文|");
	/* Zero-width characters stay with their base, however many. */
	wraps("aaaa e\u0301\u0302\u0303\u0301 b", 5,
		"aaaa |e\u0301\u0302\u0303\u0301 b|");
	/* Emoji, right to left. */
	wraps("😀😀😀", 4, "😀😀|😀|");
	wraps("שלום עולם", 5, "שלום |עולם|");
	/* No break before a no-break space. */
	wraps("aa bb\u00a0cc", 6, "aa |bb\u00a0cc|");
}
END_TEST

START_TEST(guesses)
{
	struct wrap w = wrap_for(10, 2, true);
	bool exact;

	ck_assert_uint_eq(wrap_guess(0, &w, &exact), 1);
	ck_assert(exact);
	ck_assert_uint_eq(wrap_guess(10, &w, &exact), 1);
	ck_assert(exact);
	ck_assert_uint_eq(wrap_guess(11, &w, &exact), 2);
	ck_assert(!exact);
	ck_assert_uint_eq(wrap_guess(27, &w, &exact), 4);
	w.ascii = false;
	ck_assert_uint_eq(wrap_guess(2, &w, &exact), 1);
	ck_assert(exact);
	wrap_guess(3, &w, &exact);
	ck_assert(!exact); /* three tabs */
	w.chop = true;
	ck_assert_uint_eq(wrap_guess(1000, &w, &exact), 1);
	ck_assert(exact);
}
END_TEST

START_TEST(columns)
{
	struct str s = str_of("a中e\u0301b");
	int begin;

	ck_assert_uint_eq(wrap_column(s, false, 0, &begin), 0);
	ck_assert_uint_eq(wrap_column(s, false, 1, &begin), 1);
	ck_assert_int_eq(begin, 1);
	/* Inside of the wide one. */
	ck_assert_uint_eq(wrap_column(s, false, 2, &begin), 1);
	ck_assert_int_eq(begin, 1);
	ck_assert_uint_eq(wrap_column(s, false, 3, &begin), 4);
	ck_assert_int_eq(begin, 3);
	/* Behind the mark of the e. */
	ck_assert_uint_eq(wrap_column(s, false, 4, &begin), 7);
	ck_assert_uint_eq(wrap_column(s, false, 9, &begin), 8);
	ck_assert_uint_eq(wrap_column(str_of("abc"), true, 9, &begin), 3);
}
END_TEST

static size_t cells(struct str s)
{
	size_t pos = 0;
	size_t n = 0;

	while (pos < s.len) {
		uint32_t ch;

		n += (size_t)wrap_char(s, pos, &pos, &ch);
	}
	return n;
}

/* Rows of words of many scripts: nothing is lost, no row is too wide but for
 * blanks at its end, and no word that fits is torn. */
START_TEST(any_width)
{
	static const char *const words[] = {"a", "word", "longer-word",
		"中文字", "，", "e\u0301e\u0301", "😀", "שלום", "--opt=val",
		"http://example.org/a/b?c=d", "\t", "ไทย", "한국어"};
	struct strbuf sb = STRBUF_INIT;
	unsigned seed = 1;
	int round;

	for (round = 0; round < 2000; round++) {
		struct wrap w = wrap_for(1 + round % 60, round % 13, false);
		size_t pos = 0;
		int i;

		strbuf_reset(&sb);
		for (i = 0; i < round % 30; i++) {
			seed = seed * 1103515245u + 12345u;
			strbuf_addstr(&sb,
				words[(seed >> 16) %
					(sizeof(words) / sizeof(words[0]))]);
			if (seed >> 30)
				strbuf_addch(&sb, ' ');
		}
		while (pos < sb.len) {
			size_t next = wrap_next(strbuf_str(&sb), pos, &w);
			struct str row = {sb.buf + pos, next - pos};
			size_t room =
				(size_t)(pos ? w.width - w.indent : w.width);

			ck_assert_uint_gt(next, pos);
			while (row.len && (row.ptr[row.len - 1] == ' ' ||
						  row.ptr[row.len - 1] == '\t'))
				row.len--;
			if (cells(row) > room && cells(row) > 2)
				ck_abort_msg("width %d: '%.*s'", w.width,
					(int)row.len, row.ptr);
			pos = next;
		}
	}
	strbuf_release(&sb);
}
END_TEST

CHECK_MAIN("wrap", words_stay_whole, long_words_by_cell, hyphens_and_paths,
	rows_hang, scripts, guesses, columns, any_width)

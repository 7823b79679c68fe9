#include "config.h"

#include "base/split.h"

#include <stdlib.h>

#include "base/strbuf.h"

#include "check-main.h"

/* Joins what it gets with '|'. */
static void collect(void *arg, const char *line, size_t len)
{
	struct strbuf *out = arg;

	strbuf_add(out, line, len);
	strbuf_addch(out, '|');
}

/* Feeds DATA in pieces of STEP bytes. */
static void splits_to(const char *data, size_t len, size_t step,
	size_t line_max, const char *want, size_t want_len)
{
	struct strbuf out = STRBUF_INIT;
	struct split s;
	size_t i;

	split_init(&s, line_max);
	for (i = 0; i < len; i += step)
		split_feed(&s, data + i, len - i < step ? len - i : step,
			collect, &out);
	split_finish(&s, collect, &out);
	ck_assert_mem_is(strbuf_str(&out), want, want_len);
	split_release(&s);
	strbuf_release(&out);
}

#define splits(data, line_max, want)                                      \
	do {                                                              \
		size_t step;                                              \
                                                                          \
		for (step = 1; step <= sizeof(data); step++)              \
			splits_to(data, sizeof(data) - 1, step, line_max, \
				want, sizeof(want) - 1);                  \
	} while (0)

START_TEST(lines_are_cut_wherever_the_pieces_end)
{
	splits("", SPLIT_LINE_MAX, "");
	splits("a\nbc\n\ndef\n", SPLIT_LINE_MAX, "a|bc||def|");
	splits("a\nb", SPLIT_LINE_MAX, "a|b|");
	splits("\n\n", SPLIT_LINE_MAX, "||");
	splits("a\r\nb\r", SPLIT_LINE_MAX, "a\r|b\r|");
	splits("a\0b\n\0\n", SPLIT_LINE_MAX, "a\0b|\0|");
}
END_TEST

struct offsets {
	struct split split;
	const char *data;
	size_t len;
	size_t lines;
};

static void at_its_offset(void *arg, const char *line, size_t len)
{
	struct offsets *o = arg;
	uint64_t at = split_offset(&o->split, line);

	ck_assert_uint_le(at + len, o->len);
	ck_assert_mem_eq(o->data + at, line, len);
	ck_assert(at == 0 || o->data[at - 1] == '\n');
	ck_assert(at + len == o->len || o->data[at + len] == '\n');
	o->lines++;
}

START_TEST(lines_know_where_they_stand)
{
	static const char data[] = "a\n\n12345\nbc\r\n123456789\nx\nde";

	for (size_t step = 1; step <= sizeof(data); step++) {
		struct offsets o = {.data = data, .len = sizeof(data) - 1};

		split_init(&o.split, 5);
		for (size_t i = 0; i < o.len; i += step)
			split_feed(&o.split, data + i,
				o.len - i < step ? o.len - i : step,
				at_its_offset, &o);
		split_finish(&o.split, at_its_offset, &o);
		ck_assert_uint_eq(o.lines, 6);
		ck_assert_uint_eq(o.split.base, o.len);
		split_release(&o.split);
	}
}
END_TEST

START_TEST(lines_that_are_too_long_are_skipped)
{
	splits("123\n1234\n12345\n12\n", 4, "123|1234|12|");
	splits("12345678901234567890\nx\n", 4, "x|");
	splits("x\n12345678901234567890", 4, "x|");
}
END_TEST

START_TEST(lines_are_counted)
{
	struct strbuf out = STRBUF_INIT;
	struct split s;

	split_init(&s, 4);
	split_feed(&s, "a\n1234567\nb\n7654321\nc", 21, collect, &out);
	ck_assert_uint_eq(s.lines, 4);
	ck_assert_uint_eq(s.skipped, 2);
	split_finish(&s, collect, &out);
	split_finish(&s, collect, &out);
	ck_assert_uint_eq(s.lines, 5);
	ck_assert_str_eq(out.buf, "a|b|c|");
	split_release(&s);
	strbuf_release(&out);
}
END_TEST

START_TEST(an_unfinished_line_is_told)
{
	static const struct {
		const char *data;
		bool unfinished;
	} cases[] = {{"", false}, {"a\n", false}, {"a\nb", true},
		{"a\n12345", false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf out = STRBUF_INIT;
		struct split s;

		split_init(&s, 4);
		split_feed(&s, cases[i].data, strlen(cases[i].data), collect,
			&out);
		ck_assert(!s.unfinished);
		split_finish(&s, collect, &out);
		ck_assert_msg(s.unfinished == cases[i].unfinished, "%s",
			cases[i].data);
		split_release(&s);
		strbuf_release(&out);
	}
}
END_TEST

START_TEST(a_long_line_passes_and_its_memory_goes)
{
	const size_t len = (size_t)9 << 20;
	struct strbuf out = STRBUF_INIT;
	char *line = calloc(1, len);
	struct split s;

	ck_assert_ptr_nonnull(line);
	memset(line, 'x', len - 1);
	line[len - 1] = '\n';
	split_init(&s, SPLIT_LINE_MAX);
	split_feed(&s, line, len, collect, &out);
	split_feed(&s, "short\n", 6, collect, &out);
	ck_assert_uint_eq(out.len, len + 6);
	ck_assert_uint_le(s.cap, (size_t)4 << 20);
	split_release(&s);
	strbuf_release(&out);
	free(line);
}
END_TEST

START_TEST(a_line_without_end_takes_no_memory)
{
	struct strbuf out = STRBUF_INIT;
	char piece[65536];
	struct split s;
	int i;

	memset(piece, 'x', sizeof(piece));
	split_init(&s, 1 << 20);
	for (i = 0; i < 1000; i++)
		split_feed(&s, piece, sizeof(piece), collect, &out);
	ck_assert_uint_le(s.cap, (size_t)4 << 20);
	split_feed(&s, "\nok\n", 4, collect, &out);
	ck_assert_str_eq(out.buf, "ok|");
	ck_assert_uint_eq(s.skipped, 1);
	split_release(&s);
	strbuf_release(&out);
}
END_TEST

START_TEST(the_reader_writes_into_the_buffer)
{
	struct strbuf out = STRBUF_INIT;
	struct split s;
	size_t avail;
	char *to;

	split_init(&s, SPLIT_LINE_MAX);
	to = split_space(&s, &avail);
	ck_assert_uint_ge(avail, 65536);
	memcpy(to, "one\ntw", 6);
	split_commit(&s, 6, collect, &out);
	to = split_space(&s, &avail);
	ck_assert_uint_ge(avail, 65536);
	memcpy(to, "o\n", 2);
	split_commit(&s, 2, collect, &out);
	split_commit(&s, 0, collect, &out);
	ck_assert_str_eq(out.buf, "one|two|");
	split_release(&s);
	strbuf_release(&out);
}
END_TEST

CHECK_MAIN("split", lines_are_cut_wherever_the_pieces_end,
	lines_know_where_they_stand, lines_that_are_too_long_are_skipped,
	lines_are_counted, an_unfinished_line_is_told,
	a_long_line_passes_and_its_memory_goes,
	a_line_without_end_takes_no_memory, the_reader_writes_into_the_buffer)

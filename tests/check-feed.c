#include "config.h"

#include "runtime/feed.h"
#include "tests/check-main.h"

/* The objects of lines, by their `n`, and where they stand. */

static struct feed feed;
static struct strbuf got = STRBUF_INIT;
static const char *line_at;

static void on_object(
	void *arg, const struct json *object, size_t at, size_t len)
{
	(void)arg;
	ck_assert_int_eq(line_at[at], '{');
	ck_assert_int_eq(line_at[at + len - 1], '}');
	strbuf_addf(&got, "%d", (int)json_int(object, "n", -1));
}

static void whole(void *arg, const struct json *object, size_t at, size_t len)
{
	(void)arg;
	strbuf_addf(
		&got, "%d@%zu+%zu", (int)json_int(object, "n", -1), at, len);
}

static void line(const char *s, size_t len)
{
	line_at = s;
	strbuf_reset(&got);
	feed_line(&feed, s, len, on_object, NULL);
}

/* The line gives the objects WANT, and more than JSON when BAD. */
#define check(s, want, is_bad)                                           \
	do {                                                             \
		line(s, sizeof(s) - 1);                                  \
		ck_assert_msg(strcmp(got.len ? got.buf : "", want) == 0, \
			"%s: %s", s, got.len ? got.buf : "");            \
		ck_assert_msg(feed.bad == (is_bad), "%s", s);            \
	} while (0)

static void begin(void)
{
	feed_init(&feed);
}

static void end(void)
{
	feed_release(&feed);
	strbuf_release(&got);
}

START_TEST(one_object_is_a_line)
{
	begin();
	strbuf_reset(&got);
	feed_line(&feed, "{\"n\":1} \r", 9, whole, NULL);
	feed_line(&feed, " {\"n\":2}", 8, whole, NULL);
	feed_line(&feed, "\x1b[m{\"n\":3}{\"n\":4}", 17, whole, NULL);
	ck_assert_str_eq(got.buf, "1@0+92@0+83@3+74@10+7");
	ck_assert_uint_eq(feed.bad_lines, 0);
	end();
}
END_TEST

START_TEST(what_is_not_seen_belongs_to_none)
{
	begin();
	check("\xef\xbb\xbf{\"n\":1}", "1", false);
	check("\0\0{\"n\":1}\0", "1", false);
	check("\x1e{\"n\":1}\x1e{\"n\":2}\x1e", "12", false);
	check("\x1b[0;31m{\"n\":1}\x1b[0m\r", "1", false);
	check("\x1b]0;{\"n\":9}\a{\"n\":1}", "1", false);
	check("\x1b]0;x\x1b\\{\"n\":1}", "1", false);
	check("\x1bPq{}\x1b\\{\"n\":1}", "1", false);
	check("\x1b"
	      "7\x1b(B\x1b={\"n\":1}\x1b"
	      "8",
		"1", false);
	check("\xc2\x9b"
	      "2J\xc2\x85{\"n\":1}",
		"1", false);
	check("\xe3\x80\x80\xc2\xa0 {\"n\":1}\xe2\x80\xa9", "1", false);
	check("\x1b{\"n\":1}\x1b[{\"n\":2}\x1b[3{\"n\":3}\x1b(", "123", false);
	check("\x1b[1;{\"n\":1}\x1b]{\"n\":2}", "1", true);
	check("\x1b]no end{\"n\":1}", "", true);
	check("\x9b"
	      "1m{\"n\":1}",
		"", true); /* no UTF-8, so no control */
	check("\xef\xbb{\"n\":1}", "", true);
	check("", "", false);
	check(" \t\r\x1b[0m\xef\xbb\xbf", "", false);
	end();
}
END_TEST

START_TEST(objects_share_a_line)
{
	begin();
	check("{\"n\":1}{\"n\":2}", "12", false);
	check("{\"n\":1} \t{\"n\":2}\r", "12", false);
	check("{\"n\":1},{\"n\":2} , ,{\"n\":3},", "123", false);
	check("{\"a\":{\"b\":[{}]},\"n\":1}{\"n\":2,\"s\":\"}\\\"{\"}{\"n\":3}",
		"123", false);
	check("{\"n\":1}{\"s\":\"\\\\\"}{\"n\":2}", "1-12", false);
	end();
}
END_TEST

START_TEST(text_is_not_json)
{
	begin();
	check("text {\"n\":1}", "", true);
	check("{\"n\":1} text", "1", true);
	check("{\"n\":1}text{\"n\":2}", "1", true);
	check(",{\"n\":1}", "", true);
	check("}{\"n\":1}", "", true);
	check("{\"n\":1}}{\"n\":2}", "1", true);
	check("{\"n\":1}[{\"n\":2}]", "1", true);
	ck_assert_uint_eq(feed.bad_lines, 7);
	check("[{\"n\":1}]", "", false);
	check("null", "", false);
	check(" 12 ", "", false);
	check("\"text\"", "", false);
	ck_assert_uint_eq(feed.bad_lines, 7);
	end();
}
END_TEST

START_TEST(a_bad_piece_is_passed_over)
{
	struct strbuf deep = STRBUF_INIT;

	begin();
	check("{\"n\":1}{\"n\":}{\"n\":3}", "13", true);
	check("{}}", "-1", true);
	check("{\"n\":1}{\"n\":2", "1", true);
	check("{\"n\":1}{\"s\":\"}", "1", true);
	check("{\"s\":\"\\", "", true);
	check("{'n':1}{\"n\":2}", "2", true);
	ck_assert_str_eq(feed.text.buf, "{'n':1}");
	ck_assert_uint_eq(feed.bad_lines, 6);
	for (int i = 0; i <= JSON_DEPTH_MAX; i++)
		strbuf_addstr(&deep, "{\"a\":");
	strbuf_addstr(&deep, "1");
	for (int i = 0; i <= JSON_DEPTH_MAX; i++)
		strbuf_addch(&deep, '}');
	strbuf_addstr(&deep, "{\"n\":2}");
	line(deep.buf, deep.len);
	ck_assert_str_eq(got.buf, "2");
	ck_assert(feed.bad);
	strbuf_release(&deep);
	end();
}
END_TEST

START_TEST(long_strings_share_a_line)
{
	struct strbuf s = STRBUF_INIT;

	begin();
	for (int i = 0; i < 3; i++) {
		strbuf_addf(&s, "{\"s\":\"\\n");
		for (int k = 0; k < 10000; k++)
			strbuf_addstr(&s, "}\\\"{");
		strbuf_addf(&s, "\xff\\ud800\",\"n\":%d}", i);
	}
	line(s.buf, s.len);
	ck_assert_str_eq(got.buf, "012");
	ck_assert(!feed.bad);
	strbuf_release(&s);
	end();
}
END_TEST

static void remark(bool unfinished, const char *want)
{
	struct strbuf out = STRBUF_INIT;

	feed_remark(&feed, unfinished, &out);
	ck_assert_str_eq(out.len ? out.buf : "", want);
	strbuf_release(&out);
}

START_TEST(the_remark_shows_the_last)
{
	begin();
	check("{\"n\":1}", "1", false);
	remark(false, "");
	remark(true, "");
	check("one\t\x1b[31mred\x1b[0m \xff\x01\r", "", true);
	remark(false,
		"1 line of its output is not JSON: one red \xef\xbf\xbd^A");
	ck_assert(feed_is_cut(&feed, true));
	remark(true, "its last line was cut off: one red \xef\xbf\xbd^A");
	check("{\"n\":1}{\"n\"", "1", true);
	remark(true, "2 lines of its output are not JSON, the last one was cut "
		     "off: {\"n\"");
	check(" ", "", false);
	ck_assert(!feed_is_cut(&feed, true));
	remark(true, "2 lines of its output are not JSON, the last one: "
		     "{\"n\"");
	check("{} 0123456789012345678901234567890123456789012345678901234567890"
	      "12345678901234567890123456789012345678901234567890123456789",
		"-1", true);
	ck_assert_uint_eq(feed.text.len, 120);
	check("{} 0123456789012345678901234567890123456789012345678901234567890"
	      "123456789012345678901234567890123456789012345678901234567890",
		"-1", true);
	ck_assert_uint_eq(feed.text.len, 119 + strlen("…"));
	end();
}
END_TEST

CHECK_MAIN("feed", one_object_is_a_line, what_is_not_seen_belongs_to_none,
	objects_share_a_line, text_is_not_json, a_bad_piece_is_passed_over,
	long_strings_share_a_line, the_remark_shows_the_last)

#include "config.h"

#include "runtime/summary.h"

#include "base/utf8.h"
#include "tests/check-main.h"

static struct strbuf out = STRBUF_INIT;

static void want(const char *prefix, const char *arg, const char *expected)
{
	summary_make(&out, prefix, str_of(arg));
	ck_assert_is(strbuf_str(&out), expected);
}

static void want_path(const char *path, const char *cwd, const char *expected)
{
	summary_path(&out, "Read", str_of(path), str_of(cwd));
	ck_assert_is(strbuf_str(&out), expected);
}

START_TEST(first_line)
{
	want("Bash", "make check", "Bash: make check");
	want("Bash", "\n \t\n  make \n install", "Bash: make");
	want("Bash", "a\rb", "Bash: a");
	want("Bash", "a\r\nb", "Bash: a");
	want("Bash", "\xc2\xa0 x \xe3\x80\x80", "Bash: x");
}
END_TEST

START_TEST(no_argument)
{
	want("Bash", NULL, "Bash");
	want("Bash", "", "Bash");
	want("Bash", " \n\t\n", "Bash");
	want("Bash", "\x1b\n\x01", "Bash");
}
END_TEST

START_TEST(controls)
{
	want("Bash", "a\tb", "Bash: a b");
	want("Bash", "a\x1b[31m\x01\x02z", "Bash: a [31m z");
	want("Bash", "a\xc2\x9bz\x7f", "Bash: a z");
	want("a\nb", "x", "a b: x");
	summary_make(&out, "Bash", (struct str){"a\0b", 3});
	ck_assert_is(strbuf_str(&out), "Bash: a b");
}
END_TEST

START_TEST(at_most_120)
{
	char arg[400];
	size_t i;

	memset(arg, 'x', sizeof(arg));
	arg[114] = '\0';
	summary_make(&out, "Bash", str_of(arg));
	ck_assert_uint_eq(out.len, 120);
	ck_assert(out.buf[119] == 'x');
	arg[114] = 'x';
	arg[115] = '\0';
	summary_make(&out, "Bash", str_of(arg));
	ck_assert_uint_eq(utf8_points(out.buf, out.len), 120);
	ck_assert_str_eq(out.buf + 119, "…");
	/* e with an accent of its own is not torn apart. */
	for (i = 0; i < 390; i += 3)
		memcpy(arg + i, "e\xcc\x81", 3);
	arg[390] = '\0';
	summary_make(&out, "Bash", str_of(arg));
	ck_assert_uint_eq(utf8_points(out.buf, out.len), 119);
	ck_assert_str_eq(out.buf + out.len - 6, "e\xcc\x81…");
}
END_TEST

START_TEST(relative)
{
	want_path("/home/me/repo/src/a.c", "/home/me/repo", "Read: src/a.c");
	want_path("/home/me/repo/src/a.c", "/home/me/repo/", "Read: src/a.c");
	want_path("/home/me/repo", "/home/me/repo", "Read: .");
	want_path("/home/me/repo/", "/home/me/repo", "Read: .");
	want_path("/home/me/repository/x", "/home/me/repo",
		"Read: /home/me/repository/x");
	want_path("/home/me", "/home/me/repo", "Read: /home/me");
	want_path("src/a.c", "/home/me/repo", "Read: src/a.c");
	want_path("/etc/passwd", "/", "Read: etc/passwd");
	want_path("/x", NULL, "Read: /x");
	want_path(NULL, "/x", "Read");
	want_path("", "/x", "Read");
}
END_TEST

START_TEST(line_only)
{
	summary_line(&out, str_of("\n  Find\tthem \nall"));
	ck_assert_is(strbuf_str(&out), "Find them");
	summary_line(&out, str_null());
	ck_assert_uint_eq(out.len, 0);
}
END_TEST

CHECK_MAIN("summary", first_line, no_argument, controls, at_most_120, relative,
	line_only)

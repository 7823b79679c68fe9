#include "config.h"

#include "check-main.h"

#include <string.h>

#include "sandbox/seatbelt.h"

static struct strbuf profile = STRBUF_INIT;
static struct strvec defines = STRVEC_INIT;

static void make(const char *state, const char *denied)
{
	struct strvec deny = STRVEC_INIT;
	struct sandbox_spec spec = {
		.cwd = "/w/repo",
		.state_dir = state,
		.deny_read = &deny,
		.proxy_port = 4711,
	};

	strbuf_reset(&profile);
	strvec_release(&defines);
	if (denied)
		strvec_push(&deny, denied);
	seatbelt_profile(&profile, &defines, &spec);
	strvec_release(&deny);
}

static size_t where(const char *part)
{
	const char *s = strstr(profile.buf, part);

	ck_assert_msg(s != NULL, "no '%s' in '%s'", part, profile.buf);
	return (size_t)(s - profile.buf);
}

START_TEST(parentheses_match)
{
	const char *s;
	int depth = 0;

	make("/s", "/h/.ssh");
	for (s = profile.buf; *s; s++) {
		depth += (*s == '(') - (*s == ')');
		ck_assert_int_ge(depth, 0);
	}
	ck_assert_int_eq(depth, 0);
}
END_TEST

/* The last rule that matches wins. */
START_TEST(denials_come_last)
{
	make("/s", "/w/repo/secret");
	ck_assert_uint_lt(where("(deny default)"), where("(allow file-read*)"));
	ck_assert_uint_lt(where("(subpath (param \"CWD\"))"),
		where("(deny file-write* (subpath (string-append"));
	ck_assert_uint_lt(
		where("(param \"STATE\")"), where("(param \"DENY0\")"));
	ck_assert_uint_lt(
		where("(deny network*)"), where("\"localhost:4711\""));
	ck_assert_int_ge(strvec_find(&defines, "DENY0=/w/repo/secret"), 0);
	ck_assert_int_ge(strvec_find(&defines, "CWD=/w/repo"), 0);
	ck_assert_int_ge(strvec_find(&defines, "STATE=/s"), 0);
}
END_TEST

START_TEST(folders_above_cannot_move)
{
	make(NULL, "/h/me/.config/gh");
	ck_assert_int_ge(strvec_find(&defines, "UP0=/h/me/.config"), 0);
	ck_assert_int_ge(strvec_find(&defines, "UP1=/h/me"), 0);
	ck_assert_int_ge(strvec_find(&defines, "UP2=/h"), 0);
	(void)where("(deny file-write-unlink (literal (param \"UP2\")))");
	ck_assert_ptr_null(strstr(profile.buf, "STATE"));
}
END_TEST

/* No path becomes part of the profile. */
START_TEST(paths_are_parameters)
{
	make(NULL, "/h/a\")) (allow network*) (\"");
	ck_assert_ptr_null(strstr(profile.buf, "/h/a"));
	ck_assert_ptr_null(strstr(profile.buf, "(allow network*)"));
}
END_TEST

CHECK_MAIN("seatbelt", parentheses_match, denials_come_last,
	folders_above_cannot_move, paths_are_parameters)

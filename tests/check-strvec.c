#include "config.h"

#include "base/strvec.h"

#include "base/xalloc.h"

#include "check-main.h"

START_TEST(it_is_an_argv)
{
	struct strvec sv = STRVEC_INIT;
	int i;

	ck_assert_ptr_null(sv.v);
	for (i = 0; i < 1000; i++) {
		strvec_pushf(&sv, "%d", i);
		ck_assert_ptr_null(sv.v[sv.count]);
	}
	ck_assert_uint_eq(sv.count, 1000);
	ck_assert_str_eq(sv.v[999], "999");
	strvec_release(&sv);
	ck_assert_uint_eq(sv.count, 0);
	strvec_release(&sv);
}
END_TEST

START_TEST(it_copies_and_takes)
{
	struct strvec sv = STRVEC_INIT;
	char local[] = "local";
	char *given = xstrdup("given");

	strvec_push(&sv, local);
	strvec_take(&sv, given);
	local[0] = 'X';
	ck_assert_str_eq(sv.v[0], "local");
	ck_assert_ptr_eq(sv.v[1], given);
	strvec_release(&sv);
}
END_TEST

START_TEST(it_finds_and_removes)
{
	struct strvec a = STRVEC_INIT;
	struct strvec b = STRVEC_INIT;

	ck_assert_int_eq(strvec_find(&a, "x"), -1);
	strvec_push(&a, "x");
	strvec_push(&a, "y");
	strvec_push(&a, "x");
	strvec_push_all(&b, &a);
	strvec_remove(&b, 0);
	ck_assert_uint_eq(b.count, 2);
	ck_assert_str_eq(b.v[0], "y");
	ck_assert_int_eq(strvec_find(&b, "x"), 1);
	ck_assert_ptr_null(b.v[2]);
	ck_assert_uint_eq(a.count, 3);
	strvec_release(&a);
	strvec_release(&b);
}
END_TEST

START_TEST(it_is_an_environment)
{
	struct strvec sv = STRVEC_INIT;

	ck_assert_ptr_null(strvec_env_get(&sv, "A"));
	strvec_env_set(&sv, "A", "1");
	strvec_env_set(&sv, "AB", "2");
	strvec_env_set(&sv, "EMPTY", "");
	strvec_env_set(&sv, "A", "x=y");
	ck_assert_uint_eq(sv.count, 3);
	ck_assert_str_eq(sv.v[0], "A=x=y");
	ck_assert_str_eq(strvec_env_get(&sv, "A"), "x=y");
	ck_assert_str_eq(strvec_env_get(&sv, "AB"), "2");
	ck_assert_str_eq(strvec_env_get(&sv, "EMPTY"), "");
	strvec_push(&sv, "A=again");
	strvec_env_unset(&sv, "A");
	ck_assert_ptr_null(strvec_env_get(&sv, "A"));
	ck_assert_str_eq(strvec_env_get(&sv, "AB"), "2");
	strvec_env_unset(&sv, "A");
	strvec_release(&sv);
}
END_TEST

CHECK_MAIN("strvec", it_is_an_argv, it_copies_and_takes, it_finds_and_removes,
	it_is_an_environment)

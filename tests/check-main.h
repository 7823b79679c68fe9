#ifndef AGENTRUN_TESTS_CHECK_MAIN_H
#define AGENTRUN_TESTS_CHECK_MAIN_H

/* check-main: the main function of a unit test.
 *
 * A test file ends with CHECK_MAIN("thing", test_a, test_b, ...), the names
 * of its START_TEST functions. Results go to stdout as TAP; every test runs in
 * a process of its own (CK_FORK=no in the environment: all in one, for
 * valgrind and gdb), in the environment of fresh.h. */
#include <check.h>
#include <locale.h>
#include <stdlib.h>

#include "base/str.h"

#include "fresh.h"

/* Like ck_assert_str_eq, but for a str, NUL bytes included. */
#define ck_assert_mem_is(s, want, want_len)                                  \
	do {                                                                 \
		struct str ck_got = (s);                                     \
		ck_assert_msg(                                               \
			ck_got.ptr &&ck_got.len == (want_len) &&             \
				memcmp(ck_got.ptr, (want), (want_len)) == 0, \
			"got '%.*s', want '%.*s'",                           \
			ck_got.ptr ? (int)ck_got.len : 6,                    \
			ck_got.ptr ? ck_got.ptr : "(null)", (int)(want_len), \
			(const char *)(want));                               \
	} while (0)

#define ck_assert_is(s, want) ck_assert_mem_is(s, want, strlen(want))

static inline int check_main(
	const char *name, const TTest *const *tests, size_t count)
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create(name);
	SRunner *runner;
	size_t i;

	fresh_signals();
	fresh_environment();
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	tcase_set_timeout(tc, 60);
	for (i = 0; i < count; i++)
		tcase_add_test(tc, tests[i]);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	srunner_free(runner);
	/* Failures are in the TAP; a bad status would count as one more. */
	return EXIT_SUCCESS;
}

#define CHECK_MAIN(name, ...)                                         \
	int main(void)                                                \
	{                                                             \
		const TTest *const tests[] = {__VA_ARGS__};           \
                                                                      \
		return check_main(                                    \
			name, tests, sizeof(tests) / sizeof(*tests)); \
	}

#endif

#include "config.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "event/usage.h"
#include "tests/check-main.h"

/* Counts and their sums: what is unknown stays unknown, nothing overflows. */

static const double none = (double)NAN;

START_TEST(unknown_is_not_zero)
{
	struct token_counts c = token_counts_unknown();

	ck_assert(!token_counts_known(&c));
	ck_assert_int_eq(token_counts_context(&c), COUNT_UNKNOWN);
	ck_assert_int_eq(token_counts_in(&c), COUNT_UNKNOWN);
	ck_assert_int_eq(token_counts_total(&c), 0);
	c.cost_usd = 0;
	ck_assert(token_counts_known(&c));
	c = token_counts_unknown();
	c.output = 0;
	ck_assert(token_counts_known(&c));
	ck_assert_int_eq(token_counts_in(&c), COUNT_UNKNOWN);
}
END_TEST

START_TEST(context_needs_all_three)
{
	static const struct {
		struct token_counts c;
		int64_t context;
		int64_t in;
		int64_t total;
	} cases[] = {
		{{3120, 85, 9800, 1200, none}, 14120, 14120, 14205},
		{{5000, 10, 0, -1, none}, COUNT_UNKNOWN, 5000, 5010},
		{{-1, 10, 7, 1, none}, COUNT_UNKNOWN, 8, 18},
		{{1, -1, -1, 1, none}, COUNT_UNKNOWN, 2, 2},
		{{0, 0, 0, 0, none}, 0, 0, 0},
		{{INT64_MAX, INT64_MAX, 1, 1, none}, INT64_MAX, INT64_MAX,
			INT64_MAX},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ck_assert_int_eq(
			token_counts_context(&cases[i].c), cases[i].context);
		ck_assert_int_eq(token_counts_in(&cases[i].c), cases[i].in);
		ck_assert_int_eq(
			token_counts_total(&cases[i].c), cases[i].total);
	}
}
END_TEST

START_TEST(a_sum_adds_what_is_known)
{
	struct token_counts a = token_counts_unknown();
	struct token_counts b = {5, -1, 7, -1, 0.25};

	token_counts_add(&a, &b);
	token_counts_add(&a, &b);
	ck_assert_int_eq(a.input, 10);
	ck_assert_int_eq(a.output, COUNT_UNKNOWN);
	ck_assert_int_eq(a.cache_read, 14);
	ck_assert_int_eq(a.cache_write, COUNT_UNKNOWN);
	ck_assert_double_eq(a.cost_usd, 0.5);
	b = token_counts_unknown();
	token_counts_add(&a, &b);
	ck_assert_int_eq(a.input, 10);
	ck_assert_double_eq(a.cost_usd, 0.5);
}
END_TEST

START_TEST(hostile_numbers_saturate)
{
	struct token_counts a = token_counts_unknown();
	struct token_counts b = {
		INT64_MAX, -77, INT64_MAX - 1, INT64_MIN, HUGE_VAL};

	token_counts_add(&a, &b);
	token_counts_add(&a, &b);
	ck_assert_int_eq(a.input, INT64_MAX);
	ck_assert_int_eq(a.output, COUNT_UNKNOWN);
	ck_assert_int_eq(a.cache_read, INT64_MAX);
	ck_assert_int_eq(a.cache_write, COUNT_UNKNOWN);
	ck_assert(isnan(a.cost_usd));
	b.cost_usd = -1;
	token_counts_add(&a, &b);
	ck_assert(isnan(a.cost_usd));
	b.cost_usd = DBL_MAX;
	token_counts_add(&a, &b);
	token_counts_add(&a, &b);
	ck_assert_double_eq(a.cost_usd, DBL_MAX);
}
END_TEST

START_TEST(models_stand_in_order_of_appearance)
{
	struct usage u;
	struct token_counts c = {1, 2, 3, 4, none};

	usage_init(&u);
	usage_add(&u, str_of("b"), &c);
	usage_add(&u, str_null(), &c);
	usage_add(&u, str_of("a"), &c);
	usage_add(&u, str_of("b"), &c);
	usage_add(&u, str_of("unknown"), &c);
	ck_assert_int_eq(u.count, 3);
	ck_assert_str_eq(u.models[0].model, "b");
	ck_assert_str_eq(u.models[1].model, "unknown");
	ck_assert_str_eq(u.models[2].model, "a");
	ck_assert_int_eq(u.models[0].counts.input, 2);
	ck_assert_int_eq(u.models[1].counts.output, 4);
	ck_assert_int_eq(u.sum.cache_write, 20);
	ck_assert(isnan(u.sum.cost_usd));
	usage_release(&u);
}
END_TEST

START_TEST(a_nul_in_a_model_is_part_of_it)
{
	struct usage u;
	struct token_counts c = {1, 1, 1, 1, none};

	usage_init(&u);
	usage_add(&u, (struct str){"m\0x", 3}, &c);
	usage_add(&u, (struct str){"m\0y", 3}, &c);
	usage_add(&u, str_of("m"), &c);
	ck_assert_int_eq(u.count, 3);
	ck_assert_int_eq(u.models[1].model_len, 3);
	usage_release(&u);
}
END_TEST

/* A look through all names for each call would take minutes here. */
START_TEST(many_models_are_found_quickly)
{
	struct usage u;
	struct token_counts c = {1, 0, 0, 0, none};
	char name[32];

	usage_init(&u);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 100000; i++) {
			snprintf(name, sizeof(name), "model-%d", i);
			usage_add(&u, str_of(name), &c);
		}
	}
	ck_assert_int_eq(u.count, 100000);
	ck_assert_int_eq(u.models[99999].counts.input, 2);
	ck_assert_str_eq(u.models[500].model, "model-500");
	ck_assert_int_eq(u.sum.input, 200000);
	usage_release(&u);
}
END_TEST

START_TEST(a_reset_forgets)
{
	struct usage u;
	struct token_counts c = {1, 2, 3, 4, 0.5};

	usage_init(&u);
	usage_add(&u, str_of("old"), &c);
	usage_reset(&u);
	ck_assert_int_eq(u.count, 0);
	ck_assert(!token_counts_known(&u.sum));
	usage_add(&u, str_of("new"), &c);
	ck_assert_int_eq(u.count, 1);
	ck_assert_str_eq(u.models[0].model, "new");
	usage_release(&u);
}
END_TEST

CHECK_MAIN("usage", unknown_is_not_zero, context_needs_all_three,
	a_sum_adds_what_is_known, hostile_numbers_saturate,
	models_stand_in_order_of_appearance, a_nul_in_a_model_is_part_of_it,
	many_models_are_found_quickly, a_reset_forgets)

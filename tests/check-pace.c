#include "config.h"

#include "view/pace.h"

#include "check-main.h"

START_TEST(at_once_without_a_speed)
{
	struct pace p;

	pace_init(&p, 0);
	ck_assert_int_eq(pace_delay(&p, 1000, 5), 0);
	ck_assert_int_eq(pace_delay(&p, 1000, INT64_MAX), 0);
	pace_pause(&p, 1000, true);
	ck_assert_int_eq(pace_delay(&p, 1000, 5), -1);
}
END_TEST

START_TEST(events_keep_their_distance)
{
	struct pace p;

	pace_init(&p, 2);
	ck_assert_int_eq(pace_delay(&p, 1000, 50000), 0);
	/* 400 ms at twice the speed; a started millisecond counts */
	ck_assert_int_eq(pace_delay(&p, 1000, 50400), 201);
	ck_assert_int_eq(pace_delay(&p, 1150, 50400), 51);
	ck_assert_int_eq(pace_delay(&p, 1200, 50400), 0);
	ck_assert_int_eq(pace_delay(&p, 9000, 50400), 0);
	/* a time that runs back */
	ck_assert_int_eq(pace_delay(&p, 1200, 10), 0);
}
END_TEST

START_TEST(a_pause_keeps_the_place)
{
	struct pace p;

	pace_init(&p, 1);
	ck_assert_int_eq(pace_delay(&p, 0, 0), 0);
	ck_assert_int_eq(pace_delay(&p, 100, 1000), 901);
	pace_pause(&p, 100, true);
	ck_assert_int_eq(pace_delay(&p, 5000, 1000), -1);
	pace_pause(&p, 8000, false);
	ck_assert_int_eq(pace_delay(&p, 8000, 1000), 901);
	pace_set_speed(&p, 8400, 2);
	ck_assert_int_eq(pace_delay(&p, 8400, 1000), 251);
}
END_TEST

START_TEST(a_jump_goes_on_from_there)
{
	struct pace p;

	pace_init(&p, 1);
	ck_assert_int_eq(pace_delay(&p, 0, 0), 0);
	pace_jump(&p, 10, 60000);
	ck_assert_int_eq(pace_delay(&p, 10, 60100), 101);
}
END_TEST

START_TEST(any_time_and_speed_will_do)
{
	struct pace p;

	pace_init(&p, 1e300);
	ck_assert_double_eq(p.speed, PACE_SPEED_MAX);
	pace_set_speed(&p, 0, 1e-300);
	ck_assert_double_eq(p.speed, PACE_SPEED_MIN);
	pace_set_speed(&p, 0, -1);
	ck_assert_double_eq(p.speed, 0);
	pace_set_speed(&p, 0, 1);
	ck_assert_int_eq(pace_delay(&p, 0, INT64_MIN), 0);
	ck_assert_int_eq(pace_delay(&p, 0, INT64_MAX), 3600000);
	pace_jump(&p, 0, INT64_MAX);
	pace_pause(&p, 1000, true);
	pace_pause(&p, 2000, false);
	ck_assert_int_eq(pace_delay(&p, 2000, 0), 0);
}
END_TEST

CHECK_MAIN("pace", at_once_without_a_speed, events_keep_their_distance,
	a_pause_keeps_the_place, a_jump_goes_on_from_there,
	any_time_and_speed_will_do)

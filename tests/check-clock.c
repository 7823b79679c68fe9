#include "config.h"

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

#include "check-main.h"

START_TEST(times_are_written)
{
	static const struct {
		int64_t ms;
		const char *want;
	} cases[] = {
		{0, "1970-01-01T00:00:00.000Z"},
		{-1, "1969-12-31T23:59:59.999Z"},
		{INT64_C(1791118800850), "2026-10-04T13:00:00.850Z"},
		{INT64_C(951782400000), "2000-02-29T00:00:00.000Z"},
		{INT64_C(951868800000), "2000-03-01T00:00:00.000Z"},
		{INT64_C(4107542399999), "2100-02-28T23:59:59.999Z"},
		{INT64_C(4107542400000), "2100-03-01T00:00:00.000Z"},
		{INT64_C(-62167219200000), "0000-01-01T00:00:00.000Z"},
		{INT64_C(-62167219200001), "0000-01-01T00:00:00.000Z"},
		{INT64_MIN, "0000-01-01T00:00:00.000Z"},
		{INT64_C(253402300799999), "9999-12-31T23:59:59.999Z"},
		{INT64_MAX, "9999-12-31T23:59:59.999Z"},
	};
	char out[CLOCK_TIME_LEN + 1];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		clock_format(cases[i].ms, out);
		ck_assert_str_eq(out, cases[i].want);
	}
}
END_TEST

START_TEST(every_day_comes_back)
{
	const int64_t step = INT64_C(86400000);
	char before[CLOCK_TIME_LEN + 1] = "";
	char out[CLOCK_TIME_LEN + 1];
	bool good = true;
	int64_t ms;
	int64_t back;

	/* One assertion at the end: each one costs a write. */
	for (ms = INT64_C(-62167219200000);
		good && ms < INT64_C(253402300800000); ms += step) {
		clock_format(ms + 43210987, out);
		good = strcmp(out, before) > 0 &&
		       clock_parse(out, CLOCK_TIME_LEN, &back) == 0 &&
		       back == ms + 43210987;
		memcpy(before, out, sizeof(out));
	}
	ck_assert_msg(good, "wrong: %s", out);
}
END_TEST

START_TEST(any_rfc3339_time_is_read)
{
	static const struct {
		const char *text;
		int64_t want;
	} cases[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"1970-01-01t00:00:00z", 0},
		{"1970-01-01 00:00:00Z", 0},
		{"1970-01-01T00:00:00.5Z", 500},
		{"1970-01-01T00:00:00.123999999999999999999Z", 123},
		{"1970-01-01T01:00:00+01:00", 0},
		{"1969-12-31T19:30:00-04:30", 0},
		{"1970-01-01T00:00:00-00:00", 0},
		{"2016-12-31T23:59:60Z", INT64_C(1483228800000)},
		{"2024-02-29T12:00:00Z", INT64_C(1709208000000)},
	};
	size_t i;
	int64_t ms;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ck_assert_msg(clock_parse(cases[i].text, strlen(cases[i].text),
				      &ms) == 0,
			"not read: %s", cases[i].text);
		ck_assert_int_eq(ms, cases[i].want);
	}
}
END_TEST

START_TEST(nothing_else_is_read)
{
	static const char *const bad[] = {"", "2026", "2026-10-04",
		"2026-10-04T13:00:00", "2026-10-04T13:00Z",
		"2026-10-04T13:00:00.Z", "2026-10-04T13:00:00,5Z",
		"2026-10-04T13:00:00Z ", " 2026-10-04T13:00:00Z",
		"2026-13-04T13:00:00Z", "2026-00-04T13:00:00Z",
		"2026-02-29T13:00:00Z", "2026-10-32T13:00:00Z",
		"2026-10-00T13:00:00Z", "2026-10-04T24:00:00Z",
		"2026-10-04T13:60:00Z", "2026-10-04T13:00:61Z",
		"2026-10-04T13:00:00+1:00", "2026-10-04T13:00:00+24:00",
		"2026-10-04T13:00:00+01:60", "2026-10-04T13:00:00+0100",
		"26-10-04T13:00:00Z", "-026-10-04T13:00:00Z",
		"2026-10-04T13:00:00Zulu", "1900-02-29T00:00:00Z"};
	int64_t ms = 77;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(clock_parse(bad[i], strlen(bad[i]), &ms) == -1,
			"read: %s", bad[i]);
	ck_assert_int_eq(clock_parse("1970-01-01T00:00:00Z\0", 21, &ms), -1);
	ck_assert_int_eq(ms, 77);
}
END_TEST

START_TEST(the_system_has_both_clocks)
{
	int64_t mono = clock_system.mono_ms(clock_system.arg);

	ck_assert_int_ge(clock_system.mono_ms(clock_system.arg), mono);
	/* After 2020. */
	ck_assert_int_gt(
		clock_system.wall_ms(clock_system.arg), INT64_C(1577836800000));
}
END_TEST

CHECK_MAIN("clock", times_are_written, every_day_comes_back,
	any_rfc3339_time_is_read, nothing_else_is_read,
	the_system_has_both_clocks)

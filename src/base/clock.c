#include "config.h"

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define MS_PER_DAY INT64_C(86400000)

static int64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int64_t system_mono(void *arg)
{
	(void)arg;
	return read_clock(CLOCK_MONOTONIC);
}

static int64_t system_wall(void *arg)
{
	(void)arg;
	return read_clock(CLOCK_REALTIME);
}

const struct clock clock_system = {system_mono, system_wall, NULL};

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int month_days(int year, int month)
{
	static const int days[] = {
		31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 1970-01-01 to the first of January of YEAR (0..10000). */
static int64_t year_days(int year)
{
	int64_t before = (int64_t)year - 1; /* the last complete year */

	if (year == 0)
		return -719528;
	return before * 365 + before / 4 - before / 100 + before / 400 - 719162;
}

/* By hand: every event has a time, and snprintf cannot know that the numbers
 * are small enough for the buffer. */
static char *put_number(char *p, int n, int digits)
{
	int i;

	for (i = digits - 1; i >= 0; i--) {
		p[i] = (char)('0' + n % 10);
		n /= 10;
	}
	return p + digits;
}

void clock_format(int64_t wall_ms, char out[CLOCK_TIME_LEN + 1])
{
	const int64_t first = year_days(0) * MS_PER_DAY;
	const int64_t last = year_days(10000) * MS_PER_DAY - 1;
	int64_t days;
	int year;
	int month = 1;
	int ms;
	char *p = out;

	if (wall_ms < first)
		wall_ms = first;
	if (wall_ms > last)
		wall_ms = last;
	days = (wall_ms - first) / MS_PER_DAY + year_days(0);
	ms = (int)(wall_ms - days * MS_PER_DAY);
	/* 146097 days are 400 years; the guess is at most one too far. */
	year = (int)((days - year_days(0)) * 400 / 146097);
	if (days < year_days(year))
		year--;
	else if (days >= year_days(year + 1))
		year++;
	days -= year_days(year);
	while (days >= month_days(year, month))
		days -= month_days(year, month++);

	p = put_number(p, year, 4);
	*p++ = '-';
	p = put_number(p, month, 2);
	*p++ = '-';
	p = put_number(p, (int)days + 1, 2);
	*p++ = 'T';
	p = put_number(p, ms / 3600000, 2);
	*p++ = ':';
	p = put_number(p, ms / 60000 % 60, 2);
	*p++ = ':';
	p = put_number(p, ms / 1000 % 60, 2);
	*p++ = '.';
	p = put_number(p, ms % 1000, 3);
	*p++ = 'Z';
	*p = '\0';
}

/* A text that is read from left to right. */
struct reader {
	const char *s;
	const char *end;
};

/* Exactly DIGITS digits with a value in LOW..HIGH, or -1. */
static int read_number(struct reader *r, int digits, int low, int high)
{
	int n = 0;

	if (r->end - r->s < digits)
		return -1;
	while (digits-- > 0) {
		if (*r->s < '0' || *r->s > '9')
			return -1;
		n = n * 10 + (*r->s++ - '0');
	}
	return n < low || n > high ? -1 : n;
}

/* One of the characters SET. */
static bool read_one(struct reader *r, const char *set)
{
	if (r->s == r->end)
		return false;
	for (; *set; set++) {
		if (*r->s == *set) {
			r->s++;
			return true;
		}
	}
	return false;
}

/* The digits behind the point, in milliseconds, cut off; -1 without any. */
static int read_fraction(struct reader *r)
{
	int scale = 100;
	int ms = 0;

	if (r->s == r->end || *r->s < '0' || *r->s > '9')
		return -1;
	for (; r->s < r->end && *r->s >= '0' && *r->s <= '9'; r->s++) {
		ms += (*r->s - '0') * scale;
		scale /= 10;
	}
	return ms;
}

/* Z or +HH:MM, in minutes. Returns 0 or -1. */
static int read_offset(struct reader *r, int *minutes)
{
	int sign;
	int hour;
	int minute;

	*minutes = 0;
	if (read_one(r, "Zz"))
		return 0;
	sign = r->s < r->end && *r->s == '-' ? -1 : 1;
	if (!read_one(r, "+-"))
		return -1;
	hour = read_number(r, 2, 0, 23);
	if (hour < 0 || !read_one(r, ":"))
		return -1;
	minute = read_number(r, 2, 0, 59);
	if (minute < 0)
		return -1;
	*minutes = sign * (hour * 60 + minute);
	return 0;
}

static int read_date(struct reader *r, int64_t *days)
{
	int year;
	int month;
	int day;
	int m;

	year = read_number(r, 4, 0, 9999);
	if (year < 0 || !read_one(r, "-"))
		return -1;
	month = read_number(r, 2, 1, 12);
	if (month < 0 || !read_one(r, "-"))
		return -1;
	day = read_number(r, 2, 1, month_days(year, month));
	if (day < 0)
		return -1;
	*days = year_days(year) + day - 1;
	for (m = 1; m < month; m++)
		*days += month_days(year, m);
	return 0;
}

int clock_parse(const char *s, size_t len, int64_t *wall_ms)
{
	struct reader r = {s, s + len};
	int64_t days;
	int hour;
	int minute;
	int second;
	int offset;
	int ms = 0;

	if (read_date(&r, &days) < 0 || !read_one(&r, "Tt "))
		return -1;
	hour = read_number(&r, 2, 0, 23);
	if (hour < 0 || !read_one(&r, ":"))
		return -1;
	minute = read_number(&r, 2, 0, 59);
	if (minute < 0 || !read_one(&r, ":"))
		return -1;
	second = read_number(&r, 2, 0, 60); /* 60: a leap second */
	if (second < 0)
		return -1;
	if (read_one(&r, "."))
		ms = read_fraction(&r);
	if (ms < 0 || read_offset(&r, &offset) < 0 || r.s != r.end)
		return -1;
	*wall_ms =
		days * MS_PER_DAY +
		((int64_t)(hour * 60 + minute - offset) * 60 + second) * 1000 +
		ms;
	return 0;
}

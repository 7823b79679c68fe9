#ifndef AGENTRUN_BASE_CLOCK_H
#define AGENTRUN_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* clock: the two clocks of the program behind one struct, so that tests put
 * their own in. Durations come from mono, `time` fields from wall. */
struct clock {
	int64_t (*mono_ms)(void *arg); /* CLOCK_MONOTONIC, milliseconds */
	int64_t (*wall_ms)(void *arg); /* ms since 1970-01-01T00:00:00Z */
	void *arg;
};

extern const struct clock clock_system;

#define CLOCK_TIME_LEN 24 /* "2026-10-04T13:00:00.000Z" */

/* RFC 3339, UTC, milliseconds; years outside 0000..9999 are clamped. */
void clock_format(int64_t wall_ms, char out[CLOCK_TIME_LEN + 1]);

/* Reads any RFC 3339 time into *WALL_MS. Returns 0 or -1. */
int clock_parse(const char *s, size_t len, int64_t *wall_ms);

#endif

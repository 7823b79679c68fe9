#ifndef AGENTRUN_UI_ROWS_H
#define AGENTRUN_UI_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* rows: how many screen rows each line of a doc takes; 0 for a line that is not
 * shown. Sums per block make every search short. Zeroed storage is empty.
 *
 * A number may be rough, a guess that is made exact before the line comes near
 * the screen: then a million lines need not be looked at for a new width. */
struct rows {
	uint32_t *v; /* with ROWS_ROUGH */
	size_t count;
	size_t cap;
	uint64_t *sums; /* per ROWS_BLOCK lines */
	size_t sums_cap;
	uint64_t total;
};

#define ROWS_BLOCK 256
#define ROWS_NONE SIZE_MAX
#define ROWS_ROUGH ((uint32_t)1 << 31)

static inline uint32_t rows_of(const struct rows *r, size_t line)
{
	return r->v[line] & ~ROWS_ROUGH;
}

static inline bool rows_is_rough(const struct rows *r, size_t line)
{
	return r->v[line] & ROWS_ROUGH;
}

void rows_release(struct rows *r);
void rows_clear(struct rows *r); /* memory kept */

/* Sets LINE to N, perhaps with ROWS_ROUGH; LINE == count appends it. */
void rows_put(struct rows *r, size_t line, uint32_t n);

/* The line that holds row ROW < total; *IN is the row inside that line. */
size_t rows_find(const struct rows *r, uint64_t row, uint32_t *in);

/* Rows before LINE <= count. */
uint64_t rows_before(const struct rows *r, size_t line);

/* The first shown line at or after LINE, the last one at or before LINE;
 * ROWS_NONE if there is none. */
size_t rows_next(const struct rows *r, size_t line);
size_t rows_prev(const struct rows *r, size_t line);

#endif

#include "config.h"

#include "ui/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void rows_release(struct rows *r)
{
	free(r->v);
	free(r->sums);
	memset(r, 0, sizeof(*r));
}

void rows_clear(struct rows *r)
{
	r->count = 0;
	r->total = 0;
}

void rows_put(struct rows *r, size_t line, uint32_t n)
{
	size_t block = line / ROWS_BLOCK;
	uint32_t was;
	uint32_t now;

	if (line == r->count) {
		if (line == r->cap) {
			r->cap += r->cap / 2 + 64;
			r->v = xreallocarray(r->v, r->cap, sizeof(*r->v));
		}
		if (block == r->sums_cap) {
			r->sums_cap += r->sums_cap / 2 + 4;
			r->sums = xreallocarray(
				r->sums, r->sums_cap, sizeof(*r->sums));
		}
		if (line % ROWS_BLOCK == 0)
			r->sums[block] = 0;
		r->v[line] = 0;
		r->count++;
	}
	was = rows_of(r, line);
	now = n & ~ROWS_ROUGH;
	r->sums[block] += (uint64_t)now - was;
	r->total += (uint64_t)now - was;
	r->v[line] = n;
}

size_t rows_find(const struct rows *r, uint64_t row, uint32_t *in)
{
	size_t block = 0;
	size_t line;

	while (row >= r->sums[block])
		row -= r->sums[block++];
	line = block * ROWS_BLOCK;
	while (row >= rows_of(r, line))
		row -= rows_of(r, line++);
	*in = (uint32_t)row;
	return line;
}

uint64_t rows_before(const struct rows *r, size_t line)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < line / ROWS_BLOCK; i++)
		n += r->sums[i];
	for (i *= ROWS_BLOCK; i < line; i++)
		n += rows_of(r, i);
	return n;
}

size_t rows_next(const struct rows *r, size_t line)
{
	while (line < r->count) {
		if (line % ROWS_BLOCK == 0 && !r->sums[line / ROWS_BLOCK])
			line += ROWS_BLOCK;
		else if (rows_of(r, line))
			return line;
		else
			line++;
	}
	return ROWS_NONE;
}

size_t rows_prev(const struct rows *r, size_t line)
{
	if (!r->count)
		return ROWS_NONE;
	if (line >= r->count)
		line = r->count - 1;
	for (;;) {
		if (rows_of(r, line))
			return line;
		if (line % ROWS_BLOCK == ROWS_BLOCK - 1 &&
			!r->sums[line / ROWS_BLOCK])
			line -= ROWS_BLOCK - 1;
		if (!line)
			return ROWS_NONE;
		line--;
	}
}

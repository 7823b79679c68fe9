#ifndef AGENTRUN_BASE_ARENA_H
#define AGENTRUN_BASE_ARENA_H

#include <stdalign.h>
#include <stddef.h>

/* arena: memory that is given back all at once.
 *
 * The line arena is reset after each input line; the JSON tree of the line and
 * the records that point into it live exactly that long. */
struct arena_block;

struct arena {
	struct arena_block *head; /* the block that is being filled */
	char *next;
	char *end;
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);

/* Forgets everything that was given out. Keeps one ordinary block; blocks for
 * big objects are freed, so that one long line does not hold its memory. */
void arena_reset(struct arena *a);

/* SIZE bytes, aligned for any object, not cleared. Never NULL. */
void *arena_alloc_slow(struct arena *a, size_t size);

static inline void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	size_t room = (size_t)(a->end - a->next);
	char *p = a->next;

	if (size > room || room - size < align)
		return arena_alloc_slow(a, size);
	a->next += (size + align - 1) & ~(align - 1);
	return p;
}

/* A copy of LEN bytes of S with a NUL behind them. */
char *arena_copy(struct arena *a, const char *s, size_t len);

#endif

#include "config.h"

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define BLOCK_SIZE ((size_t)64 << 10)

struct arena_block {
	struct arena_block *next;
	size_t size; /* of data */
	alignas(max_align_t) char data[];
};

void arena_init(struct arena *a)
{
	a->head = NULL;
	a->next = NULL;
	a->end = NULL;
}

void arena_release(struct arena *a)
{
	struct arena_block *b = a->head;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	arena_init(a);
}

void arena_reset(struct arena *a)
{
	struct arena_block *keep = NULL;
	struct arena_block *b = a->head;

	while (b) {
		struct arena_block *next = b->next;

		if (!keep && b->size == BLOCK_SIZE)
			keep = b;
		else
			free(b);
		b = next;
	}
	arena_init(a);
	if (keep) {
		keep->next = NULL;
		a->head = keep;
		a->next = keep->data;
		a->end = keep->data + keep->size;
	}
}

static struct arena_block *block_new(struct arena *a, size_t size)
{
	struct arena_block *b = xmalloc(sizeof(*b) + size);

	b->size = size;
	b->next = a->head;
	a->head = b;
	return b;
}

void *arena_alloc_slow(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *b;
	char *p;

	if (size > SIZE_MAX / 2)
		xreallocarray(NULL, SIZE_MAX, 2); /* reports and ends */
	size = (size + align - 1) & ~(align - 1);
	if (a->next && size <= (size_t)(a->end - a->next)) {
		p = a->next;
		a->next += size;
		return p;
	}
	if (size > BLOCK_SIZE / 4) {
		/* a block of its own; the one being filled stays in use */
		b = block_new(a, size);
		return b->data;
	}
	b = block_new(a, BLOCK_SIZE);
	a->next = b->data + size;
	a->end = b->data + BLOCK_SIZE;
	return b->data;
}

char *arena_copy(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

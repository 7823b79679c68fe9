#include "config.h"

#include "event/seen.h"

#include <stdlib.h>

#include "base/strmap.h"
#include "base/xalloc.h"

#define SEEN_CAP_MIN 64

void seen_init(struct seen *s)
{
	*s = (struct seen){0};
	strmap_seed(s->seed);
}

void seen_release(struct seen *s)
{
	free(s->now);
	free(s->old);
	*s = (struct seen){0};
}

static uint64_t fingerprint(const struct seen *s, struct str a, struct str b)
{
	uint64_t seed[2] = {s->seed[0], s->seed[1]};
	uint64_t hash;

	if (a.ptr)
		seed[0] ^= strmap_hash(s->seed, a.ptr, a.len);
	hash = strmap_hash(seed, b.ptr ? b.ptr : "", b.len);
	return hash ? hash : 1;
}

/* The index of HASH, or of the free slot where it would go. */
static size_t find(const uint64_t *slots, size_t cap, uint64_t hash)
{
	size_t i = hash & (cap - 1);

	while (slots[i] && slots[i] != hash)
		i = (i + 1) & (cap - 1);
	return i;
}

static bool holds(const uint64_t *slots, size_t cap, uint64_t hash)
{
	return cap && slots[find(slots, cap, hash)] == hash;
}

bool seen_has(const struct seen *s, struct str a, struct str b)
{
	uint64_t hash = fingerprint(s, a, b);

	return holds(s->now, s->now_cap, hash) ||
	       holds(s->old, s->old_cap, hash);
}

static void grow(struct seen *s)
{
	size_t cap = s->now_cap ? s->now_cap * 2 : SEEN_CAP_MIN;
	uint64_t *slots = xcalloc(cap, sizeof(*slots));

	for (size_t i = 0; i < s->now_cap; i++)
		if (s->now[i])
			slots[find(slots, cap, s->now[i])] = s->now[i];
	free(s->now);
	s->now = slots;
	s->now_cap = cap;
}

void seen_add(struct seen *s, struct str a, struct str b)
{
	uint64_t hash = fingerprint(s, a, b);

	if (holds(s->now, s->now_cap, hash))
		return;
	if (s->count == SEEN_MAX) {
		free(s->old);
		s->old = s->now;
		s->old_cap = s->now_cap;
		s->now = NULL;
		s->now_cap = 0;
		s->count = 0;
	}
	if (s->count + 1 > s->now_cap / 2)
		grow(s);
	s->now[find(s->now, s->now_cap, hash)] = hash;
	s->count++;
}

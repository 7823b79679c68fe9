#ifndef AGENTRUN_EVENT_SEEN_H
#define AGENTRUN_EVENT_SEEN_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* seen: remembers names that are over, so that they are ignored when they come
 * again, in bounded memory.
 *
 * A name is a pair of strings. Only a 64-bit hash with a random seed is kept:
 * two names that collide (one in 2^47 for a full set) count as one. The newest
 * SEEN_MAX names, by when they were added last, are always known; of the older
 * ones up to SEEN_MAX more; what is older still is forgotten and counts as new.
 * At most 2 MiB. */
#define SEEN_MAX ((size_t)1 << 16)

struct seen {
	uint64_t *now; /* hash table, 0 is a free slot */
	uint64_t *old; /* the full generation before it */
	size_t now_cap;
	size_t old_cap;
	size_t count; /* in now */
	uint64_t seed[2];
};

void seen_init(struct seen *s);
void seen_release(struct seen *s);
bool seen_has(const struct seen *s, struct str a, struct str b);
void seen_add(struct seen *s, struct str a, struct str b);

#endif

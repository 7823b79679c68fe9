#ifndef AGENTRUN_BASE_STRMAP_H
#define AGENTRUN_BASE_STRMAP_H

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

/* strmap: finds an object by a string.
 *
 * Keys come from outside, so the hash (SipHash-1-3) has a random seed for each
 * map: no stream can make the look-ups slow. The key is borrowed: it lives in
 * the object and stays valid as long as the entry. Objects are not owned. */
struct strmap_slot {
	uint64_t hash;
	struct str key;
	void *value; /* NULL: the slot is free */
};

struct strmap {
	struct strmap_slot *slots;
	size_t cap; /* a power of two, or 0 while nothing was put */
	size_t count;
	uint64_t seed[2];
};

void strmap_init(struct strmap *m);
void strmap_release(struct strmap *m);

/* The object of KEY, or NULL. */
void *strmap_get(const struct strmap *m, struct str key);

/* Adds VALUE (not NULL) under KEY, which must not be there yet. */
void strmap_put(struct strmap *m, struct str key, void *value);

/* Takes the entry out and returns its object; NULL if there was none. */
void *strmap_remove(struct strmap *m, struct str key);

/* A fresh seed, and the hash by itself. */
void strmap_seed(uint64_t seed[2]);
uint64_t strmap_hash(const uint64_t seed[2], const char *data, size_t len);

#endif

#include "config.h"

#include "base/strmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"

#define STRMAP_CAP_MIN 16

static inline uint64_t rotl(uint64_t x, int n)
{
	return (x << n) | (x >> (64 - n));
}

static inline void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[0] = rotl(v[0], 32);
	v[2] += v[3];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

uint64_t strmap_hash(const uint64_t seed[2], const char *data, size_t len)
{
	uint64_t v[4] = {seed[0] ^ UINT64_C(0x736f6d6570736575),
		seed[1] ^ UINT64_C(0x646f72616e646f6d),
		seed[0] ^ UINT64_C(0x6c7967656e657261),
		seed[1] ^ UINT64_C(0x7465646279746573)};
	uint64_t word;
	uint64_t tail = (uint64_t)len << 56;
	size_t i;

	for (i = 0; len - i >= 8; i += 8) {
		memcpy(&word, data + i, 8);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	word = 0;
	if (i < len)
		memcpy(&word, data + i, len - i);
	/* The length stands in the last byte, which the rest never reaches. */
	word ^= tail;
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
	v[2] ^= 0xff;
	sip_round(v);
	sip_round(v);
	sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void strmap_seed(uint64_t seed[2])
{
	struct timespec now = {0, 0};

	if (getentropy(seed, 2 * sizeof(seed[0])) == 0)
		return;
	/* An old kernel: a guess is better than a constant. */
	clock_gettime(CLOCK_REALTIME, &now);
	seed[0] = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec;
	seed[1] = (uint64_t)(uintptr_t)seed ^ (uint64_t)getpid() << 40;
}

void strmap_init(struct strmap *m)
{
	m->slots = NULL;
	m->cap = 0;
	m->count = 0;
	strmap_seed(m->seed);
}

void strmap_release(struct strmap *m)
{
	free(m->slots);
	m->slots = NULL;
	m->cap = 0;
	m->count = 0;
}

/* The slot of KEY, or the free one where it would go. There always is a free
 * slot, because the map never gets more than three quarters full. */
static struct strmap_slot *find(
	const struct strmap *m, struct str key, uint64_t hash)
{
	size_t i = hash & (m->cap - 1);

	while (m->slots[i].value &&
		!(m->slots[i].hash == hash && str_eq(m->slots[i].key, key)))
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

static void resize(struct strmap *m, size_t cap)
{
	struct strmap_slot *old = m->slots;
	size_t n = m->cap;

	m->slots = xcalloc(cap, sizeof(*m->slots));
	m->cap = cap;
	for (size_t i = 0; i < n; i++) {
		size_t j = old[i].hash & (cap - 1);

		if (!old[i].value)
			continue;
		while (m->slots[j].value)
			j = (j + 1) & (cap - 1);
		m->slots[j] = old[i];
	}
	free(old);
}

void *strmap_get(const struct strmap *m, struct str key)
{
	if (!m->count || !key.ptr)
		return NULL;
	return find(m, key, strmap_hash(m->seed, key.ptr, key.len))->value;
}

void strmap_put(struct strmap *m, struct str key, void *value)
{
	uint64_t hash = strmap_hash(m->seed, key.ptr, key.len);

	if (!m->cap)
		resize(m, STRMAP_CAP_MIN);
	else if (m->count + 1 > m->cap - m->cap / 4)
		resize(m, m->cap * 2);
	*find(m, key, hash) = (struct strmap_slot){hash, key, value};
	m->count++;
}

void *strmap_remove(struct strmap *m, struct str key)
{
	struct strmap_slot *slot;
	size_t hole;
	size_t mask = m->cap - 1;
	void *value;

	if (!m->count || !key.ptr)
		return NULL;
	slot = find(m, key, strmap_hash(m->seed, key.ptr, key.len));
	value = slot->value;
	if (!value)
		return NULL;
	/* Close the gap: whatever was pushed behind it moves up. */
	hole = (size_t)(slot - m->slots);
	for (size_t i = (hole + 1) & mask; m->slots[i].value;
		i = (i + 1) & mask) {
		size_t home = m->slots[i].hash & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].value = NULL;
	m->count--;
	if (m->cap > STRMAP_CAP_MIN && m->count < m->cap / 8)
		resize(m, m->cap / 2);
	return value;
}

#ifndef AGENTRUN_BASE_SCAN_H
#define AGENTRUN_BASE_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* scan: looks at eight bytes at once, for the loops that see every byte of the
 * stream. A mark is a word that has the high bit of each byte that fits; a byte
 * above one that fits may be marked wrongly, so only "none at all" and the
 * lowest mark can be trusted. */
#define SCAN_STEP sizeof(uint64_t)
#define SCAN_ONES UINT64_C(0x0101010101010101)
#define SCAN_HIGH (SCAN_ONES << 7)

static inline uint64_t scan_load(const char *s)
{
	uint64_t w;

	memcpy(&w, s, sizeof(w));
	return w;
}

/* Bytes equal to C. */
static inline uint64_t scan_byte(uint64_t w, unsigned char c)
{
	uint64_t x = w ^ (SCAN_ONES * c);

	return (x - SCAN_ONES) & ~x & SCAN_HIGH;
}

/* Bytes below N, at most 0x80. */
static inline uint64_t scan_below(uint64_t w, unsigned char n)
{
	return (w - SCAN_ONES * n) & ~w & SCAN_HIGH;
}

/* Bytes that are not ASCII. */
static inline uint64_t scan_high(uint64_t w)
{
	return w & SCAN_HIGH;
}

/* What cannot stand in a JSON string as it is. */
static inline int scan_is_special(char c)
{
	return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

/* The length of the part of S before the first of these. */
static inline size_t scan_plain(const char *s, size_t len)
{
	size_t i = 0;

	for (; len - i >= SCAN_STEP; i += SCAN_STEP) {
		uint64_t w = scan_load(s + i);

		if (scan_below(w, 0x20) | scan_byte(w, '"') |
			scan_byte(w, '\\'))
			break;
	}
	while (i < len && !scan_is_special(s[i]))
		i++;
	return i;
}

#endif

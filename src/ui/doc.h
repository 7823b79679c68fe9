#ifndef AGENTRUN_UI_DOC_H
#define AGENTRUN_UI_DOC_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* doc: the store of logical lines, made for a million of them.
 *
 * All bytes stand in one growing buffer (growing it moves pages, not bytes) and
 * a line costs four more: its length and whether it is plain ASCII. Where a
 * line begins is found from marks every DOC_BLOCK lines. Text is cleaned before
 * it enters (utf8_display), tabs kept; lines hold no '\n'. */
#define DOC_BLOCK 256

struct doc {
	char *buf;
	size_t len;
	size_t cap;
	uint32_t *lens; /* low bit: plain ASCII without tabs */
	size_t count;
	size_t lens_cap;
	size_t *marks; /* offset of line i * DOC_BLOCK */
	size_t marks_cap;
};

void doc_release(struct doc *d); /* zeroed storage is an empty doc */

/* Appends one line. */
void doc_add(struct doc *d, const char *s, size_t len);

/* Line I < count, borrowed until the next doc_add. */
struct str doc_line(const struct doc *d, size_t i);
bool doc_is_ascii(const struct doc *d, size_t i);

/* Walking: the offset of line I in buf, and a line's length. */
size_t doc_offset(const struct doc *d, size_t i);

static inline size_t doc_len(const struct doc *d, size_t i)
{
	return d->lens[i] >> 1;
}

#endif

#ifndef AGENTRUN_UI_DOC_H
#define AGENTRUN_UI_DOC_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* doc: the store of logical lines, made for a million of them.
 *
 * All bytes stand in one growing buffer (growing it moves pages, not bytes) and
 * a line costs eight more. Where a line begins is found from marks every
 * DOC_BLOCK lines. The styles of a line, if it has any, stand in an array of
 * their own. Text is cleaned before it enters (utf8_display), tabs kept; lines
 * hold no '\n'. */
#define DOC_BLOCK 256

/* The bytes FROM..TO-1 of a line have STYLE (style.h). The spans of a line are
 * in order and do not overlap. */
struct span {
	uint32_t from;
	uint32_t to;
	uint32_t style;
};

struct doc_entry {
	uint32_t len;
	uint16_t spans;
	uint8_t indent; /* columns before the further rows of the line */
	bool ascii;     /* plain ASCII without tabs */
};

struct doc_mark {
	size_t offset;
	size_t span;
};

struct doc {
	char *buf;
	size_t len;
	size_t cap;
	struct doc_entry *lines;
	size_t count;
	size_t lines_cap;
	struct doc_mark *marks; /* of line i * DOC_BLOCK */
	size_t marks_cap;
	struct span *spans;
	size_t span_count;
	size_t spans_cap;
};

void doc_release(struct doc *d); /* zeroed storage is an empty doc */

/* Appends one line. */
void doc_add(struct doc *d, const char *s, size_t len);

/* The same with the look of its pieces, and the INDENT of its further rows when
 * it is wrapped. What is beyond 65535 spans has no style. */
void doc_add_styled(struct doc *d, struct str line, int indent,
	const struct span *spans, size_t count);

/* Appends lines FROM..END-1 of OTHER. */
void doc_copy(struct doc *d, const struct doc *other, size_t from, size_t end);

/* Line I < count, borrowed until the next doc_add. */
struct str doc_line(const struct doc *d, size_t i);
bool doc_is_ascii(const struct doc *d, size_t i);

/* The spans of line I, *COUNT of them, borrowed as the line. */
const struct span *doc_spans(const struct doc *d, size_t i, size_t *count);

/* Walking: the offset of line I in buf, and a line's length. */
size_t doc_offset(const struct doc *d, size_t i);

static inline size_t doc_len(const struct doc *d, size_t i)
{
	return d->lines[i].len;
}

#endif

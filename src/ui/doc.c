#include "config.h"

#include "ui/doc.h"

#include <stdlib.h>

#include "base/xalloc.h"

#define LINE_MAX_BYTES ((size_t)INT32_MAX)

void doc_release(struct doc *d)
{
	free(d->buf);
	free(d->lines);
	free(d->marks);
	free(d->spans);
	memset(d, 0, sizeof(*d));
}

static bool is_plain(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)s[i] >= 0x80 || s[i] == '\t')
			return false;
	return true;
}

static void reserve(struct doc *d, size_t len, size_t spans)
{
	/* With a line there is a buffer, also while all are empty. */
	if (!d->buf || d->cap - d->len < len) {
		size_t cap = d->cap + d->cap / 2 + len + 256;

		d->buf = xreallocarray(d->buf, cap, 1);
		d->cap = cap;
	}
	if (d->count == d->lines_cap) {
		d->lines_cap += d->lines_cap / 2 + 64;
		d->lines = xreallocarray(
			d->lines, d->lines_cap, sizeof(*d->lines));
	}
	if (d->count / DOC_BLOCK == d->marks_cap) {
		d->marks_cap += d->marks_cap / 2 + 4;
		d->marks = xreallocarray(
			d->marks, d->marks_cap, sizeof(*d->marks));
	}
	if (d->spans_cap - d->span_count < spans) {
		d->spans_cap += d->spans_cap / 2 + spans + 16;
		d->spans = xreallocarray(
			d->spans, d->spans_cap, sizeof(*d->spans));
	}
}

void doc_add_styled(struct doc *d, struct str line, int indent,
	const struct span *spans, size_t count)
{
	struct doc_entry *e;

	if (line.len > LINE_MAX_BYTES)
		line.len = LINE_MAX_BYTES;
	if (count > UINT16_MAX)
		count = UINT16_MAX;
	reserve(d, line.len, count);
	if (d->count % DOC_BLOCK == 0)
		d->marks[d->count / DOC_BLOCK] =
			(struct doc_mark){d->len, d->span_count};
	if (line.len)
		memcpy(d->buf + d->len, line.ptr, line.len);
	if (count)
		memcpy(d->spans + d->span_count, spans, count * sizeof(*spans));
	d->len += line.len;
	d->span_count += count;
	e = &d->lines[d->count++];
	e->len = (uint32_t)line.len;
	e->spans = (uint16_t)count;
	e->indent = (uint8_t)(indent < 0 ? 0 : indent > 255 ? 255 : indent);
	e->ascii = is_plain(line.ptr, line.len);
}

void doc_add(struct doc *d, const char *s, size_t len)
{
	doc_add_styled(d, (struct str){s, len}, 0, NULL, 0);
}

size_t doc_offset(const struct doc *d, size_t i)
{
	size_t j = i - i % DOC_BLOCK;
	size_t at = d->marks[i / DOC_BLOCK].offset;

	for (; j < i; j++)
		at += d->lines[j].len;
	return at;
}

struct str doc_line(const struct doc *d, size_t i)
{
	struct str s = {d->buf + doc_offset(d, i), d->lines[i].len};

	return s;
}

/* Where the spans of line I begin. */
static size_t span_offset(const struct doc *d, size_t i)
{
	size_t j = i - i % DOC_BLOCK;
	size_t at = d->marks[i / DOC_BLOCK].span;

	for (; j < i; j++)
		at += d->lines[j].spans;
	return at;
}

const struct span *doc_spans(const struct doc *d, size_t i, size_t *count)
{
	*count = d->lines[i].spans;
	return *count ? d->spans + span_offset(d, i) : NULL;
}

void doc_copy(struct doc *d, const struct doc *other, size_t from, size_t end)
{
	size_t at = from < end ? doc_offset(other, from) : 0;
	size_t span = from < end ? span_offset(other, from) : 0;

	for (; from < end; from++) {
		const struct doc_entry *e = &other->lines[from];
		const struct span *spans =
			e->spans ? other->spans + span : NULL;

		doc_add_styled(d, (struct str){other->buf + at, e->len},
			e->indent, spans, e->spans);
		at += e->len;
		span += e->spans;
	}
}

bool doc_is_ascii(const struct doc *d, size_t i)
{
	return d->lines[i].ascii;
}

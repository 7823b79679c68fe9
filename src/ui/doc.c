#include "config.h"

#include "ui/doc.h"

#include <stdlib.h>

#include "base/xalloc.h"

#define LINE_MAX_BYTES ((size_t)INT32_MAX)

void doc_release(struct doc *d)
{
	free(d->buf);
	free(d->lens);
	free(d->marks);
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

static void reserve(struct doc *d, size_t len)
{
	if (d->cap - d->len < len) {
		size_t cap = d->cap + d->cap / 2 + len + 256;

		d->buf = xreallocarray(d->buf, cap, 1);
		d->cap = cap;
	}
	if (d->count == d->lens_cap) {
		d->lens_cap += d->lens_cap / 2 + 64;
		d->lens = xreallocarray(d->lens, d->lens_cap, sizeof(*d->lens));
	}
	if (d->count / DOC_BLOCK == d->marks_cap) {
		d->marks_cap += d->marks_cap / 2 + 4;
		d->marks = xreallocarray(
			d->marks, d->marks_cap, sizeof(*d->marks));
	}
}

void doc_add(struct doc *d, const char *s, size_t len)
{
	if (len > LINE_MAX_BYTES)
		len = LINE_MAX_BYTES;
	reserve(d, len);
	if (d->count % DOC_BLOCK == 0)
		d->marks[d->count / DOC_BLOCK] = d->len;
	if (len)
		memcpy(d->buf + d->len, s, len);
	d->len += len;
	d->lens[d->count++] = (uint32_t)len << 1 | is_plain(s, len);
}

size_t doc_offset(const struct doc *d, size_t i)
{
	size_t j = i - i % DOC_BLOCK;
	size_t at = d->marks[i / DOC_BLOCK];

	for (; j < i; j++)
		at += d->lens[j] >> 1;
	return at;
}

struct str doc_line(const struct doc *d, size_t i)
{
	struct str s = {d->buf + doc_offset(d, i), d->lens[i] >> 1};

	return s;
}

bool doc_is_ascii(const struct doc *d, size_t i)
{
	return d->lens[i] & 1;
}

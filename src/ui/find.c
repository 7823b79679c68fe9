#include "config.h"

#include "ui/find.h"

#include <stdlib.h>

#include "base/xalloc.h"

void find_release(struct find *f)
{
	free(f->needle);
	f->needle = NULL;
	f->len = 0;
}

static bool has_capital(struct str s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z')
			return true;
	return false;
}

void find_set(struct find *f, struct str needle)
{
	bool fold = !has_capital(needle);
	size_t i;

	find_release(f);
	if (!needle.len)
		return;
	f->needle = xstrndup(needle.ptr, needle.len);
	f->len = needle.len;
	for (i = 0; i < 256; i++) {
		f->lower[i] = (unsigned char)i;
		f->skip[i] = (unsigned char)(f->len < 255 ? f->len : 255);
	}
	for (i = 'A'; fold && i <= 'Z'; i++)
		f->lower[i] = (unsigned char)(i - 'A' + 'a');
	for (i = 0; i + 1 < f->len; i++) {
		size_t left = f->len - 1 - i;
		unsigned char c = (unsigned char)f->needle[i];

		f->skip[c] = (unsigned char)(left < 255 ? left : 255);
	}
}

ptrdiff_t find_in(const struct find *f, struct str text, size_t from)
{
	const unsigned char *s = (const unsigned char *)text.ptr;
	const unsigned char *needle = (const unsigned char *)f->needle;
	size_t at = from;

	if (!needle)
		return -1;
	while (text.len - at >= f->len && at <= text.len) {
		size_t i = f->len - 1;
		unsigned char last = f->lower[s[at + i]];

		if (last == needle[i]) {
			while (i && f->lower[s[at + i - 1]] == needle[i - 1])
				i--;
			if (!i)
				return (ptrdiff_t)at;
		}
		at += f->skip[last];
	}
	return -1;
}

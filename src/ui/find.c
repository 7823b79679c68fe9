#include "config.h"

#include "ui/find.h"

#include <stdlib.h>
#include <unicase.h>
#include <unictype.h>
#include <unistr.h>

#include "base/xalloc.h"

#define FOLDED_MAX 32 /* bytes of one folded character; they are fewer */

void find_release(struct find *f)
{
	free(f->text);
	free(f->needle);
	f->text = f->needle = NULL;
	f->len = 0;
}

/* One character at S; what is no UTF-8 is a byte of its own. */
static size_t character(const uint8_t *s, size_t n, ucs4_t *uc)
{
	int len;

	if (*s < 0x80) {
		*uc = *s;
		return 1;
	}
	len = u8_mbtoucr(uc, s, n);
	if (len > 0)
		return (size_t)len;
	*uc = 0xfffd;
	return 1;
}

/* Whether S has a letter that was typed as a capital, or one at all that is no
 * ASCII. */
static bool has_capital(struct str s, bool *cased)
{
	size_t i = 0;

	*cased = false;
	while (i < s.len) {
		ucs4_t uc;

		i += character((const uint8_t *)s.ptr + i, s.len - i, &uc);
		if (uc_tolower(uc) != uc)
			return true;
		*cased = *cased || uc_is_property_cased(uc);
	}
	return false;
}

static void prepare(struct find *f, bool ascii_fold)
{
	size_t i;

	for (i = 0; i < 256; i++) {
		f->lower[i] = (unsigned char)i;
		f->skip[i] = (unsigned char)(f->len < 255 ? f->len : 255);
	}
	for (i = 'A'; ascii_fold && i <= 'Z'; i++)
		f->lower[i] = (unsigned char)(i - 'A' + 'a');
	for (i = 0; i + 1 < f->len; i++) {
		size_t left = f->len - 1 - i;
		unsigned char c = (unsigned char)f->needle[i];

		f->skip[c] = (unsigned char)(left < 255 ? left : 255);
	}
}

void find_set(struct find *f, struct str needle)
{
	uint8_t *folded = NULL;
	size_t len = 0;
	bool cased;
	bool capital;

	find_release(f);
	if (!needle.len)
		return;
	capital = has_capital(needle, &cased);
	f->fold = cased && !capital;
	if (f->fold)
		folded = u8_casefold((const uint8_t *)needle.ptr, needle.len,
			NULL, NULL, NULL, &len);
	f->fold = folded;
	f->text = xstrndup(needle.ptr, needle.len);
	f->needle = folded ? xstrndup((const char *)folded, len)
			   : xstrndup(needle.ptr, needle.len);
	f->len = folded ? len : needle.len;
	free(folded);
	prepare(f, f->fold);
}

static ptrdiff_t horspool(const struct find *f, struct str text, size_t from)
{
	const unsigned char *s = (const unsigned char *)text.ptr;
	const unsigned char *needle = (const unsigned char *)f->needle;
	size_t at = from;

	while (at <= text.len && text.len - at >= f->len) {
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

/* The bytes of a character when it is folded. */
static size_t fold_character(const uint8_t *s, size_t n, uint8_t *out)
{
	ucs4_t uc;
	size_t len = character(s, n, &uc);
	size_t size = FOLDED_MAX;

	if (uc < 0x80) {
		*out = (uint8_t)(uc >= 'A' && uc <= 'Z' ? uc - 'A' + 'a' : uc);
		return 1;
	}
	if (uc_is_property_changes_when_casefolded(uc) &&
		u8_casefold(s, len, NULL, NULL, out, &size) == out)
		return size;
	memcpy(out, s, len);
	return len;
}

/* The bytes from S on that are the needle when they are folded; 0: they are
 * not. */
static size_t match_at(const struct find *f, const uint8_t *s, size_t n)
{
	const uint8_t *needle = (const uint8_t *)f->needle;
	size_t at = 0;
	size_t done = 0;

	while (done < f->len && at < n) {
		uint8_t folded[FOLDED_MAX];
		size_t len = fold_character(s + at, n - at, folded);
		size_t left = f->len - done;
		ucs4_t uc;

		if (memcmp(folded, needle + done, len < left ? len : left) != 0)
			return 0;
		done += len;
		at += character(s + at, n - at, &uc);
	}
	return done < f->len ? 0 : at;
}

static bool is_ascii(struct str s, size_t from)
{
	size_t i;

	for (i = from; i < s.len; i++)
		if ((unsigned char)s.ptr[i] >= 0x80)
			return false;
	return true;
}

ptrdiff_t find_span(
	const struct find *f, struct str text, size_t from, size_t *len)
{
	const uint8_t *s = (const uint8_t *)text.ptr;
	size_t at = from;

	*len = f->len;
	if (!f->needle || from > text.len)
		return -1;
	if (!f->fold || is_ascii(text, from))
		return horspool(f, text, from);
	while (at < text.len) {
		ucs4_t uc;

		*len = match_at(f, s + at, text.len - at);
		if (*len)
			return (ptrdiff_t)at;
		at += character(s + at, text.len - at, &uc);
	}
	return -1;
}

ptrdiff_t find_in(const struct find *f, struct str text, size_t from)
{
	size_t len;

	return find_span(f, text, from, &len);
}

#include "config.h"

#include "ui/wrap.h"

#include <unistr.h>
#include <wchar.h>

int wrap_char(struct str text, size_t pos, size_t *next, uint32_t *ch)
{
	const unsigned char *s = (const unsigned char *)text.ptr + pos;
	ucs4_t uc;
	int n;
	int w;

	if (*s < 0x80) {
		*next = pos + 1;
		*ch = *s;
		return *s == '\t' ? WRAP_TAB : 1;
	}
	n = u8_mbtouc(&uc, s, text.len - pos);
	*next = pos + (size_t)n;
	*ch = uc;
	w = wcwidth((wchar_t)uc);
	return w < 0 ? 1 : w;
}

size_t wrap_next(struct str text, size_t pos, bool ascii, int width)
{
	int cols = 0;

	if (ascii) {
		size_t left = text.len - pos;

		return pos + (left < (size_t)width ? left : (size_t)width);
	}
	while (pos < text.len) {
		size_t next;
		uint32_t ch;
		int w = wrap_char(text, pos, &next, &ch);

		if (w > width)
			w = width;
		if (cols + w > width)
			break;
		cols += w;
		pos = next;
	}
	return pos;
}

uint32_t wrap_rows(struct str text, bool ascii, int width)
{
	uint32_t rows = 0;
	size_t pos = 0;

	if (ascii) {
		size_t n = (text.len + (size_t)width - 1) / (size_t)width;

		return n ? (uint32_t)n : 1;
	}
	do {
		pos = wrap_next(text, pos, false, width);
		rows++;
	} while (pos < text.len);
	return rows;
}

size_t wrap_seek(struct str text, bool ascii, int width, uint32_t row)
{
	size_t pos = 0;

	if (ascii) {
		pos = (size_t)row * (size_t)width;
		return pos < text.len ? pos : text.len;
	}
	while (row-- && pos < text.len)
		pos = wrap_next(text, pos, false, width);
	return pos;
}

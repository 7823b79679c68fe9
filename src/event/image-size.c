#include "config.h"

#include "event/image-size.h"

#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"

#define LOOK_MAX ((size_t)64 << 10)

static int digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

int64_t image_bytes(struct str base64)
{
	int64_t digits = 0;

	for (size_t i = 0; i < base64.len; i++)
		digits += digit(base64.ptr[i]) >= 0;
	return digits * 3 / 4;
}

static void decode(struct strbuf *out, struct str s)
{
	unsigned bits = 0;
	int have = 0;

	for (size_t i = 0; i < s.len && out->len < LOOK_MAX; i++) {
		int d = digit(s.ptr[i]);

		if (d < 0)
			continue;
		bits = (bits << 6 | (unsigned)d) & 0xffff;
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		strbuf_addch(out, (char)(bits >> have & 0xff));
	}
}

static int64_t big(const unsigned char *p, int bytes)
{
	int64_t n = 0;

	while (bytes-- > 0)
		n = n << 8 | *p++;
	return n;
}

static int64_t little(const unsigned char *p, int bytes)
{
	int64_t n = 0;

	while (bytes-- > 0)
		n = n << 8 | p[bytes];
	return n;
}

/* The frame header (SOF0 to SOF15 without DHT, JPG and DAC) holds them. */
static void jpeg_size(
	const unsigned char *p, size_t len, int64_t *width, int64_t *height)
{
	size_t at = 2;

	while (at + 9 < len && p[at] == 0xff) {
		unsigned char m = p[at + 1];

		if (m >= 0xc0 && m <= 0xcf && m != 0xc4 && m != 0xc8 &&
			m != 0xcc) {
			*height = big(p + at + 5, 2);
			*width = big(p + at + 7, 2);
			return;
		}
		at += 2 + (size_t)big(p + at + 2, 2);
	}
}

static void webp_size(const unsigned char *p, int64_t *width, int64_t *height)
{
	if (memcmp(p + 12, "VP8 ", 4) == 0) {
		*width = little(p + 26, 2) & 0x3fff;
		*height = little(p + 28, 2) & 0x3fff;
	} else if (memcmp(p + 12, "VP8L", 4) == 0) {
		*width = (little(p + 21, 4) & 0x3fff) + 1;
		*height = (little(p + 21, 4) >> 14 & 0x3fff) + 1;
	} else if (memcmp(p + 12, "VP8X", 4) == 0) {
		*width = little(p + 24, 3) + 1;
		*height = little(p + 27, 3) + 1;
	}
}

void image_size(struct str base64, int64_t *width, int64_t *height)
{
	struct strbuf head = STRBUF_INIT;
	const unsigned char *p;

	*width = 0;
	*height = 0;
	decode(&head, base64);
	p = (const unsigned char *)head.buf;
	if (head.len >= 24 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0) {
		*width = big(p + 16, 4);
		*height = big(p + 20, 4);
	} else if (head.len >= 10 && memcmp(p, "GIF8", 4) == 0) {
		*width = little(p + 6, 2);
		*height = little(p + 8, 2);
	} else if (head.len >= 30 && memcmp(p, "RIFF", 4) == 0 &&
		   memcmp(p + 8, "WEBP", 4) == 0) {
		webp_size(p, width, height);
	} else if (head.len >= 4 && memcmp(p, "\xff\xd8\xff", 3) == 0) {
		jpeg_size(p, head.len, width, height);
	}
	strbuf_release(&head);
}

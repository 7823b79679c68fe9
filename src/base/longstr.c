#include "config.h"

#include "base/longstr.h"

#include <stdint.h>
#include <string.h>

#include "base/scan.h"

/* What stands for a long string: a byte, so that yajl has a place to report. */
#define STAND_IN '.'

static int hex_value(const char *s)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		char c = s[i];

		value <<= 4;
		if (c >= '0' && c <= '9')
			value |= c - '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value |= (c | 0x20) - 'a' + 10;
		else
			return -1;
	}
	return value;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

/* Decodes the \uXXXX at S, of a surrogate with its partner. Returns how many
 * bytes it takes, 0 when it is none. */
static size_t unicode_escape(const char *s, size_t len, char **to)
{
	int high = len >= 6 ? hex_value(s + 2) : -1;
	int low;

	if (high < 0)
		return 0;
	if (high < 0xd800 || high > 0xdfff) {
		*to = put_utf8(*to, (uint32_t)high);
		return 6;
	}
	if (high > 0xdbff || len < 12 || s[6] != '\\' || s[7] != 'u')
		return 0;
	low = hex_value(s + 8);
	if (low < 0xdc00 || low > 0xdfff)
		return 0;
	*to = put_utf8(*to, 0x10000 + (((uint32_t)high & 0x3ff) << 10 |
					      ((uint32_t)low & 0x3ff)));
	return 12;
}

/* The character that a backslash and C stand for, 0 when it is none. */
static char short_escape(char c)
{
	switch (c) {
	case '"':
	case '\\':
	case '/':
		return c;
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	default:
		return 0;
	}
}

/* Decodes the escape at S into *TO. Returns how many bytes it takes, 0 when
 * JSON knows no such escape. */
static size_t escape(const char *s, size_t len, char **to)
{
	char c;

	if (len < 2)
		return 0;
	if (s[1] == 'u')
		return unicode_escape(s, len, to);
	c = short_escape(s[1]);
	if (!c)
		return 0;
	*(*to)++ = c;
	return 2;
}

/* Where a line is cut: what is done of it, and the room for what comes out.
 * Neither the cut line nor all decoded strings together are longer than the
 * line. */
struct cutter {
	struct arena *arena;
	const char *line;
	size_t len;
	char *cut;
	size_t cut_len;
	size_t copied; /* the line up to here is in the cut line */
	char *decoded; /* NULL: no string with an escape yet */
};

/* Reads the string whose contents begin at I. Returns where they end, or the
 * length of the line when they do not or are not allowed. */
static size_t read_string(struct cutter *c, size_t i, struct str *text)
{
	size_t start = i;
	char *to;

	i += scan_plain(c->line + i, c->len - i);
	*text = (struct str){c->line + start, i - start};
	if (i < c->len && c->line[i] == '"')
		return i;
	if (!c->decoded)
		c->decoded = arena_alloc(c->arena, c->len);
	memcpy(c->decoded, text->ptr, text->len);
	text->ptr = c->decoded;
	to = c->decoded + text->len;
	while (i < c->len && c->line[i] == '\\') {
		size_t n = escape(c->line + i, c->len - i, &to);

		if (!n)
			return c->len;
		i += n;
		n = scan_plain(c->line + i, c->len - i);
		memcpy(to, c->line + i, n);
		to += n;
		i += n;
	}
	if (i == c->len || c->line[i] != '"')
		return c->len;
	text->len = (size_t)(to - c->decoded);
	c->decoded = to;
	return i;
}

/* The end of the string whose contents begin at I when it is seen to be short,
 * else I. A quote behind a backslash may or may not be the end. */
static size_t short_end(const struct cutter *c, size_t i)
{
	size_t room = c->len - i;
	const char *at = c->line + i;
	const char *end =
		memchr(at, '"', room < LONGSTR_MIN ? room : LONGSTR_MIN);

	if (!end || (end > at && end[-1] == '\\'))
		return i;
	return (size_t)(end - c->line);
}

/* Puts the line up to START, and a byte for what stands up to END, into the
 * cut line. */
static void add_hole(struct cutter *c, struct longstr *ls, size_t start,
	size_t end, struct str text)
{
	size_t n = start - c->copied;

	if (!c->cut) {
		c->cut = arena_alloc(c->arena, c->len);
		ls->holes = arena_alloc(c->arena,
			(c->len / LONGSTR_MIN + 1) * sizeof(*ls->holes));
	}
	memcpy(c->cut + c->cut_len, c->line + c->copied, n);
	c->cut_len += n;
	ls->holes[ls->count++] =
		(struct longstr_hole){c->cut + c->cut_len, text};
	c->cut[c->cut_len++] = STAND_IN;
	c->copied = end;
}

bool longstr_cut(
	struct longstr *ls, struct arena *a, const char *line, size_t len)
{
	struct cutter c = {.arena = a, .line = line, .len = len};
	const char *quote;
	size_t i = 0;

	*ls = (struct longstr){0};
	while (i < len && (quote = memchr(line + i, '"', len - i))) {
		size_t start = (size_t)(quote - line) + 1;
		size_t end = start < len ? short_end(&c, start) : len;
		struct str text = str_null();

		if (end < len && line[end] != '"')
			end = read_string(&c, start, &text);
		if (end == len)
			break; /* yajl will refuse the rest */
		if (end - start >= LONGSTR_MIN)
			add_hole(&c, ls, start, end, text);
		i = end + 1;
	}
	if (!c.cut)
		return false;
	memcpy(c.cut + c.cut_len, line + c.copied, len - c.copied);
	ls->line = c.cut;
	ls->len = c.cut_len + len - c.copied;
	return true;
}

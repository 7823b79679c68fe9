#include "config.h"

#include "base/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <unictype.h>
#include <unigbrk.h>
#include <unistr.h>
#include <uniwidth.h>

#include "base/scan.h"
#include "base/xalloc.h"

#define REPLACEMENT "\xEF\xBF\xBD"

static const uint8_t *bytes(const char *s)
{
	return (const uint8_t *)s;
}

size_t utf8_bom(const char *s, size_t len)
{
	return len >= 3 && memcmp(s, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* The length of the ASCII at the front of S; may end up to seven bytes early.
 */
static size_t ascii_len(const char *s, size_t len)
{
	size_t i = 0;

	for (; len - i >= 4 * SCAN_STEP; i += 4 * SCAN_STEP)
		if (scan_high(scan_load(s + i) | scan_load(s + i + 8) |
			      scan_load(s + i + 16) | scan_load(s + i + 24)))
			break;
	for (; len - i >= SCAN_STEP; i += SCAN_STEP)
		if (scan_high(scan_load(s + i)))
			break;
	return i;
}

/* The length of the piece at the front of S that ends where eight ASCII
 * characters follow, or at the end. */
static size_t mixed_len(const char *s, size_t len)
{
	size_t i = 0;

	for (; len - i >= SCAN_STEP; i += SCAN_STEP)
		if (!scan_high(scan_load(s + i)))
			return i;
	return len;
}

/* Most of what passes is ASCII, which libunistring takes byte by byte. So it
 * gets only the pieces around other characters; they begin and end beside an
 * ASCII character, hence never inside one. */
bool utf8_valid(const char *s, size_t len)
{
	while (len > 0) {
		size_t n = ascii_len(s, len);

		s += n;
		len -= n;
		n = mixed_len(s, len);
		if (n && u8_check(bytes(s), n))
			return false;
		s += n;
		len -= n;
	}
	return true;
}

/* The length of the ill-formed sequence at S: what a decoder had accepted
 * before the byte that cannot follow (Unicode 3.9, "maximal subpart"), at
 * least one byte. */
static size_t bad_len(const char *str, size_t len)
{
	const uint8_t *s = bytes(str);
	uint8_t low = 0x80;
	uint8_t high = 0xBF;
	size_t want = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
	size_t n;

	if (s[0] < 0xC2 || s[0] > 0xF4)
		return 1;
	if (s[0] == 0xE0)
		low = 0xA0;
	else if (s[0] == 0xED)
		high = 0x9F;
	else if (s[0] == 0xF0)
		low = 0x90;
	else if (s[0] == 0xF4)
		high = 0x8F;
	for (n = 1; n < want && n < len; n++) {
		if (s[n] < low || s[n] > high)
			break;
		low = 0x80;
		high = 0xBF;
	}
	return n;
}

void utf8_repair(struct strbuf *out, const char *s, size_t len)
{
	while (len > 0) {
		const uint8_t *bad = u8_check(bytes(s), len);
		size_t good = bad ? (size_t)(bad - bytes(s)) : len;
		size_t skip;

		strbuf_add(out, s, good);
		if (!bad)
			return;
		skip = bad_len(s + good, len - good);
		strbuf_addstr(out, REPLACEMENT);
		s += good + skip;
		len -= good + skip;
	}
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The value of the escape \uXXXX at S, or 0 when none stands there. */
static unsigned escape_value(const char *s, const char *end)
{
	unsigned value = 0;
	int i;

	if (end - s < 6 || s[0] != '\\' || s[1] != 'u')
		return 0;
	for (i = 2; i < 6; i++) {
		int digit = hex_digit(s[i]);

		if (digit < 0)
			return 0;
		value = value << 4 | (unsigned)digit;
	}
	return value;
}

/* Finds the next escape of a surrogate without its partner, from S on; END
 * when there is none. Steps over whole escapes, so that the text ud83d behind
 * an escaped backslash is not taken for one. */
static const char *lone_surrogate(const char *s, const char *end)
{
	while (s < end && (s = memchr(s, '\\', (size_t)(end - s)))) {
		unsigned value;

		if (end - s < 2)
			break;
		if (s[1] != 'u' || (s + 2 < end && (s[2] | 0x20) != 'd')) {
			s += 2;
			continue;
		}
		value = escape_value(s, end);
		if (value < 0xD800 || value > 0xDFFF) {
			s += 2;
			continue;
		}
		if (value > 0xDBFF)
			return s;
		value = escape_value(s + 6, end);
		if (value < 0xDC00 || value > 0xDFFF)
			return s;
		s += 12;
	}
	return end;
}

/* Whether the bytes \ud or \uD stand anywhere in the line. */
static bool may_have_surrogate(const char *line, size_t len)
{
	const uint64_t lower = SCAN_ONES * 0x20;
	const char *s = memchr(line, '\\', len);

	if (!s)
		return false;
	for (len -= (size_t)(s - line); len >= SCAN_STEP + 2;
		s += SCAN_STEP, len -= SCAN_STEP)
		if (scan_byte(scan_load(s), '\\') &
			scan_byte(scan_load(s + 1), 'u') &
			scan_byte(scan_load(s + 2) | lower, 'd'))
			return true;
	return memchr(s, '\\', len) != NULL;
}

bool utf8_repair_json(struct strbuf *out, const char *line, size_t len)
{
	const char *end = line + len;
	const char *s = line;
	const char *lone;
	bool valid;

	if (len == 0)
		return false;
	valid = utf8_valid(line, len);
	lone = may_have_surrogate(line, len) ? lone_surrogate(line, end) : end;
	if (valid && lone == end)
		return false;
	for (;;) {
		if (valid)
			strbuf_add(out, s, (size_t)(lone - s));
		else
			utf8_repair(out, s, (size_t)(lone - s));
		if (lone == end)
			return true;
		strbuf_addstr(out, REPLACEMENT);
		s = lone + 6;
		lone = lone_surrogate(s, end);
	}
}

/* What curses will count. In a locale of single bytes wcwidth() knows ASCII
 * only; libunistring's table then speaks for the terminal. */
static int width_of(ucs4_t uc)
{
	if (MB_CUR_MAX == 1)
		return uc_width(uc, "UTF-8");
	return wcwidth((wchar_t)uc);
}

/* Characters whose width terminals disagree about; the text stays readable
 * without them. */
static bool is_disputed(ucs4_t uc)
{
	return uc == 0x00AD || uc == 0x200B || uc == 0x200D || uc == 0x20E3 ||
	       uc == 0xFE0E || uc == 0xFE0F || uc == 0xFEFF ||
	       (uc >= 0x1F3FB && uc <= 0x1F3FF) ||
	       (uc >= 0xE0000 && uc <= 0xE007F);
}

/* Controls that would show text in another order than it has. */
static bool is_bidi(ucs4_t uc)
{
	return uc == 0x061C || uc == 0x200E || uc == 0x200F ||
	       (uc >= 0x202A && uc <= 0x202E) || (uc >= 0x2066 && uc <= 0x2069);
}

static bool is_unsafe(ucs4_t uc)
{
	return (uc >= 0x80 && uc <= 0x9F) || uc == 0x2028 || uc == 0x2029 ||
	       uc_is_property_not_a_character(uc) || is_bidi(uc) ||
	       width_of(uc) < 0;
}

static bool in_range(char c, int low, int high)
{
	return (unsigned char)c >= low && (unsigned char)c <= high;
}

/* ESC P, X, ] , ^, _: everything up to ST, or BEL for OSC. 0 when it does not
 * end on its line: the reader sees the text rather than nothing. */
static size_t control_string_len(const char *s, size_t len)
{
	size_t i;

	for (i = 2; i < len && s[i] != '\n'; i++) {
		if (s[i] == '\a' && s[1] == ']')
			return i + 1;
		if (s[i] == '\x1b')
			return i + 1 < len && s[i + 1] == '\\' ? i + 2 : 0;
	}
	return 0;
}

/* The length of the escape sequence at S (which holds ESC), 0 when it is none
 * of those that are removed: CSI, control strings, and the designation of
 * character sets that terminfo puts into sgr0. */
static size_t escape_len(const char *s, size_t len)
{
	size_t i = 1;

	if (len < 3)
		return 0;
	if (strchr("PX]^_", s[1]) && s[1])
		return control_string_len(s, len);
	if (s[1] == '[') {
		for (i = 2; i < len && in_range(s[i], 0x30, 0x3F); i++)
			;
	} else if (!in_range(s[1], 0x20, 0x2F)) {
		return 0;
	}
	while (i < len && in_range(s[i], 0x20, 0x2F))
		i++;
	if (i < len && in_range(s[i], s[1] == '[' ? 0x40 : 0x30, 0x7E))
		return i + 1;
	return 0;
}

/* The rest of a CSI sequence: parameters, intermediate bytes, the last one. */
static size_t csi_rest_len(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && in_range(s[i], 0x30, 0x3F))
		i++;
	while (i < len && in_range(s[i], 0x20, 0x2F))
		i++;
	return i + (i < len && in_range(s[i], 0x40, 0x7E) && s[i] != '{');
}

/* ESC and what belongs to it. */
static size_t unseen_escape_len(const char *s, size_t len)
{
	size_t i = 1;

	if (i < len && s[i] == '[')
		return 2 + csi_rest_len(s + 2, len - 2);
	if (i < len && s[i] && strchr("PX]^_", s[i])) {
		i = control_string_len(s, len);
		return i ? i : 1;
	}
	while (i < len && in_range(s[i], 0x20, 0x2F))
		i++;
	return i + (i < len && in_range(s[i], 0x30, 0x7A));
}

/* The length of the character at S when nothing is seen of it, else 0. */
static size_t unseen_char_len(const char *s, size_t len)
{
	ucs4_t uc;
	int n;

	if (*s == '\x1b')
		return unseen_escape_len(s, len);
	if (in_range(*s, 0x00, 0x20) || *s == 0x7F)
		return 1;
	if (in_range(*s, 0x21, 0x7E))
		return 0;
	n = u8_mbtoucr(&uc, bytes(s), len);
	if (n < 0)
		return 0;
	if (uc == 0x9B)
		return (size_t)n + csi_rest_len(s + n, len - (size_t)n);
	if (uc == 0xFEFF || (uc >= 0x80 && uc <= 0x9F) ||
		uc_is_property_white_space(uc))
		return (size_t)n;
	return 0;
}

size_t utf8_unseen_len(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len) {
		size_t n = unseen_char_len(s + i, len - i);

		if (!n)
			break;
		i += n;
	}
	return i;
}

/* The state of one cleaning. */
struct display {
	struct strbuf *out;
	size_t line_start; /* where the line began in OUT */
	enum utf8_source source;
	int tab_width;
};

static void display_newline(struct display *d)
{
	strbuf_addch(d->out, '\n');
	d->line_start = d->out->len;
}

/* Carriage returns at S: returns how many bytes they take. Those before a line
 * feed or the end belong to the line's end, as terminals in cooked mode and
 * Windows programs write it. */
static size_t display_cr(struct display *d, const char *s, size_t len)
{
	size_t n = 1;

	if (d->source == UTF8_AGENT) {
		display_newline(d);
		return len > 1 && s[1] == '\n' ? 2 : 1;
	}
	while (n < len && s[n] == '\r')
		n++;
	if (n < len && s[n] != '\n')
		strbuf_setlen(d->out, d->line_start);
	return n;
}

/* A control character at S: returns how many bytes it takes. */
static size_t display_control(struct display *d, const char *s, size_t len)
{
	char caret[2] = {'^', (char)(*s ^ 0x40)};
	size_t n;
	int i;

	switch (*s) {
	case '\n':
		display_newline(d);
		return 1;
	case '\r':
		return display_cr(d, s, len);
	case '\t':
		if (d->tab_width <= 0)
			strbuf_addch(d->out, '\t');
		for (i = 0; i < d->tab_width; i++)
			strbuf_addch(d->out, ' ');
		return 1;
	case '\x1b':
		n = escape_len(s, len);
		if (n > 0)
			return n;
		break;
	default:
		break;
	}
	strbuf_add(d->out, caret, 2);
	return 1;
}

/* The length of the character at S when it is shown as it is, else 0. ASCII is
 * not looked for. */
static size_t plain_len(const char *s, size_t len)
{
	ucs4_t uc;
	int n;

	if (!in_range(*s, 0x80, 0xFF))
		return 0;
	n = u8_mbtoucr(&uc, bytes(s), len);
	return n < 0 || is_disputed(uc) || is_unsafe(uc) ? 0 : (size_t)n;
}

/* A character beyond ASCII, or what should have been one, that is not plain. */
static size_t display_wide(struct display *d, const char *s, size_t len)
{
	ucs4_t uc;
	int n = u8_mbtoucr(&uc, bytes(s), len);

	if (n < 0 || !is_disputed(uc))
		strbuf_addstr(d->out, REPLACEMENT);
	return n < 0 ? bad_len(s, len) : (size_t)n;
}

void utf8_display(struct strbuf *out, const char *s, size_t len,
	enum utf8_source source, int tab_width)
{
	struct display d = {out, out->len, source, tab_width};
	size_t i = 0;

	while (i < len) {
		size_t from = i;
		size_t n;

		do {
			while (i < len && in_range(s[i], 0x20, 0x7E))
				i++;
			n = i < len ? plain_len(s + i, len - i) : 0;
			i += n;
		} while (n > 0);
		strbuf_add(out, s + from, i - from);
		if (i == len)
			break;
		if (in_range(s[i], 0x80, 0xFF))
			i += display_wide(&d, s + i, len - i);
		else
			i += display_control(&d, s + i, len - i);
	}
}

size_t utf8_cols(const char *s, size_t len)
{
	size_t cols = 0;
	size_t i = 0;

	while (i < len) {
		ucs4_t uc;
		int width;

		if (in_range(s[i], 0x20, 0x7E)) {
			cols++;
			i++;
			continue;
		}
		i += (size_t)u8_mbtouc(&uc, bytes(s) + i, len - i);
		width = width_of(uc);
		if (width > 0)
			cols += (size_t)width;
	}
	return cols;
}

size_t utf8_points(const char *s, size_t len)
{
	size_t points = 0;
	size_t i;

	for (i = 0; i < len; i++)
		points += !in_range(s[i], 0x80, 0xBF);
	return points;
}

/* The byte length of the first POINTS code points of S. */
static size_t points_len(const char *s, size_t len, size_t points)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (in_range(s[i], 0x80, 0xBF))
			continue;
		if (points-- == 0)
			break;
	}
	return i;
}

size_t utf8_cut(const char *s, size_t len, size_t points)
{
	size_t cut = points_len(s, len, points);
	size_t window;
	char *breaks;

	if (cut == len || cut == 0)
		return cut;
	/* Whether a cluster ends at the cut depends on what stands before it
	 * and on one character behind it, never on more. */
	window = cut + points_len(s + cut, len - cut, 1);
	breaks = xmalloc(window);
	u8_grapheme_breaks(bytes(s), window, breaks);
	while (cut > 0 && !breaks[cut])
		cut--;
	free(breaks);
	return cut;
}

bool utf8_next_line(struct str text, size_t *pos, struct str *line)
{
	size_t i = *pos;

	if (i >= text.len)
		return false;
	while (i < text.len && text.ptr[i] != '\n' && text.ptr[i] != '\r')
		i++;
	line->ptr = text.ptr + *pos;
	line->len = i - *pos;
	if (i < text.len)
		i += i + 1 < text.len && text.ptr[i] == '\r' &&
				     text.ptr[i + 1] == '\n'
			     ? 2
			     : 1;
	*pos = i;
	return true;
}

bool utf8_is_blank(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len) {
		ucs4_t uc;

		i += (size_t)u8_mbtouc(&uc, bytes(s) + i, len - i);
		if (!uc_is_property_white_space(uc))
			return false;
	}
	return true;
}

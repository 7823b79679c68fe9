#include "config.h"

#include "ui/wrap.h"

#include <stdlib.h>
#include <unilbrk.h>
#include <unistr.h>
#include <wchar.h>

#include "base/xalloc.h"

#define INDENT_FEW 4    /* when what is wanted takes too much */
#define WINDOW_MORE 64  /* bytes behind a row that decide where it ends */
#define WINDOW_ROW 2048 /* longer rows need memory for their breaks */

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

struct wrap wrap_for(int width, int indent, bool ascii)
{
	struct wrap w = {.width = width < 1 ? 1 : width, .ascii = ascii};

	int few = w.width / 4 < INDENT_FEW ? w.width / 4 : INDENT_FEW;

	if (indent > w.width * 2 / 5)
		indent = indent < few ? indent : few;
	w.indent = indent;
	return w;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether a row may end before POS, for ASCII on both sides: options and paths
 * stay whole. */
static bool breaks_ascii(struct str s, size_t pos)
{
	char before = s.ptr[pos - 1];

	if (is_blank(before))
		return !is_blank(s.ptr[pos]);
	return before == '-' && pos > 1 && is_letter(s.ptr[pos - 2]) &&
	       is_letter(s.ptr[pos]);
}

static size_t skip_blanks(struct str s, size_t pos)
{
	while (pos < s.len && is_blank(s.ptr[pos]))
		pos++;
	return pos;
}

static bool is_ascii(char c)
{
	return (unsigned char)c < 0x80;
}

/* The last place in FROM+1..FIT where a row may end; FROM if there is none.
 * What is blank from FROM on is no row of its own. */
static size_t last_break_ascii(struct str s, size_t from, size_t fit)
{
	size_t first = skip_blanks(s, from);
	size_t i;

	for (i = fit; i > first; i--)
		if (breaks_ascii(s, i))
			return i;
	return from;
}

static size_t last_break(struct str s, size_t from, size_t fit)
{
	char few[WINDOW_ROW];
	char *breaks = few;
	size_t first = skip_blanks(s, from);
	size_t end = s.len - fit < WINDOW_MORE ? s.len : fit + WINDOW_MORE;
	size_t i;

	while (end < s.len && end > fit &&
		((unsigned char)s.ptr[end] & 0xc0) == 0x80)
		end--;
	if (end - from > sizeof(few))
		breaks = xmalloc(end - from);
	u8_possible_linebreaks(
		(const uint8_t *)s.ptr + from, end - from, "UTF-8", breaks);
	for (i = fit; i > first; i--) {
		bool may = breaks[i - from] == UC_BREAK_POSSIBLE;

		if (is_ascii(s.ptr[i]) && is_ascii(s.ptr[i - 1]))
			may = breaks_ascii(s, i);
		if (may)
			break;
	}
	if (breaks != few)
		free(breaks);
	return i > first ? i : from;
}

/* Whether the word at POS is wider than COLS. */
static bool is_long(struct str s, size_t pos, int cols)
{
	while (pos < s.len && !is_blank(s.ptr[pos]) && cols >= 0) {
		uint32_t ch;

		cols -= wrap_char(s, pos, &pos, &ch);
	}
	return cols < 0;
}

/* Where the row FROM..FIT, that ends inside of a word, should end. A word that
 * fits no row begins on this one, when that would stay rather empty. */
static size_t cut_row(
	struct str s, size_t from, size_t fit, const struct wrap *w)
{
	size_t at = w->ascii ? last_break_ascii(s, from, fit)
			     : last_break(s, from, fit);

	if (at == from)
		return fit;
	if (at - from < (fit - from) / 2 &&
		is_long(s, at, w->width - w->indent))
		return fit;
	return at;
}

size_t wrap_next(struct str text, size_t pos, const struct wrap *w)
{
	int room = pos ? w->width - w->indent : w->width;
	size_t from = pos;
	bool any = false;

	if (w->chop)
		return text.len;
	if (w->ascii) {
		if (text.len - pos <= (size_t)room)
			return text.len;
		pos += (size_t)room;
	}
	while (!w->ascii && pos < text.len) {
		size_t next;
		uint32_t ch;
		int cols = wrap_char(text, pos, &next, &ch);

		if (cols > room && any)
			break;
		room -= cols;
		any = true;
		pos = next;
	}
	if (pos == text.len)
		return pos;
	if (is_blank(text.ptr[pos]) && skip_blanks(text, from) < pos)
		return skip_blanks(text, pos);
	return cut_row(text, from, pos, w);
}

uint32_t wrap_rows(struct str text, const struct wrap *w)
{
	uint32_t rows = 0;
	size_t pos = 0;

	do {
		pos = wrap_next(text, pos, w);
		rows++;
	} while (pos < text.len);
	return rows;
}

uint32_t wrap_guess(size_t len, const struct wrap *w, bool *exact)
{
	size_t width = (size_t)w->width;
	size_t more = (size_t)(w->width - w->indent);

	/* At most four columns for each byte: a tab. */
	*exact = w->chop || len <= (w->ascii ? width : width / WRAP_TAB);
	if (*exact || len <= width)
		return 1;
	return (uint32_t)(1 + (len - width + more - 1) / more);
}

size_t wrap_seek(struct str text, const struct wrap *w, uint32_t row)
{
	size_t pos = 0;

	while (row-- && pos < text.len)
		pos = wrap_next(text, pos, w);
	return pos;
}

size_t wrap_column(struct str text, bool ascii, int col, int *begin)
{
	size_t pos = 0;
	int at = 0;

	if (ascii) {
		*begin = col;
		return (size_t)col < text.len ? (size_t)col : text.len;
	}
	while (pos < text.len) {
		size_t next;
		uint32_t ch;
		int cols = wrap_char(text, pos, &next, &ch);

		if (at + cols > col)
			break;
		at += cols;
		pos = next;
	}
	/* What has no width belongs to the character before. */
	while (pos < text.len && at >= col) {
		size_t next;
		uint32_t ch;

		if (wrap_char(text, pos, &next, &ch))
			break;
		pos = next;
	}
	*begin = pos < text.len ? at : col;
	return pos;
}

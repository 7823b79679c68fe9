#ifndef AGENTRUN_BASE_UTF8_H
#define AGENTRUN_BASE_UTF8_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* utf8: repair and display of text that comes from outside (libunistring). */

/* True when the bytes are valid UTF-8 (no overlong forms, no surrogates). */
bool utf8_valid(const char *s, size_t len);

/* 3 when S begins with the byte order mark of UTF-8, else 0. */
size_t utf8_bom(const char *s, size_t len);

/* Appends S with each maximal ill-formed sequence replaced by U+FFFD. */
void utf8_repair(struct strbuf *out, const char *s, size_t len);

/* Repairs one JSON line before yajl sees it (spec: interface 4; design: JSON
 * facts): ill-formed bytes, and \uD800..\uDFFF escapes without their partner,
 * become U+FFFD; everything else is kept. Returns false and leaves OUT
 * untouched when the line needs no repair (the fast path), else appends the
 * repaired line to OUT and returns true. */
bool utf8_repair_json(struct strbuf *out, const char *line, size_t len);

/* What kind of text utf8_display cleans. */
enum utf8_source {
	UTF8_AGENT, /* a lone CR is a line break */
	UTF8_STDERR /* what stands before a lone CR is dropped (progress bars)
		     */
};

/* The display cleaner (design: terminal UI 5): appends S so that no byte of it
 * can act as a control on a terminal: CSI/OSC/DCS sequences removed, CR LF to
 * LF, other C0 and DEL to ^X, C1, noncharacters, bidi controls and characters
 * of unknown width to U+FFFD, disputed zero-width ones removed. '\n' is kept.
 * TAB_WIDTH > 0 writes a tab as that many blanks, 0 keeps it. */
void utf8_display(struct strbuf *out, const char *s, size_t len,
	enum utf8_source source, int tab_width);

/* The length of what stands at the front of S and a terminal does not show:
 * white space, control characters, escape sequences and byte order marks. A
 * sequence that a '{' cuts short ends before it: that is where JSON begins. */
size_t utf8_unseen_len(const char *s, size_t len);

/* Terminal columns of cleaned text (wcwidth, as curses counts; no '\n'). */
size_t utf8_cols(const char *s, size_t len);

/* Code points in valid UTF-8. */
size_t utf8_points(const char *s, size_t len);

/* The byte length of the longest prefix of at most POINTS code points that ends
 * at a grapheme cluster boundary. */
size_t utf8_cut(const char *s, size_t len, size_t points);

/* The next line at *POS: ends at "\r\n", "\n" or "\r" (spec: text format).
 * Returns false at the end. */
bool utf8_next_line(struct str text, size_t *pos, struct str *line);

/* True when nothing but white space stands in S (Unicode White_Space). */
bool utf8_is_blank(const char *s, size_t len);

#endif

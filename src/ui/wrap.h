#ifndef AGENTRUN_UI_WRAP_H
#define AGENTRUN_UI_WRAP_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* wrap: cutting a line into screen rows: behind a blank or where UAX #14 allows
 * it (libunistring), in ASCII also behind the hyphen of a word; what is longer
 * than a row by cell. The blanks at the end of a row belong to it and stand
 * outside. A tab is WRAP_TAB blanks; what has no width stays with the character
 * before it. */
#define WRAP_TAB 4

struct wrap {
	int width;  /* columns of a row, at least 1 */
	int indent; /* columns that all rows but the first leave free */
	bool ascii; /* every byte is one cell */
	bool chop;  /* the line is one row */
};

/* A wrap whose indent leaves enough of WIDTH. */
struct wrap wrap_for(int width, int indent, bool ascii);

/* Columns of the character at POS, which is NEXT - POS bytes long. Never
 * negative: what has no width of its own on this system counts as one. */
int wrap_char(struct str text, size_t pos, size_t *next, uint32_t *ch);

/* The offset behind the row that begins at POS. */
size_t wrap_next(struct str text, size_t pos, const struct wrap *w);

/* Rows of the whole line, at least 1. */
uint32_t wrap_rows(struct str text, const struct wrap *w);

/* About as many, found without a look at the text of LEN bytes; *EXACT when it
 * is sure. */
uint32_t wrap_guess(size_t len, const struct wrap *w, bool *exact);

/* The offset at which row ROW begins (text.len if there is none). */
size_t wrap_seek(struct str text, const struct wrap *w, uint32_t row);

/* The offset of the character at column COL of the line, and the column where
 * it begins: COL, or one before when COL is the second half of a wide one. */
size_t wrap_column(struct str text, bool ascii, int col, int *begin);

#endif

#ifndef AGENTRUN_UI_WRAP_H
#define AGENTRUN_UI_WRAP_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* wrap: cutting a line into screen rows by cell, as terminals do. A tab is
 * WRAP_TAB blanks; what has no width stays with the character before it. WIDTH
 * >= 1; ASCII: every byte is one cell. */
#define WRAP_TAB 4

/* Columns of the character at POS, which is NEXT - POS bytes long. Never
 * negative: what has no width of its own on this system counts as one. */
int wrap_char(struct str text, size_t pos, size_t *next, uint32_t *ch);

/* The offset behind the row that begins at POS. */
size_t wrap_next(struct str text, size_t pos, bool ascii, int width);

/* Rows of the whole line, at least 1. */
uint32_t wrap_rows(struct str text, bool ascii, int width);

/* The offset at which row ROW begins (text.len if there is none). */
size_t wrap_seek(struct str text, bool ascii, int width, uint32_t row);

#endif

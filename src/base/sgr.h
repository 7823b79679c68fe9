#ifndef AGENTRUN_BASE_SGR_H
#define AGENTRUN_BASE_SGR_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* sgr: what a program wrote for a terminal, as pieces of one look. Colours and
 * attributes (SGR) are kept; every other escape sequence is dropped. What is
 * left in the pieces still has to be cleaned (utf8_display): control characters
 * may stand in them. */
enum sgr_attr {
	SGR_BOLD = 1,
	SGR_DIM = 2,
	SGR_ITALIC = 4,
	SGR_UNDERLINE = 8,
	SGR_REVERSE = 16,
	SGR_STRIKE = 32
};

/* Colours of the 256-colour palette, -1: the terminal's own. RGB becomes the
 * nearest of the palette. */
struct sgr {
	unsigned attrs;
	int16_t fg;
	int16_t bg;
};

#define SGR_INIT          \
	{                 \
		0, -1, -1 \
	}

/* PIECE is borrowed for the call and never empty. */
typedef void sgr_fn(void *arg, struct str piece, const struct sgr *look);

/* One line (without its line end) in the look S, which goes on into the next
 * one. What stands before a lone CR was overwritten on the terminal and is not
 * given; a CR at the end is dropped. */
void sgr_line(struct sgr *s, struct str line, sgr_fn *fn, void *arg);

/* The nearest of the 16 basic colours. */
int sgr_basic(int colour);

#endif

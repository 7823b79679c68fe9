#ifndef AGENTRUN_UI_THEME_H
#define AGENTRUN_UI_THEME_H

#include "ui/style.h"

#include <stdbool.h>

/* theme: from what a text means to what the terminal can show of it. Knows no
 * curses. Zeroed storage is a terminal without colours.
 *
 * Nothing is told by a colour alone: each state is a word or a sign, too. */
enum theme_background {
	THEME_UNKNOWN, /* colours that can be read on both */
	THEME_DARK,
	THEME_LIGHT
};

/* What the user asked for, in the order of --color. */
enum theme_choice {
	THEME_AUTO,
	THEME_ON_DARK,
	THEME_ON_LIGHT,
	THEME_MONO, /* attributes, no colours */
	THEME_NEVER /* no attribute either, as NO_COLOR */
};

struct theme {
	int colors; /* 0, 8, 16 or 256 */
	enum theme_background background;
	bool no_italic; /* underlined instead */
};

/* Attributes (STYLE_BOLD to STYLE_REVERSE) and colours (-1: the terminal's
 * own). */
struct look {
	uint32_t attrs;
	int fg;
	int bg;
};

/* The theme for a terminal of COLORS colours (0 or less: none) whose variable
 * COLORFGBG is COLORFGBG (or NULL). */
void theme_init(struct theme *t, enum theme_choice choice, int colors,
	const char *colorfgbg);

struct look theme_look(const struct theme *t, uint32_t style);

/* Whether the terminal must not get any SGR sequence: the choice, and without
 * one the variable NO_COLOR (or NULL). */
bool theme_is_plain(enum theme_choice choice, const char *no_color);

#endif

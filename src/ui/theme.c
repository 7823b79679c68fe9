#include "config.h"

#include "ui/theme.h"

#include <stdlib.h>
#include <string.h>

#define ATTRS                                                      \
	(STYLE_BOLD | STYLE_DIM | STYLE_ITALIC | STYLE_UNDERLINE | \
		STYLE_REVERSE)

enum {
	RED = 1,
	GREEN,
	YELLOW,
	BLUE,
	MAGENTA,
	CYAN
};

/* A role in eight colours and in 256, each for a background that is not known,
 * dark, and light; and its attributes with and without colours. Sixteen colours
 * are the eight, bright on dark. */
struct role_look {
	short basic[3];
	int16_t rich[3];
	uint8_t attrs;
	uint8_t mono;
};

#define B STYLE_BOLD
#define U STYLE_UNDERLINE
#define D STYLE_DIM
#define I STYLE_ITALIC

static const struct role_look roles[ROLE_COUNT] = {
	[ROLE_NONE] = {{-1, -1, -1}, {-1, -1, -1}, 0, 0},
	[ROLE_ERROR] = {{RED, RED, RED}, {160, 203, 160}, B, B},
	[ROLE_DENIED] = {{MAGENTA, YELLOW, MAGENTA}, {166, 214, 130}, B, B},
	[ROLE_RUNNING] = {{CYAN, CYAN, BLUE}, {31, 81, 25}, 0, 0},
	[ROLE_OK] = {{GREEN, GREEN, GREEN}, {28, 114, 28}, 0, 0},
	[ROLE_NOTE] = {{MAGENTA, YELLOW, MAGENTA}, {136, 179, 94}, 0, 0},
	[ROLE_ADDED] = {{GREEN, GREEN, GREEN}, {28, 114, 28}, 0, 0},
	[ROLE_REMOVED] = {{RED, RED, RED}, {160, 203, 160}, 0, 0},
	[ROLE_HUNK] = {{CYAN, CYAN, BLUE}, {31, 74, 25}, 0, D},
	[ROLE_HEADING] = {{BLUE, CYAN, BLUE}, {32, 117, 25}, B, B},
	[ROLE_CODE] = {{CYAN, CYAN, BLUE}, {30, 150, 24}, 0, B},
	[ROLE_LINK] = {{BLUE, CYAN, BLUE}, {32, 75, 26}, U, U},
	[ROLE_QUOTE] = {{-1, -1, -1}, {244, 248, 240}, 0, D},
	[ROLE_TITLE] = {{-1, -1, -1}, {-1, -1, -1}, B, B},
	[ROLE_KEY] = {{CYAN, CYAN, BLUE}, {31, 117, 25}, B, B},
	[ROLE_TAG + 0] = {{CYAN, CYAN, CYAN}, {30, 80, 30}, 0, D},
	[ROLE_TAG + 1] = {{MAGENTA, MAGENTA, MAGENTA}, {133, 176, 127}, 0, D},
	[ROLE_TAG + 2] = {{GREEN, GREEN, GREEN}, {64, 150, 64}, 0, D},
	[ROLE_TAG + 3] = {{BLUE, BLUE, BLUE}, {32, 75, 26}, 0, D},
	[ROLE_TAG + 4] = {{GREEN, YELLOW, GREEN}, {136, 222, 94}, B, D},
	[ROLE_TAG + 5] = {{CYAN, CYAN, CYAN}, {37, 87, 31}, B, D},
	[ROLE_TAG + 6] = {{MAGENTA, MAGENTA, MAGENTA}, {168, 211, 162}, B, D},
	[ROLE_TAG + 7] = {{GREEN, GREEN, GREEN}, {35, 120, 29}, B, D},
	[ROLE_TAG + 8] = {{BLUE, BLUE, BLUE}, {98, 141, 55}, B, D},
	[ROLE_TAG + 9] = {{MAGENTA, YELLOW, MAGENTA}, {173, 180, 130}, 0, D},
};

#undef B
#undef U
#undef D
#undef I

bool theme_is_plain(enum theme_choice choice, const char *no_color)
{
	if (choice == THEME_AUTO)
		return no_color && *no_color;
	return choice == THEME_NEVER;
}

/* "15;0", "0;default;15": the last number is the background. rxvt's white is 7,
 * xterm's bright one 15; 8 is a dark grey. */
static enum theme_background background_of(const char *colorfgbg)
{
	const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
	char *end;
	long n;

	if (!last)
		return THEME_UNKNOWN;
	n = strtol(last + 1, &end, 10);
	if (end == last + 1 || *end || n < 0 || n > 15)
		return THEME_UNKNOWN;
	return n == 7 || n > 8 ? THEME_LIGHT : THEME_DARK;
}

void theme_init(struct theme *t, enum theme_choice choice, int colors,
	const char *colorfgbg)
{
	memset(t, 0, sizeof(*t));
	if (choice == THEME_MONO || choice == THEME_NEVER || colors < 8)
		return;
	/* Where a colour is its RGB value, the first eight are the palette's.
	 */
	t->colors = colors > 256    ? 8
		    : colors == 256 ? 256
		    : colors < 16   ? 8
				    : 16;
	if (choice == THEME_ON_DARK)
		t->background = THEME_DARK;
	else if (choice == THEME_ON_LIGHT)
		t->background = THEME_LIGHT;
	else
		t->background = background_of(colorfgbg);
}

/* A colour of the 256 as one of the first eight, +8 when it is bright. */
static int nearest_basic(int c)
{
	static const uint8_t steps[] = {0, 95, 135, 175, 215, 255};
	int rgb[3];
	int most = 0;
	int got = 0;
	int i;

	if (c < 16)
		return c;
	if (c >= 232) { /* greys */
		int grey = c - 232;

		return grey < 6 ? 0 : grey < 12 ? 8 : grey < 20 ? 7 : 15;
	}
	c -= 16;
	rgb[0] = steps[c / 36];
	rgb[1] = steps[c / 6 % 6];
	rgb[2] = steps[c % 6];
	for (i = 0; i < 3; i++)
		most = rgb[i] > most ? rgb[i] : most;
	for (i = 0; i < 3; i++)
		if (most >= 95 && rgb[i] * 3 > most * 2)
			got |= 1 << i;
	return got + (most > 215 ? 8 : 0);
}

/* A palette colour with what the terminal has. */
static int palette(const struct theme *t, uint32_t c, uint32_t *attrs)
{
	int basic;

	if (!t->colors)
		return -1;
	if (t->colors >= 256)
		return (int)c;
	basic = nearest_basic((int)c);
	if (t->colors >= 16 || basic < 8)
		return basic;
	if (attrs)
		*attrs |= STYLE_BOLD;
	return basic - 8;
}

static void take_role(const struct theme *t, uint32_t role, struct look *l)
{
	const struct role_look *r;
	int c;

	if (role >= ROLE_COUNT)
		return;
	r = &roles[role];
	if (!t->colors) {
		l->attrs |= r->mono;
		return;
	}
	l->attrs |= r->attrs;
	c = r->basic[t->background];
	if (t->colors >= 256)
		l->fg = r->rich[t->background];
	else if (t->colors >= 16 && t->background == THEME_DARK && c >= 0)
		l->fg = c + 8;
	else
		l->fg = c;
}

/* A match is black on yellow, also in the selected row, which is reversed and
 * without other colours. Without colours both turn the row over, and what is
 * found stands out by its line. */
static void take_marks(const struct theme *t, uint32_t style, struct look *l)
{
	if (!(style & (STYLE_MATCH | STYLE_SELECTED)))
		return;
	l->attrs &= ~(uint32_t)STYLE_DIM;
	if (t->colors && (style & STYLE_MATCH)) {
		l->attrs &= ~(uint32_t)STYLE_REVERSE;
		if (style & STYLE_SELECTED)
			l->attrs |= STYLE_BOLD | STYLE_UNDERLINE;
		l->fg = 0;
		l->bg = YELLOW;
		return;
	}
	if (style & STYLE_SELECTED) {
		l->attrs ^= STYLE_REVERSE;
		l->fg = l->bg = -1;
	}
	if (style & STYLE_MATCH) {
		l->attrs ^= STYLE_REVERSE;
		l->attrs |= STYLE_BOLD | STYLE_UNDERLINE;
	}
}

struct look theme_look(const struct theme *t, uint32_t style)
{
	struct look l = {style & ATTRS, -1, -1};

	if (style & STYLE_FG)
		l.fg = palette(t, style >> 16 & 0xff, &l.attrs);
	else
		take_role(t, style >> 16 & 0xff, &l);
	if (style & STYLE_BG)
		l.bg = palette(t, style >> 24, NULL);
	take_marks(t, style, &l);
	if (t->no_italic && (l.attrs & STYLE_ITALIC))
		l.attrs = (l.attrs & ~(uint32_t)STYLE_ITALIC) | STYLE_UNDERLINE;
	return l;
}

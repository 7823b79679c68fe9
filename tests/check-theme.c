#include "config.h"

#include "tests/check-main.h"
#include "ui/theme.h"

static struct theme theme_of(int colors, const char *colorfgbg)
{
	struct theme t;

	theme_init(&t, THEME_AUTO, colors, colorfgbg);
	return t;
}

START_TEST(backgrounds)
{
	ck_assert_int_eq(theme_of(256, NULL).background, THEME_UNKNOWN);
	ck_assert_int_eq(theme_of(256, "").background, THEME_UNKNOWN);
	ck_assert_int_eq(theme_of(256, "15;0").background, THEME_DARK);
	ck_assert_int_eq(theme_of(256, "0;15").background, THEME_LIGHT);
	ck_assert_int_eq(theme_of(8, "0;7").background, THEME_LIGHT);
	ck_assert_int_eq(theme_of(8, "7;8").background, THEME_DARK);
	ck_assert_int_eq(theme_of(8, "0;default;15").background, THEME_LIGHT);
	ck_assert_int_eq(theme_of(8, "0;default").background, THEME_UNKNOWN);
	ck_assert_int_eq(theme_of(8, "0;99").background, THEME_UNKNOWN);
}
END_TEST

START_TEST(choices)
{
	struct theme t;

	theme_init(&t, THEME_ON_LIGHT, 8, "15;0");
	ck_assert_int_eq(t.background, THEME_LIGHT);
	theme_init(&t, THEME_ON_DARK, 8, "0;15");
	ck_assert_int_eq(t.background, THEME_DARK);
	theme_init(&t, THEME_MONO, 256, NULL);
	ck_assert_int_eq(t.colors, 0);
	ck_assert(theme_is_plain(THEME_NEVER, NULL));
	ck_assert(theme_is_plain(THEME_AUTO, "1"));
	ck_assert(!theme_is_plain(THEME_AUTO, ""));
	ck_assert(!theme_is_plain(THEME_AUTO, NULL));
	ck_assert(!theme_is_plain(THEME_ON_DARK, "1"));
	ck_assert(!theme_is_plain(THEME_MONO, NULL));
}
END_TEST

START_TEST(colours)
{
	ck_assert_int_eq(theme_of(-1, NULL).colors, 0);
	ck_assert_int_eq(theme_of(8, NULL).colors, 8);
	ck_assert_int_eq(theme_of(88, NULL).colors, 16);
	ck_assert_int_eq(theme_of(256, NULL).colors, 256);
	/* Colours that are RGB values. */
	ck_assert_int_eq(theme_of(1 << 24, NULL).colors, 8);
}
END_TEST

/* Every style gives only what the terminal has. */
START_TEST(bounds)
{
	static const int amounts[] = {0, 8, 16, 256};
	static const char *const grounds[] = {NULL, "15;0", "0;15"};
	size_t i;
	uint32_t s;

	for (i = 0; i < 12; i++) {
		struct theme t = theme_of(amounts[i % 4], grounds[i / 4]);

		for (s = 0; s < 0x400 * 256; s++) {
			uint32_t style = (s & 0x3ff) | (s & 0x3fc00) << 6 |
					 (s & 0x3fc00) << 14;
			struct look l = theme_look(&t, style);

			if (l.fg < -1 || l.fg >= (t.colors ? t.colors : 0) ||
				l.bg < -1 ||
				l.bg >= (t.colors ? t.colors : 0) ||
				l.attrs >= STYLE_SELECTED)
				ck_abort_msg("style %x: %d %d %x", style, l.fg,
					l.bg, l.attrs);
		}
	}
}
END_TEST

static bool differ(struct look a, struct look b)
{
	return a.attrs != b.attrs || a.fg != b.fg || a.bg != b.bg;
}

/* A match is seen in the selected row, and outside of it. */
START_TEST(marks)
{
	static const int amounts[] = {0, 8, 16, 256};
	uint32_t role;
	size_t i;

	for (i = 0; i < 4; i++) {
		for (role = 0; role < ROLE_COUNT; role++) {
			struct theme t = theme_of(amounts[i], NULL);
			uint32_t s = role << 16;
			struct look plain = theme_look(&t, s);
			struct look match = theme_look(&t, s | STYLE_MATCH);
			struct look row = theme_look(&t, s | STYLE_SELECTED);
			struct look both = theme_look(
				&t, s | STYLE_SELECTED | STYLE_MATCH);

			ck_assert(differ(plain, match));
			ck_assert(differ(plain, row));
			ck_assert(differ(row, both));
			ck_assert(differ(match, both));
		}
	}
}
END_TEST

/* Neighbours in the list of subagents do not look alike. */
START_TEST(tags)
{
	static const int amounts[] = {8, 16, 256};
	static const char *const grounds[] = {NULL, "15;0", "0;15"};
	size_t i;
	uint32_t n;

	ck_assert_uint_eq(style_tag(0), STYLE_DIM);
	for (i = 0; i < 9; i++) {
		struct theme t = theme_of(amounts[i % 3], grounds[i / 3]);

		for (n = 1; n <= STYLE_TAGS; n++) {
			ck_assert(differ(theme_look(&t, style_tag(n)),
				theme_look(&t, style_tag(n + 1))));
			ck_assert_uint_eq(
				style_tag(n), style_tag(n + STYLE_TAGS));
		}
	}
}
END_TEST

START_TEST(palette)
{
	struct theme t = theme_of(256, NULL);

	ck_assert_int_eq(theme_look(&t, style_fg(200) | style_bg(17)).fg, 200);
	ck_assert_int_eq(theme_look(&t, style_fg(200) | style_bg(17)).bg, 17);
	t = theme_of(8, NULL);
	ck_assert_int_eq(theme_look(&t, style_fg(196)).fg, 1);
	ck_assert_int_eq(theme_look(&t, style_fg(21)).fg, 4);
	ck_assert_int_eq(theme_look(&t, style_fg(226)).fg, 3);
	ck_assert_uint_eq(theme_look(&t, style_fg(9)).attrs, STYLE_BOLD);
	ck_assert_int_eq(theme_look(&t, style_fg(232)).fg, 0);
	t = theme_of(16, NULL);
	ck_assert_int_eq(theme_look(&t, style_fg(9)).fg, 9);
	ck_assert_int_eq(theme_look(&t, style_fg(255)).fg, 15);
	t = theme_of(0, NULL);
	ck_assert_int_eq(theme_look(&t, style_fg(9)).fg, -1);
}
END_TEST

CHECK_MAIN("theme", backgrounds, choices, colours, bounds, marks, tags, palette)

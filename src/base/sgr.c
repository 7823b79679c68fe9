#include "config.h"

#include "base/sgr.h"

#include <stdlib.h>

#define ESC '\x1b'
#define PARAMS_MAX 32

/* The steps of the 6 x 6 x 6 cube. */
static const int steps[] = {0, 95, 135, 175, 215, 255};

static int nearest_step(int v)
{
	int best = 0;

	for (int i = 1; i < 6; i++) {
		if (abs(steps[i] - v) < abs(steps[best] - v))
			best = i;
	}
	return best;
}

static int from_rgb(int r, int g, int b)
{
	int grey = (r + g + b) / 3;

	if (abs(r - g) < 8 && abs(g - b) < 8 && grey > 8 && grey < 238)
		return 232 + (grey - 8) / 10;
	return 16 + 36 * nearest_step(r) + 6 * nearest_step(g) +
	       nearest_step(b);
}

static void to_rgb(int colour, int rgb[3])
{
	static const unsigned char basic[16][3] = {{0, 0, 0}, {205, 0, 0},
		{0, 205, 0}, {205, 205, 0}, {0, 0, 238}, {205, 0, 205},
		{0, 205, 205}, {229, 229, 229}, {127, 127, 127}, {255, 0, 0},
		{0, 255, 0}, {255, 255, 0}, {92, 92, 255}, {255, 0, 255},
		{0, 255, 255}, {255, 255, 255}};

	for (int i = 0; i < 3; i++) {
		if (colour < 16)
			rgb[i] = basic[colour][i];
		else if (colour >= 232)
			rgb[i] = 8 + 10 * (colour - 232);
		else
			rgb[i] = steps[(colour - 16) /
				       (i == 0          ? 36
					       : i == 1 ? 6
							: 1) %
				       6];
	}
}

int sgr_basic(int colour)
{
	long best_far = -1;
	int best = 0;
	int want[3];

	if (colour < 16)
		return colour;
	to_rgb(colour, want);
	for (int c = 0; c < 16; c++) {
		long far = 0;
		int rgb[3];

		to_rgb(c, rgb);
		for (int i = 0; i < 3; i++)
			far += (long)(rgb[i] - want[i]) * (rgb[i] - want[i]);
		if (best_far < 0 || far < best_far) {
			best_far = far;
			best = c;
		}
	}
	return best;
}

/* 38 or 48 at V[AT]: sets *COLOUR, returns how many numbers it took. */
static int extended(const int *v, int count, int at, int16_t *colour)
{
	if (at + 2 < count && v[at + 1] == 5) {
		if (v[at + 2] <= 255)
			*colour = (int16_t)v[at + 2];
		return 3;
	}
	if (at + 4 < count && v[at + 1] == 2) {
		if (v[at + 2] <= 255 && v[at + 3] <= 255 && v[at + 4] <= 255)
			*colour = (int16_t)from_rgb(
				v[at + 2], v[at + 3], v[at + 4]);
		return 5;
	}
	return count - at;
}

static void attribute(struct sgr *s, int n)
{
	static const unsigned on[] = {0, SGR_BOLD, SGR_DIM, SGR_ITALIC,
		SGR_UNDERLINE, 0, 0, SGR_REVERSE, 0, SGR_STRIKE};

	if (n == 0)
		*s = (struct sgr)SGR_INIT;
	else if (n < 10)
		s->attrs |= on[n];
	else if (n == 21 || n == 22)
		s->attrs &= ~(unsigned)(SGR_BOLD | SGR_DIM);
	else if (n > 22 && n < 30)
		s->attrs &= ~on[n - 20];
	else if (n >= 30 && n <= 37)
		s->fg = (int16_t)(n - 30);
	else if (n >= 40 && n <= 47)
		s->bg = (int16_t)(n - 40);
	else if (n >= 90 && n <= 97)
		s->fg = (int16_t)(n - 82);
	else if (n >= 100 && n <= 107)
		s->bg = (int16_t)(n - 92);
	else if (n == 39)
		s->fg = -1;
	else if (n == 49)
		s->bg = -1;
}

/* The parameters of a CSI ... m. */
static void apply(struct sgr *s, struct str params)
{
	int v[PARAMS_MAX] = {0};
	int count = 1;

	for (size_t i = 0; i < params.len; i++) {
		char c = params.ptr[i];

		if (c >= '0' && c <= '9') {
			if (v[count - 1] < 1000)
				v[count - 1] = v[count - 1] * 10 + (c - '0');
		} else if ((c == ';' || c == ':') && count < PARAMS_MAX) {
			count++;
		} else if (c != ';' && c != ':') {
			return; /* private or unknown: no SGR */
		}
	}
	for (int i = 0; i < count;) {
		if (v[i] == 38)
			i += extended(v, count, i, &s->fg);
		else if (v[i] == 48)
			i += extended(v, count, i, &s->bg);
		else
			attribute(s, v[i++]);
	}
}

/* The length of the escape sequence at AT; an SGR one is applied. A string
 * (OSC, DCS, ...) ends at BEL or ST, or with the line. */
static size_t sequence(struct sgr *s, struct str line, size_t at)
{
	size_t i = at + 1;

	if (i < line.len && line.ptr[i] == '[') {
		size_t from = ++i;

		while (i < line.len && line.ptr[i] >= ' ' && line.ptr[i] <= '?')
			i++;
		if (i < line.len && line.ptr[i] == 'm')
			apply(s, (struct str){line.ptr + from, i - from});
		return i - at +
		       (i < line.len && line.ptr[i] >= '@' &&
			       line.ptr[i] <= '~');
	}
	if (i < line.len && memchr("]P^_X", line.ptr[i], 5)) {
		for (i++; i < line.len && line.ptr[i] != '\a'; i++) {
			if (line.ptr[i] == ESC && i + 1 < line.len &&
				line.ptr[i + 1] == '\\')
				return i + 2 - at;
		}
		return (i < line.len ? i + 1 : i) - at;
	}
	while (i < line.len && line.ptr[i] >= ' ' && line.ptr[i] < '0')
		i++;
	/* The final byte is ASCII; anything else is text. */
	if (i < line.len && line.ptr[i] >= '0' && line.ptr[i] <= '~')
		i++;
	return i - at;
}

/* Where the part begins that can still be seen. */
static size_t visible_from(struct str line)
{
	size_t i = line.len;

	while (i > 0 && line.ptr[i - 1] != '\r')
		i--;
	return i;
}

void sgr_line(struct sgr *s, struct str line, sgr_fn *fn, void *arg)
{
	size_t seen;
	size_t from = 0;
	size_t i = 0;

	while (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;
	seen = visible_from(line);
	while (i <= line.len) {
		if (i < line.len && line.ptr[i] != ESC) {
			i++;
			continue;
		}
		if (from < seen)
			from = seen < i ? seen : i;
		if (i > from)
			fn(arg, (struct str){line.ptr + from, i - from}, s);
		if (i == line.len)
			break;
		i += sequence(s, line, i);
		from = i;
	}
}

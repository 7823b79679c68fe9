#ifndef AGENTRUN_UI_STYLE_H
#define AGENTRUN_UI_STYLE_H

#include <stdint.h>

/* style: how a piece of text is to look, as one number: flags, and what it
 * means (its role), from which theme.h makes colours and attributes. 0 is plain
 * text.
 *
 * What a tool printed in colours of its own has numbers of the 256-colour
 * palette instead of a role: STYLE_FG and STYLE_BG. */
enum style_flag {
	STYLE_BOLD = 1,
	STYLE_DIM = 2,
	STYLE_ITALIC = 4,
	STYLE_UNDERLINE = 8,
	STYLE_REVERSE = 16,
	STYLE_SELECTED = 32, /* the whole row; the flags below stay in sight */
	STYLE_MATCH = 64,    /* what a search found */
	STYLE_LINE = 128,    /* a piece of a horizontal line of the screen */
	STYLE_FG = 256,
	STYLE_BG = 512
};

#define STYLE_TAGS 10 /* tag colours: subagent N has that of N % STYLE_TAGS */

enum style_role {
	ROLE_NONE,
	ROLE_ERROR,
	ROLE_DENIED,
	ROLE_RUNNING,
	ROLE_OK,
	ROLE_NOTE, /* notes and warnings */
	ROLE_ADDED,
	ROLE_REMOVED,
	ROLE_HUNK, /* the places in a diff */
	ROLE_HEADING,
	ROLE_CODE,
	ROLE_LINK,
	ROLE_QUOTE,
	ROLE_TITLE, /* of an area of the screen */
	ROLE_KEY,   /* a key in a hint */
	ROLE_TAG,   /* the first of STYLE_TAGS */
	ROLE_COUNT = ROLE_TAG + STYLE_TAGS
};

static inline uint32_t style_role(enum style_role role)
{
	return (uint32_t)role << 16;
}

/* The tag of subagent N from 1; 0, the main agent, is dim. */
static inline uint32_t style_tag(uint32_t n)
{
	if (!n)
		return STYLE_DIM;
	return (uint32_t)(ROLE_TAG + (n - 1) % STYLE_TAGS) << 16;
}

/* Colours 0 to 255 of the terminal's palette. */
static inline uint32_t style_fg(uint8_t colour)
{
	return STYLE_FG | (uint32_t)colour << 16;
}

static inline uint32_t style_bg(uint8_t colour)
{
	return STYLE_BG | (uint32_t)colour << 24;
}

#endif

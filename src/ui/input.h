#ifndef AGENTRUN_UI_INPUT_H
#define AGENTRUN_UI_INPUT_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* input: the bytes of a terminal as keys, without curses and without waiting.
 *
 * A whole escape sequence is one key, whatever it means and in however many
 * pieces it comes: one that is not known never becomes the letters that it is
 * made of. Answers of the terminal (focus, reports, strings) are no keys. */
struct input_key {
	uint32_t key; /* a code point or an enum ui_key (ui/keys.h) */
	bool pasted;  /* it must not act as a command */
	int x;        /* UIKEY_CLICK and the wheel: the cell, from 0 */
	int y;
};

/* A sequence of the terminal's description that the rules do not cover. */
struct input_name {
	char seq[15];
	uint8_t len;
	uint32_t key;
};

#define INPUT_NAMES 16

/* What is being dropped up to its end. */
enum input_rest {
	INPUT_NOTHING,
	INPUT_OSC,    /* ends like a string, or with BEL */
	INPUT_STRING, /* DCS, APC, PM, SOS: ends with ESC \\ */
	INPUT_CSI     /* an endless control sequence */
};

struct input {
	struct strbuf bytes; /* not yet read */
	size_t pos;
	bool utf8;            /* else the charset of the locale */
	bool pasting;         /* between the marks of a paste */
	enum input_rest rest; /* of what is dropped */
	struct input_name names[INPUT_NAMES];
	size_t name_count;
};

void input_init(struct input *in, bool utf8);
void input_release(struct input *in);

/* SEQ (what a description says of a key; NULL, "" and what is too long are
 * passed over) is KEY. */
void input_define(struct input *in, const char *seq, uint32_t key);

/* Takes LEN bytes of the terminal. */
void input_add(struct input *in, const char *s, size_t len);

/* The next key. False when there is none, or not all of it yet; LATE: the time
 * of input_wait has passed, and what is there is all there will be. */
bool input_next(struct input *in, bool late, struct input_key *key);

/* How long to wait for the rest of what input_next did not take, in ms: a
 * moment for a lone Esc, longer for a sequence that has begun; -1 when nothing
 * is waited for. */
int input_wait(const struct input *in);

/* Forgets what was not taken (keys that are nobody's any more). */
void input_drop(struct input *in);

#endif

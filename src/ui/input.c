#include "config.h"

#include "ui/input.h"

#include <stdlib.h>
#include <string.h>
#include <unistr.h>
#include <wchar.h>

#include "ui/keys.h"

#define ESC 0x1b
#define BEL 0x07
#define CAN 0x18
#define SUB 0x1a
#define ESC_MS 50       /* a lone Esc, or the rest is on its way */
#define SEQUENCE_MS 500 /* the rest of a sequence on a slow line */
#define PARAMS_MAX 4
#define SEQUENCE_MAX 256 /* longer ones are none */

#define NO_KEY KEY_FIRST_SPECIAL /* nothing that anybody typed */

/* A control sequence: CSI, or SS3 with what some terminals put into it. */
struct csi {
	char prefix; /* one of "<=>?", or 0 */
	char inter;  /* the last of ' '..'/', or 0 */
	char final;
	int params[PARAMS_MAX]; /* 0 where none is given */
	int count;
};

void input_init(struct input *in, bool utf8)
{
	memset(in, 0, sizeof(*in));
	strbuf_init(&in->bytes);
	in->utf8 = utf8;
}

void input_release(struct input *in)
{
	strbuf_release(&in->bytes);
}

void input_define(struct input *in, const char *seq, uint32_t key)
{
	struct input_name *name = &in->names[in->name_count];
	size_t len = seq ? strlen(seq) : 0;

	if (len < 2 || len > sizeof(name->seq) || in->name_count == INPUT_NAMES)
		return;
	memcpy(name->seq, seq, len);
	name->len = (uint8_t)len;
	name->key = key;
	in->name_count++;
}

void input_add(struct input *in, const char *s, size_t len)
{
	strbuf_drop(&in->bytes, in->pos);
	in->pos = 0;
	strbuf_add(&in->bytes, s, len);
}

void input_drop(struct input *in)
{
	strbuf_reset(&in->bytes);
	in->pos = 0;
	in->rest = INPUT_NOTHING;
}

static uint32_t control(unsigned char c)
{
	switch (c) {
	case '\r':
	case '\n':
		return UIKEY_ENTER;
	case '\t':
		return UIKEY_TAB;
	case 8:
	case 127:
		return UIKEY_BACKSPACE;
	default:
		return c;
	}
}

/* A character of the locale's charset. */
static size_t local_character(
	const unsigned char *s, size_t len, bool late, uint32_t *key)
{
	mbstate_t state;
	wchar_t wc;
	size_t n;

	memset(&state, 0, sizeof(state));
	n = mbrtowc(&wc, (const char *)s, len, &state);
	if (n == (size_t)-2 && !late)
		return 0;
	if (n == 0 || n > len) {
		*key = UIKEY_OTHER;
		return 1;
	}
	*key = (uint32_t)wc;
	return n;
}

static size_t character(const struct input *in, const unsigned char *s,
	size_t len, bool late, uint32_t *key)
{
	ucs4_t uc;
	int n;

	if (*s < 0x20 || *s == 127) {
		*key = control(*s);
		return 1;
	}
	if (*s < 0x80) {
		*key = *s;
		return 1;
	}
	if (!in->utf8)
		return local_character(s, len, late, key);
	n = u8_mbtoucr(&uc, s, len);
	if (n == -2 && !late)
		return 0;
	*key = n > 0 && uc >= 0xa0 ? uc : UIKEY_OTHER;
	return n > 0 ? (size_t)n : 1;
}

/* The terminal's own word for a key, longest first. */
static size_t named(const struct input *in, const unsigned char *s, size_t len,
	uint32_t *key)
{
	size_t best = 0;
	size_t i;

	for (i = 0; i < in->name_count; i++) {
		const struct input_name *n = &in->names[i];

		if (n->len <= len && n->len > best &&
			memcmp(n->seq, s, n->len) == 0) {
			best = n->len;
			*key = n->key;
		}
	}
	return best;
}

static void add_digit(struct csi *c, int digit)
{
	int *last;

	if (!c->count)
		c->count = 1;
	last = &c->params[c->count - 1];
	if (*last < 100000)
		*last = *last * 10 + digit;
}

static void next_param(struct csi *c)
{
	c->count += c->count ? 1 : 2;
	if (c->count > PARAMS_MAX)
		c->count = PARAMS_MAX;
}

/* Reads from behind the introducer. Returns the length up to the final byte, 0:
 * not whole. A control character breaks it off: it has no final byte then. */
static size_t read_csi(const unsigned char *s, size_t len, struct csi *c)
{
	size_t i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < len; i++) {
		unsigned char b = s[i];

		if (b >= '0' && b <= '9') {
			add_digit(c, b - '0');
		} else if (b == ';' || b == ':') {
			next_param(c);
		} else if (b >= '<' && b <= '?') {
			c->prefix = (char)b;
		} else if (b >= ' ' && b <= '/' &&
			   !(b == '$' && c->count && !c->prefix)) {
			c->inter = (char)b;
		} else if (b >= ' ' && b <= '~') {
			c->final = (char)b; /* '$': rxvt, with Shift */
			return i + 1;
		} else {
			return i ? i : 1;
		}
	}
	return 0;
}

/* A button as xterm counts it, at column and row from 1. */
static void mouse(struct input_key *k, int button, int x, int y, bool press)
{
	k->x = x > 0 ? x - 1 : 0;
	k->y = y > 0 ? y - 1 : 0;
	button &= ~(4 | 8 | 16); /* Shift, Meta, Control */
	k->key = NO_KEY;
	if (button == 64)
		k->key = UIKEY_WHEEL_UP;
	else if (button == 65)
		k->key = UIKEY_WHEEL_DOWN;
	else if (button == 0 && press)
		k->key = UIKEY_CLICK;
}

static uint32_t letter_key(char final)
{
	switch (final) {
	case 'A':
		return UIKEY_UP;
	case 'B':
		return UIKEY_DOWN;
	case 'C':
		return UIKEY_RIGHT;
	case 'D':
		return UIKEY_LEFT;
	case 'F':
		return UIKEY_END;
	case 'H':
		return UIKEY_HOME;
	case 'M':
		return UIKEY_ENTER;
	case 'P':
		return UIKEY_F1;
	case 'Z':
		return UIKEY_BTAB;
	default:
		return UIKEY_OTHER;
	}
}

static uint32_t tilde_key(int number)
{
	switch (number) {
	case 1:
	case 7:
		return UIKEY_HOME;
	case 4:
	case 8:
		return UIKEY_END;
	case 5:
		return UIKEY_PGUP;
	case 6:
		return UIKEY_PGDN;
	case 11:
		return UIKEY_F1;
	default:
		return UIKEY_OTHER;
	}
}

/* CSI CODE ; MODIFIERS u: a character as newer terminals send it. */
static uint32_t unicode_key(const struct csi *c)
{
	uint32_t code = (uint32_t)c->params[0];
	int mods = c->count > 1 && c->params[1] ? c->params[1] - 1 : 0;

	if (mods & ~(1 | 4) || code > 0x10ffff)
		return UIKEY_OTHER;
	if (mods & 4)
		return code >= 'a' && code <= 'z' && mods == 4 ? code - 'a' + 1
							       : UIKEY_OTHER;
	if (code == ESC)
		return UIKEY_ESC;
	return code < 0x20 || code == 127 ? control((unsigned char)code) : code;
}

/* What a control sequence means. */
static void csi_key(struct input *in, const struct csi *c, struct input_key *k)
{
	bool modified = c->count > 1 && c->params[1] > 1;

	k->key = NO_KEY;
	if (c->prefix == '<' && (c->final == 'M' || c->final == 'm')) {
		mouse(k, c->params[0], c->params[1], c->params[2],
			c->final == 'M');
	} else if (c->prefix || c->inter) {
		return;
	} else if (c->final == '~' && c->params[0] == 200) {
		in->pasting = true;
	} else if (c->final == '~' && c->params[0] == 201) {
		in->pasting = false;
	} else if (c->final == 'u') {
		k->key = unicode_key(c);
	} else if (c->final == '~' || c->final == '$' || c->final == '^' ||
		   c->final == '@') {
		k->key = c->final == '~' && !modified ? tilde_key(c->params[0])
						      : UIKEY_OTHER;
	} else if (strchr("ABCDEFGHPQSZabcd", c->final)) {
		k->key = modified ? UIKEY_OTHER : letter_key(c->final);
	}
}

/* The rest of what began with ESC [. */
static size_t csi(struct input *in, const unsigned char *s, size_t len,
	bool late, struct input_key *k)
{
	struct csi c;
	size_t n;

	if (len > 2 && s[2] == '[') { /* the Linux console's F1 to F5 */
		k->key = len > 3 && s[3] == 'A' ? UIKEY_F1 : UIKEY_OTHER;
		return len > 3 ? 4 : late ? len : 0;
	}
	if (len > 2 && s[2] == 'M') { /* the mouse as X10 tells it */
		if (len >= 6)
			mouse(k, s[3] - 32, s[4] - 32, s[5] - 32,
				((s[3] - 32) & 3) != 3);
		return len >= 6 ? 6 : late ? len : 0;
	}
	n = read_csi(s + 2, len - 2, &c);
	k->key = n || late ? UIKEY_OTHER : NO_KEY;
	if (n && c.final)
		csi_key(in, &c, k);
	if (!n && len > SEQUENCE_MAX) {
		in->rest = INPUT_CSI;
		return len;
	}
	return n ? 2 + n : late ? len : 0;
}

/* The rest of what began with ESC O: cursor keys and the keypad. */
static size_t ss3(
	const unsigned char *s, size_t len, bool late, struct input_key *k)
{
	struct csi c;
	size_t n = read_csi(s + 2, len - 2, &c);

	k->key = UIKEY_OTHER;
	if (!n)
		return late ? len : 0;
	if (c.count == 0 && c.final >= 'j' && c.final <= 'y')
		k->key = (uint32_t)c.final - 0x40;
	else if (c.count == 0)
		k->key = letter_key(c.final);
	return 2 + n;
}

/* What begins with ESC. */
static size_t escape(struct input *in, const unsigned char *s, size_t len,
	bool late, struct input_key *k)
{
	size_t n = named(in, s, len, &k->key);

	if (n)
		return n;
	if (len == 1) {
		k->key = UIKEY_ESC;
		return late ? 1 : 0;
	}
	switch (s[1]) {
	case '[':
		return csi(in, s, len, late, k);
	case 'O':
		return ss3(s, len, late, k);
	case ']':
	case 'P':
	case 'X':
	case '^':
	case '_':
		in->rest = s[1] == ']' ? INPUT_OSC : INPUT_STRING;
		k->key = NO_KEY;
		return 2;
	case ESC:
		/* Esc twice; or Alt with a key that is a sequence. */
		if (len > 2 && (s[2] == '[' || s[2] == 'O')) {
			n = escape(in, s + 1, len - 1, late, k);
			if (n && k->key != NO_KEY)
				k->key = UIKEY_OTHER;
			return n ? n + 1 : 0;
		}
		k->key = UIKEY_ESC;
		return len > 2 || late ? 1 : 0;
	default:
		k->key = UIKEY_ESC; /* and a key of its own behind it */
		return 1;
	}
}

/* How many of the LEN bytes at S belong to what is dropped. */
static size_t rest_of(struct input *in, const unsigned char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		bool ends = in->rest == INPUT_CSI ? s[i] >= '@' && s[i] <= '~'
						  : s[i] == BEL;

		if (ends && in->rest != INPUT_STRING) {
			in->rest = INPUT_NOTHING;
			return i + 1;
		}
		if (s[i] == ESC && i + 1 == len && in->rest != INPUT_CSI)
			return i; /* half an end */
		if (s[i] == ESC || s[i] == CAN || s[i] == SUB) {
			bool st = s[i] == ESC && in->rest != INPUT_CSI &&
				  s[i + 1] == '\\';

			/* Another sequence ends it, too. */
			in->rest = INPUT_NOTHING;
			return s[i] != ESC ? i + 1 : st ? i + 2 : i;
		}
	}
	return len;
}

static void drop_rest(struct input *in, bool late)
{
	const char *s = in->bytes.buf;

	if (in->rest == INPUT_NOTHING)
		return;
	in->pos += rest_of(in, (const unsigned char *)s + in->pos,
		in->bytes.len - in->pos);
	if (in->rest != INPUT_NOTHING && late)
		input_drop(in);
}

bool input_next(struct input *in, bool late, struct input_key *key)
{
	for (;;) {
		const unsigned char *s;
		size_t len;
		size_t n;

		drop_rest(in, late);
		s = (const unsigned char *)in->bytes.buf + in->pos;
		len = in->bytes.len - in->pos;
		if (!len || in->rest != INPUT_NOTHING)
			return false;
		memset(key, 0, sizeof(*key));
		key->key = NO_KEY;
		n = *s == ESC ? escape(in, s, len, late, key)
			      : character(in, s, len, late, &key->key);
		if (!n)
			return false;
		in->pos += n;
		key->pasted = in->pasting;
		if (key->key != NO_KEY)
			return true;
	}
}

int input_wait(const struct input *in)
{
	size_t left = in->bytes.len - in->pos;

	if (!left && in->rest == INPUT_NOTHING)
		return -1;
	return left == 1 && in->rest == INPUT_NOTHING ? ESC_MS : SEQUENCE_MS;
}

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "tests/check-main.h"
#include "ui/input.h"
#include "ui/keys.h"

/* Bytes of a terminal as keys. */

static void add_key(struct strbuf *out, const struct input_key *k)
{
	if (out->len)
		strbuf_addch(out, ' ');
	if (k->pasted)
		strbuf_addch(out, '*');
	if (k->key == UIKEY_OTHER)
		strbuf_addstr(out, "other");
	else if (k->key == UIKEY_CLICK)
		strbuf_addf(out, "click:%d,%d", k->x, k->y);
	else if (k->key == UIKEY_WHEEL_UP)
		strbuf_addf(out, "wheel-up:%d,%d", k->x, k->y);
	else if (k->key == UIKEY_WHEEL_DOWN)
		strbuf_addf(out, "wheel-down:%d,%d", k->x, k->y);
	else
		keys_name(out, k->key);
}

static void take(struct input *in, bool late, struct strbuf *out)
{
	struct input_key k;

	while (input_next(in, late, &k))
		add_key(out, &k);
}

static void define(struct input *in)
{
	input_init(in, true);
	input_define(in, "\033A", UIKEY_UP); /* vt52 */
	input_define(in, "\033OA", UIKEY_UP);
	input_define(in, "\033[25~", UIKEY_F1);
	input_define(in, NULL, UIKEY_F1);
	input_define(in, "", UIKEY_F1);
}

/* What BYTES give in one piece, and that they give the same byte by byte and
 * cut in two anywhere. */
static void keys_are(const char *bytes, size_t len, const char *want)
{
	size_t cut;

	for (cut = 0; cut <= len + 1; cut++) {
		struct strbuf got = STRBUF_INIT;
		struct input in;
		size_t i;

		define(&in);
		if (cut <= len) {
			input_add(&in, bytes, cut);
			take(&in, false, &got);
			input_add(&in, bytes + cut, len - cut);
			take(&in, false, &got);
		} else {
			for (i = 0; i < len; i++) {
				input_add(&in, bytes + i, 1);
				take(&in, false, &got);
			}
		}
		take(&in, true, &got);
		ck_assert_int_eq(input_wait(&in), -1);
		ck_assert_msg(strcmp(got.buf, want) == 0,
			"cut at %zu: got '%s', want '%s'", cut, got.buf, want);
		strbuf_release(&got);
		input_release(&in);
	}
}

#define KEYS(bytes, want) keys_are(bytes, sizeof(bytes) - 1, want)

START_TEST(characters)
{
	KEYS("jG/", "j G /");
	KEYS("\r\n\t\177\b", "Enter Enter Tab Backspace Backspace");
	KEYS("\x03\x0c", "^C ^L");
	KEYS("\xe4\xb8\xad\xc3\xa9", "\xe4\xb8\xad \xc3\xa9");
	KEYS("\xffj\xe4", "other j other"); /* no UTF-8, and half of one */
	KEYS("\xc2\x9b", "other");          /* a C1 control */
}
END_TEST

START_TEST(known_sequences)
{
	KEYS("\033[A\033[B\033OA\033OB", "Up Down Up Down");
	KEYS("\033[H\033[F\033[1~\033[4~\033[7~\033[8~",
		"Home End Home End Home End");
	KEYS("\033[5~\033[6~\033[Z", "PgUp PgDn S-Tab");
	KEYS("\033OP\033[11~\033[[A", "F1 F1 F1");
	KEYS("\033Ow\033OM", "7 Enter");   /* the keypad */
	KEYS("\033Aj\033[25~", "Up j F1"); /* what the description says */
	KEYS("\033[106u\033[99;5u\033[27u", "j ^C Esc");
	KEYS("\033[1;1A", "Up");
}
END_TEST

START_TEST(unknown_sequences_are_one_key)
{
	KEYS("\033[1;5Aj", "other j"); /* Ctrl-Up */
	KEYS("\033O5Aj", "other j");
	KEYS("\033[7$j\033[3^j\033[aj", "other j other j other j"); /* rxvt */
	KEYS("\033[[Ej", "other j");
	KEYS("\033[106;3uj", "other j");
	KEYS("\033\033[Aj", "other j");    /* Alt-Up */
	KEYS("\033[1\x03j", "other ^C j"); /* broken off */
}
END_TEST

START_TEST(answers_are_no_keys)
{
	KEYS("\033[I\033[Oj", "j"); /* focus */
	KEYS("\033[?62;22c\033[>41;354;0cj", "j");
	KEYS("\033[24;80Rj\033[8;24;80tj", "j j");
	KEYS("\033[?2026;2$yj", "j");
	KEYS("\033]11;rgb:0000/0000/0000\033\\j", "j");
	KEYS("\033]11;rgb:0000/0000/0000\aj", "j");
	KEYS("\033P>|tmux 3.3a\033\\j\033_Gi=1;OK\033\\q", "j q");
	KEYS("\033P1$r\a0m\033\\j", "j"); /* BEL ends an OSC only */
	KEYS("\033]0;\033[Aj", "Up j");   /* another one begins */
}
END_TEST

START_TEST(esc_waits_a_moment)
{
	struct strbuf got = STRBUF_INIT;
	struct input in;

	KEYS("\033", "Esc");
	KEYS("\033\033", "Esc Esc");
	KEYS("\033q\033\xe4\xb8\xad",
		"Esc q Esc \xe4\xb8\xad"); /* typed fast */
	define(&in);
	input_add(&in, "\033", 1);
	take(&in, false, &got);
	ck_assert_str_eq(got.buf, "");
	ck_assert_int_le(input_wait(&in), 50);
	take(&in, true, &got);
	ck_assert_str_eq(got.buf, "Esc");
	input_add(&in, "\033[1;", 4);
	take(&in, false, &got);
	ck_assert_int_gt(input_wait(&in), 50);
	input_drop(&in);
	ck_assert_int_eq(input_wait(&in), -1);
	input_add(&in, "\033]52;never", 11);
	take(&in, false, &got);
	take(&in, true, &got);
	input_add(&in, "j", 1);
	take(&in, false, &got);
	ck_assert_str_eq(got.buf, "Esc j");
	strbuf_release(&got);
	input_release(&in);
}
END_TEST

START_TEST(pasted_text_is_marked)
{
	KEYS("\033[200~q\033[A\r\033[201~q", "*q *Up *Enter q");
	KEYS("\033[200~\033[200~a\033[201~b", "*a b");
}
END_TEST

START_TEST(the_mouse_is_decoded)
{
	KEYS("\033[<0;12;3M\033[<0;12;3m", "click:11,2");
	KEYS("\033[<64;1;1M\033[<65;300;200M",
		"wheel-up:0,0 wheel-down:299,199");
	KEYS("\033[<2;1;1M\033[<35;1;1Mj", "j"); /* other buttons, moves */
	KEYS("\033[M #!j", "click:2,0 j");
	KEYS("\033[M`!!\033[M##!j", "wheel-up:0,0 j");
}
END_TEST

START_TEST(endless_sequences_end)
{
	struct strbuf sb = STRBUF_INIT;
	struct strbuf got = STRBUF_INIT;
	struct input in;
	int i;

	define(&in);
	input_add(&in, "\033[", 2);
	for (i = 0; i < 5000; i++) {
		input_add(&in, "7;", 2);
		take(&in, false, &got);
	}
	ck_assert_uint_lt(in.bytes.len, 1024);
	input_add(&in, "Aj", 2);
	take(&in, false, &got);
	ck_assert_str_eq(got.buf, "j");
	strbuf_release(&sb);
	strbuf_release(&got);
	input_release(&in);
}
END_TEST

CHECK_MAIN("input", characters, known_sequences, unknown_sequences_are_one_key,
	answers_are_no_keys, esc_waits_a_moment, pasted_text_is_marked,
	the_mouse_is_decoded, endless_sequences_end)

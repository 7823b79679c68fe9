#include "config.h"

#include <stdio.h>

#include "tests/check-main.h"
#include "ui/keys.h"
#include "ui/plain.h"

/* The key table. */

static const char *const words[] = {
#define X(id, group, keys, help) keys,
	UI_KEYS(X)
#undef X
};

START_TEST(every_key_has_one_meaning)
{
	struct strbuf all = STRBUF_INIT;
	size_t i;

	strbuf_addch(&all, ' ');
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *p = words[i];

		while (*p) {
			size_t n = strcspn(p, " ");
			struct strbuf one = STRBUF_INIT;

			strbuf_addch(&one, ' ');
			strbuf_add(&one, p, n);
			strbuf_addch(&one, ' ');
			ck_assert_msg(!strstr(all.buf, one.buf),
				"'%s' stands twice in the table", one.buf);
			strbuf_add(&all, one.buf + 1, one.len - 1);
			strbuf_release(&one);
			p += n + (p[n] == ' ');
		}
	}
	strbuf_release(&all);
}
END_TEST

START_TEST(keys_are_found)
{
	ck_assert_int_eq(keys_request('j'), REQ_DOWN);
	ck_assert_int_eq(keys_request(UIKEY_DOWN), REQ_DOWN);
	ck_assert_int_eq(keys_request('E' - '@'), REQ_DOWN);
	ck_assert_int_eq(keys_request(' '), REQ_PAGE_DOWN);
	ck_assert_int_eq(keys_request('7'), REQ_AGENT);
	ck_assert_int_eq(keys_request(UIKEY_F1), REQ_HELP);
	ck_assert_int_eq(keys_request(UIKEY_BTAB), REQ_FOCUS);
	ck_assert_int_eq(keys_request(28), REQ_ABORT);
	ck_assert_int_eq(keys_request('J'), REQ_NONE);
	ck_assert_int_eq(keys_request(0x4e2d), REQ_NONE);
	ck_assert_int_eq(keys_request(0), REQ_NONE);
	ck_assert_int_eq(keys_request(UIKEY_WHEEL_UP), REQ_NONE);
	ck_assert_int_eq(keys_request(UIKEY_OTHER), REQ_NONE);
}
END_TEST

static void count_row(void *arg, const char *keys, const char *help)
{
	int *n = arg;

	ck_assert_uint_gt(strlen(help), 0);
	n[keys ? 1 : 0]++;
}

START_TEST(help_has_every_row)
{
	int n[2] = {0, 0};

	keys_each(count_row, n);
	ck_assert_int_eq(n[0], 4);
	ck_assert_int_eq(n[1], (int)(sizeof(words) / sizeof(words[0])));
}
END_TEST

/* A description with one string that ends in m and one that does not. */
START_TEST(descriptions_lose_their_attributes)
{
	unsigned char e[] = {0x1a, 0x01, 3, 0, 1, 0, 0, 0, 3, 0, 12,
		0,                      /* header */
		'x', '|', '\0', 1,      /* name, flag */
		0, 0, 5, 0, 0xff, 0xff, /* offsets */
		'\033', '[', '1', 'm', '\0', '\033', '[', 'H', '\0', 'a', 'b',
		'\0'};
	size_t i;

	ck_assert_int_eq(plain_strip(e, sizeof(e)), 0);
	ck_assert_uint_eq(e[16], 0xff);
	ck_assert_uint_eq(e[17], 0xff);
	ck_assert_uint_eq(e[18], 5);
	/* Damaged ones are refused, never read beyond. */
	for (i = 0; i < sizeof(e); i++)
		plain_strip(e, i);
	e[8] = 0xff;
	ck_assert_int_eq(plain_strip(e, sizeof(e)), -1);
}
END_TEST

CHECK_MAIN("keys", every_key_has_one_meaning, keys_are_found,
	help_has_every_row, descriptions_lose_their_attributes)

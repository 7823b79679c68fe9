#include "config.h"

#include "base/strbuf.h"

#include <stdlib.h>

#include "base/xalloc.h"

#include "check-main.h"

START_TEST(an_empty_one_is_a_string)
{
	struct strbuf a = STRBUF_INIT;
	struct strbuf b;
	char *s;

	strbuf_init(&b);
	ck_assert_str_eq(a.buf, "");
	ck_assert_str_eq(b.buf, "");
	strbuf_reset(&a);
	strbuf_setlen(&a, 0);
	strbuf_drop(&a, 0);
	strbuf_add(&a, "", 0);
	strbuf_release(&a);
	strbuf_release(&a);
	s = strbuf_detach(&b);
	ck_assert_str_eq(s, "");
	free(s);
}
END_TEST

START_TEST(it_grows_and_stays_terminated)
{
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	for (i = 0; i < 100000; i++) {
		strbuf_addch(&sb, (char)('a' + i % 26));
		ck_assert_int_eq(sb.buf[sb.len], '\0');
	}
	ck_assert_uint_eq(sb.len, 100000);
	ck_assert_int_eq(sb.buf[99999], 'a' + 99999 % 26);
	strbuf_reset(&sb);
	ck_assert_uint_eq(sb.len, 0);
	ck_assert_str_eq(sb.buf, "");
	strbuf_release(&sb);
}
END_TEST

START_TEST(it_carries_nul_bytes)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_add(&sb, "a\0b", 3);
	strbuf_adds(&sb, (struct str){"c\0", 2});
	ck_assert_mem_is(strbuf_str(&sb), "a\0bc\0", 5);
	strbuf_release(&sb);
}
END_TEST

START_TEST(it_formats)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s-%d", "x", 7);
	strbuf_addf(&sb, "%200s|", "");
	ck_assert_uint_eq(sb.len, 3 + 201);
	ck_assert_int_eq(sb.buf[203], '|');
	strbuf_release(&sb);
}
END_TEST

START_TEST(it_reserves_and_drops)
{
	struct strbuf sb = STRBUF_INIT;

	memcpy(strbuf_reserve(&sb, 5), "hello", 5);
	strbuf_setlen(&sb, 5);
	strbuf_drop(&sb, 2);
	ck_assert_str_eq(sb.buf, "llo");
	strbuf_drop(&sb, 3);
	ck_assert_str_eq(sb.buf, "");
	strbuf_release(&sb);
}
END_TEST

START_TEST(it_gives_its_memory_away)
{
	struct strbuf sb = STRBUF_INIT;
	char *s;

	strbuf_addstr(&sb, "mine");
	s = strbuf_detach(&sb);
	ck_assert_str_eq(s, "mine");
	ck_assert_uint_eq(sb.len, 0);
	strbuf_addstr(&sb, "new");
	ck_assert_str_eq(s, "mine");
	free(s);
	strbuf_release(&sb);
}
END_TEST

START_TEST(copies_keep_every_byte)
{
	char *s = xstrndup("a\0b", 3);

	ck_assert_int_eq(memcmp(s, "a\0b", 4), 0);
	free(s);
	free(xmalloc(0));
	free(xcalloc(0, 8));
	free(xreallocarray(NULL, 0, 8));
}
END_TEST

START_TEST(str_tells_absent_from_empty)
{
	ck_assert(str_is_null(str_null()));
	ck_assert(!str_is_null(str_of("")));
	ck_assert(str_is_null(str_of(NULL)));
	ck_assert(str_eq(str_null(), str_null()));
	ck_assert(!str_eq(str_null(), str_of("")));
	ck_assert(!str_eq(str_of(""), str_null()));
	ck_assert(!str_is(str_null(), ""));
	ck_assert(str_is(str_of(""), ""));
	ck_assert(!str_is(str_of("ab"), "a"));
	ck_assert(str_starts(str_of("ab"), "a"));
	ck_assert(!str_starts(str_of("a"), "ab"));
	ck_assert(!str_starts(str_null(), ""));
}
END_TEST

CHECK_MAIN("strbuf", an_empty_one_is_a_string, it_grows_and_stays_terminated,
	it_carries_nul_bytes, it_formats, it_reserves_and_drops,
	it_gives_its_memory_away, copies_keep_every_byte,
	str_tells_absent_from_empty)

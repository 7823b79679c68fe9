#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include <yajl/yajl_parse.h>

#include "base/json.h"
#include "base/longstr.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "tests/check-main.h"

/* Long strings do not pass through yajl. What comes out must be what yajl would
 * have said: here both say it, for odd and damaged lines as well. */

static int add(void *out, char kind, const char *s, size_t len)
{
	strbuf_addf(out, "%c%zu:", kind, len);
	strbuf_add(out, s, len);
	return 1;
}

static int on_string(void *out, const unsigned char *s, size_t len)
{
	return add(out, 's', (const char *)s, len);
}

static int on_key(void *out, const unsigned char *s, size_t len)
{
	return add(out, 'k', (const char *)s, len);
}

static int on_number(void *out, const char *s, size_t len)
{
	return add(out, 'n', s, len);
}

static int on_null(void *out)
{
	return add(out, '0', "", 0);
}

static int on_bool(void *out, int value)
{
	return add(out, value ? 't' : 'f', "", 0);
}

static int on_map(void *out)
{
	return add(out, '{', "", 0);
}

static int on_array(void *out)
{
	return add(out, '[', "", 0);
}

static int on_end(void *out)
{
	return add(out, ']', "", 0);
}

static bool by_yajl(struct strbuf *out, const char *line, size_t len)
{
	static const yajl_callbacks callbacks = {
		.yajl_null = on_null,
		.yajl_boolean = on_bool,
		.yajl_number = on_number,
		.yajl_string = on_string,
		.yajl_start_map = on_map,
		.yajl_map_key = on_key,
		.yajl_end_map = on_end,
		.yajl_start_array = on_array,
		.yajl_end_array = on_end,
	};
	yajl_handle h = yajl_alloc(&callbacks, NULL, out);
	bool ok = yajl_parse(h, (const unsigned char *)line, len) ==
			  yajl_status_ok &&
		  yajl_complete_parse(h) == yajl_status_ok;

	yajl_free(h);
	return ok;
}

static void walk(struct strbuf *out, const struct json *v)
{
	if (v->key.ptr)
		add(out, 'k', v->key.ptr, v->key.len);
	switch (v->kind) {
	case JSON_NULL:
		on_null(out);
		break;
	case JSON_FALSE:
	case JSON_TRUE:
		on_bool(out, v->kind == JSON_TRUE);
		break;
	case JSON_NUMBER:
		add(out, 'n', v->text.ptr, v->text.len);
		break;
	case JSON_STRING:
		add(out, 's', v->text.ptr, v->text.len);
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		add(out, v->kind == JSON_ARRAY ? '[' : '{', "", 0);
		for (const struct json *c = v->first; c; c = c->next)
			walk(out, c);
		on_end(out);
		break;
	}
}

static void compare(const char *line, size_t len)
{
	struct strbuf want = STRBUF_INIT;
	struct strbuf got = STRBUF_INIT;
	struct strbuf repaired = STRBUF_INIT;
	struct arena a;
	const struct json *v;
	bool ok;

	/* A lone surrogate is not yajl's affair. */
	if (utf8_repair_json(&repaired, line, len))
		ok = by_yajl(&want, repaired.buf, repaired.len);
	else
		ok = by_yajl(&want, line, len);
	strbuf_release(&repaired);
	arena_init(&a);
	v = json_parse(&a, line, len);
	ck_assert_msg(ok == (v != NULL), "yajl says %d: %.60s", ok, line);
	if (v) {
		walk(&got, v);
		ck_assert_int_eq(got.len, want.len);
		ck_assert(memcmp(got.buf, want.buf, got.len) == 0);
	}
	arena_release(&a);
	strbuf_release(&want);
	strbuf_release(&got);
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16 & 0x7fff;
}

static void add_random_string(struct strbuf *sb, unsigned *seed, size_t pieces)
{
	static const char *const kinds[] = {"plain text ", "\\n", "\\\"",
		"\\\\", "\\u0041", "\\u00e9", "\\u4e2d", "\\ud83d\\ude00",
		"\\u0000", "\\/\\b\\f\\r\\t", "\xe4\xb8\xad",
		"\xf0\x9f\x98\x80", "{[,:]}", "x",
		"another rather plain piece of text, long"};
	size_t count = sizeof(kinds) / sizeof(*kinds);

	strbuf_addch(sb, '"');
	for (size_t i = 0; i < pieces; i++)
		strbuf_addstr(sb, kinds[next_random(seed) % count]);
	strbuf_addch(sb, '"');
}

static void random_line(struct strbuf *sb, unsigned *seed)
{
	strbuf_reset(sb);
	strbuf_addstr(sb, "{\"first\":[");
	for (int i = 0; i < 12; i++) {
		if (i)
			strbuf_addstr(sb, i % 2 ? " , " : ",");
		if (i % 5 == 4) {
			strbuf_addstr(sb, "{");
			add_random_string(sb, seed, next_random(seed) % 90);
			strbuf_addstr(sb, ":-1.5e7,\"k\":null}");
		} else
			add_random_string(sb, seed, next_random(seed) % 400);
	}
	strbuf_addstr(sb, "],\"last\":true}");
}

START_TEST(random_lines_read_the_same)
{
	struct strbuf line = STRBUF_INIT;
	unsigned seed = 1;

	for (int i = 0; i < 200; i++) {
		random_line(&line, &seed);
		ck_assert_int_gt(line.len, LONGSTR_LINE);
		compare(line.buf, line.len);
	}
	strbuf_release(&line);
}
END_TEST

START_TEST(damaged_lines_are_refused_alike)
{
	static const char bad[] = "\"\\\n\x01{}[],:ux0";
	struct strbuf line = STRBUF_INIT;
	unsigned seed = 2;

	for (int i = 0; i < 1500; i++) {
		size_t at;

		if (i % 50 == 0)
			random_line(&line, &seed);
		at = (next_random(&seed) * 32768u + next_random(&seed)) %
		     line.len;
		/* not inside a character: the repair would step in */
		if (line.buf[at] & 0x80)
			continue;
		line.buf[at] = bad[next_random(&seed) % (sizeof(bad) - 1)];
		compare(line.buf, line.len);
		compare(line.buf, at);
	}
	strbuf_release(&line);
}
END_TEST

/* A long string with BAD in it, as the only value. */
static void one(const char *bad, size_t before, bool is_json)
{
	struct strbuf line = STRBUF_INIT;
	struct arena a;

	strbuf_addstr(&line, "{\"a\":\"");
	for (size_t i = 0; i < before; i++)
		strbuf_addch(&line, 'a');
	strbuf_addstr(&line, bad);
	for (size_t i = 0; i < LONGSTR_LINE; i++)
		strbuf_addch(&line, 'b');
	strbuf_addstr(&line, "\"}");
	arena_init(&a);
	ck_assert_msg(!!json_parse(&a, line.buf, line.len) == is_json,
		"%zu of a, then %s", before, bad);
	arena_release(&a);
	compare(line.buf, line.len);
	strbuf_release(&line);
}

START_TEST(only_what_json_allows)
{
	for (size_t before = 0; before < 20; before++) {
		one("", before, true);
		one("\\n", before, true);
		one("\\\\", before, true);
		one("\\u00e9", before, true);
		one("\\x", before, false);
		one("\\u12g4", before, false);
		one("\\u00", before, true); /* with two b */
		one("\\uz", before, false);
		one("\n", before, false);
		one("\x1f", before, false);
		one("\x7f", before, true);
		one("\"", before, false);
		one("\\", before, true); /* takes the b behind it */
	}
}
END_TEST

/* Many long strings with escapes: what they take in the arena is in proportion
 * to the line, not to their number. */
START_TEST(memory_is_in_proportion)
{
	struct strbuf line = STRBUF_INIT;
	struct longstr ls;
	struct arena a;
	size_t total = 0;

	strbuf_addch(&line, '[');
	for (int i = 0; i < 1000; i++) {
		strbuf_addstr(&line, i ? ",\"\\n" : "\"\\n");
		for (size_t j = 0; j < LONGSTR_MIN; j++)
			strbuf_addch(&line, 'x');
		strbuf_addch(&line, '"');
	}
	strbuf_addch(&line, ']');
	arena_init(&a);
	ck_assert(longstr_cut(&ls, &a, line.buf, line.len));
	ck_assert_int_eq(ls.count, 1000);
	ck_assert_int_lt(ls.len, 5000);
	for (size_t i = 0; i < ls.count; i++) {
		ck_assert_int_eq(ls.holes[i].text.len, LONGSTR_MIN + 1);
		ck_assert_int_eq(ls.holes[i].text.ptr[0], '\n');
		if (i)
			ck_assert_int_gt(
				ls.holes[i].at - ls.holes[i - 1].at, 0);
		total += ls.holes[i].text.len;
	}
	/* They lie one behind the other in one piece. */
	ck_assert_int_eq(ls.holes[ls.count - 1].text.ptr - ls.holes[0].text.ptr,
		(long)(total - LONGSTR_MIN - 1));
	arena_release(&a);
	strbuf_release(&line);
}
END_TEST

START_TEST(nothing_long_nothing_cut)
{
	struct longstr ls;
	struct arena a;

	arena_init(&a);
	ck_assert(!longstr_cut(&ls, &a, "", 0));
	ck_assert(!longstr_cut(&ls, &a, "\"", 1));
	ck_assert(!longstr_cut(&ls, &a, "{\"a\":\"\"}", 8));
	ck_assert_int_eq(ls.count, 0);
	arena_release(&a);
}
END_TEST

CHECK_MAIN("longstr", random_lines_read_the_same,
	damaged_lines_are_refused_alike, only_what_json_allows,
	memory_is_in_proportion, nothing_long_nothing_cut)

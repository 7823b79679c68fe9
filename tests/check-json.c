#include "config.h"

#include "base/json.h"

#include <locale.h>
#include <math.h>

#include "base/strbuf.h"

#include "check-main.h"

static struct arena arena;

static struct json *parse_len(const char *line, size_t len)
{
	arena_reset(&arena);
	return json_parse(&arena, line, len);
}

static struct json *parse(const char *line)
{
	return parse_len(line, strlen(line));
}

START_TEST(kinds_and_order_are_kept)
{
	const struct json *v = parse(
		" {\"a\":null,\"b\":[true,false,\"s\",-1.5e3,{}],\"\":\"\"} ");
	const struct json *b;

	ck_assert_ptr_nonnull(v);
	ck_assert_int_eq(v->kind, JSON_OBJECT);
	ck_assert(str_is_null(v->key));
	ck_assert_int_eq(v->first->kind, JSON_NULL);
	ck_assert_is(v->first->key, "a");
	b = v->first->next;
	ck_assert_is(b->key, "b");
	ck_assert_int_eq(b->first->kind, JSON_TRUE);
	ck_assert_int_eq(b->first->next->kind, JSON_FALSE);
	ck_assert_is(b->first->next->next->text, "s");
	ck_assert_is(b->first->next->next->next->text, "-1.5e3");
	ck_assert_ptr_null(b->first->next->next->next->next->first);
	ck_assert_is(b->next->key, "");
	ck_assert_is(b->next->text, "");
	ck_assert_ptr_null(b->next->next);
}
END_TEST

START_TEST(scalars_are_values)
{
	ck_assert_int_eq(parse("null")->kind, JSON_NULL);
	ck_assert_is(parse("\"x\"")->text, "x");
	ck_assert_is(parse("12")->text, "12");
	ck_assert_is(parse(" 12\r")->text, "12");
}
END_TEST

START_TEST(what_is_not_json_is_none)
{
	static const char *const bad[] = {"", " ", "{", "}", "[1,]", "{\"a\"}",
		"{\"a\":1}}", "{} {}", "nul", "'a'", "\"a", "{a:1}", "01",
		"\"\\x\"", "\"a\nb\"", "[1 2]", "\xEF\xBB\xBF", "\xEF\xBB{}",
		"{}\xEF\xBB\xBF", "\xEF\xBB\xBF\xEF\xBB\xBF{}", "// c\n1",
		"\"\\ud83", "+1", "1e", "-", "NaN", "Infinity"};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(!parse(bad[i]), "taken: %s", bad[i]);
	ck_assert_ptr_nonnull(parse("\xEF\xBB\xBF{}"));
	ck_assert_ptr_nonnull(parse("\xEF\xBB\xBF\r\n 1"));
	ck_assert_ptr_null(parse_len("{}\0", 3));
	ck_assert_ptr_null(parse_len("\"a\0b\"", 5));
}
END_TEST

static struct json *parse_nested(size_t levels, char open, char close)
{
	struct strbuf sb = STRBUF_INIT;
	struct json *v;
	size_t i;

	for (i = 0; i < levels; i++) {
		strbuf_addch(&sb, open);
		if (open == '{' && i + 1 < levels)
			strbuf_addstr(&sb, "\"k\":");
	}
	for (i = 0; i < levels; i++)
		strbuf_addch(&sb, close);
	v = parse_len(sb.buf, sb.len);
	strbuf_release(&sb);
	return v;
}

START_TEST(nesting_ends_at_128)
{
	ck_assert_ptr_nonnull(parse_nested(JSON_DEPTH_MAX, '[', ']'));
	ck_assert_ptr_nonnull(parse_nested(JSON_DEPTH_MAX, '{', '}'));
	ck_assert_ptr_null(parse_nested(JSON_DEPTH_MAX + 1, '[', ']'));
	ck_assert_ptr_null(parse_nested(JSON_DEPTH_MAX + 1, '{', '}'));
	ck_assert_ptr_null(parse_nested(1000000, '[', ']'));
}
END_TEST

START_TEST(the_last_of_duplicates_wins)
{
	const struct json *v = parse("{\"id\":\"1\",\"x\":0,\"id\":\"2\"}");

	ck_assert_is(json_str(v, "id"), "2");
	ck_assert_is(json_text(json_get_first(v, "id")), "1");
	ck_assert_ptr_null(json_get_first(v, "y"));
}
END_TEST

START_TEST(strings_carry_everything)
{
	const struct json *v = parse("{\"s\":\"a\\u0000b\\n\\u00e9\\/\"}");

	ck_assert_mem_is(json_str(v, "s"), "a\0b\n\xC3\xA9/", 7);
	v = parse("{\"a\\u0000b\":1,\"a\":2}");
	ck_assert_int_eq(json_int(v, "a", 0), 2);
	v = parse("[\"\\ud83d\\ude00\"]");
	ck_assert_is(v->first->text, "\xF0\x9F\x98\x80");
}
END_TEST

START_TEST(bad_characters_are_repaired)
{
	const struct json *v;

	v = parse("{\"s\":\"a\\ud83db\\udc00\",\"t\":\"\xFF\"}");
	ck_assert_is(json_str(v, "s"), "a\xEF\xBF\xBD"
				       "b\xEF\xBF\xBD");
	ck_assert_is(json_str(v, "t"), "\xEF\xBF\xBD");
	v = parse("[\"\\ud83d\\u0041\",\"\\\\ud83d\",\"\xED\xA0\xBD\"]");
	ck_assert_is(v->first->text, "\xEF\xBF\xBD"
				     "A");
	ck_assert_is(v->first->next->text, "\\ud83d");
	ck_assert_is(v->first->next->next->text,
		"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}
END_TEST

START_TEST(many_strings_stay_apart)
{
	/* yajl decodes escapes into one buffer that it uses again. */
	const struct json *v = parse("[\"a\\n\",\"b\\n\",{\"c\\n\":\"d\\n\"}]");

	ck_assert_is(v->first->text, "a\n");
	ck_assert_is(v->first->next->text, "b\n");
	ck_assert_is(v->first->next->next->first->key, "c\n");
	ck_assert_is(v->first->next->next->first->text, "d\n");
}
END_TEST

START_TEST(whole_numbers_saturate)
{
	static const struct {
		const char *text;
		int64_t want;
	} cases[] = {{"0", 0}, {"-0", 0}, {"-7", -7}, {"1.9", 1}, {"-1.9", -1},
		{"2e3", 2000}, {"9223372036854775807", INT64_MAX},
		{"9223372036854775806", INT64_MAX - 1},
		{"9223372036854775808", INT64_MAX},
		{"-9223372036854775808", INT64_MIN},
		{"-9223372036854775809", INT64_MIN},
		{"123456789012345678901234567890", INT64_MAX},
		{"1e400", INT64_MAX}, {"-1e400", INT64_MIN}, {"1e-400", 0},
		{"123456789012345678901234567890e-20", 1234567890}};
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strbuf_reset(&sb);
		strbuf_addf(&sb, "{\"n\":%s}", cases[i].text);
		ck_assert_int_eq(
			json_int(parse(sb.buf), "n", 42), cases[i].want);
	}
	strbuf_release(&sb);
	ck_assert_int_eq(json_int(parse("{\"n\":\"1\"}"), "n", 42), 42);
	ck_assert_int_eq(json_int(parse("{}"), "n", 42), 42);
	ck_assert_int_eq(json_int(NULL, "n", 42), 42);
}
END_TEST

START_TEST(doubles_are_read_in_the_c_locale)
{
	const struct json *v =
		parse("{\"d\":0.0436916,\"h\":1e400,\"z\":1e-9}");

	ck_assert_double_eq(json_double(v, "d", 0), 0.0436916);
	ck_assert(isinf(json_double(v, "h", 0)));
	ck_assert_double_eq(json_double(v, "z", 0), 1e-9);
	ck_assert_double_eq(json_double(v, "none", 7.5), 7.5);
}
END_TEST

START_TEST(accessors_take_anything)
{
	const struct json *v =
		parse("{\"a\":{\"b\":[1],\"c\":\"x\"},\"t\":true,\"f\":false}");

	ck_assert_is(json_text(json_path(v, "a", "c", NULL)), "x");
	ck_assert_ptr_null(json_path(v, "a", "b", "c", NULL));
	ck_assert_ptr_null(json_path(NULL, "a", NULL));
	ck_assert_ptr_eq(json_path(v, NULL), v);
	ck_assert(json_is_true(v, "t"));
	ck_assert(!json_is_true(v, "f"));
	ck_assert(!json_is_true(v, "a"));
	ck_assert(json_is(json_get(v, "a"), "c", "x"));
	ck_assert(!json_is(v, "a", "x"));
	ck_assert(str_is_null(json_str(v, "t")));
	ck_assert(str_is_null(json_text(NULL)));
}
END_TEST

CHECK_MAIN("json", kinds_and_order_are_kept, scalars_are_values,
	what_is_not_json_is_none, nesting_ends_at_128,
	the_last_of_duplicates_wins, strings_carry_everything,
	bad_characters_are_repaired, many_strings_stay_apart,
	whole_numbers_saturate, doubles_are_read_in_the_c_locale,
	accessors_take_anything)

#include "config.h"

#include "base/jsonw.h"

#include <float.h>
#include <math.h>

#include "check-main.h"

static struct strbuf out = STRBUF_INIT;
static struct jsonw w;

static void begin(void)
{
	strbuf_reset(&out);
	jsonw_init(&w, &out);
}

START_TEST(commas_are_its_own_affair)
{
	begin();
	jsonw_object(&w, NULL);
	jsonw_int(&w, "a", 1);
	jsonw_array(&w, "b");
	jsonw_array_end(&w);
	jsonw_array(&w, "c");
	jsonw_bool(&w, NULL, true);
	jsonw_null(&w, NULL);
	jsonw_object(&w, NULL);
	jsonw_object_end(&w);
	jsonw_object(&w, NULL);
	jsonw_bool(&w, "x", false);
	jsonw_object_end(&w);
	jsonw_array_end(&w);
	jsonw_key(&w, (struct str){"k\0\"", 3});
	jsonw_object(&w, NULL);
	jsonw_object_end(&w);
	jsonw_str(&w, "d", str_null());
	jsonw_object_end(&w);
	ck_assert_str_eq(out.buf,
		"{\"a\":1,\"b\":[],\"c\":[true,null,{},{\"x\":false}],"
		"\"k\\u0000\\\"\":{},\"d\":null}");
}
END_TEST

START_TEST(only_what_must_is_escaped)
{
	begin();
	jsonw_str(&w, NULL,
		(struct str){"\0\x01\b\f\n\r\t\x1f\x7f/\"\\\xC3\xA9", 14});
	ck_assert_str_eq(out.buf, "\"\\u0000\\u0001\\b\\f\\n\\r\\t\\u001f\x7f/"
				  "\\\"\\\\\xC3\xA9\"");
	begin();
	jsonw_str(&w, NULL, str_of(""));
	ck_assert_str_eq(out.buf, "\"\"");
}
END_TEST

START_TEST(integers_are_whole)
{
	begin();
	jsonw_array(&w, NULL);
	jsonw_int(&w, NULL, INT64_MAX);
	jsonw_int(&w, NULL, INT64_MIN);
	jsonw_array_end(&w);
	ck_assert_str_eq(out.buf, "[9223372036854775807,-9223372036854775808]");
}
END_TEST

static void double_is(double d, const char *want)
{
	begin();
	jsonw_double(&w, NULL, d);
	ck_assert_str_eq(out.buf, want);
}

START_TEST(doubles_are_as_short_as_can_be)
{
	double_is(0, "0");
	double_is(0.0436916, "0.0436916");
	double_is(0.1, "0.1");
	double_is(0.1 + 0.2, "0.30000000000000004");
	double_is(1.0 / 3, "0.3333333333333333");
	double_is(3, "3");
	double_is(DBL_MAX, "1.7976931348623157e+308");
	double_is(5e-324, "4.94065645841247e-324");
	double_is(NAN, "null");
	double_is(INFINITY, "null");
	double_is(-INFINITY, "null");
}
END_TEST

START_TEST(a_parsed_value_comes_out_the_same)
{
	static const char text[] =
		"{\"z\":1.50,\"a\":[1e400,123456789012345678901,null,true,"
		"false,{}],\"\":\"\\u0000\\n\",\"z\":\"again\"}";
	struct arena a;
	struct json *v;

	arena_init(&a);
	v = json_parse(&a, text, sizeof(text) - 1);
	ck_assert_ptr_nonnull(v);
	begin();
	jsonw_value(&w, NULL, v);
	ck_assert_str_eq(out.buf, text);
	arena_release(&a);
}
END_TEST

CHECK_MAIN("jsonw", commas_are_its_own_affair, only_what_must_is_escaped,
	integers_are_whole, doubles_are_as_short_as_can_be,
	a_parsed_value_comes_out_the_same)

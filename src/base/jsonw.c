#include "config.h"

#include "base/jsonw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void jsonw_init(struct jsonw *w, struct strbuf *out)
{
	w->out = out;
	w->need_comma = false;
}

/* The two characters of a short escape, or 0 for \u00XX. */
static char short_escape(unsigned char c)
{
	switch (c) {
	case '"':
		return '"';
	case '\\':
		return '\\';
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	default:
		return 0;
	}
}

static void add_string(struct strbuf *out, struct str s)
{
	size_t from = 0;

	strbuf_reserve(out, s.len + 2);
	strbuf_addch(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		char e;

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		strbuf_add(out, s.ptr + from, i - from);
		from = i + 1;
		e = short_escape(c);
		if (e) {
			strbuf_addch(out, '\\');
			strbuf_addch(out, e);
		} else {
			strbuf_addf(out, "\\u%04x", c);
		}
	}
	strbuf_add(out, s.ptr + from, s.len - from);
	strbuf_addch(out, '"');
}

/* The comma before, and the key of, the next value. */
static void begin(struct jsonw *w, const char *key)
{
	if (w->need_comma)
		strbuf_addch(w->out, ',');
	w->need_comma = true;
	if (key) {
		add_string(w->out, str_of(key));
		strbuf_addch(w->out, ':');
	}
}

void jsonw_object(struct jsonw *w, const char *key)
{
	begin(w, key);
	strbuf_addch(w->out, '{');
	w->need_comma = false;
}

void jsonw_object_end(struct jsonw *w)
{
	strbuf_addch(w->out, '}');
	w->need_comma = true;
}

void jsonw_array(struct jsonw *w, const char *key)
{
	begin(w, key);
	strbuf_addch(w->out, '[');
	w->need_comma = false;
}

void jsonw_array_end(struct jsonw *w)
{
	strbuf_addch(w->out, ']');
	w->need_comma = true;
}

void jsonw_str(struct jsonw *w, const char *key, struct str s)
{
	begin(w, key);
	if (str_is_null(s))
		strbuf_addstr(w->out, "null");
	else
		add_string(w->out, s);
}

void jsonw_int(struct jsonw *w, const char *key, int64_t n)
{
	begin(w, key);
	strbuf_addf(w->out, "%" PRId64, n);
}

void jsonw_double(struct jsonw *w, const char *key, double d)
{
	char buf[40];

	begin(w, key);
	if (!isfinite(d)) {
		strbuf_addstr(w->out, "null");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, d);
		if (strtod(buf, NULL) == d)
			break;
	}
	strbuf_addstr(w->out, buf);
}

void jsonw_bool(struct jsonw *w, const char *key, bool b)
{
	begin(w, key);
	strbuf_addstr(w->out, b ? "true" : "false");
}

void jsonw_null(struct jsonw *w, const char *key)
{
	begin(w, key);
	strbuf_addstr(w->out, "null");
}

void jsonw_key(struct jsonw *w, struct str key)
{
	begin(w, NULL);
	add_string(w->out, key);
	strbuf_addch(w->out, ':');
	w->need_comma = false;
}

void jsonw_value(struct jsonw *w, const char *key, const struct json *v)
{
	switch (v->kind) {
	case JSON_NULL:
		jsonw_null(w, key);
		return;
	case JSON_FALSE:
	case JSON_TRUE:
		jsonw_bool(w, key, v->kind == JSON_TRUE);
		return;
	case JSON_NUMBER:
		begin(w, key);
		strbuf_adds(w->out, v->text);
		return;
	case JSON_STRING:
		jsonw_str(w, key, v->text);
		return;
	case JSON_ARRAY:
		jsonw_array(w, key);
		for (const struct json *c = v->first; c; c = c->next)
			jsonw_value(w, NULL, c);
		jsonw_array_end(w);
		return;
	case JSON_OBJECT:
		jsonw_object(w, key);
		for (const struct json *c = v->first; c; c = c->next) {
			jsonw_key(w, c->key);
			jsonw_value(w, NULL, c);
		}
		jsonw_object_end(w);
		return;
	}
}

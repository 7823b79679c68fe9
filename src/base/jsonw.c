#include "config.h"

#include "base/jsonw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"

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

static void add_escape(struct strbuf *out, unsigned char c)
{
	char e = short_escape(c);

	if (!e) {
		static const char hex[] = "0123456789abcdef";
		const char u[] = {
			'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};

		strbuf_add(out, u, sizeof(u));
		return;
	}
	strbuf_addch(out, '\\');
	strbuf_addch(out, e);
}

static void add_string(struct strbuf *out, struct str s)
{
	size_t n = scan_plain(s.ptr, s.len);
	char *at = strbuf_reserve(out, s.len + 2);

	*at++ = '"';
	memcpy(at, s.ptr, n);
	if (n == s.len)
		at[n++] = '"';
	strbuf_setlen(out, out->len + n + 1);
	if (n > s.len)
		return;
	while (n < s.len) {
		add_escape(out, (unsigned char)s.ptr[n]);
		s.ptr += n + 1;
		s.len -= n + 1;
		n = scan_plain(s.ptr, s.len);
		strbuf_add(out, s.ptr, n);
	}
	strbuf_addch(out, '"');
}

/* The comma before, and the key of, the next value. */
static void begin(struct jsonw *w, const char *key)
{
	size_t n = key ? strlen(key) : 0;
	char *start = strbuf_reserve(w->out, n + 4);
	char *at = start;

	if (w->need_comma)
		*at++ = ',';
	w->need_comma = true;
	if (key) {
		*at++ = '"';
		memcpy(at, key, n);
		at += n;
		*at++ = '"';
		*at++ = ':';
	}
	strbuf_setlen(w->out, w->out->len + (size_t)(at - start));
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
	char digits[20]; /* of 2^63 */
	size_t at = sizeof(digits);
	uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;

	begin(w, key);
	if (n < 0)
		strbuf_addch(w->out, '-');
	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	strbuf_add(w->out, digits + at, sizeof(digits) - at);
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

/* One line of an indented tree: the blanks, key and bracket or value of V. What
 * has members goes on the stack; the others are whole. */
static void open_value(
	struct json_lines *w, const struct json *v, struct strbuf *out)
{
	bool is_object = v->kind == JSON_OBJECT;
	const struct json *up = w->depth ? w->open[w->depth - 1] : NULL;
	struct jsonw jw;

	for (int i = 0; i < w->depth; i++)
		strbuf_addstr(out, "  ");
	if (up && up->kind == JSON_OBJECT) {
		add_string(out, v->key);
		strbuf_addstr(out, ": ");
	}
	if (v->first && (is_object || v->kind == JSON_ARRAY) &&
		w->depth < JSON_DEPTH_MAX) {
		w->next[w->depth] = v->first;
		w->open[w->depth++] = v;
		strbuf_addch(out, is_object ? '{' : '[');
		return;
	}
	jsonw_init(&jw, out);
	jsonw_value(&jw, NULL, v);
	if (up && v->next)
		strbuf_addch(out, ',');
}

/* The bracket that closes the newest open container. */
static void close_value(struct json_lines *w, struct strbuf *out)
{
	const struct json *v = w->open[--w->depth];

	for (int i = 0; i < w->depth; i++)
		strbuf_addstr(out, "  ");
	strbuf_addch(out, v->kind == JSON_OBJECT ? '}' : ']');
	if (w->depth && v->next)
		strbuf_addch(out, ',');
}

void json_lines_init(struct json_lines *w, const struct json *v)
{
	w->root = v;
	w->depth = 0;
}

bool json_lines_next(struct json_lines *w, struct strbuf *out)
{
	const struct json *v = w->root;

	if (!w->depth) {
		w->root = NULL;
		if (!v)
			return false;
	} else {
		v = w->next[w->depth - 1];
		if (v)
			w->next[w->depth - 1] = v->next;
	}
	if (v)
		open_value(w, v, out);
	else
		close_value(w, out);
	return true;
}

void jsonw_indent(struct strbuf *out, const struct json *v)
{
	struct json_lines w;

	json_lines_init(&w, v);
	while (json_lines_next(&w, out))
		strbuf_addch(out, '\n');
	if (out->len)
		strbuf_setlen(out, out->len - 1);
}

#ifndef AGENTRUN_BASE_JSONW_H
#define AGENTRUN_BASE_JSONW_H

#include "base/json.h"
#include "base/strbuf.h"

#include <stdint.h>

/* jsonw: writes JSON without blanks into a strbuf, fields in the order of the
 * calls (spec: interface 4). Commas are its own affair. KEY is NULL for
 * elements of an array and for the outermost value, else a name of ours in
 * which nothing needs an escape. Strings must be valid
 * UTF-8; only
 * '"', '\' and U+0000..U+001F are escaped. */
struct jsonw {
	struct strbuf *out;
	bool need_comma;
};

void jsonw_init(struct jsonw *w, struct strbuf *out);
void jsonw_object(struct jsonw *w, const char *key);
void jsonw_object_end(struct jsonw *w);
void jsonw_array(struct jsonw *w, const char *key);
void jsonw_array_end(struct jsonw *w);
void jsonw_str(struct jsonw *w, const char *key, struct str s); /* or null */
void jsonw_int(struct jsonw *w, const char *key, int64_t n);
/* Shortest decimal that reads back as the same double; NAN and infinities give
 * null. */
void jsonw_double(struct jsonw *w, const char *key, double d);
void jsonw_bool(struct jsonw *w, const char *key, bool b);
void jsonw_null(struct jsonw *w, const char *key);
/* A member whose key has a length (may hold anything): the key part only; the
 * next call, with key NULL, gives the value. */
void jsonw_key(struct jsonw *w, struct str key);
/* A value over several lines, a member or element each, indented by two blanks
 * a level; empty containers stay on their line. One line at a time: */
struct json_lines {
	const struct json *root; /* NULL: given */
	const struct json *open[JSON_DEPTH_MAX];
	const struct json *next[JSON_DEPTH_MAX];
	int depth;
};

void json_lines_init(struct json_lines *w, const struct json *v);
/* Appends the next line, without '\n'. False when there was none. */
bool json_lines_next(struct json_lines *w, struct strbuf *out);

/* All of them; without '\n' at the end. */
void jsonw_indent(struct strbuf *out, const struct json *v);
/* A parsed value, compact, its member order and number texts kept. */
void jsonw_value(struct jsonw *w, const char *key, const struct json *v);

#endif

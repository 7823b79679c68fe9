#ifndef AGENTRUN_BASE_JSON_H
#define AGENTRUN_BASE_JSON_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* json: one line of JSON as a value tree in an arena (yajl parses; its tree API
 * is not used: it drops what follows a NUL and recurses).
 *
 * Strings point into the line where it holds them without escapes, else into
 * the arena: both must live as long as the tree. Numbers are kept as text. */
#define JSON_DEPTH_MAX 128

enum json_kind {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json {
	enum json_kind kind;
	struct str key;     /* of a member of an object, else null */
	struct str text;    /* string contents or number text */
	struct json *first; /* children of arrays and objects, in order */
	struct json *next;  /* sibling */
};

/* Parses exactly one value of LEN bytes (white space around it is allowed, and
 * the byte order mark of a file that it begins);
 * the line is repaired first (utf8_repair_json), in the arena. Returns NULL
 * when it is not JSON, deeper than JSON_DEPTH_MAX, or has anything behind it.
 */
struct json *json_parse(struct arena *a, const char *line, size_t len);

/* The length of the object at the front of S, by its braces and strings alone,
 * so that what is inside may still not be JSON; 0 when it does not close. */
size_t json_object_len(const char *s, size_t len);

/* Member KEY of an object; the last one when the key is there twice; NULL when
 * V is NULL, no object, or has no such member. */
const struct json *json_find(const struct json *v, struct str key);

/* Inline, so that the length of a literal is known without counting. */
static inline const struct json *json_get(const struct json *v, const char *key)
{
	return json_find(v, str_of(key));
}

/* The first of duplicate members (codex web_search has `id` twice). */
const struct json *json_get_first(const struct json *v, const char *key);

/* json_get along several keys, ended by NULL. */
const struct json *json_path(const struct json *v, ...)
	__attribute__((sentinel));

/* V's own value when it is a string, else str_null. V may be NULL. */
static inline struct str json_text(const struct json *v)
{
	return v && v->kind == JSON_STRING ? v->text : str_null();
}

/* The string member KEY of V; str_null when absent or no string. */
static inline struct str json_str(const struct json *v, const char *key)
{
	return json_text(json_get(v, key));
}

bool json_is_true(const struct json *v, const char *key);

static inline bool json_is(
	const struct json *v, const char *key, const char *value)
{
	return str_is(json_str(v, key), value);
}

/* Member KEY as a whole number: truncates fractions, saturates at
 * INT64_MIN/MAX; FALLBACK when absent or no number. */
int64_t json_int(const struct json *v, const char *key, int64_t fallback);

/* Member KEY as a double (C locale; overflow gives HUGE_VAL); FALLBACK when
 * absent or no number. */
double json_double(const struct json *v, const char *key, double fallback);

#endif

#ifndef AGENTRUN_BASE_STR_H
#define AGENTRUN_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* str: a borrowed string with its length; NUL bytes inside are legal.
 * ptr == NULL stands for "absent" (null in JSON); an empty string has a
 * pointer and length 0. Whoever keeps one beyond the call copies it. */
struct str {
	const char *ptr;
	size_t len;
};

static inline struct str str_of(const char *s)
{
	struct str r = {s, s ? strlen(s) : 0};

	return r;
}

static inline struct str str_null(void)
{
	struct str r = {NULL, 0};

	return r;
}

static inline bool str_is_null(struct str s)
{
	return !s.ptr;
}

/* Both absent, or both present with the same bytes. */
static inline bool str_eq(struct str a, struct str b)
{
	if (!a.ptr || !b.ptr)
		return a.ptr == b.ptr;
	return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static inline bool str_is(struct str a, const char *b)
{
	return a.ptr && a.len == strlen(b) && memcmp(a.ptr, b, a.len) == 0;
}

static inline bool str_starts(struct str a, const char *prefix)
{
	size_t n = strlen(prefix);

	return a.ptr && a.len >= n && memcmp(a.ptr, prefix, n) == 0;
}

#endif

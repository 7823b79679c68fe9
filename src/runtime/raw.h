#ifndef AGENTRUN_RUNTIME_RAW_H
#define AGENTRUN_RUNTIME_RAW_H

#include "base/json.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "base/utf8.h"
#include "event/usage.h"

#include <stdbool.h>
#include <stdint.h>

/* raw: what the adapters of codex, pi and dsh share. Raw lines come from
 * outside: a field that is missing or of another type is just absent. */

/* Member KEY as a token count; COUNT_UNKNOWN unless a number >= 0. */
static inline int64_t raw_count(const struct json *v, const char *key)
{
	int64_t n = json_int(v, key, COUNT_UNKNOWN);

	return n < 0 ? COUNT_UNKNOWN : n;
}

/* S, or null when there is nothing but white space in it. */
static inline struct str raw_not_blank(struct str s)
{
	return s.ptr && utf8_is_blank(s.ptr, s.len) ? str_null() : s;
}

/* What session_list has in common: appends to PATHS the paths, relative to
 * STATE_DIR, of what lies below STATE_DIR/sessions (at most DEPTH folders down)
 * with a name that begins with PREFIX and ends with SUFFIX: a folder when
 * FOLDER, else a regular file. Sorted by name. Never follows links. */
void raw_find_sessions(const char *state_dir, const char *prefix,
	const char *suffix, bool folder, int depth, struct strvec *paths);

#endif

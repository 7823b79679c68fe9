#include "config.h"

#include "base/strvec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

void strvec_init(struct strvec *sv)
{
	sv->v = NULL;
	sv->count = 0;
	sv->cap = 0;
}

void strvec_release(struct strvec *sv)
{
	for (size_t i = 0; i < sv->count; i++)
		free(sv->v[i]);
	free(sv->v);
	strvec_init(sv);
}

void strvec_take(struct strvec *sv, char *s)
{
	if (sv->count + 2 > sv->cap) {
		sv->cap = sv->cap ? sv->cap * 2 : 8;
		sv->v = xreallocarray(sv->v, sv->cap, sizeof(*sv->v));
	}
	sv->v[sv->count++] = s;
	sv->v[sv->count] = NULL;
}

void strvec_push(struct strvec *sv, const char *s)
{
	strvec_take(sv, xstrdup(s));
}

void strvec_pushf(struct strvec *sv, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	strvec_take(sv, strbuf_detach(&sb));
}

void strvec_push_all(struct strvec *sv, const struct strvec *from)
{
	for (size_t i = 0; i < from->count; i++)
		strvec_push(sv, from->v[i]);
}

void strvec_remove(struct strvec *sv, size_t index)
{
	ar_assert(index < sv->count);
	free(sv->v[index]);
	memmove(sv->v + index, sv->v + index + 1,
		(sv->count - index) * sizeof(*sv->v));
	sv->count--;
}

int strvec_find(const struct strvec *sv, const char *s)
{
	for (size_t i = 0; i < sv->count; i++) {
		if (strcmp(sv->v[i], s) == 0)
			return (int)i;
	}
	return -1;
}

/* The index of "KEY=..." or -1. */
static int env_find(const struct strvec *sv, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < sv->count; i++) {
		if (strncmp(sv->v[i], key, len) == 0 && sv->v[i][len] == '=')
			return (int)i;
	}
	return -1;
}

void strvec_env_set(struct strvec *sv, const char *key, const char *value)
{
	struct strbuf sb = STRBUF_INIT;
	int at = env_find(sv, key);

	strbuf_addf(&sb, "%s=%s", key, value);
	if (at < 0) {
		strvec_take(sv, strbuf_detach(&sb));
		return;
	}
	free(sv->v[at]);
	sv->v[at] = strbuf_detach(&sb);
}

void strvec_env_unset(struct strvec *sv, const char *key)
{
	int at;

	while ((at = env_find(sv, key)) >= 0)
		strvec_remove(sv, (size_t)at);
}

const char *strvec_env_get(const struct strvec *sv, const char *key)
{
	int at = env_find(sv, key);

	return at < 0 ? NULL : sv->v[at] + strlen(key) + 1;
}

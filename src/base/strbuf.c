#include "config.h"

#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"

/* Shared by all strbufs that hold nothing; never written to. */
char strbuf_empty[1];

void strbuf_init(struct strbuf *sb)
{
	sb->buf = strbuf_empty;
	sb->len = 0;
	sb->cap = 0;
}

void strbuf_release(struct strbuf *sb)
{
	if (sb->cap)
		free(sb->buf);
	strbuf_init(sb);
}

void strbuf_reset(struct strbuf *sb)
{
	if (sb->cap)
		strbuf_setlen(sb, 0);
}

char *strbuf_reserve(struct strbuf *sb, size_t extra)
{
	size_t need;
	size_t cap;

	if (extra > SIZE_MAX / 2 - sb->len)
		die("out of memory (string of %zu bytes)", extra);
	need = sb->len + extra + 1;
	if (need > sb->cap) {
		cap = sb->cap ? sb->cap + sb->cap / 2 : 64;
		if (cap < need)
			cap = need;
		sb->buf = xreallocarray(sb->cap ? sb->buf : NULL, cap, 1);
		sb->cap = cap;
		sb->buf[sb->len] = '\0';
	}
	return sb->buf + sb->len;
}

void strbuf_setlen(struct strbuf *sb, size_t len)
{
	ar_assert(len < sb->cap || (len == 0 && !sb->cap));
	sb->len = len;
	if (sb->cap)
		sb->buf[len] = '\0';
}

void strbuf_add(struct strbuf *sb, const char *data, size_t len)
{
	if (len >= sb->cap - sb->len)
		strbuf_reserve(sb, len);
	if (len) /* memcpy takes no NULL, not even for nothing */
		memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	if (sb->cap)
		sb->buf[sb->len] = '\0';
}

void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_adds(struct strbuf *sb, struct str s)
{
	strbuf_add(sb, s.ptr, s.len);
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	ar_assert(n >= 0);
	vsnprintf(strbuf_reserve(sb, (size_t)n), (size_t)n + 1, fmt, again);
	va_end(again);
	strbuf_setlen(sb, sb->len + (size_t)n);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_drop(struct strbuf *sb, size_t len)
{
	ar_assert(len <= sb->len);
	if (!len)
		return;
	memmove(sb->buf, sb->buf + len, sb->len - len);
	strbuf_setlen(sb, sb->len - len);
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s = sb->cap ? sb->buf : xstrdup("");

	strbuf_init(sb);
	return s;
}

struct str strbuf_str(const struct strbuf *sb)
{
	struct str s = {sb->buf, sb->len};

	return s;
}

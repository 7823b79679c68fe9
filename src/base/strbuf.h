#ifndef AGENTRUN_BASE_STRBUF_H
#define AGENTRUN_BASE_STRBUF_H

#include "base/str.h"

#include <stdarg.h>
#include <stddef.h>

/* strbuf: a string that grows; the only string builder of the program.
 *
 * Invariants: buf is never NULL after strbuf_init or STRBUF_INIT and
 * buf[len] == '\0', also when NUL bytes stand inside. buf may move with every
 * call that adds. */
struct strbuf {
	char *buf;
	size_t len;
	size_t cap; /* 0: buf is the shared empty string */
};

extern char strbuf_empty[];
#define STRBUF_INIT                \
	{                          \
		strbuf_empty, 0, 0 \
	}

void strbuf_init(struct strbuf *sb);
void strbuf_release(struct strbuf *sb); /* may be used again afterwards */
void strbuf_reset(struct strbuf *sb);   /* len = 0, memory kept */

/* Makes room for EXTRA more bytes and returns where they go; the caller then
 * raises len by what it wrote (strbuf_setlen). */
char *strbuf_reserve(struct strbuf *sb, size_t extra);
void strbuf_setlen(struct strbuf *sb, size_t len);

void strbuf_add(struct strbuf *sb, const char *data, size_t len);
void strbuf_addstr(struct strbuf *sb, const char *s);
void strbuf_adds(struct strbuf *sb, struct str s);

static inline void strbuf_addch(struct strbuf *sb, char c)
{
	if (sb->cap - sb->len < 2)
		strbuf_reserve(sb, 1);
	sb->buf[sb->len++] = c;
	sb->buf[sb->len] = '\0';
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* Removes LEN bytes from the front. */
void strbuf_drop(struct strbuf *sb, size_t len);

/* Gives the string away (the caller frees it) and leaves SB empty. */
char *strbuf_detach(struct strbuf *sb);

/* The contents, borrowed until SB changes. */
struct str strbuf_str(const struct strbuf *sb);

#endif

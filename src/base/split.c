#include "config.h"

#include "base/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define READ_SIZE ((size_t)64 << 10)
/* A buffer that grew beyond this for one line is given back after it. */
#define KEEP_SIZE ((size_t)4 << 20)

void split_init(struct split *s, size_t line_max)
{
	memset(s, 0, sizeof(*s));
	s->line_max = line_max;
}

void split_release(struct split *s)
{
	free(s->buf);
	split_init(s, s->line_max);
}

char *split_space(struct split *s, size_t *avail)
{
	if (s->cap - s->len < READ_SIZE) {
		size_t cap = s->cap + s->cap / 2;

		if (cap < s->len + READ_SIZE)
			cap = s->len + READ_SIZE;
		s->buf = xreallocarray(s->buf, cap, 1);
		s->cap = cap;
	}
	*avail = s->cap - s->len;
	return s->buf + s->len;
}

static void give(
	struct split *s, const char *line, size_t len, split_fn *fn, void *arg)
{
	s->lines++;
	if (s->skipping || len > s->line_max) {
		s->skipped++;
		s->skipping = false;
		return;
	}
	fn(arg, line, len);
}

/* Keeps the unfinished line only: moved to the front, or dropped when it is
 * already too long. */
static void keep_rest(struct split *s, size_t start)
{
	size_t rest = s->len - start;

	if (start && rest)
		memmove(s->buf, s->buf + start, rest);
	s->base += start;
	s->len = rest;
	if (s->len > s->line_max)
		s->skipping = true;
	if (s->skipping) {
		s->base += s->len;
		s->len = 0;
	}
	s->scanned = s->len;
	if (s->cap > KEEP_SIZE && s->len < KEEP_SIZE / 4) {
		s->cap = KEEP_SIZE / 2;
		s->buf = xreallocarray(s->buf, s->cap, 1);
	}
}

void split_commit(struct split *s, size_t n, split_fn *fn, void *arg)
{
	size_t start = 0;

	s->len += n;
	for (;;) {
		char *nl =
			memchr(s->buf + s->scanned, '\n', s->len - s->scanned);
		size_t end;

		if (!nl)
			break;
		end = (size_t)(nl - s->buf);
		give(s, s->buf + start, end - start, fn, arg);
		start = end + 1;
		s->scanned = start;
	}
	keep_rest(s, start);
}

void split_feed(
	struct split *s, const char *data, size_t len, split_fn *fn, void *arg)
{
	while (len) {
		size_t avail;
		char *to = split_space(s, &avail);
		size_t n = len < avail ? len : avail;

		memcpy(to, data, n);
		split_commit(s, n, fn, arg);
		data += n;
		len -= n;
	}
}

void split_finish(struct split *s, split_fn *fn, void *arg)
{
	s->unfinished = s->len && !s->skipping;
	if (s->len || s->skipping)
		give(s, s->buf, s->len, fn, arg);
	s->base += s->len;
	s->len = 0;
	s->scanned = 0;
}

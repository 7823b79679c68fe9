#ifndef AGENTRUN_BASE_SPLIT_H
#define AGENTRUN_BASE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* split: cuts a byte stream into lines.
 *
 * Invariants: a line never contains '\n'; a trailing '\r' is kept. The reader
 * writes straight into the buffer, so a line is moved at most once. After a
 * long line the buffer shrinks back. */
#define SPLIT_LINE_MAX ((size_t)256 << 20)

struct split {
	char *buf;
	size_t len; /* bytes held */
	size_t cap;
	size_t scanned;  /* bytes already known to hold no '\n' */
	size_t line_max; /* longer lines are skipped */
	bool skipping;   /* inside a line that is too long */
	bool unfinished; /* the last line was given without its '\n' */
	uint64_t base;   /* where buf[0] stands in the stream */
	uint64_t lines;  /* complete lines seen, skipped ones included */
	uint64_t skipped;
};

/* LINE is borrowed until the function returns. */
typedef void split_fn(void *arg, const char *line, size_t len);

void split_init(struct split *s, size_t line_max);
void split_release(struct split *s);

/* Room to read into: at least 64 KiB; *AVAIL says how much. */
char *split_space(struct split *s, size_t *avail);

/* N bytes were written there. Calls FN once per complete line. */
void split_commit(struct split *s, size_t n, split_fn *fn, void *arg);

/* split_space + copy + split_commit, for callers who own the bytes. */
void split_feed(
	struct split *s, const char *data, size_t len, split_fn *fn, void *arg);

/* Where LINE, which FN was just called with, stands in the stream: bytes before
 * it. */
static inline uint64_t split_offset(const struct split *s, const char *line)
{
	return s->base + (uint64_t)(line - s->buf);
}

/* End of the stream: gives an unfinished last line, if any. */
void split_finish(struct split *s, split_fn *fn, void *arg);

#endif

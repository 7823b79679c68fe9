#ifndef AGENTRUN_RUNTIME_FEED_H
#define AGENTRUN_RUNTIME_FEED_H

#include "base/arena.h"
#include "base/json.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* feed: the lines of a runtime's output -> the objects in them.
 *
 * A line is one JSON object. What a terminal would not show before, between and
 * behind objects (white space, control characters, escape sequences, a byte
 * order mark) belongs to none, and several objects may share a line, also with
 * commas between: other programs write to the same pipe. From the first other
 * byte on the line is not JSON. So are a piece in braces that does not parse
 * (the objects behind it are read) and one that is not closed. Lines of other
 * JSON values give nothing and are not counted. */
struct feed {
	struct arena arena; /* of the object at hand */
	uint64_t bad_lines; /* those with something that is not JSON */
	bool bad;           /* the newest line is one of them */
	struct strbuf text; /* what is not JSON in the newest of them, shown */
};

/* An object of the line; it and all its strings die with the call. AT, LEN: its
 * bytes in the line. */
typedef void feed_fn(
	void *arg, const struct json *object, size_t at, size_t len);

void feed_init(struct feed *f);
void feed_release(struct feed *f);

/* One line. Costs time by its length, however many objects it holds; of them
 * one at a time is in memory. */
void feed_line(
	struct feed *f, const char *line, size_t len, feed_fn *fn, void *arg);

/* UNFINISHED: the newest line has no end. Whether it was cut off. */
static inline bool feed_is_cut(const struct feed *f, bool unfinished)
{
	return unfinished && f->bad;
}

/* Appends for end.detail what is to be said of lines that are not JSON: how
 * many, and the newest one; nothing when there are none. */
void feed_remark(const struct feed *f, bool unfinished, struct strbuf *out);

#endif

#include "config.h"

#include "runtime/feed.h"

#include "base/utf8.h"
#include "runtime/summary.h"

/* Enough of a line for what is shown of it. */
#define SHOWN_MAX ((size_t)4096)

void feed_init(struct feed *f)
{
	*f = (struct feed){0};
	arena_init(&f->arena);
	strbuf_init(&f->text);
}

void feed_release(struct feed *f)
{
	arena_release(&f->arena);
	strbuf_release(&f->text);
}

/* S is not JSON. Of several pieces of a line the last one is kept. */
static void not_json(struct feed *f, const char *s, size_t len)
{
	struct strbuf repaired = STRBUF_INIT;
	struct strbuf shown = STRBUF_INIT;

	if (!f->bad)
		f->bad_lines++;
	f->bad = true;
	utf8_repair(&repaired, s, len < SHOWN_MAX ? len : SHOWN_MAX);
	utf8_display(&shown, repaired.buf, repaired.len, UTF8_STDERR, 1);
	summary_short(&f->text, strbuf_str(&shown));
	strbuf_release(&repaired);
	strbuf_release(&shown);
}

/* The length of what may stand before an object, or between two of them. */
static size_t gap_len(const char *s, size_t len, bool between)
{
	size_t i = utf8_unseen_len(s, len);

	while (between && i < len && s[i] == ',') {
		i++;
		i += utf8_unseen_len(s + i, len - i);
	}
	return i;
}

/* A line that is not one object and nothing else. */
static void read_pieces(
	struct feed *f, const char *line, size_t len, feed_fn *fn, void *arg)
{
	size_t at = gap_len(line, len, false);
	const struct json *v;
	size_t n;

	while (at < len && line[at] == '{') {
		n = json_object_len(line + at, len - at);
		if (!n)
			break;
		arena_reset(&f->arena);
		v = json_parse(&f->arena, line + at, n);
		if (v)
			fn(arg, v, at, n);
		else
			not_json(f, line + at, n);
		at += n;
		at += gap_len(line + at, len - at, true);
	}
	if (at < len)
		not_json(f, line + at, len - at);
}

void feed_line(
	struct feed *f, const char *line, size_t len, feed_fn *fn, void *arg)
{
	const struct json *v;

	f->bad = false;
	arena_reset(&f->arena);
	/* A byte order mark is no part of the object. */
	v = utf8_bom(line, len) ? NULL : json_parse(&f->arena, line, len);
	if (!v)
		read_pieces(f, line, len, fn, arg);
	else if (v->kind == JSON_OBJECT)
		fn(arg, v, 0, len);
}

void feed_remark(const struct feed *f, bool unfinished, struct strbuf *out)
{
	bool cut = feed_is_cut(f, unfinished);

	if (!f->bad_lines)
		return;
	if (f->bad_lines > 1)
		strbuf_addf(out,
			"%llu lines of its output are not JSON, the last one",
			(unsigned long long)f->bad_lines);
	else if (cut)
		strbuf_addstr(out, "its last line");
	else
		strbuf_addstr(out, "1 line of its output is not JSON");
	if (cut)
		strbuf_addstr(out, " was cut off");
	if (f->text.len)
		strbuf_addf(out, ": %s", f->text.buf);
}

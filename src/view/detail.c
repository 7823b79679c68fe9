#include "config.h"

#include "view/detail.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/xalloc.h"
#include "runtime/feed.h"
#include "view/match.h"

/* So far before and behind an event its other lines are looked for, and so many
 * of them are taken. */
#define LOOK_MAX ((size_t)1 << 20)
#define LINES_MAX 64

struct view_detail {
	struct detail detail; /* must be first */
	const struct runtime_ops *from;
	const struct keep *raw;    /* or NULL */
	const struct keep *events; /* of a saved run, or NULL */
	struct keep *own_raw;      /* what they are, when they are ours */
	struct keep *own_events;
	bool saved;
	bool opened;    /* what is ours was looked for */
	char *name;     /* of a saved run */
	char *raw_name; /* or NULL */
	struct match *match;
	struct err why; /* there is no raw output */
};

/* Trees of lines, in their order. */
struct found {
	const struct json *v[LINES_MAX];
	size_t count;
};

/* --- the raw output of a saved run --- */

char *view_raw_beside(const char *name)
{
	size_t len = strlen(name);
	struct strbuf sb = STRBUF_INIT;

	if (len > 6 && strcmp(name + len - 6, ".jsonl") == 0)
		len -= 6;
	strbuf_add(&sb, name, len);
	strbuf_addstr(&sb, ".raw.jsonl");
	return strbuf_detach(&sb);
}

/* Whether there is a name of a raw output to be tried. */
static bool find_raw(struct view_detail *d)
{
	if (d->raw_name)
		return true;
	if (strcmp(d->name, "-") == 0) { /* stdin has no neighbours */
		err_set(&d->why, AR_EIO,
			N_("no raw output: name its file with --raw"));
		return false;
	}
	d->raw_name = view_raw_beside(d->name);
	if (access(d->raw_name, F_OK) == 0)
		return true;
	err_set(&d->why, AR_EIO,
		N_("no raw output: '%s' is not there; name the file with "
		   "--raw"),
		d->raw_name);
	return false;
}

static void open_files(struct view_detail *d)
{
	d->opened = true;
	if (d->saved && !d->events) {
		d->own_events = keep_file(d->name, &d->why);
		d->events = d->own_events;
		if (!d->events)
			return;
	}
	if (d->raw || (d->saved && !find_raw(d)) || !d->raw_name)
		return;
	d->own_raw = keep_file(d->raw_name, &d->why);
	d->raw = d->own_raw;
	if (d->saved && d->raw)
		d->match = match_new(d->events, d->raw);
}

static bool detail_prepare(struct detail *detail, int *percent)
{
	struct view_detail *d = (struct view_detail *)detail;
	bool more;

	*percent = 100;
	if (!d->opened)
		open_files(d);
	if (!d->match)
		return false;
	more = match_step(d->match);
	*percent = match_percent(d->match);
	d->from = match_runtime(d->match);
	if (match_state(d->match) == MATCH_FOREIGN)
		err_set(&d->why, AR_EFORMAT,
			N_("'%s' does not belong to '%s': it tells another "
			   "run"),
			d->raw_name, d->name);
	else if (match_state(d->match) == MATCH_UNKNOWN)
		err_set(&d->why, AR_EFORMAT,
			N_("'%s' is of a runtime that is not known here"),
			d->name);
	return more;
}

const char *view_detail_problem(const struct detail *detail)
{
	const struct view_detail *d = (const struct view_detail *)detail;

	return d->why.code != AR_OK ? d->why.local : NULL;
}

/* --- lines --- */

static void note(struct content *c, const char *text)
{
	content_add(c, PART_NOTE, NULL,
		(struct str){arena_copy(&c->arena, text, strlen(text)),
			strlen(text)});
}

/* Where the raw line of an event stands. */
static struct raw_ref raw_of(const struct view_detail *d, struct raw_ref source)
{
	if (!d->saved)
		return source;
	if (!d->match || !source.len)
		return (struct raw_ref){0};
	return match_find(d->match, source.offset);
}

/* Says why the line at AT could not be read. */
static void note_missing(
	const struct keep *k, struct raw_ref at, struct content *c)
{
	uint64_t start;
	uint64_t end;

	keep_range(k, &start, &end);
	if (at.offset < start || at.offset + at.len > end)
		note(c, _("not kept: the raw output of this is gone "
			  "(--raw FILE and --keep-detail SIZE keep it)"));
	else
		note(c, _("not there any more: the raw output has changed"));
}

/* The bytes of a line in C's arena; null, and a note: they are gone, or are
 * others now. */
static struct str read_line(
	const struct keep *k, struct raw_ref at, struct content *c)
{
	char *buf = arena_alloc(&c->arena, (size_t)at.len + 1);

	if (!keep_read(k, at.offset, buf, at.len) ||
		memchr(buf, '\n', at.len)) {
		note_missing(k, at, c);
		return str_null();
	}
	buf[at.len] = '\0';
	return (struct str){buf, at.len};
}

static void add_line(struct found *f, struct content *c, struct str line)
{
	const struct json *v = NULL;

	if (line.ptr && f->count < LINES_MAX)
		v = json_parse(&c->arena, line.ptr, line.len);
	if (v && v->kind == JSON_OBJECT)
		f->v[f->count++] = v;
}

struct adding {
	struct found *f;
	struct content *c;
	struct str line;
};

static void on_object(
	void *arg, const struct json *object, size_t at, size_t len)
{
	struct adding *a = arg;

	(void)object; /* it dies with the call */
	add_line(a->f, a->c, (struct str){a->line.ptr + at, len});
}

/* The objects of a whole line: there may be several (runtime/feed.h). */
static void add_objects(struct found *f, struct content *c, struct str line)
{
	struct adding a = {f, c, line};
	struct feed feed;

	feed_init(&feed);
	feed_line(&feed, line.ptr, line.len, on_object, &a);
	feed_release(&feed);
}

/* An id without characters that JSON may have written otherwise. */
static bool is_plain(struct str id)
{
	for (size_t i = 0; i < id.len; i++) {
		unsigned char c = (unsigned char)id.ptr[i];

		if (c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '/')
			return false;
	}
	return true;
}

static void add_ref(const struct view_detail *d, const struct detail_ask *ask,
	struct raw_ref at, struct content *c, struct found *f)
{
	size_t before = f->count;
	struct str line;

	if (!at.len)
		return;
	line = read_line(d->raw, at, c);
	if (str_is_null(line))
		return;
	if (!ask->is_tool || !is_plain(ask->id) ||
		memmem(line.ptr, line.len, ask->id.ptr, ask->id.len))
		add_line(f, c, line);
	if (f->count == before)
		note(c, _("not there any more: the raw output has changed"));
}

/* The lines of a part of the raw output that hold ID. */
static void look(const struct view_detail *d, struct str id, uint64_t from,
	uint64_t to, struct content *c, struct found *f)
{
	size_t len = to > from ? (size_t)(to - from) : 0;
	size_t pos = 0;
	char *buf = arena_alloc(&c->arena, len + 1);

	if (!len || !id.len || !keep_read(d->raw, from, buf, len))
		return;
	while (pos < len) {
		const char *nl = memchr(buf + pos, '\n', len - pos);
		size_t end = nl ? (size_t)(nl - buf) : len;
		struct str line = {buf + pos, end - pos};

		if (memmem(line.ptr, line.len, id.ptr, id.len))
			add_objects(f, c, line);
		pos = end + 1;
	}
}

/* The lines of what ASK is about; with AROUND those near them that speak of it,
 * too: the call of a subagent stands before its start, its answer may stand
 * behind its end. */
static void find_lines(const struct view_detail *d,
	const struct detail_ask *ask, bool around, struct content *c,
	struct found *f)
{
	struct raw_ref first = raw_of(d, ask->first);
	struct raw_ref last = raw_of(d, ask->last);
	uint64_t start;
	uint64_t end;
	uint64_t at;

	f->count = 0;
	keep_range(d->raw, &start, &end);
	at = first.offset;
	if (around && first.len && at > start && at <= end)
		look(d, ask->id, at - start > LOOK_MAX ? at - LOOK_MAX : start,
			at, c, f);
	add_ref(d, ask, first, c, f);
	if (last.offset != first.offset)
		add_ref(d, ask, last, c, f);
	at = last.len ? last.offset + last.len : first.offset + first.len;
	if (around && at < end && at >= start)
		look(d, ask->id, at, end - at > LOOK_MAX ? at + LOOK_MAX : end,
			c, f);
}

/* Without raw output: why. */
static bool has_raw(const struct view_detail *d, struct content *c)
{
	const char *why = view_detail_problem(&d->detail);

	if (why)
		note(c, why);
	else if (!d->raw || !d->from)
		note(c, _("no raw output was kept"));
	return !why && d->raw && d->from;
}

static bool has_any(const struct view_detail *d, const struct detail_ask *ask)
{
	return raw_of(d, ask->first).len || raw_of(d, ask->last).len;
}

static void add_raw_line(
	const struct keep *k, struct raw_ref at, struct content *c)
{
	struct str line;
	const struct json *v;

	if (!k || !at.len)
		return;
	line = read_line(k, at, c);
	if (str_is_null(line))
		return;
	v = json_parse(&c->arena, line.ptr, line.len);
	if (v)
		content_json(c, NULL, v);
	else
		content_add(c, PART_PLAIN, NULL, line);
}

static void detail_lines(
	struct detail *detail, const struct detail_ask *ask, struct content *c)
{
	const struct view_detail *d = (struct view_detail *)detail;
	struct raw_ref first = ask->first;
	struct raw_ref last = ask->last;
	const struct keep *k = d->events;

	c->result = false;
	if (has_raw(d, c)) {
		k = d->raw;
		first = raw_of(d, first);
		last = raw_of(d, last);
		if (!first.len && !last.len)
			note(c, _("no line of the raw output tells of it"));
	}
	add_raw_line(k, first, c);
	c->result = true;
	if (last.offset != first.offset)
		add_raw_line(k, last, c);
}

static void detail_content(
	struct detail *detail, const struct detail_ask *ask, struct content *c)
{
	const struct view_detail *d = (struct view_detail *)detail;
	struct content_query q = {
		.is_agent = ask->is_agent, .id = ask->id, .name = ask->name};
	size_t before = c->count;
	struct found f;

	if (!ask->is_agent && !ask->is_tool)
		return;
	if (!has_raw(d, c))
		return;
	if (!has_any(d, ask)) {
		note(c, _("no line of the raw output tells of it"));
		return;
	}
	q.lines = f.v;
	find_lines(d, ask, false, c, &f);
	q.count = f.count;
	d->from->content(&q, c);
	if (!ask->is_agent && content_has(c, before, false) &&
		content_has(c, before, true))
		return;
	c->count = before;
	c->result = false;
	find_lines(d, ask, true, c, &f);
	q.count = f.count;
	d->from->content(&q, c);
	if (f.count && !content_has(c, before, false) &&
		!content_has(c, before, true))
		detail_lines(detail, ask, c);
}

static const char *detail_name(struct detail *detail)
{
	struct view_detail *d = (struct view_detail *)detail;

	if (!d->opened)
		open_files(d);
	return d->own_raw ? d->raw_name : NULL;
}

static void free_detail(struct detail *detail)
{
	struct view_detail *d = (struct view_detail *)detail;

	match_free(d->match);
	keep_free(d->own_raw);
	keep_free(d->own_events);
	free(d->name);
	free(d->raw_name);
	free(d);
}

static const struct detail_ops detail_ops = {
	.prepare = detail_prepare,
	.content = detail_content,
	.lines = detail_lines,
	.name = detail_name,
	.free = free_detail,
};

static struct view_detail *new_detail(const char *raw_name)
{
	struct view_detail *d = xcalloc(1, sizeof(*d));

	d->detail.ops = &detail_ops;
	d->raw_name = raw_name ? xstrdup(raw_name) : NULL;
	return d;
}

struct detail *view_detail_raw(const struct runtime_ops *from,
	const struct keep *raw, const char *path)
{
	struct view_detail *d = new_detail(path);

	d->from = from;
	d->raw = raw;
	return &d->detail;
}

struct detail *view_detail_saved(
	const struct keep *events, const char *name, const char *raw)
{
	struct view_detail *d = new_detail(raw);

	d->saved = true;
	d->events = events;
	d->name = xstrdup(name);
	return &d->detail;
}

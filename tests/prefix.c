#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/split.h"
#include "base/strset.h"
#include "base/utf8.h"
#include "runtime/runtime.h"
#include "view/convert.h"

/* prefix: a runtime can be killed after any byte of its output. For t-prefix.sh
 * it cuts recorded output everywhere and reads what is left.
 *
 * usage: prefix RUNTIME FILE...
 *
 * Small files are cut behind every byte, the others up to NEAR bytes before and
 * behind each end of a line. Whatever is left gives one start, one end, both
 * events of each call and subagent, and last_line_cut when an object was cut;
 * nothing at all when no whole object is left.
 * Says what is wrong and exits with 1, else tells how many cuts there were. */

#define SMALL ((size_t)8192)
#define NEAR ((size_t)3)

static int64_t no_time(void *arg)
{
	(void)arg;
	return 0;
}

static const struct clock still = {no_time, no_time, NULL};

/* What the rules say of the events so far. */
struct events {
	const char *wrong;
	size_t count;
	bool ended;
	bool warned;           /* last_line_cut */
	struct strset open[2]; /* tool calls, subagents */
};

static void begins(struct events *e, int what, struct str id)
{
	if (!id.ptr || !strset_add(&e->open[what], id))
		e->wrong = "a second start of the same thing";
}

static void ends(struct events *e, int what, struct str id)
{
	if (!strset_remove(&e->open[what], id))
		e->wrong = "an end without a start";
}

static void end(struct events *e, const struct event_end *end)
{
	const struct str_list *w = &end->warnings;

	e->ended = true;
	if (e->open[0].first || e->open[1].first)
		e->wrong = "a call or subagent without its end";
	if ((end->status != END_FINISHED && end->status != END_FAILED) ||
		(end->status == END_FAILED) != (end->detail.len > 0))
		e->wrong = "a verdict that says nothing";
	if (!utf8_valid(end->detail.ptr, end->detail.len))
		e->wrong = "bad UTF-8";
	for (size_t i = 0; i < w->count; i++)
		e->warned = e->warned || str_is(w->v[i], "last_line_cut");
}

static void on_event(void *arg, const struct event *ev)
{
	struct events *e = arg;

	if (e->ended)
		e->wrong = "an event behind the end";
	if ((ev->kind == EVENT_START) != (e->count++ == 0))
		e->wrong = "start is not the first, or not the only one";
	switch (ev->kind) {
	case EVENT_TOOL_START:
		begins(e, 0, ev->u.tool.id);
		break;
	case EVENT_TOOL:
		ends(e, 0, ev->u.tool.id);
		break;
	case EVENT_SUBAGENT_START:
		begins(e, 1, ev->u.subagent_start.id);
		break;
	case EVENT_SUBAGENT_END:
		ends(e, 1, ev->u.subagent_end.id);
		break;
	case EVENT_END:
		end(e, &ev->u.end);
		break;
	case EVENT_START:
	case EVENT_PROMPT:
	case EVENT_TEXT:
	case EVENT_USAGE:
	case EVENT_NETWORK:
	case EVENT_UNKNOWN:
		break;
	}
}

/* How the data ends. */
enum tail {
	TAIL_WHOLE, /* with a line, or with JSON or blanks and no line's end */
	TAIL_CUT,   /* inside an object */
	TAIL_OTHER  /* inside something else: anything goes */
};

static enum tail tail_of(struct arena *a, struct str data)
{
	const char *nl = data.len ? memrchr(data.ptr, '\n', data.len) : NULL;
	struct str rest = data;
	bool whole;

	if (nl) {
		rest.ptr = nl + 1;
		rest.len = (size_t)(data.ptr + data.len - rest.ptr);
	}
	whole = utf8_is_blank(rest.ptr, rest.len) ||
		json_parse(a, rest.ptr, rest.len);
	arena_reset(a);
	if (whole)
		return TAIL_WHOLE;
	return rest.ptr[0] == '{' && !memchr(rest.ptr, '}', rest.len)
		       ? TAIL_CUT
		       : TAIL_OTHER;
}

/* Whether an object that a runtime gives is whole. */
static bool has_object(
	const struct runtime_ops *rt, struct arena *a, struct str data)
{
	const char *const end = data.ptr + data.len;
	const char *nl;
	bool found = false;

	for (const char *s = data.ptr; s < end && !found; s = nl + 1) {
		nl = memchr(s, '\n', (size_t)(end - s));
		nl = nl ? nl : end;
		found = runtime_of_line(json_parse(a, s, (size_t)(nl - s))) ==
			rt;
		arena_reset(a);
	}
	return found;
}

struct reading {
	struct split split;
	struct convert *convert;
};

static void on_line(void *arg, const char *line, size_t len)
{
	struct reading *r = arg;

	convert_line(r->convert, split_offset(&r->split, line), line, len);
}

/* Returns what is wrong, or NULL. */
static const char *play(
	const struct runtime_ops *rt, struct arena *a, struct str data)
{
	struct events e = {0};
	struct reading r;
	enum tail tail = tail_of(a, data);
	bool given;

	strset_init(&e.open[0]);
	strset_init(&e.open[1]);
	split_init(&r.split, SPLIT_LINE_MAX);
	r.convert = convert_new(rt, "/w", &still, on_event, &e);
	split_feed(&r.split, data.ptr, data.len, on_line, &r);
	split_finish(&r.split, on_line, &r);
	given = convert_finish(r.convert, 0, r.split.unfinished);
	convert_free(r.convert);
	split_release(&r.split);
	strset_release(&e.open[0]);
	strset_release(&e.open[1]);
	if (!given && !e.count && !has_object(rt, a, data))
		return NULL;
	if (!e.ended)
		return "no end";
	if (tail != TAIL_OTHER && e.warned != (tail == TAIL_CUT))
		return "last_line_cut is wrong";
	return e.wrong;
}

/* Whether the data is cut behind byte I. */
static bool is_cut_at(struct str data, size_t i)
{
	size_t from = i > NEAR ? i - NEAR : 0;
	size_t to = i + NEAR < data.len ? i + NEAR : data.len;

	return data.len <= SMALL || i == data.len ||
	       memchr(data.ptr + from, '\n', to - from);
}

static bool play_file(
	const struct runtime_ops *rt, const char *path, size_t *cuts)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct arena a;
	bool good = true;

	if (io_read_file(path, SIZE_MAX / 2, &sb, &err) < 0) {
		printf("%s\n", err.msg);
		return false;
	}
	arena_init(&a);
	for (size_t i = 0; i <= sb.len; i++) {
		const char *wrong;

		if (!is_cut_at(strbuf_str(&sb), i))
			continue;
		++*cuts;
		wrong = play(rt, &a, (struct str){sb.buf, i});
		if (wrong)
			printf("%s: cut at %zu: %s\n", path, i, wrong);
		good = good && !wrong;
	}
	arena_release(&a);
	strbuf_release(&sb);
	return good;
}

int main(int argc, char **argv)
{
	const struct runtime_ops *rt = argc > 1 ? runtime_find(argv[1]) : NULL;
	size_t cuts = 0;
	bool good = rt;

	setlocale(LC_ALL, "");
	for (int i = 2; rt && i < argc; i++)
		good = play_file(rt, argv[i], &cuts) && good;
	if (good)
		printf("%zu\n", cuts);
	return !good;
}

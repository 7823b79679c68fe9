#include "config.h"

#include "viewer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

#define PIECE_ALL ((size_t)512 << 10) /* per turn, all sources together */
#define PIECE_MIN ((size_t)4 << 10)
#define PIECE_MAX ((size_t)256 << 10)
/* So many bad lines are reported one by one, the others as ranges. */
#define BAD_SINGLE 20

/* What a source reports. */

/* "agentrun: ..." about the stream of ITEM. */
static void complain(struct item *item, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void complain(struct item *item, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	view_ui_diagnose(item);
	diag_error("%s", sb.buf);
	strbuf_release(&sb);
}

static const char *shown_name(const struct item *item)
{
	return strcmp(item->path, "-") == 0 ? _("stdin") : item->path;
}

void viewer_flush_bad(struct item *item)
{
	if (!item->bad_first)
		return;
	if (item->bad_first == item->bad_last)
		complain(item, _("%s: line %" PRIu64 " is no event: %s"),
			shown_name(item), item->bad_first, item->bad_why);
	else
		complain(item,
			_("%s: lines %" PRIu64 "-%" PRIu64
			  " are no events: %s"),
			shown_name(item), item->bad_first, item->bad_last,
			item->bad_why);
	item->bad_first = 0;
}

/* Raw output where events should be is said once, not line by line. */
static bool is_raw(struct item *item)
{
	struct view_looks looks = view_source_looks(item->source);

	if (looks.raw && !item->is_raw) {
		viewer_flush_bad(item);
		complain(item,
			_("%s looks like the raw output of %s: give --from %s"),
			shown_name(item), looks.raw->name, looks.raw->name);
	}
	item->is_raw = looks.raw != NULL;
	return item->is_raw;
}

/* No line is output of --from. */
static void say_foreign(struct item *item)
{
	struct view_looks looks = view_source_looks(item->source);
	unsigned long long lines = view_source_lines(item->source);
	const char *from = item->viewer->from->name;

	complain(item,
		ngettext("no line of %s is %s output (%llu line)",
			"no line of %s is %s output (%llu lines)",
			(unsigned long)lines),
		shown_name(item), from, lines);
	if (looks.events)
		complain(item, _("%s holds events: leave --from away"),
			shown_name(item));
	else if (looks.raw)
		complain(item,
			_("%s looks like the raw output of %s: give --from %s"),
			shown_name(item), looks.raw->name, looks.raw->name);
}

static void on_bad_line(void *arg, uint64_t number, const char *why)
{
	struct item *item = arg;
	bool more = item->bad_first && item->bad_last + 1 == number &&
		    strncmp(item->bad_why, why, sizeof(item->bad_why) - 1) == 0;

	item->viewer->not_whole = true;
	if (is_raw(item))
		return;
	if (!more) {
		viewer_flush_bad(item);
		item->bad_first = number;
		snprintf(item->bad_why, sizeof(item->bad_why), "%s", why);
	}
	item->bad_last = number;
	if (view_source_bad_lines(item->source) <= BAD_SINGLE)
		viewer_flush_bad(item);
	if (item->viewer->ui)
		view_ui_note(item);
}

/* A source is over: headless the next one begins, a UI waits for its reader
 * unless it was told not to. */
static bool is_over(const struct viewer *v)
{
	return !v->ui || (v->o->stay == STAY_NO && !v->reading && !v->o->dir);
}

static void on_state(void *arg, enum view_state state, const struct err *err)
{
	struct item *item = arg;
	struct viewer *v = item->viewer;

	item->no_end = state == VIEW_NO_END || state == VIEW_FOREIGN;
	v->reading += state == VIEW_READING ? 1 : (size_t)-1;
	if (v->ui)
		view_ui_note(item);
	if (state == VIEW_READING)
		return;
	viewer_flush_bad(item);
	if (state == VIEW_FAILED) {
		v->unreadable = true;
		complain(item, "%s", err->local);
	} else if (state == VIEW_FOREIGN) {
		v->not_whole = true;
		say_foreign(item);
	} else if (state == VIEW_NO_END) {
		v->not_whole = true;
		if (!item->is_raw)
			complain(item, _("%s: no end event"), shown_name(item));
	}
	if (is_over(v))
		loop_stop(v->loop);
}

struct sink *viewer_stdout(const struct viewer *v)
{
	if (v->o->format == FORMAT_JSONL)
		return jsonl_new(STDOUT_FILENO, false, "stdout");
	return text_new(STDOUT_FILENO, isatty(STDOUT_FILENO), "stdout");
}

/* Labels and numbers of the text format belong to one stream. */
static struct sink *on_next(void *arg, enum view_next why, bool whole)
{
	struct item *item = arg;
	struct viewer *v = item->viewer;

	if (why == VIEW_NEXT_TRUNCATED)
		complain(item,
			_("%s: truncated; reading it from its beginning"),
			shown_name(item));
	else if (why == VIEW_NEXT_REPLACED)
		complain(item, _("%s: replaced; reading the new file"),
			shown_name(item));
	if (v->ui) {
		view_ui_leave(item, whole);
		return view_ui_show(item);
	}
	item->sink->ops->free(item->sink);
	item->sink = viewer_stdout(v);
	return item->sink;
}

static void on_sink_failed(void *arg, int syserr, const struct err *err)
{
	struct item *item = arg;
	struct viewer *v = item->viewer;

	if (syserr == EPIPE) {
		v->exit_status = 141;
	} else {
		diag_error("%s", err->local);
		v->exit_status = 1;
	}
	loop_stop(v->loop);
}

void viewer_broken(struct viewer *v)
{
	diag_error(_("cannot wait for events: %s"), strerror(errno));
	v->unreadable = true;
}

/* Items. */

struct item *viewer_find(struct viewer *v, const char *path)
{
	for (size_t i = 0; i < v->count; i++) {
		if (strcmp(v->items[i]->path, path) == 0)
			return v->items[i];
	}
	return NULL;
}

struct item *viewer_add(struct viewer *v, const char *path)
{
	struct item *item = xcalloc(1, sizeof(*item));
	const char *slash;

	if (v->count == v->cap) {
		v->cap = v->cap ? v->cap * 2 : 16;
		v->items =
			xreallocarray(v->items, v->cap, sizeof(struct item *));
	}
	v->items[v->count++] = item;
	item->viewer = v;
	item->path = xstrdup(path);
	slash = strrchr(item->path, '/');
	item->name = slash && slash[1] ? slash + 1 : shown_name(item);
	return item;
}

void viewer_free_item(struct item *item)
{
	view_dir_free(item->dir);
	view_source_free(item->source);
	if (item->sink)
		item->sink->ops->free(item->sink);
	view_ui_free_item(item);
	free(item->path);
	free(item);
}

static void on_bytes(void *arg, const char *data, size_t len)
{
	struct item *item = arg;

	keep_add(item->keep, data, len);
}

static void on_changed(void *arg, const char *name)
{
	struct item *item = arg;

	(void)name;
	view_source_poke(item->source);
}

/* Changes in the folder of a followed file reach it sooner than its poll. */
static void watch_parent(struct item *item)
{
	const char *slash = strrchr(item->path, '/');
	struct err err = ERR_INIT;
	char *parent;

	if (strcmp(item->path, "-") == 0)
		return;
	parent = slash ? xstrndup(item->path, (size_t)(slash - item->path) + 1)
		       : xstrdup(".");
	item->dir = view_dir_new(item->viewer->loop, parent,
		slash ? slash + 1 : item->path, on_changed, item, &err);
	free(parent);
}

void viewer_start(struct item *item, struct sink *sink, bool in_dir)
{
	struct viewer *v = item->viewer;
	const struct view_source_events events = {
		.bad_line = on_bad_line,
		.bytes = item->keep ? on_bytes : NULL,
		.state = on_state,
		.next = on_next,
		.sink_failed = on_sink_failed,
		.arg = item,
	};
	const struct view_source_config config = {
		.path = item->path,
		.from = v->from,
		.follow = v->o->follow || (in_dir && v->ui),
		.speed = v->o->speed,
		.piece = v->piece,
		.cwd = v->cwd,
		.clock = &clock_system,
	};

	v->reading++;
	item->source = view_source_new(v->loop, &config, sink, &events);
	if (v->o->follow && !in_dir)
		watch_parent(item);
	view_source_start(item->source);
}

/* Every turn serves each source once: many sources, small pieces. */
void viewer_set_piece(struct viewer *v, size_t sources)
{
	v->piece = PIECE_ALL / (sources ? sources : 1);
	if (v->piece < PIECE_MIN)
		v->piece = PIECE_MIN;
	if (v->piece > PIECE_MAX)
		v->piece = PIECE_MAX;
}

bool viewer_wants(const struct viewer *v, const char *name)
{
	static const char raw[] = ".raw.jsonl";
	size_t len = strlen(name);

	return v->from || len < strlen(raw) ||
	       strcmp(name + len - strlen(raw), raw) != 0;
}

char *viewer_dir_path(const struct viewer *v, const char *name)
{
	const char *dir = v->o->dir;
	size_t len = strlen(dir);
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s%s%s", dir, len && dir[len - 1] == '/' ? "" : "/",
		name);
	return strbuf_detach(&path);
}

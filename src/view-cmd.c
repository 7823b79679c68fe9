#include "config.h"

#include "view-cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "output/sink.h"
#include "runtime/runtime.h"
#include "view/dir.h"
#include "view/view.h"
#if WITH_UI
#include <fcntl.h>
#include <sys/stat.h>

#include "export-cmd.h"
#include "output/spool.h"
#include "ui/ui.h"
#endif

#define PIECE_ALL ((size_t)512 << 10) /* per turn, all sources together */
#define PIECE_MIN ((size_t)4 << 10)
#define PIECE_MAX ((size_t)256 << 10)
/* So many bad lines are reported one by one, the others as ranges. */
#define BAD_SINGLE 20

struct viewer;

/* One FILE. */
struct item {
	struct viewer *viewer;
	char *path;
	const char *name; /* the part of path that is shown */
	struct view_source *source;
	struct view_dir *dir; /* of a followed file, or NULL */
	struct sink *sink;    /* headless */
	uint64_t bad_first;   /* a range not yet reported; 0: none */
	uint64_t bad_last;
	char bad_why[256];
	bool no_end;
#if WITH_UI
	struct ui_run *run;
	struct sink *spool; /* what no file holds as events, or NULL */
#endif
};

struct viewer {
	const struct options *o;
	const struct runtime_ops *from;
	struct loop *loop;
	struct item **items;
	size_t count;
	size_t cap;
	size_t piece;
	struct view_dir *dir;
	char *cwd;
	bool not_whole;
	bool unreadable;
	int exit_status; /* that of a signal or a failed output, or 0 */
#if WITH_UI
	struct ui *ui;
	size_t reading; /* sources that are not over */
#endif
};

#if WITH_UI
static bool has_ui(const struct viewer *v)
{
	return v->ui;
}

static void count_reading(struct item *item, enum view_state state)
{
	if (state == VIEW_READING)
		item->viewer->reading++;
	else
		item->viewer->reading--;
}

/* A source is over: headless the next one begins, a UI waits for its reader
 * unless it was told not to. */
static bool is_over(const struct viewer *v)
{
	return !v->ui || (v->o->stay == STAY_NO && !v->reading && !v->o->dir);
}
#else
static bool has_ui(const struct viewer *v)
{
	(void)v;
	return false;
}

static void count_reading(struct item *item, enum view_state state)
{
	(void)item;
	(void)state;
}

static bool is_over(const struct viewer *v)
{
	(void)v;
	return true;
}
#endif

/* What a source reports. */

static const char *shown_name(const struct item *item)
{
	return strcmp(item->path, "-") == 0 ? _("stdin") : item->path;
}

static void flush_bad(struct item *item)
{
	if (!item->bad_first)
		return;
	if (item->bad_first == item->bad_last)
		diag_error(_("%s: line %" PRIu64 " is no event: %s"),
			shown_name(item), item->bad_first, item->bad_why);
	else
		diag_error(_("%s: lines %" PRIu64 "-%" PRIu64
			     " are no events: %s"),
			shown_name(item), item->bad_first, item->bad_last,
			item->bad_why);
	item->bad_first = 0;
}

#if WITH_UI
/* The words in the list of runs and in the bar. */
static void show_note(struct item *item)
{
	uint64_t bad = view_source_bad_lines(item->source);
	struct strbuf note = STRBUF_INIT;

	if (!item->run)
		return;
	if (item->no_end)
		strbuf_addstr(&note, _("no end event"));
	if (bad)
		strbuf_addf(&note,
			ngettext("%s%" PRIu64 " bad line",
				"%s%" PRIu64 " bad lines", (unsigned long)bad),
			note.len ? ", " : "", bad);
	if (view_source_paused(item->source))
		strbuf_addf(&note, "%s%s", note.len ? ", " : "", _("paused"));
	ui_run_set_note(item->run, note.len ? note.buf : NULL);
	ui_run_set_still(
		item->run, view_source_state(item->source) != VIEW_READING ||
				   view_source_paused(item->source));
	strbuf_release(&note);
}
#else
static void show_note(struct item *item)
{
	(void)item;
}
#endif

static void on_bad_line(void *arg, uint64_t number, const char *why)
{
	struct item *item = arg;
	bool more = item->bad_first && item->bad_last + 1 == number &&
		    strncmp(item->bad_why, why, sizeof(item->bad_why) - 1) == 0;

	item->viewer->not_whole = true;
	if (!more) {
		flush_bad(item);
		item->bad_first = number;
		snprintf(item->bad_why, sizeof(item->bad_why), "%s", why);
	}
	item->bad_last = number;
	if (view_source_bad_lines(item->source) <= BAD_SINGLE)
		flush_bad(item);
	show_note(item);
}

static void on_state(void *arg, enum view_state state, const struct err *err)
{
	struct item *item = arg;
	struct viewer *v = item->viewer;

	item->no_end = state == VIEW_NO_END;
	count_reading(item, state);
	if (state == VIEW_READING) {
		show_note(item);
		return;
	}
	flush_bad(item);
	if (state == VIEW_FAILED) {
		v->unreadable = true;
		diag_error("%s", err->local);
	} else if (state == VIEW_NO_END) {
		v->not_whole = true;
		diag_error(_("%s: no end event"), shown_name(item));
	}
	show_note(item);
	if (is_over(v))
		loop_stop(v->loop);
}

#if WITH_UI
static bool is_regular(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
	       S_ISREG(st.st_mode);
}
#endif

static struct sink *new_sink(const struct viewer *v)
{
	if (v->o->format == FORMAT_JSONL)
		return jsonl_new(STDOUT_FILENO, false, "stdout");
	return text_new(STDOUT_FILENO, isatty(STDOUT_FILENO), "stdout");
}

#if WITH_UI
/* A row of its own for the stream; returns where its events go. */
static struct sink *show_item(struct item *item)
{
	bool is_file = !item->viewer->from && is_regular(item->path);

	item->run = ui_run_add(item->viewer->ui, item->name);
	if (item->spool)
		item->spool->ops->free(item->spool);
	item->spool = is_file ? NULL : spool_new(ui_run_sink(item->run));
	return item->spool ? item->spool : ui_run_sink(item->run);
}
#endif

/* Labels and numbers of the text format belong to one stream. */
static struct sink *on_next(void *arg, enum view_next why)
{
	struct item *item = arg;
	struct viewer *v = item->viewer;

	if (why == VIEW_NEXT_TRUNCATED)
		diag_error(_("%s: truncated; reading it from its beginning"),
			shown_name(item));
	else if (why == VIEW_NEXT_REPLACED)
		diag_error(_("%s: replaced; reading the new file"),
			shown_name(item));
#if WITH_UI
	if (v->ui)
		return show_item(item);
#endif
	item->sink->ops->free(item->sink);
	item->sink = new_sink(v);
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

/* Items. */

static struct item *find_item(struct viewer *v, const char *path)
{
	for (size_t i = 0; i < v->count; i++) {
		if (strcmp(v->items[i]->path, path) == 0)
			return v->items[i];
	}
	return NULL;
}

static struct item *add_item(struct viewer *v, const char *path)
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

static void free_item(struct item *item)
{
	view_dir_free(item->dir);
	view_source_free(item->source);
	if (item->sink)
		item->sink->ops->free(item->sink);
#if WITH_UI
	if (item->spool)
		item->spool->ops->free(item->spool);
#endif
	free(item->path);
	free(item);
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

static void start_item(struct item *item, struct sink *sink, bool in_dir)
{
	struct viewer *v = item->viewer;
	const struct view_source_events events = {
		.bad_line = on_bad_line,
		.state = on_state,
		.next = on_next,
		.sink_failed = on_sink_failed,
		.arg = item,
	};
	const struct view_source_config config = {
		.path = item->path,
		.from = v->from,
		.follow = v->o->follow || (in_dir && has_ui(v)),
		.speed = v->o->speed,
		.piece = v->piece,
		.cwd = v->cwd,
		.clock = &clock_system,
	};

	item->source = view_source_new(v->loop, &config, sink, &events);
	if (v->o->follow && !in_dir)
		watch_parent(item);
	view_source_start(item->source);
}

/* Every turn serves each source once: many sources, small pieces. */
static void set_piece(struct viewer *v, size_t sources)
{
	v->piece = PIECE_ALL / (sources ? sources : 1);
	if (v->piece < PIECE_MIN)
		v->piece = PIECE_MIN;
	if (v->piece > PIECE_MAX)
		v->piece = PIECE_MAX;
}

static char *dir_path(const struct viewer *v, const char *name)
{
	const char *dir = v->o->dir;
	size_t len = strlen(dir);
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s%s%s", dir, len && dir[len - 1] == '/' ? "" : "/",
		name);
	return strbuf_detach(&path);
}

/* Headless. */

static void add_name(void *arg, const char *name)
{
	struct viewer *v = arg;
	char *path = dir_path(v, name);

	if (!find_item(v, path))
		add_item(v, path);
	free(path);
}

static void convert_all(struct viewer *v)
{
	for (size_t i = 0; i < v->count && !v->exit_status; i++) {
		struct item *item = v->items[i];

		item->sink = new_sink(v);
		set_piece(v, 1);
		start_item(item, item->sink, false);
		if (view_source_state(item->source) == VIEW_READING)
			loop_run(v->loop);
		view_source_free(item->source);
		item->source = NULL;
	}
}

static int run_headless(struct viewer *v)
{
	struct err err = ERR_INIT;

	if (v->o->dir) {
		v->dir = view_dir_new(
			v->loop, v->o->dir, NULL, add_name, v, &err);
		if (!v->dir) {
			diag_error("%s", err.local);
			return -1;
		}
		/* what is there now; the list must not grow meanwhile */
		view_dir_free(v->dir);
		v->dir = NULL;
	}
	convert_all(v);
	return 0;
}

/* The UI. */

#if WITH_UI
static struct item *find_run(struct viewer *v, const struct ui_run *run)
{
	for (size_t i = 0; i < v->count; i++) {
		if (v->items[i]->run == run)
			return v->items[i];
	}
	return NULL;
}

static void on_leave(void *arg)
{
	struct viewer *v = arg;

	loop_stop(v->loop);
}

static void on_signal(void *arg, int signo)
{
	struct viewer *v = arg;

	v->exit_status = signo == SIGINT ? 130 : 143;
	loop_stop(v->loop);
}

static void on_stop(void *arg)
{
	on_signal(arg, SIGINT);
}

static void on_replay(void *arg, struct ui_run *run, int what)
{
	struct item *item = find_run(arg, run);
	double speed;

	if (!item)
		return;
	speed = view_source_speed(item->source);
	switch ((enum ui_replay)what) {
	case UI_REPLAY_PAUSE:
		view_source_pause(
			item->source, !view_source_paused(item->source));
		break;
	case UI_REPLAY_STEP:
		view_source_step(item->source);
		break;
	case UI_REPLAY_SLOWER:
		view_source_set_speed(item->source, speed / 2);
		break;
	case UI_REPLAY_FASTER:
		view_source_set_speed(item->source, speed * 2);
		break;
	}
	show_note(item);
}

/* w: the file, or what was kept of a pipe. */
static void on_export(void *arg, struct ui_run *run, char *msg, size_t size)
{
	struct item *item = find_run(arg, run);
	int fd;

	if (!item) {
		snprintf(msg, size, "%s", _("no longer there"));
		return;
	}
	if (item->spool && spool_is_broken(item->spool)) {
		snprintf(msg, size, "%s",
			_("cannot export: no copy could be kept"));
		return;
	}
	if (item->spool) {
		export_key(spool_fd(item->spool), item->name, msg, size);
		return;
	}
	fd = open(item->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		snprintf(msg, size, _("cannot open '%s': %s"), item->path,
			strerror(errno));
		return;
	}
	export_key(fd, item->name, msg, size);
	close(fd);
}

static void start_shown(struct viewer *v, struct item *item, bool in_dir)
{
	v->reading++;
	start_item(item, show_item(item), in_dir);
}

/* A file of --dir is there, is new, or has changed. */
static void on_dir(void *arg, const char *name)
{
	struct viewer *v = arg;
	char *path = dir_path(v, name);
	struct item *item = find_item(v, path);

	if (!item)
		start_shown(v, add_item(v, path), true);
	else
		view_source_poke(item->source);
	free(path);
}

static int start_all(struct viewer *v)
{
	struct err err = ERR_INIT;

	set_piece(v, v->count);
	for (size_t i = 0; i < v->count; i++)
		start_shown(v, v->items[i], false);
	if (!v->o->dir)
		return 0;
	v->dir = view_dir_new(v->loop, v->o->dir, NULL, on_dir, v, &err);
	if (v->dir)
		return 0;
	diag_error("%s", err.local);
	return -1;
}

static int run_ui(struct viewer *v)
{
	const struct ui_config config = {
		.stay = v->o->stay == STAY_NO ? -1 : 1,
		.list = v->count > 1 || v->o->dir,
		.stderr_tty = isatty(STDERR_FILENO),
		.requests = {.stop = on_stop,
			.leave = on_leave,
			.replay = on_replay,
			.export_run = on_export,
			.arg = v},
	};
	const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct err err = ERR_INIT;
	int failed;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		loop_signal(v->loop, signals[i], on_signal, v);
	v->ui = ui_new(v->loop, &config, &err);
	if (!v->ui) {
		diag_error("%s", err.local);
		return run_headless(v);
	}
	failed = start_all(v);
	if (!failed)
		loop_run(v->loop);
	for (size_t i = 0; i < v->count; i++)
		flush_bad(v->items[i]);
	ui_free(v->ui);
	v->ui = NULL;
	return failed;
}
#else
static int run_ui(struct viewer *v)
{
	return run_headless(v);
}
#endif

/* The whole command. */

/* FILEs, or stdin when it is no terminal. Returns 0 or -1 (said on stderr). */
static int add_operands(struct viewer *v)
{
	const struct strvec *files = &v->o->operands;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < files->count; i++) {
		if (!find_item(v, files->v[i]))
			add_item(v, files->v[i]);
	}
	if (files->count || v->o->dir)
		return 0;
	if (!isatty(STDIN_FILENO)) {
		add_item(v, "-");
		return 0;
	}
	err_set(&err, AR_EUSAGE,
		N_("no stream: name a FILE, '-' for stdin, or --dir DIR"));
	diag_error("%s", err.local);
	return -1;
}

/* Followed files stay open, one descriptor each. */
static void raise_file_limit(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) != 0)
		return;
	rl.rlim_cur = rl.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &rl);
}

static void release(struct viewer *v)
{
	view_dir_free(v->dir);
	for (size_t i = 0; i < v->count; i++)
		free_item(v->items[i]);
	free(v->items);
	loop_free(v->loop);
	free(v->cwd);
}

int view_cmd(const struct options *o)
{
	struct viewer v = {.o = o};
	int failed;

	v.from = o->runtime ? runtime_find(o->runtime) : NULL;
	v.loop = loop_new();
	v.cwd = realpath(".", NULL);
	if (v.from && o->speed > 0)
		diag_error("%s",
			_("--speed has no effect with --from: raw output has "
			  "no times"));
	raise_file_limit();
	failed = add_operands(&v);
	if (!failed)
		failed = o->format == FORMAT_RICH ? run_ui(&v)
						  : run_headless(&v);
	release(&v);
	if (failed || v.unreadable)
		return v.exit_status ? v.exit_status : 2;
	if (v.exit_status)
		return v.exit_status;
	return v.not_whole ? 1 : 0;
}

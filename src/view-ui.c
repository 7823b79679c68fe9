#include "config.h"

#include "viewer.h"

#if WITH_UI
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "event/status.h"
#include "export-cmd.h"
#include "output/spool.h"
#include "ui/ui.h"
#include "view/detail.h"

#define QUIET_S 60
#define QUIET_LOOK_MS 5000
/* So many files of a folder may come at once. */
#define DIR_GUESS 100

/* The words in the list of runs and in the bar. */
void view_ui_note(struct item *item)
{
	uint64_t bad = view_source_bad_lines(item->source);
	struct strbuf note = STRBUF_INIT;

	if (!item->run)
		return;
	if (item->no_end)
		strbuf_addstr(&note, _("no end event"));
	else if (item->quiet)
		strbuf_addstr(&note, _("no end yet"));
	else if (view_source_state(item->source) == VIEW_FAILED)
		strbuf_addstr(&note, _("unreadable"));
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

void view_ui_diagnose(struct item *item)
{
	if (item->run)
		ui_run_diagnose(item->run);
}

static bool is_regular(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
	       S_ISREG(st.st_mode);
}

/* Where the details of a stream come from. A pipe's bytes are kept. */
static struct detail *new_detail(struct item *item, bool regular)
{
	const struct options *o = item->viewer->o;

	if (!regular && !item->keep)
		item->keep = keep_new(o->keep_detail);
	if (item->viewer->from)
		return view_detail_raw(item->viewer->from, item->keep,
			regular ? item->path : NULL);
	return view_detail_saved(item->keep, item->path, o->run.raw);
}

/* A row of its own for the stream; returns where its events go. */
struct sink *view_ui_show(struct item *item)
{
	bool regular = is_regular(item->path);
	bool is_file = !item->viewer->from && regular;

	item->run = ui_run_add(item->viewer->ui, item->name);
	ui_run_set_detail(item->run, new_detail(item, regular));
	if (item->spool)
		item->spool->ops->free(item->spool);
	item->spool = is_file ? NULL : spool_new(ui_run_sink(item->run));
	return item->spool ? item->spool : ui_run_sink(item->run);
}

void view_ui_leave(struct item *item, bool whole)
{
	if (!whole)
		ui_run_set_note(item->run, _("no end event"));
	ui_run_set_still(item->run, true);
}

void view_ui_free_item(struct item *item)
{
	if (item->spool)
		item->spool->ops->free(item->spool);
	keep_free(item->keep);
}

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

	v->exit_status = status_exit(END_INTERRUPTED, signo);
	if (v->leaving)
		v->grace_ms = 0;
	else
		loop_stop(v->loop);
}

static void on_stop(void *arg)
{
	on_signal(arg, SIGINT);
}

static void change_speed(
	struct view_source *source, double factor, char *msg, size_t size)
{
	double speed = view_source_speed(source);

	if (!(speed > 0)) {
		snprintf(msg, size, "%s", _("no replay: --speed starts one"));
		return;
	}
	view_source_set_speed(source, speed * factor);
	snprintf(msg, size, _("speed %g"), view_source_speed(source));
}

static void on_replay(
	void *arg, struct ui_run *run, int what, char *msg, size_t size)
{
	struct item *item = find_run(arg, run);

	if (!item)
		return;
	if (view_source_state(item->source) != VIEW_READING) {
		snprintf(msg, size, "%s", _("nothing more will come"));
		return;
	}
	switch ((enum ui_replay)what) {
	case UI_REPLAY_PAUSE:
		view_source_pause(
			item->source, !view_source_paused(item->source));
		break;
	case UI_REPLAY_STEP:
		view_source_step(item->source);
		break;
	case UI_REPLAY_SLOWER:
		change_speed(item->source, 0.5, msg, size);
		break;
	case UI_REPLAY_FASTER:
		change_speed(item->source, 2, msg, size);
		break;
	}
	view_ui_note(item);
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

static void start_shown(struct item *item, bool in_dir)
{
	viewer_start(item, view_ui_show(item), in_dir);
}

/* A file of --dir is there, is new, or has changed. */
static void on_dir(void *arg, const char *name)
{
	struct viewer *v = arg;
	char *path = viewer_dir_path(v, name);
	struct item *item = viewer_find(v, path);

	if (!viewer_wants(v, name))
		; /* details of the run beside it */
	else if (!item)
		start_shown(viewer_add(v, path), true);
	else
		view_source_poke(item->source);
	free(path);
}

/* A followed stream without an end in which nothing happens may be a run that
 * thinks, or one whose machine is gone: the reader shall see it. */
static bool is_quiet(const struct item *item)
{
	struct stat st;

	return view_source_waiting(item->source) &&
	       stat(item->path, &st) == 0 &&
	       time(NULL) - st.st_mtime >= QUIET_S;
}

static void look_for_quiet(void *arg)
{
	struct viewer *v = arg;

	for (size_t i = 0; i < v->count; i++) {
		bool quiet = is_quiet(v->items[i]);

		if (quiet != v->items[i]->quiet) {
			v->items[i]->quiet = quiet;
			view_ui_note(v->items[i]);
		}
	}
	loop_timer_set(
		v->loop, &v->quiet_timer, QUIET_LOOK_MS, look_for_quiet, v);
}

static int start_all(struct viewer *v)
{
	struct err err = ERR_INIT;

	viewer_set_piece(v, v->count);
	for (size_t i = 0; i < v->count; i++)
		start_shown(v->items[i], false);
	if (v->o->dir || v->o->follow)
		loop_timer_set(v->loop, &v->quiet_timer, QUIET_LOOK_MS,
			look_for_quiet, v);
	if (!v->o->dir)
		return 0;
	viewer_set_piece(v, DIR_GUESS);
	v->dir = view_dir_new(v->loop, v->o->dir, NULL, on_dir, v, &err);
	if (v->dir)
		return 0;
	diag_error("%s", err.local);
	return -1;
}

/* Nothing more comes; what is there is printed. */
static void stop_reading(struct viewer *v)
{
	v->leaving = true;
	loop_timer_clear(v->loop, &v->quiet_timer);
	view_dir_free(v->dir);
	v->dir = NULL;
	for (size_t i = 0; i < v->count; i++) {
		struct item *item = v->items[i];

		viewer_flush_bad(item);
		view_dir_free(item->dir);
		item->dir = NULL;
		view_source_free(item->source);
		item->source = NULL;
	}
}

int view_ui_run(struct viewer *v)
{
	const struct ui_config config = {
		.stay = v->o->stay == STAY_NO ? -1 : 1,
		.list = v->count > 1 || v->o->dir,
		.color = v->o->color,
		.chop = v->o->chop,
		.stderr_tty = isatty(STDERR_FILENO),
		.grace_ms = &v->grace_ms,
		.requests =
			{
				.stop = on_stop,
				.leave = on_leave,
				.replay = on_replay,
				.export_run = on_export,
				.arg = v,
			},
	};
	struct err err = ERR_INIT;
	int failed;

	loop_stops(v->loop, on_signal, v);
	v->grace_ms = OUTQ_GRACE_MS;
	v->ui = ui_new(v->loop, &config, &err);
	if (!v->ui) {
		diag_error("%s", err.local);
		return 1;
	}
	diag_attach(v->loop);
	failed = start_all(v);
	if (!failed && (v->reading || v->o->stay != STAY_NO || v->o->dir) &&
		loop_run(v->loop) < 0)
		viewer_broken(v);
	stop_reading(v);
	ui_free(v->ui);
	diag_detach();
	return failed;
}
#else
int view_ui_run(struct viewer *v)
{
	(void)v;
	return 1;
}

struct sink *view_ui_show(struct item *item)
{
	return item->sink;
}

void view_ui_leave(struct item *item, bool whole)
{
	(void)item;
	(void)whole;
}

void view_ui_note(struct item *item)
{
	(void)item;
}

void view_ui_diagnose(struct item *item)
{
	(void)item;
}

void view_ui_free_item(struct item *item)
{
	(void)item;
}
#endif

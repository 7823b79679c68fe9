#ifndef AGENTRUN_VIEWER_H
#define AGENTRUN_VIEWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/keep.h"
#include "base/loop.h"
#include "options.h"
#include "output/sink.h"
#include "runtime/runtime.h"
#include "view/dir.h"
#include "view/view.h"

/* viewer: the streams of one `agentrun view`, shared by the command
 * (view-cmd.c) and its full-screen side (view-ui.c). */
struct viewer;

/* One FILE. */
struct item {
	struct viewer *viewer;
	char *path;
	const char *name; /* the part of path that is shown */
	struct view_source *source;
	struct view_dir *dir; /* of a followed file, or NULL */
	struct sink *sink;    /* headless; in the UI NULL */
	uint64_t bad_first;   /* a range not yet reported; 0: none */
	uint64_t bad_last;
	char bad_why[256];
	bool no_end;
	bool is_raw;        /* said that it looks like raw output */
	bool quiet;         /* no end yet, and nothing new for long */
	struct ui_run *run; /* in the UI */
	struct sink *spool; /* the same, what no file holds as events */
	struct keep *keep;  /* the same, bytes that no file holds */
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
	struct ui *ui;   /* or NULL */
	bool leaving;    /* only the terminal is waited for */
	int64_t grace_ms;
	size_t reading; /* sources that are not over */
	struct loop_timer quiet_timer;
};

/* Items are added in the order of the command line; an item is started once. */
struct item *viewer_add(struct viewer *v, const char *path);
struct item *viewer_find(struct viewer *v, const char *path);
void viewer_start(struct item *item, struct sink *sink, bool in_dir);
void viewer_free_item(struct item *item);

/* Whether NAME of --dir is shown: the raw output of a run is not, unless that
 * is what is to be read. */
bool viewer_wants(const struct viewer *v, const char *name);

/* PATH of NAME in --dir; the caller frees it. */
char *viewer_dir_path(const struct viewer *v, const char *name);

/* So many sources share the turns of the loop: many sources, small pieces. */
void viewer_set_piece(struct viewer *v, size_t sources);

/* A new sink for stdout, in the format that was asked for. */
struct sink *viewer_stdout(const struct viewer *v);

/* The loop failed, with errno: says so; the exit status is 2. */
void viewer_broken(struct viewer *v);

/* Reports what is kept back of a range of bad lines. */
void viewer_flush_bad(struct item *item);

/* The full-screen side. Shows everything until the reader leaves. Returns 0;
 * -1 (said on stderr); or 1 when there is no UI here: the caller converts. */
int view_ui_run(struct viewer *v);

/* A row of its own for the stream that begins; returns where it goes. */
struct sink *view_ui_show(struct item *item);

/* The stream of the item's present row is over, WHOLE or not. */
void view_ui_leave(struct item *item, bool whole);

/* The words beside a row: state, bad lines, paused. */
void view_ui_note(struct item *item);

/* What is said on stderr from now on is about the item. */
void view_ui_diagnose(struct item *item);
void view_ui_free_item(struct item *item);

#endif

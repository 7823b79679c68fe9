#ifndef AGENTRUN_VIEW_DIR_H
#define AGENTRUN_VIEW_DIR_H

#include "base/err.h"
#include "base/loop.h"

/* dir: says which files of a directory are there, are new, or have changed.
 *
 * inotify where there is one, and a look every two seconds all the same:
 * changes made by another machine in a shared folder reach no inotify. So a
 * call is a hint, may come without a change, and must cost little. */
struct view_dir;

/* NAME has no slash; borrowed. */
typedef void view_dir_fn(void *arg, const char *name);

/* Watches PATH: with ONLY NULL every "*.jsonl" whose name does not begin with a
 * dot, and FN is called for those that exist, in the order of their names,
 * before view_dir_new returns; else the one file ONLY, for changes alone and
 * without the regular look. NULL with ERR when PATH cannot be read. */
struct view_dir *view_dir_new(struct loop *loop, const char *path,
	const char *only, view_dir_fn *fn, void *arg, struct err *err);
void view_dir_free(struct view_dir *d);

#endif

#include "config.h"

#include "view-cmd.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/log.h"
#include "base/signals.h"
#include "viewer.h"

/* Headless. */

static void add_name(void *arg, const char *name)
{
	struct viewer *v = arg;
	char *path = viewer_dir_path(v, name);

	if (viewer_wants(v, name) && !viewer_find(v, path))
		viewer_add(v, path);
	free(path);
}

static void convert_all(struct viewer *v)
{
	for (size_t i = 0; i < v->count && !v->exit_status; i++) {
		struct item *item = v->items[i];

		item->sink = viewer_stdout(v);
		viewer_set_piece(v, 1);
		viewer_start(item, item->sink, false);
		if (view_source_state(item->source) == VIEW_READING &&
			loop_run(v->loop) < 0)
			viewer_broken(v);
		view_source_free(item->source);
		item->source = NULL;
	}
}

static int run_headless(struct viewer *v)
{
	struct err err = ERR_INIT;

	signals_release(); /* nothing is left behind */
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

/* The whole command. */

/* FILEs, or stdin when it is no terminal. Returns 0 or -1 (said on stderr). */
static int add_operands(struct viewer *v)
{
	const struct strvec *files = &v->o->operands;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < files->count; i++) {
		if (!viewer_find(v, files->v[i]))
			viewer_add(v, files->v[i]);
	}
	if (!files->count && !v->o->dir)
		viewer_add(v, "-");
	if (!viewer_find(v, "-") || !isatty(STDIN_FILENO))
		return 0;
	err_set(&err, AR_EUSAGE,
		N_("no stream: stdin is the terminal; name a FILE or --dir "
		   "DIR"));
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
		viewer_free_item(v->items[i]);
	free(v->items);
	loop_free(v->loop);
	free(v->cwd);
}

int view_cmd(const struct options *o)
{
	struct viewer v = {.o = o};
	struct err err = ERR_INIT;
	int failed;

	v.loop = loop_new(&err);
	if (!v.loop) {
		diag_error("%s", err.local);
		return 2;
	}
	v.from = o->runtime ? runtime_find(o->runtime) : NULL;
	v.cwd = realpath(".", NULL);
	if (v.from && o->speed > 0)
		diag_error("%s",
			_("--speed has no effect with --from: raw output has "
			  "no times"));
	raise_file_limit();
	failed = add_operands(&v);
	if (!failed && o->format == FORMAT_RICH)
		failed = view_ui_run(&v);
	else if (!failed)
		failed = 1;
	if (failed > 0)
		failed = run_headless(&v);
	release(&v);
	if (failed || v.unreadable)
		return v.exit_status ? v.exit_status : 2;
	if (v.exit_status)
		return v.exit_status;
	return v.not_whole ? 1 : 0;
}

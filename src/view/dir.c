#include "config.h"

#include "view/dir.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if HAVE_INOTIFY
#include <sys/inotify.h>
#endif

#include "base/i18n.h"
#include "base/str.h"
#include "base/strvec.h"
#include "base/xalloc.h"

#define LOOK_MS 2000
#define SUFFIX ".jsonl"

struct view_dir {
	struct loop *loop;
	char *path;
	char *only; /* or NULL */
	view_dir_fn *fn;
	void *arg;
	struct loop_timer timer;
	struct loop_fd *watch;
	int inotify; /* -1: none */
};

static bool is_wanted(const struct view_dir *d, const char *name)
{
	size_t len = strlen(name);
	size_t suffix = strlen(SUFFIX);

	if (d->only)
		return strcmp(name, d->only) == 0;
	return name[0] != '.' && len > suffix &&
	       strcmp(name + len - suffix, SUFFIX) == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Calls fn for every file that is wanted. Returns 0, or -1 with errno. */
static int look(struct view_dir *d)
{
	struct strvec names = STRVEC_INIT;
	DIR *dir = opendir(d->path);
	struct dirent *entry;

	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		if (is_wanted(d, entry->d_name))
			strvec_push(&names, entry->d_name);
	}
	closedir(dir);
	if (names.count > 1)
		qsort(names.v, names.count, sizeof(names.v[0]), by_name);
	for (size_t i = 0; i < names.count; i++)
		d->fn(d->arg, names.v[i]);
	strvec_release(&names);
	return 0;
}

static void look_again(void *arg)
{
	struct view_dir *d = arg;

	/* a folder that is away for a moment may come back */
	(void)look(d);
	loop_timer_set(d->loop, &d->timer, LOOK_MS, look_again, d);
}

#if HAVE_INOTIFY
static void on_inotify(void *arg, int fd, short revents)
{
	struct view_dir *d = arg;
	union {
		struct inotify_event event; /* for the alignment */
		char bytes[16384];
	} buf;
	ssize_t n = read(fd, buf.bytes, sizeof(buf.bytes));
	ssize_t at = 0;
	bool overflow = false;

	(void)revents;
	while (at + (ssize_t)sizeof(struct inotify_event) <= n) {
		const struct inotify_event *ev = (const void *)(buf.bytes + at);

		if (ev->mask & IN_Q_OVERFLOW)
			overflow = true;
		else if (ev->len && is_wanted(d, ev->name))
			d->fn(d->arg, ev->name);
		at += (ssize_t)(sizeof(struct inotify_event) + ev->len);
	}
	if (overflow)
		(void)look(d);
}

static void start_inotify(struct view_dir *d)
{
	const unsigned mask =
		IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_CLOSE_WRITE;

	d->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (d->inotify < 0)
		return; /* none left for this user: the timer does */
	if (inotify_add_watch(d->inotify, d->path, mask) < 0) {
		close(d->inotify);
		d->inotify = -1;
		return;
	}
	d->watch = loop_watch(d->loop, d->inotify, POLLIN, on_inotify, d);
}
#else
static void start_inotify(struct view_dir *d)
{
	(void)d;
}
#endif

struct view_dir *view_dir_new(struct loop *loop, const char *path,
	const char *only, view_dir_fn *fn, void *arg, struct err *err)
{
	struct view_dir *d = xcalloc(1, sizeof(*d));

	d->loop = loop;
	d->path = xstrdup(path);
	d->only = only ? xstrdup(only) : NULL;
	d->fn = fn;
	d->arg = arg;
	d->inotify = -1;
	/* first the watch, then the look: nothing falls in between */
	start_inotify(d);
	if (only)
		return d;
	if (look(d) != 0) {
		err_set(err, AR_EIO, N_("cannot read the directory '%s': %s"),
			path, err_str(errno));
		view_dir_free(d);
		return NULL;
	}
	loop_timer_set(loop, &d->timer, LOOK_MS, look_again, d);
	return d;
}

void view_dir_free(struct view_dir *d)
{
	if (!d)
		return;
	loop_timer_clear(d->loop, &d->timer);
	loop_unwatch(d->watch);
	if (d->inotify >= 0)
		close(d->inotify);
	free(d->path);
	free(d->only);
	free(d);
}

#include "config.h"

#include "sandbox/plan.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

/* A file system may be mounted in more than one place (a bind mount, a btrfs
 * volume with its parts): what is hidden in one must be hidden in all. */

#define MOUNTINFO_MAX ((size_t)16 << 20)

/* One line of /proc/self/mountinfo. */
struct plan_fs {
	char *dev;   /* "254:0" */
	char *root;  /* what of the file system is mounted; "" for all */
	char *point; /* where; "" for "/" */
};

void plan_unescape(char *s)
{
	char *out = s;

	while (*s) {
		if (s[0] == '\\' && strspn(s + 1, "01234567") >= 3) {
			*out++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
					(s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

/* A path of mountinfo so that names can be put behind it. */
static char *take_path(char *field)
{
	plan_unescape(field);
	return xstrdup(strcmp(field, "/") == 0 ? "" : field);
}

static void add_line(struct plan *p, char *line)
{
	char *field[5] = {NULL};
	struct plan_fs *fs;
	size_t i;

	for (i = 0; i < 5; i++)
		field[i] = strsep(&line, " ");
	if (!field[4] || !line)
		return;
	p->fs = xreallocarray(p->fs, p->fs_count + 1, sizeof(*p->fs));
	fs = &p->fs[p->fs_count++];
	fs->dev = xstrdup(field[2]);
	fs->root = take_path(field[3]);
	fs->point = take_path(field[4]);
}

static void read_mounts(struct plan *p)
{
	struct strbuf text = STRBUF_INIT;
	char *rest;
	char *line;

	p->fs_read = true;
	if (io_read_file("/proc/self/mountinfo", MOUNTINFO_MAX, &text, NULL) ==
		0) {
		rest = text.buf;
		while ((line = strsep(&rest, "\n")))
			add_line(p, line);
	}
	strbuf_release(&text);
}

void plan_aliases_release(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->fs_count; i++) {
		free(p->fs[i].dev);
		free(p->fs[i].root);
		free(p->fs[i].point);
	}
	free(p->fs);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat sa;
	struct stat sb;

	return lstat(a, &sa) == 0 && lstat(b, &sb) == 0 &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

static bool is_below(const char *path, const char *top)
{
	return !*top || plan_is_below(path, top);
}

/* REAL is INSIDE in its file system, which FS shows, too: where? The names are
 * only a guess (mounts may be covered), so the file itself is looked at. */
static void add_alias(const struct plan_fs *fs, const char *real,
	const char *inside, struct strvec *out)
{
	char alias[PATH_MAX];
	char here[PATH_MAX];
	const char *more = "";
	const char *rest = "";

	if (is_below(inside, fs->root))
		rest = inside + strlen(fs->root);
	else if (is_below(fs->root, inside))
		more = fs->root + strlen(inside);
	else
		return;
	if (snprintf(alias, sizeof(alias), "%s%s", fs->point, rest) >=
			(int)sizeof(alias) ||
		snprintf(here, sizeof(here), "%s%s", real, more) >=
			(int)sizeof(here))
		return;
	if (alias[0] && !plan_is_below(alias, real) &&
		is_same_file(alias, here) && strvec_find(out, alias) < 0)
		strvec_push(out, alias);
}

void plan_aliases(struct plan *p, const char *real, struct strvec *out)
{
	char inside[PATH_MAX];
	size_t i;
	size_t k;

	if (!p->fs_read)
		read_mounts(p);
	for (i = 0; i < p->fs_count; i++) {
		const struct plan_fs *fs = &p->fs[i];

		if (!is_below(real, fs->point) ||
			snprintf(inside, sizeof(inside), "%s%s", fs->root,
				real + strlen(fs->point)) >=
				(int)sizeof(inside))
			continue;
		for (k = 0; k < p->fs_count; k++)
			if (k != i && strcmp(p->fs[k].dev, fs->dev) == 0)
				add_alias(&p->fs[k], real, inside, out);
	}
}

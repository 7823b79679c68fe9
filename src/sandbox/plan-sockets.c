#include "config.h"

#include "sandbox/plan.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "base/strset.h"
#include "base/xalloc.h"

/* A read-only mount does not stop connect(): every socket that somebody listens
 * at is covered. The kernel lists them by the name they were made with. */

#define FOLDER_LOOKS 4096 /* entries of one folder */

/* In the folder of a project a socket is the agent's. */
static void add(struct plan *p, const char *path)
{
	if (p->shared_cwd || !plan_is_below(path, p->cwd))
		plan_add(p, path, PLAN_MASK_FILE);
}

/* Covers PATH when it is a socket. */
static bool cover(struct plan *p, const char *path)
{
	struct strvec aliases = STRVEC_INIT;
	char real[PATH_MAX];
	struct stat st;
	size_t i;

	if (!realpath(path, real) || lstat(real, &st) < 0 ||
		!S_ISSOCK(st.st_mode))
		return false;
	add(p, real);
	plan_aliases(p, real, &aliases);
	for (i = 0; i < aliases.count; i++)
		add(p, aliases.v[i]);
	strvec_release(&aliases);
	return true;
}

/* A socket that is made under another name and then renamed mostly stays in
 * its folder. SEEN: the folders that were looked at. */
static void cover_neighbours(
	struct plan *p, const char *path, struct strset *seen)
{
	char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	DIR *d = strset_add(seen, str_of(dir)) ? opendir(*dir ? dir : "/")
					       : NULL;
	struct dirent *e;
	int looks = 0;

	while (d && looks++ < FOLDER_LOOKS && (e = readdir(d))) {
		char full[PATH_MAX];

		if ((e->d_type == DT_SOCK || e->d_type == DT_UNKNOWN) &&
			snprintf(full, sizeof(full), "%s/%s", dir, e->d_name) <
				(int)sizeof(full))
			(void)cover(p, full);
	}
	if (d)
		closedir(d);
	free(dir);
}

/* NAME is relative to the folder that some process was in; mostly it still
 * is. */
static void cover_relative(struct plan *p, const char *name)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[PATH_MAX];

		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
			snprintf(path, sizeof(path), "/proc/%s/cwd/%s",
				e->d_name, name) < (int)sizeof(path))
			(void)cover(p, path);
	}
	if (d)
		closedir(d);
}

/* The path of a line of /proc/net/unix, or NULL: none or an abstract one. Its
 * seven columns hold no blanks; the path may. */
static char *socket_path(char *line)
{
	int column;

	for (column = 0; column < 7; column++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	line += strspn(line, " ");
	return line[0] && line[0] != '@' ? line : NULL;
}

void plan_mask_sockets(struct plan *p, const char *table)
{
	struct strset names;
	struct strset folders;
	char *copy = xstrdup(table);
	char *rest = copy;
	char *line;

	strset_init(&names);
	strset_init(&folders);
	(void)strsep(&rest, "\n"); /* the headings */
	while ((line = strsep(&rest, "\n"))) {
		char *path = socket_path(line);

		/* Each connection of a server bears its name. */
		if (!path || !strset_add(&names, str_of(path)))
			continue;
		if (path[0] != '/')
			cover_relative(p, path);
		else if (!cover(p, path))
			cover_neighbours(p, path, &folders);
	}
	strset_release(&names);
	strset_release(&folders);
	free(copy);
}

void plan_sockets(struct plan *p)
{
	struct strbuf table = STRBUF_INIT;

	if (io_read_file("/proc/net/unix", (size_t)16 << 20, &table, NULL) == 0)
		plan_mask_sockets(p, table.buf);
	strbuf_release(&table);
}

#include "config.h"

#include "sandbox/plan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

/* A repository runs commands for its user from hooks and from its config. Both
 * stay read-only; a mount on the .git folder keeps it from being swapped. */

#define SUBMODULES_MAX 40
#define NESTED_MAX 20 /* repositories below the working directory */
#define NESTED_DEPTH 2
#define NESTED_LOOKS 2000 /* entries that are looked at */

static bool exists(const char *dir, const char *name, mode_t type)
{
	char path[PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >=
		(int)sizeof(path))
		return false;
	return lstat(path, &st) == 0 &&
	       (!type || (st.st_mode & S_IFMT) == type);
}

static bool is_git_dir(const char *dir)
{
	return exists(dir, "HEAD", 0) && exists(dir, "objects", S_IFDIR) &&
	       exists(dir, "refs", S_IFDIR);
}

/* First line of DIR/NAME (DIR NULL: of NAME). False when there is none. */
static bool first_line(const char *dir, const char *name, struct strbuf *out)
{
	char path[PATH_MAX];

	strbuf_reset(out);
	if (snprintf(path, sizeof(path), "%s%s%s", dir ? dir : "",
		    dir ? "/" : "", name) >= (int)sizeof(path))
		return false;
	if (plan_read_file(path, 65536, out) < 0)
		return false;
	strbuf_setlen(out, strcspn(out->buf, "\r\n"));
	return out->len > 0;
}

/* The real path of PATH, relative to DIR. */
static bool resolve(const char *dir, const char *path, char out[PATH_MAX])
{
	char joined[PATH_MAX];

	if (snprintf(joined, sizeof(joined), "%s%s%s",
		    path[0] == '/' ? "" : dir, path[0] == '/' ? "" : "/",
		    path) >= (int)sizeof(joined))
		return false;
	return realpath(joined, out) != NULL;
}

/* Read-only, when it is there. */
static void protect(struct plan *p, const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (resolve(dir, name, path))
		plan_add(p, path, PLAN_RO_FIRM);
}

/* The value of a config KEY (its last part), first one found; good enough to
 * know what to protect. */
static bool config_value(
	const struct strbuf *config, const char *key, struct strbuf *out)
{
	const char *line = config->buf;
	size_t n = strlen(key);

	while (*line) {
		const char *next = line + strcspn(line, "\n");

		line += strspn(line, " \t");
		if (strncasecmp(line, key, n) == 0) {
			const char *v = line + n;

			v += strspn(v, " \t");
			if (*v == '=') {
				v++;
				v += strspn(v, " \t\"");
				strbuf_reset(out);
				strbuf_add(out, v, strcspn(v, "\"\r\n"));
				return true;
			}
		}
		line = *next ? next + 1 : next;
	}
	return false;
}

/* Makes an empty NAME in DIR, so that there is something to be covered. */
static void create_missing(
	const struct plan *p, const char *dir, const char *name, bool folder)
{
	char path[PATH_MAX];
	int fd;

	if (p->look_only || exists(dir, name, 0) ||
		snprintf(path, sizeof(path), "%s/%s", dir, name) >=
			(int)sizeof(path))
		return;
	if (folder) {
		(void)mkdir(path, 0755);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		0644);
	if (fd >= 0)
		close(fd);
}

/* One folder with hooks and a config. WORK_TREE: where a relative
 * core.hooksPath starts, or NULL. */
static void protect_repository(
	struct plan *p, const char *dir, const char *work_tree)
{
	struct strbuf config = STRBUF_INIT;
	struct strbuf value = STRBUF_INIT;
	char path[PATH_MAX];

	create_missing(p, dir, "hooks", true);
	protect(p, dir, "hooks");
	protect(p, dir, "config");
	if (snprintf(path, sizeof(path), "%s/config", dir) <
			(int)sizeof(path) &&
		plan_read_file(path, 1 << 20, &config) == 0) {
		if (config_value(&config, "worktreeconfig", &value))
			create_missing(p, dir, "config.worktree", false);
		if (work_tree && config_value(&config, "hookspath", &value) &&
			resolve(work_tree, value.buf, path) &&
			plan_is_below(path, p->cwd) &&
			strcmp(path, p->cwd) != 0)
			plan_add(p, path, PLAN_RO_FIRM);
	}
	protect(p, dir, "config.worktree");
	if (!exists(dir, "commondir", 0))
		strvec_push(&p->git_dirs, dir);
	strbuf_release(&config);
	strbuf_release(&value);
}

/* Git folders of submodules (nested: modules/a/modules/b) below DIR, all in the
 * git folder TOP. */
static void protect_modules(
	struct plan *p, const char *dir, const char *top, int depth, int *n)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)) && *n < SUBMODULES_MAX) {
		char path[PATH_MAX];
		size_t len;

		if (e->d_name[0] == '.' || !exists(dir, e->d_name, S_IFDIR) ||
			snprintf(path, sizeof(path), "%s/%s", dir, e->d_name) >=
				(int)sizeof(path))
			continue;
		if (is_git_dir(path)) {
			(*n)++;
			plan_pin(p, path, top);
			protect_repository(p, path, NULL);
			len = strlen(path);
			if (depth > 0 &&
				snprintf(path + len, sizeof(path) - len,
					"/modules") == 8)
				protect_modules(p, path, top, depth - 1, n);
		} else if (depth > 0) {
			protect_modules(p, path, top, depth - 1, n);
		}
	}
	if (d)
		closedir(d);
}

/* What leads from a linked work tree to its repository. */
static void protect_worktrees(struct plan *p, const char *git_dir)
{
	char top[PATH_MAX];
	struct dirent *e;
	DIR *d;
	int n = 0;

	if (snprintf(top, sizeof(top), "%s/worktrees", git_dir) >=
		(int)sizeof(top))
		return;
	d = opendir(top);
	while (d && (e = readdir(d)) && n < SUBMODULES_MAX) {
		char path[PATH_MAX];

		if (e->d_name[0] == '.' ||
			snprintf(path, sizeof(path), "%s/%s", top, e->d_name) >=
				(int)sizeof(path))
			continue;
		n++;
		protect(p, path, "commondir");
		protect(p, path, "gitdir");
		protect(p, path, "config.worktree");
	}
	if (d)
		closedir(d);
}

static void add_git_dir(struct plan *p, const char *dir, const char *work_tree)
{
	char modules[PATH_MAX];
	int n = 0;

	plan_add(p, dir, PLAN_RW);
	protect_repository(p, dir, work_tree);
	protect_worktrees(p, dir);
	if (exists(dir, "modules", S_IFDIR) &&
		snprintf(modules, sizeof(modules), "%s/modules", dir) <
			(int)sizeof(modules))
		protect_modules(p, modules, dir, 3, &n);
}

/* A .git file is text that an agent may have written: it is only followed when
 * the folder it names points back, which the agent could not have done. */
static bool points_back(const char *git_dir, const char *top)
{
	struct strbuf line = STRBUF_INIT;
	struct strbuf config = STRBUF_INIT;
	char there[PATH_MAX];
	char path[PATH_MAX];
	bool ok = false;

	if (first_line(git_dir, "gitdir", &line)) { /* a linked work tree */
		char *slash;

		if (resolve(git_dir, line.buf, there) &&
			(slash = strrchr(there, '/')) &&
			strcmp(slash, "/.git") == 0) {
			*slash = '\0';
			ok = strcmp(there, top) == 0;
		}
	} else if (snprintf(path, sizeof(path), "%s/config", git_dir) <
			   (int)sizeof(path) &&
		   plan_read_file(path, 1 << 20, &config) == 0 &&
		   config_value(&config, "worktree", &line)) { /* a submodule */
		ok = resolve(git_dir, line.buf, there) &&
		     strcmp(there, top) == 0;
	}
	strbuf_release(&line);
	strbuf_release(&config);
	return ok;
}

static void follow_git_file(struct plan *p, const char *top)
{
	struct strbuf line = STRBUF_INIT;
	char git_dir[PATH_MAX];
	char common[PATH_MAX];

	protect(p, top, ".git");
	if (!first_line(top, ".git", &line) ||
		strncmp(line.buf, "gitdir: ", 8) != 0 ||
		!resolve(top, line.buf + 8, git_dir))
		goto out;
	if (!points_back(git_dir, top)) {
		log_debug("'%s/.git' leads to a folder that does not point "
			  "back; git can only read there",
			top);
		goto out;
	}
	if (!first_line(git_dir, "commondir", &line)) {
		add_git_dir(p, git_dir, top);
		goto out;
	}
	if (resolve(git_dir, line.buf, common) && is_git_dir(common) &&
		plan_is_below(git_dir, common)) {
		add_git_dir(p, common, top);
		protect(p, git_dir, "config.worktree");
	}
out:
	strbuf_release(&line);
}

struct nested {
	int found;
	int looks;
};

/* Repositories a little way below DIR: the working directory may be a folder
 * of projects. */
static void protect_nested(
	struct plan *p, const char *dir, int depth, struct nested *n)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && n->found < NESTED_MAX && n->looks++ < NESTED_LOOKS &&
		(e = readdir(d))) {
		char path[PATH_MAX];
		char git[PATH_MAX];

		if (e->d_name[0] == '.' || !exists(dir, e->d_name, S_IFDIR) ||
			snprintf(path, sizeof(path), "%s/%s", dir, e->d_name) >=
				(int)sizeof(path) ||
			snprintf(git, sizeof(git), "%s/.git", path) >=
				(int)sizeof(git))
			continue;
		if (exists(path, ".git", S_IFDIR) && is_git_dir(git)) {
			n->found++;
			plan_pin(p, path, p->cwd);
			plan_add(p, git, PLAN_RW);
			protect_repository(p, git, path);
		} else if (depth > 1) {
			protect_nested(p, path, depth - 1, n);
		}
	}
	if (d)
		closedir(d);
}

/* The repository that CWD is in, as git finds it. */
static void protect_own(struct plan *p, const char *cwd)
{
	char top[PATH_MAX];
	char path[PATH_MAX];
	char *slash;
	struct stat st;

	if (is_git_dir(cwd) && exists(cwd, "config", S_IFREG)) {
		protect_repository(p, cwd, NULL); /* a bare repository */
		return;
	}
	if (snprintf(top, sizeof(top), "%s", cwd) >= (int)sizeof(top))
		return;
	for (;;) {
		if (snprintf(path, sizeof(path), "%s/.git", top) >=
			(int)sizeof(path))
			return;
		if (lstat(path, &st) == 0)
			break;
		slash = strrchr(top, '/');
		if (!slash || slash == top)
			return;
		*slash = '\0';
	}
	if (S_ISREG(st.st_mode)) {
		follow_git_file(p, top);
	} else if (S_ISDIR(st.st_mode)) {
		if (is_git_dir(path))
			add_git_dir(p, path, top);
	} else if (realpath(path, top) && plan_is_below(top, cwd) &&
		   is_git_dir(top)) {
		add_git_dir(p, top, NULL); /* a link that stays inside */
	}
}

void plan_git(struct plan *p, const char *cwd)
{
	struct nested n = {0};

	protect_own(p, cwd);
	protect_nested(p, cwd, NESTED_DEPTH, &n);
}

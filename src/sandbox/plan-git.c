#include "config.h"

#include "sandbox/plan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "sandbox/git-config.h"

/* A repository runs commands for its user from hooks and from its config. Both
 * stay read-only; a mount on the .git folder keeps it from being swapped. */

#define CONFIG_MAX ((size_t)1 << 20)
#define CONFIG_DEPTH 10 /* of files that take in others, as git has it */
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

/* Makes an empty PATH, so that there is something to be covered. */
static void make_missing(const struct plan *p, const char *path, bool folder)
{
	struct stat st;
	int fd;

	if (p->look_only || lstat(path, &st) == 0)
		return;
	if (folder) {
		(void)io_mkdirs(path, 0755);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		0644);
	if (fd >= 0)
		close(fd);
}

static void create_missing(
	const struct plan *p, const char *dir, const char *name, bool folder)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) <
		(int)sizeof(path))
		make_missing(p, path, folder);
}

/* What the configuration of one repository leads to. */
struct git_config {
	struct plan *p;
	const char *dir;  /* of the repository */
	const char *file; /* that is being read */
	struct strbuf work_tree;
	struct strvec hooks; /* values of core.hooksPath */
	bool per_work_tree;  /* extensions.worktreeConfig */
	int depth;
};

static void read_config(struct git_config *c, const char *file);

/* VALUE as a path, relative to DIR; "~/" is the home folder. OUT is real as far
 * as it is there. */
static bool config_path(const char *dir, const char *value, char out[PATH_MAX])
{
	const char *home = getenv("HOME");
	struct strbuf path = STRBUF_INIT;
	char real[PATH_MAX];
	size_t at;
	bool ok = false;

	if (strncmp(value, "~/", 2) == 0 && home)
		strbuf_addf(&path, "%s%s", home, value + 1);
	else
		strbuf_addf(&path, "%s/%s", value[0] == '/' ? "" : dir, value);
	at = path.len;
	while (*value && !ok && at > 0) {
		char cut = path.buf[at];

		path.buf[at] = '\0';
		ok = realpath(path.buf, real) != NULL;
		path.buf[at] = cut;
		while (!ok && at > 0 && path.buf[--at] != '/')
			;
	}
	ok = ok && !strstr(path.buf + at, "/..") &&
	     snprintf(out, PATH_MAX, "%s%s", real, path.buf + at) < PATH_MAX;
	strbuf_release(&path);
	return ok;
}

static void make_above(const struct plan *p, const char *path)
{
	char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));

	make_missing(p, dir, true);
	free(dir);
}

/* Protects PATH where the agent could write it: in the working directory, or in
 * the repository. What is missing is made: git takes whatever will be there. */
static void protect_configured(
	const struct git_config *c, const char *path, bool folder)
{
	const char *top = plan_is_below(path, c->p->cwd) ? c->p->cwd : c->dir;
	char real[PATH_MAX];

	if (!plan_is_below(path, top))
		return;
	make_above(c->p, path);
	make_missing(c->p, path, folder);
	/* A folder with all of the work in it must stay writable. */
	if (!realpath(path, real) || plan_is_below(c->p->cwd, real) ||
		plan_is_below(c->dir, real))
		return;
	plan_add(c->p, real, PLAN_RO_FIRM);
	plan_pin(c->p, real, top);
}

/* A file that the configuration takes in is part of it. */
static void follow_include(struct git_config *c, const char *value)
{
	const char *file = c->file;
	char *dir = xstrndup(file, (size_t)(strrchr(file, '/') - file));
	char path[PATH_MAX];

	if (config_path(dir, value, path)) {
		protect_configured(c, path, false);
		read_config(c, path);
	}
	c->file = file;
	free(dir);
}

static void on_config(void *arg, const char *key, const char *value)
{
	struct git_config *c = arg;
	size_t len = strlen(key);

	if (strcmp(key, "core.hookspath") == 0) {
		strvec_push(&c->hooks, value);
	} else if (strcmp(key, "core.worktree") == 0) {
		strbuf_reset(&c->work_tree);
		strbuf_addstr(&c->work_tree, value);
	} else if (strcmp(key, "extensions.worktreeconfig") == 0) {
		c->per_work_tree = true;
	} else if (strcmp(key, "include.path") == 0 ||
		   (strncmp(key, "includeif.", 10) == 0 &&
			   strcmp(key + len - 5, ".path") == 0)) {
		follow_include(c, value);
	}
}

static void read_config(struct git_config *c, const char *file)
{
	struct strbuf text = STRBUF_INIT;

	if (c->depth < CONFIG_DEPTH &&
		plan_read_file(file, CONFIG_MAX, &text) == 0) {
		c->depth++;
		c->file = file;
		git_config_each(strbuf_str(&text), on_config, c);
		c->depth--;
	}
	strbuf_release(&text);
}

static void config_init(struct git_config *c, struct plan *p, const char *dir)
{
	memset(c, 0, sizeof(*c));
	c->p = p;
	c->dir = dir;
	strbuf_init(&c->work_tree);
	strvec_init(&c->hooks);
}

static void config_release(struct git_config *c)
{
	strbuf_release(&c->work_tree);
	strvec_release(&c->hooks);
}

/* The folders of hooks that are configured: BASE is where a relative path
 * starts. Of several git takes the last one, which may be another one under
 * other conditions (includeIf). */
static void protect_hooks(const struct git_config *c, const char *base)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < c->hooks.count; i++)
		if (config_path(base, c->hooks.v[i], path))
			protect_configured(c, path, true);
}

/* One folder with hooks and a config. WORK_TREE: where a relative
 * core.hooksPath starts; NULL: where the config says, else in DIR. */
static void protect_repository(
	struct plan *p, const char *dir, const char *work_tree)
{
	struct git_config config;
	char path[PATH_MAX];
	char real[PATH_MAX];

	create_missing(p, dir, "hooks", true);
	protect(p, dir, "hooks");
	protect(p, dir, "config");
	config_init(&config, p, dir);
	if (resolve(dir, "config", path))
		read_config(&config, path);
	if (config.per_work_tree)
		create_missing(p, dir, "config.worktree", false);
	if (resolve(dir, "config.worktree", path))
		read_config(&config, path);
	protect(p, dir, "config.worktree");
	if (!work_tree && config.work_tree.len &&
		resolve(dir, config.work_tree.buf, real))
		work_tree = real;
	protect_hooks(&config, work_tree ? work_tree : dir);
	config_release(&config);
	if (!exists(dir, "commondir", 0))
		strvec_push(&p->git_dirs, dir);
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
		plan_pin(p, path, git_dir);
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

static void on_work_tree(void *arg, const char *key, const char *value)
{
	struct strbuf *path = arg;

	if (strcmp(key, "core.worktree") != 0)
		return;
	strbuf_reset(path);
	strbuf_addstr(path, value);
}

/* A .git file is text that an agent may have written: it is only followed when
 * the folder it names points back, which the agent could not have done. */
static bool points_back(const char *git_dir, const char *top)
{
	struct strbuf line = STRBUF_INIT;
	struct strbuf work_tree = STRBUF_INIT;
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
		   plan_read_file(path, CONFIG_MAX, &config) == 0) {
		/* a submodule */
		git_config_each(strbuf_str(&config), on_work_tree, &work_tree);
		ok = work_tree.len && resolve(git_dir, work_tree.buf, there) &&
		     strcmp(there, top) == 0;
	}
	strbuf_release(&line);
	strbuf_release(&work_tree);
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

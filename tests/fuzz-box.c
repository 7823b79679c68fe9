/* fuzz-box: what the plan of the sandbox reads: git's configuration, the
 * kernel's tables of sockets and mounts; and the messages on the control
 * socket. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "base/xalloc.h"
#include "fuzz.h"
#include "sandbox/ctl.h"
#include "sandbox/git-config.h"
#include "sandbox/plan.h"

static char *path_of(const char *name)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/%s", fuzz_folder(), name);
	return strbuf_detach(&path);
}

static void make_folder(const char *name)
{
	char *path = path_of(name);

	ar_assert(io_mkdirs(path, 0700) == 0);
	free(path);
}

/* --- git --- */

#define ORACLE_EVERY 16

static void make_repository(const char *name, struct str config)
{
	static const char *const parts[] = {"objects", "refs", "hooks", NULL};
	struct strbuf path = STRBUF_INIT;

	for (size_t i = 0; parts[i]; i++) {
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", name, parts[i]);
		make_folder(path.buf);
	}
	strbuf_reset(&path);
	strbuf_addf(&path, "%s/HEAD", name);
	fuzz_write(path.buf, str_of("ref: refs/heads/main\n"));
	strbuf_reset(&path);
	strbuf_addf(&path, "%s/config", name);
	fuzz_write(path.buf, config);
	strbuf_release(&path);
}

/* PATH, or a folder it is in, is read-only. */
static bool is_firm(const struct plan *p, const char *path)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->mounts[i].kind == PLAN_RO_FIRM &&
			plan_is_below(path, p->mounts[i].path))
			return true;
	return false;
}

/* A folder that could be moved away with what is protected in it. */
static void check_pinned(const struct plan *p, const char *path)
{
	char *dir = xstrdup(path);

	for (;;) {
		bool found = false;

		*strrchr(dir, '/') = '\0';
		if (strcmp(dir, p->cwd) == 0 || !plan_is_below(dir, p->cwd))
			break;
		for (size_t i = 0; i < p->count; i++)
			found = found || strcmp(p->mounts[i].path, dir) == 0;
		ar_assert(found);
	}
	free(dir);
}

/* What git itself says runs hooks must be protected. */
static void ask_git(const struct plan *p)
{
	static const char *const args[] = {"git", "config", "--includes", "-z",
		"--type=path", "--get-all", "core.hooksPath", NULL};
	const char *path = getenv("PATH");
	struct strbuf git = STRBUF_INIT;
	struct strbuf out = STRBUF_INIT;
	struct strbuf errs = STRBUF_INIT;
	struct strbuf home = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct child_spec spec = {.argv = (char *const *)args,
		.cwd = p->cwd,
		.timeout_ms = 10000};
	struct loop *loop = loop_new(NULL);
	char *envp[] = {NULL, (char *)"GIT_CONFIG_NOSYSTEM=1",
		(char *)"GIT_CONFIG_GLOBAL=/dev/null", NULL};
	int status = 0;

	strbuf_addf(&home, "HOME=%s", fuzz_folder());
	envp[0] = home.buf;
	spec.envp = envp;
	if (child_find("git", path ? path : "/usr/bin:/bin", &git) == 0) {
		spec.path = git.buf;
		if (child_collect(loop, &spec, &out, &errs, &status, &err) < 0)
			strbuf_reset(&out);
	}
	loop_free(loop);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		strbuf_reset(&out);
	for (size_t at = 0; at < out.len; at += strlen(out.buf + at) + 1) {
		const char *value = out.buf + at;
		struct strbuf full = STRBUF_INIT;
		char real[PATH_MAX];

		strbuf_addf(&full, "%s/%s", *value == '/' ? "" : p->cwd, value);
		if (*value && realpath(full.buf, real) &&
			plan_is_below(real, p->cwd) &&
			!plan_is_below(p->cwd, real)) {
			struct strbuf git_dir = STRBUF_INIT;

			strbuf_addf(&git_dir, "%s/.git", p->cwd);
			if (!plan_is_below(git_dir.buf, real)) {
				ar_assert(is_firm(p, real));
				check_pinned(p, real);
			}
			strbuf_release(&git_dir);
		}
		strbuf_release(&full);
	}
	strbuf_release(&git);
	strbuf_release(&out);
	strbuf_release(&errs);
	strbuf_release(&home);
}

static void check_plan(const struct plan *p, const char *other)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct plan_mount *m = &p->mounts[i];
		char real[PATH_MAX];

		ar_assert(realpath(m->path, real));
		ar_assert(strcmp(real, m->path) == 0);
		/* The working directory itself stays writable. */
		ar_assert(m->kind != PLAN_RO_FIRM ||
			  !plan_is_below(p->cwd, m->path));
		/* Nobody's repository is opened because a file says so. */
		ar_assert(m->kind != PLAN_RW || !plan_is_below(m->path, other));
	}
}

/* A repository, or a .git file that may lead to one. */
static void play_git(const void *arg, const char *data, size_t len)
{
	struct fuzz_rand r = fuzz_choice(data, len);
	struct str rest = {data, len};
	struct str config = fuzz_part(&rest);
	char *work = path_of("work");
	char *other = path_of("other");
	struct plan p;

	(void)arg;
	setenv("HOME", fuzz_folder(), 1);
	(void)io_remove_tree(work);
	(void)io_remove_tree(other);
	make_folder("work/hooks/deep");
	make_repository("other/.git", str_of("[core]\n\tbare = false\n"));
	if (fuzz_below(&r, 4)) {
		make_repository("work/.git", config);
		fuzz_write("work/inc", fuzz_part(&rest));
		fuzz_write("work/.git/config.worktree", rest);
	} else {
		fuzz_write("work/.git", config);
		make_repository("work/in", fuzz_part(&rest));
		fuzz_write("work/in/gitdir", fuzz_part(&rest));
		fuzz_write("work/in/commondir", rest);
	}
	plan_init(&p);
	p.cwd = xstrdup(work);
	plan_git(&p, work);
	check_plan(&p, other);
	if (fuzz_below(&r, ORACLE_EVERY) == 0)
		ask_git(&p);
	plan_release(&p);
	free(work);
	free(other);
}

static const char *const git_words[] = {"[core]\n", "hooksPath = hooks\n",
	"\thooksPath = hooks/deep ; x\n", "[core] hooksPath=hooks/new\n",
	"hooksPath = \"hooks\"\n", "[include]\npath = ../inc\n",
	"[includeIf \"gitdir:/\"]\n", "path = ", "[extensions]\n",
	"worktreeConfig\n", "worktree = ../\n", "\\\n", "\\\"", "# ", "~/",
	"\n==\n", "gitdir: ", "in\n", "../other/.git\n", "..", "[CORE \"x\"]\n",
	NULL};

const struct fuzz_target fuzz_git = {
	.name = "git",
	.play = play_git,
	.max = 2048,
	.words = git_words,
};

/* --- git-config: the syntax alone --- */

static void on_variable(void *arg, const char *key, const char *value)
{
	size_t *count = arg;

	ar_assert(strchr(key, '.') && strlen(value) <= *count);
	for (const char *s = strrchr(key, '.') + 1; *s; s++)
		ar_assert((*s >= 'a' && *s <= 'z') || *s == '-' ||
			  (*s >= '0' && *s <= '9'));
}

static void play_config(const void *arg, const char *data, size_t len)
{
	(void)arg;
	git_config_each((struct str){data, len}, on_variable, &len);
}

const struct fuzz_target fuzz_git_config = {
	.name = "git-config",
	.play = play_config,
	.max = 4096,
	.words = git_words,
};

/* --- sockets: /proc/net/unix, with "@F" for the private folder --- */

static const char *const sockets[] = {"s1", "s 2", "d/s3", NULL};

static void make_sockets(void)
{
	static bool made;

	if (made)
		return;
	made = true;
	make_folder("d/empty");
	for (size_t i = 0; sockets[i]; i++) {
		struct sockaddr_un sa = {.sun_family = AF_UNIX};
		char *path = path_of(sockets[i]);
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		ar_assert(strlen(path) < sizeof(sa.sun_path));
		memcpy(sa.sun_path, path, strlen(path) + 1);
		ar_assert(bind(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0);
		close(fd);
		free(path);
	}
}

/* A whole line of the kernel's that names PATH. */
static bool is_named(const char *table, const char *path)
{
	struct strbuf line = STRBUF_INIT;
	bool found;

	strbuf_addf(&line, "\n0: 2 0 1 1 1 1 %s\n", path);
	found = strstr(table, line.buf);
	strbuf_release(&line);
	return found;
}

static void check_sockets(const struct plan *p, const char *table)
{
	for (size_t i = 0; i < p->count; i++) {
		struct stat st;

		ar_assert(p->mounts[i].kind == PLAN_MASK_FILE);
		ar_assert(lstat(p->mounts[i].path, &st) == 0);
		ar_assert(S_ISSOCK(st.st_mode));
	}
	for (size_t i = 0; sockets[i]; i++) {
		char *path = path_of(sockets[i]);
		bool found = !is_named(table, path);

		for (size_t k = 0; k < p->count && !found; k++)
			found = strcmp(p->mounts[k].path, path) == 0;
		ar_assert(found);
		free(path);
	}
}

static void play_sockets(const void *arg, const char *data, size_t len)
{
	struct strbuf table = STRBUF_INIT;
	struct str rest = {data, len};
	size_t others = 0; /* a look at all processes for each */
	struct str line;
	struct plan p;

	(void)arg;
	make_sockets();
	while (fuzz_line(&rest, &line)) {
		const char *f = memmem(line.ptr, line.len, "@F", 2);

		if (!f && others++ > 2)
			continue;
		strbuf_add(&table, line.ptr,
			f ? (size_t)(f - line.ptr) : line.len);
		if (f) {
			strbuf_addstr(&table, fuzz_folder());
			strbuf_add(&table, f + 2,
				line.len - (size_t)(f + 2 - line.ptr));
		}
		strbuf_addch(&table, '\n');
	}
	plan_init(&p);
	p.cwd = xstrdup("/nowhere");
	plan_mask_sockets(&p, table.buf);
	if (strlen(table.buf) == table.len)
		check_sockets(&p, table.buf);
	plan_release(&p);
	strbuf_release(&table);
}

static const char *const socket_words[] = {"0: 2 0 1 1 1 1 @F/s1\n",
	"\n0: 2 0 1 1 1 1 @F/s 2\n", "0: 2 0 1 1 1 1 @F/d/s3\n", "@F/none",
	"@F/d/empty/gone", "@abstract", "@F//d/../s1", " ", NULL};

const struct fuzz_target fuzz_sockets = {
	.name = "sockets",
	.play = play_sockets,
	.max = 1024,
	.words = socket_words,
};

/* --- mountinfo: a path with its escapes --- */

static void play_unescape(const void *arg, const char *data, size_t len)
{
	struct strbuf path = STRBUF_INIT;
	struct strbuf whole = STRBUF_INIT;

	(void)arg;
	strbuf_add(&path, data, len);
	strbuf_setlen(&path, strlen(path.buf));
	for (size_t i = 0; i < path.len; i++) /* as the kernel writes it */
		if (strchr(" \t\n\\", path.buf[i]))
			strbuf_addf(&whole, "\\%03o", path.buf[i]);
		else
			strbuf_addch(&whole, path.buf[i]);
	plan_unescape(whole.buf);
	ar_assert(strcmp(whole.buf, path.buf) == 0);
	/* And what it does not write. */
	plan_unescape(path.buf);
	ar_assert(strlen(path.buf) <= path.len);
	strbuf_release(&path);
	strbuf_release(&whole);
}

static const char *const unescape_words[] = {
	"\\040", "\\134", "\\", "\\9", "\\777", "\\0", NULL};

const struct fuzz_target fuzz_unescape = {
	.name = "unescape",
	.play = play_unescape,
	.max = 256,
	.words = unescape_words,
};

/* --- ctl: messages of any size, then the end --- */

static void play_ctl(const void *arg, const char *data, size_t len)
{
	struct fuzz_rand r = fuzz_choice(data, len);
	struct ctl_msg msg;
	size_t at = 0;
	int pair[2];
	int fd;

	(void)arg;
	ar_assert(socketpair(AF_UNIX, CTL_SOCKET_TYPE, 0, pair) == 0);
	while (at < len) {
		size_t n = fuzz_below(&r, 4) ? sizeof(msg)
					     : 1 + fuzz_below(&r, 16);

		n = n < len - at ? n : len - at;
		ar_assert(send(pair[0], data + at, n, 0) == (ssize_t)n);
		if (ctl_recv(pair[1], &msg, &fd) == 1) {
			ar_assert(n >= sizeof(msg) && fd == -1);
			ar_assert(memcmp(&msg, data + at, sizeof(msg)) == 0);
		} else {
			ar_assert(n < sizeof(msg) && fd == -1);
		}
		at += n;
	}
	close(pair[0]);
	ar_assert(ctl_recv(pair[1], &msg, &fd) == 0 && fd == -1);
	close(pair[1]);
}

const struct fuzz_target fuzz_ctl = {
	.name = "ctl",
	.play = play_ctl,
	.max = 256,
};

#include "config.h"

#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "base/child.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "base/xalloc.h"
#include "sandbox/box.h"
#include "sandbox/explain.h"
#include "sandbox/init.h"
#include "sandbox/plan.h"

/* bubblewrap: namespaces and mounts by bwrap, the rest by our own init. */
struct bwrap {
	struct strbuf program; /* of bwrap */
	struct plan plan;
};

static void bwrap_release(void *arg)
{
	struct bwrap *b = arg;

	strbuf_release(&b->program);
	plan_release(&b->plan);
	free(b);
}

#if defined(__linux__)
/* A file in memory that holds LIST, each string with its NUL; rewound. */
static int list_fd(const char *const *list)
{
	int fd = memfd_create("agentrun", 0);

	if (fd < 0)
		return -1;
	for (; *list; list++)
		if (io_write_all(fd, *list, strlen(*list) + 1) < 0)
			goto fail;
	if (lseek(fd, 0, SEEK_SET) < 0)
		goto fail;
	return fd;
fail:
	close(fd);
	return -1;
}

static char env_path[] = "PATH=/usr/bin:/bin:/usr/sbin:/sbin";
static char env_locale[] = "LC_ALL=C"; /* its messages are matched */
static char *const bwrap_env[] = {env_path, env_locale, NULL};

/* Asks bwrap: it reads its options from left to right, and --version ends
 * it. */
static bool takes_disable_userns(const char *program)
{
	const char *const argv[] = {
		program, "--disable-userns", "--version", NULL};
	int status = 1;
	pid_t pid = signals_fork();
	pid_t r;

	if (pid < 0)
		return false;
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		signals_reset();
		if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
			dup2(null, 2) < 0)
			_exit(1);
		(void)execve(program, (char *const *)argv, bwrap_env);
		_exit(1);
	}
	do
		r = waitpid(pid, &status, 0);
	while (r < 0 && errno == EINTR);
	return r == pid && status == 0;
}

/* Does this bwrap know --disable-userns? A program that holds the word does;
 * a script, or whatever else stands in for it, is asked. */
static bool knows_disable_userns(const char *program)
{
	static const char word[] = "--disable-userns";
	struct strbuf file = STRBUF_INIT;
	bool found;

	found = plan_read_file(program, (size_t)1 << 20, &file) == 0 &&
		file.len > 4 && memcmp(file.buf, "\177ELF", 4) == 0 &&
		memmem(file.buf, file.len, word, sizeof(word)) != NULL;
	strbuf_release(&file);
	return found || takes_disable_userns(program);
}

static void keep(int fd)
{
	(void)fcntl(fd, F_SETFD, 0);
}

/* All but 0, 1, 2 and what keep() says closes at exec. */
static void close_all_on_exec(void)
{
	int i;
	int max;

#if defined(SYS_close_range)
	if (syscall(SYS_close_range, 3u, ~0u, 1u << 2) == 0)
		return;
#endif
	max = (int)sysconf(_SC_OPEN_MAX);
	for (i = 3; i < max && i < 65536; i++)
		(void)fcntl(i, F_SETFD, FD_CLOEXEC);
}

static void die_here(const char *what) __attribute__((noreturn));
static void die_here(const char *what)
{
	dprintf(2, "%s: %s", what, err_str(errno));
	_exit(1);
}

/* The sockets that init covers: one may vanish at any moment, and where bwrap
 * finds nothing it ends. Only a bwrap that leaves init no rights must do it. */
static int sockets_fd(struct plan *p)
{
	const char *const none[] = {NULL};
	struct strvec paths = STRVEC_INIT;
	struct plan found;
	size_t i;
	int fd;

	if (p->setuid_bwrap) {
		plan_sockets(p);
	} else {
		plan_init(&found);
		found.cwd = xstrdup(p->cwd);
		found.shared_cwd = p->shared_cwd;
		plan_sockets(&found);
		for (i = 0; i < found.count; i++)
			strvec_push(&paths, found.mounts[i].path);
		plan_release(&found);
	}
	fd = list_fd(paths.count ? (const char *const *)paths.v : none);
	strvec_release(&paths);
	return fd;
}

static void bwrap_exec(const struct box_child *c) __attribute__((noreturn));
static void bwrap_exec(const struct box_child *c)
{
	struct bwrap *b = c->plan;
	struct strvec options = STRVEC_INIT;
	struct strvec argv = STRVEC_INIT;
	struct init_fds fds = {.ctl = c->ctl};
	bool disable_userns;
	int self;
	int args;
	size_t i;

	disable_userns = knows_disable_userns(b->program.buf);
	fds.sockets = sockets_fd(&b->plan);
	plan_argv(&b->plan, disable_userns, &options);
	self = open("/proc/self/exe", O_RDONLY);
	args = list_fd((const char *const *)options.v);
	fds.env = list_fd((const char *const *)c->spec->envp);
	if (self < 0 || args < 0 || fds.env < 0 || fds.sockets < 0)
		die_here("cannot prepare the sandbox");
	close_all_on_exec();
	keep(self);
	keep(args);
	keep(fds.ctl);
	keep(fds.env);
	keep(fds.sockets);
	for (i = 0; i < 3; i++) {
		fds.stdio[i] = c->stdio[i];
		keep(c->stdio[i]);
	}
	strvec_push(&argv, b->program.buf);
	strvec_push(&argv, "--args");
	strvec_pushf(&argv, "%d", args);
	strvec_push(&argv, "--");
	strvec_pushf(&argv, "/proc/self/fd/%d", self);
	init_argv(&argv, &fds, c->spec);
	(void)execve(b->program.buf, argv.v, bwrap_env);
	die_here("cannot start bubblewrap");
}

static void bwrap_child(const struct box_child *c) __attribute__((noreturn));
static void bwrap_child(const struct box_child *c)
{
	pid_t parent = c->parent;
	int null;

	/* Before anything else: agentrun's death must end all of this. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	(void)setsid();
	signals_ignore();
	signals_unblock();
	null = open("/dev/null", O_RDWR);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
		dup2(c->diag, 2) < 0)
		_exit(1);
	bwrap_exec(c);
}

/* A repository that had no commondir file does not get one from the agent: it
 * would send git to a config of its making. */
static void bwrap_over(void *arg)
{
	const struct bwrap *b = arg;
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < b->plan.git_dirs.count; i++) {
		if (snprintf(path, sizeof(path), "%s/commondir",
			    b->plan.git_dirs.v[i]) >= (int)sizeof(path))
			continue;
		if (unlink(path) == 0 ||
			(errno == EISDIR && io_remove_tree(path) == 0))
			diag_error(_("removed '%s', which the run had made: it "
				     "redirects git to another configuration"),
				path);
	}
}

/* Looks in PATH, but never where the agent of an earlier run could have put a
 * bwrap of its own, and never relative to the current directory. */
static int find_bwrap(struct strbuf *out, const char *cwd)
{
	const char *path = getenv("PATH");
	struct strbuf dirs = STRBUF_INIT;
	int ret;

	if (!path)
		path = "/usr/bin:/bin";
	while (*path) {
		size_t n = strcspn(path, ":");
		char *dir = xstrndup(path, n);
		char real[PATH_MAX];

		if (dir[0] == '/' && realpath(dir, real) &&
			!plan_is_below(real, cwd))
			strbuf_addf(&dirs, "%s%s", dirs.len ? ":" : "", dir);
		free(dir);
		path += path[n] ? n + 1 : n;
	}
	ret = dirs.len ? child_find("bwrap", dirs.buf, out) : -1;
	strbuf_release(&dirs);
	return ret;
}

/* Everything but the process. LOOK_ONLY: nothing on disk is changed. */
static struct bwrap *bwrap_new(
	const struct sandbox_spec *spec, bool look_only, struct err *err)
{
	struct bwrap *b = xcalloc(1, sizeof(*b));
	struct stat st;

	strbuf_init(&b->program);
	plan_init(&b->plan);
	b->plan.look_only = look_only;
	if (plan_gather(&b->plan, spec, err) < 0) {
		bwrap_release(b);
		return NULL;
	}
	if (find_bwrap(&b->program, spec->cwd) < 0) {
		explain_missing(err);
		bwrap_release(b);
		return NULL;
	}
	b->plan.setuid_bwrap =
		stat(b->program.buf, &st) == 0 && (st.st_mode & S_ISUID);
	return b;
}

static struct sandbox *bwrap_start(struct loop *loop,
	const struct sandbox_spec *spec, const struct sandbox_events *events,
	void *arg, struct err *err)
{
	static const struct box_kind kind = {
		.child = bwrap_child,
		.explain = explain_bwrap,
		.over = bwrap_over,
		.release = bwrap_release,
		.dies_with_all = true,
	};
	struct bwrap *b = bwrap_new(spec, false, err);

	return b ? box_start(loop, spec, &kind, b, events, arg, err) : NULL;
}

static int bwrap_describe(
	const struct sandbox_spec *spec, struct strvec *argv, struct err *err)
{
	struct bwrap *b = bwrap_new(spec, true, err);

	if (!b)
		return -1;
	plan_sockets(&b->plan);
	strvec_push(argv, b->program.buf);
	plan_argv(&b->plan, knows_disable_userns(b->program.buf), argv);
	bwrap_release(b);
	return 0;
}
#else
static struct sandbox *bwrap_start(struct loop *loop,
	const struct sandbox_spec *spec, const struct sandbox_events *events,
	void *arg, struct err *err)
{
	(void)loop;
	(void)spec;
	(void)events;
	(void)arg;
	explain_missing(err);
	return NULL;
}

static int bwrap_describe(
	const struct sandbox_spec *spec, struct strvec *argv, struct err *err)
{
	(void)spec;
	(void)argv;
	explain_missing(err);
	return -1;
}
#endif

const struct sandbox_ops sandbox_bwrap = {
	.name = "bubblewrap",
	.enforces_network = true,
	.own_network = true,
	.start = bwrap_start,
	.describe = bwrap_describe,
	.pipes = box_pipes,
	.signal = box_signal,
	.kill = box_kill,
	.free = box_free,
};

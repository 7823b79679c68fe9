#include "config.h"

#include "sandbox/plan.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

void plan_init(struct plan *p)
{
	memset(p, 0, sizeof(*p));
}

void plan_release(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->count; i++)
		free(p->mounts[i].path);
	free(p->mounts);
	free(p->cwd);
	strvec_release(&p->git_dirs);
	plan_aliases_release(p);
	plan_init(p);
}

void plan_add(struct plan *p, const char *path, enum plan_kind kind)
{
	if (p->count == p->cap) {
		p->cap = p->cap ? p->cap * 2 : 64;
		p->mounts =
			xreallocarray(p->mounts, p->cap, sizeof(*p->mounts));
	}
	p->mounts[p->count].path = xstrdup(path);
	p->mounts[p->count].kind = kind;
	p->count++;
}

void plan_pin(struct plan *p, const char *path, const char *top)
{
	char *dir = xstrdup(path);

	while (strcmp(dir, top) != 0 && plan_is_below(dir, top)) {
		plan_add(p, dir, PLAN_PIN);
		*strrchr(dir, '/') = '\0';
	}
	free(dir);
}

bool plan_is_below(const char *path, const char *top)
{
	size_t n = strlen(top);

	if (strcmp(top, "/") == 0)
		return true;
	return strncmp(path, top, n) == 0 &&
	       (path[n] == '\0' || path[n] == '/');
}

/* Parents first: '/' sorts before every other byte. */
static int compare_paths(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (*a == *b)
		return 0;
	if (!*a || !*b)
		return *a ? 1 : -1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}

static int compare_mounts(const void *va, const void *vb)
{
	const struct plan_mount *a = va;
	const struct plan_mount *b = vb;
	int r = compare_paths(a->path, b->path);

	return r ? r : (int)a->kind - (int)b->kind;
}

/* The mount right above mounts[I] among those kept so far, or NULL. */
static const struct plan_mount *above(
	const struct plan *p, size_t kept, const char *path)
{
	while (kept-- > 0)
		if (plan_is_below(path, p->mounts[kept].path))
			return &p->mounts[kept];
	return NULL;
}

/* Nothing needs to be masked where nothing is shown. */
static bool is_pointless(
	const struct plan *p, size_t kept, const struct plan_mount *m)
{
	const struct plan_mount *top = above(p, kept, m->path);

	/* It must not open what is closed above it. */
	if (m->kind == PLAN_PIN)
		return !top || (top->kind != PLAN_RW && top->kind != PLAN_PIN);
	if (m->kind != PLAN_MASK_DIR && m->kind != PLAN_MASK_FILE &&
		m->kind != PLAN_RO_FIRM)
		return false;
	if (top)
		return top->kind == PLAN_MASK_DIR;
	return (p->private_tmp && plan_is_below(m->path, "/tmp")) ||
	       (p->private_var_tmp && plan_is_below(m->path, "/var/tmp")) ||
	       (p->private_run && plan_is_below(m->path, "/run"));
}

void plan_order(struct plan *p)
{
	size_t kept = 0;
	size_t i;

	if (p->count == 0)
		return;
	qsort(p->mounts, p->count, sizeof(*p->mounts), compare_mounts);
	for (i = 0; i < p->count; i++) {
		struct plan_mount m = p->mounts[i];

		if (kept > 0 && strcmp(p->mounts[kept - 1].path, m.path) == 0) {
			/* The stronger of the two comes later. */
			free(p->mounts[kept - 1].path);
			p->mounts[kept - 1] = m;
		} else if (is_pointless(p, kept, &m)) {
			free(m.path);
		} else {
			p->mounts[kept++] = m;
		}
	}
	p->count = kept;
}

static void push_bind(struct strvec *out, const char *how, const char *path)
{
	strvec_push(out, how);
	strvec_push(out, path);
	strvec_push(out, path);
}

static void push_tmpfs(struct strvec *out, const char *perms, const char *path)
{
	strvec_push(out, "--perms");
	strvec_push(out, perms);
	strvec_push(out, "--tmpfs");
	strvec_push(out, path);
}

static void push_cap(struct strvec *out, const char *name)
{
	strvec_push(out, "--cap-add");
	strvec_push(out, name);
}

/* Something below a masked folder is shown again. */
static bool has_window(const struct plan *p, size_t i)
{
	const char *top = p->mounts[i].path;

	for (i++; i < p->count && plan_is_below(p->mounts[i].path, top); i++)
		if (p->mounts[i].kind != PLAN_MASK_DIR)
			return true;
	return false;
}

static void push_mounts(const struct plan *p, struct strvec *out)
{
	size_t i;

	for (i = 0; i < p->count; i++) {
		const char *path = p->mounts[i].path;

		switch (p->mounts[i].kind) {
		case PLAN_RO:
		case PLAN_RO_FIRM:
			push_bind(out, "--ro-bind", path);
			break;
		case PLAN_PIN:
		case PLAN_RW:
			push_bind(out, "--bind", path);
			break;
		case PLAN_MASK_FILE:
			strvec_push(out, "--ro-bind");
			strvec_push(out, "/dev/null");
			strvec_push(out, path);
			break;
		case PLAN_MASK_DIR:
			push_tmpfs(
				out, has_window(p, i) ? "0111" : "0000", path);
			break;
		}
	}
	/* Only now: a window's mount point must be made first. */
	for (i = 0; i < p->count; i++) {
		if (p->mounts[i].kind != PLAN_MASK_DIR)
			continue;
		strvec_push(out, "--remount-ro");
		strvec_push(out, p->mounts[i].path);
	}
}

void plan_argv(struct plan *p, bool disable_userns, struct strvec *out)
{
	static const char *const isolation[] = {"--unshare-pid",
		"--unshare-net", "--unshare-ipc", "--unshare-uts",
		"--unshare-cgroup-try", "--as-pid-1", "--cap-drop", "ALL",
		"--new-session", "--die-with-parent"};
	/* Run by root, bwrap leaves these writable: kernel.core_pattern is a
	 * command that the kernel runs as root on the host. */
	static const char *const kernel_files[] = {"/proc/sys",
		"/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs",
		"/proc/acpi", "/proc/scsi", "/proc/driver", "/proc/mtrr"};
	size_t i;

	plan_order(p);
	strvec_push(out, "--unshare-user");
	if (disable_userns)
		strvec_push(out, "--disable-userns");
	for (i = 0; i < sizeof(isolation) / sizeof(isolation[0]); i++)
		strvec_push(out, isolation[i]);
	/* For init alone, which gives them up before the runtime starts. */
	if (!p->setuid_bwrap) {
		push_cap(out, "CAP_SYS_ADMIN");
		push_cap(out, "CAP_SETPCAP");
		if (p->low_ports) {
			push_cap(out, "CAP_NET_ADMIN");
			push_cap(out, "CAP_NET_BIND_SERVICE");
		}
	}
	push_bind(out, "--ro-bind", "/");
	strvec_push(out, "--proc");
	strvec_push(out, "/proc");
	for (i = 0; p->root && i < sizeof(kernel_files) / sizeof(char *); i++)
		push_bind(out, "--ro-bind-try", kernel_files[i]);
	strvec_push(out, "--dev");
	strvec_push(out, "/dev");
	if (p->private_tmp)
		push_tmpfs(out, "1777", "/tmp");
	if (p->private_var_tmp)
		push_tmpfs(out, "1777", "/var/tmp");
	if (p->private_run)
		push_tmpfs(out, "0755", "/run");
	push_bind(out, "--ro-bind-try", "/run/current-system");
	push_bind(out, "--ro-bind-try", "/run/opengl-driver");
	push_mounts(p, out);
	strvec_push(out, "--chdir");
	strvec_push(out, p->cwd);
}

/* A real folder that may be covered, not a link to one. */
static bool is_plain_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Shows again what the run needs from below a private folder: its top entry,
 * since the neighbours of a program are often part of it. */
static void show_top_entry(struct plan *p, const char *path, const char *top)
{
	size_t n = strlen(top);
	char real[PATH_MAX];
	char *end;

	if (!realpath(path, real) || !plan_is_below(real, top) || !real[n])
		return;
	end = strchr(real + n + 1, '/');
	if (end)
		*end = '\0';
	plan_add(p, real, PLAN_RO);
}

static void show(struct plan *p, const char *path)
{
	if (p->private_tmp)
		show_top_entry(p, path, "/tmp");
	if (p->private_var_tmp)
		show_top_entry(p, path, "/var/tmp");
}

int plan_read_file(const char *path, size_t max, struct strbuf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1;

	strbuf_reset(out);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		while (out->len < max &&
			(n = read(fd, strbuf_reserve(out, max - out->len),
				 max - out->len)) > 0)
			strbuf_setlen(out, out->len + (size_t)n);
		n = n < 0 ? -1 : 0;
	}
	close(fd);
	return (int)n;
}

/* The next word of *REST, cut off with a NUL, or NULL. */
static char *next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t");
	size_t n = strcspn(word, " \t");

	if (n == 0)
		return NULL;
	*rest = word + n;
	if (**rest)
		*(*rest)++ = '\0';
	return word;
}

/* The interpreter that "#!" names (behind env, the program it looks for in
 * DIRS), into OUT; empty when there is none. */
static void find_interpreter(
	const char *program, const struct strvec *dirs, struct strbuf *out)
{
	struct strbuf head = STRBUF_INIT;
	struct strbuf path = STRBUF_INIT;
	char *rest;
	char *word;
	size_t i;

	strbuf_reset(out);
	if (plan_read_file(program, 1024, &head) < 0 || head.len < 3 ||
		memcmp(head.buf, "#!", 2) != 0)
		goto out;
	head.buf[strcspn(head.buf, "\r\n")] = '\0';
	rest = head.buf + 2;
	word = next_word(&rest);
	if (!word)
		goto out;
	strbuf_addstr(out, word);
	if (strlen(word) < 4 || strcmp(word + strlen(word) - 4, "/env") != 0)
		goto out;
	while ((word = next_word(&rest)))
		if (word[0] != '-' && !strchr(word, '='))
			break;
	for (i = 0; word && dirs && i < dirs->count; i++) {
		if (i > 0)
			strbuf_addch(&path, ':');
		strbuf_addstr(&path, dirs->v[i]);
	}
	if (word && path.len > 0) {
		strbuf_reset(out);
		(void)child_find(word, path.buf, out);
	}
out:
	strbuf_release(&head);
	strbuf_release(&path);
}

static int refuse(struct err *err, const char *given, const char *needed)
{
	return err_set(err, AR_EUSAGE,
		N_("sandbox: the denied path '%s' contains '%s', which the run "
		   "needs. Take it out of --deny-read, or allow it with "
		   "--allow-read"),
		given, needed);
}

/* What a mask must not cover, links followed. */
struct needs {
	char program[PATH_MAX];
	char interpreter[PATH_MAX];
};

static void find_needs(struct needs *n, const struct sandbox_spec *spec)
{
	struct strbuf interpreter = STRBUF_INIT;

	if (!realpath(spec->program, n->program))
		n->program[0] = '\0';
	find_interpreter(spec->program, spec->path_dirs, &interpreter);
	if (!interpreter.len || !realpath(interpreter.buf, n->interpreter))
		n->interpreter[0] = '\0';
	strbuf_release(&interpreter);
}

/* GIVEN is what the user wrote for REAL. */
static int mask(struct plan *p, const struct needs *needs, const char *given,
	const char *real, struct err *err)
{
	struct stat st;

	if (lstat(real, &st) < 0)
		return 0;
	if (strcmp(real, p->cwd) == 0)
		return refuse(err, given, p->cwd);
	if (needs->program[0] && plan_is_below(needs->program, real))
		return refuse(err, given, needs->program);
	if (needs->interpreter[0] && plan_is_below(needs->interpreter, real))
		return refuse(err, given, needs->interpreter);
	/* Below the working directory: the next run must find it here. */
	plan_pin(p, real, p->cwd);
	plan_add(p, real, S_ISDIR(st.st_mode) ? PLAN_MASK_DIR : PLAN_MASK_FILE);
	return 0;
}

static int add_denied(struct plan *p, const struct needs *needs,
	const char *given, struct err *err)
{
	struct strvec aliases = STRVEC_INIT;
	char real[PATH_MAX];
	int ret;
	size_t i;

	if (!realpath(given, real))
		return 0; /* nothing there to be read, or not by us */
	ret = mask(p, needs, given, real, err);
	plan_aliases(p, real, &aliases);
	for (i = 0; ret == 0 && i < aliases.count; i++)
		ret = mask(p, needs, given, aliases.v[i], err);
	strvec_release(&aliases);
	return ret;
}

/* Is CWD a folder that can be made writable as a whole? */
static int check_cwd(const char *cwd, struct err *err)
{
	static const char *const refused[] = {"/", "/dev", "/sys", "/run"};
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (strcmp(cwd, refused[i]) == 0)
			break;
	if (i == sizeof(refused) / sizeof(refused[0]) &&
		!plan_is_below(cwd, "/proc"))
		return 0;
	return err_set(err, AR_EUSAGE,
		N_("sandbox: the working directory '%s' cannot be given to the "
		   "agent as a whole. Choose a folder of your own with --cwd"),
		cwd);
}

static void add_real(struct plan *p, const char *path, enum plan_kind kind)
{
	char real[PATH_MAX];

	if (path && realpath(path, real))
		plan_add(p, real, kind);
}

/* The state folders of all runs lie side by side, with credentials in them;
 * only this run's is shown. */
static void hide_other_states(struct plan *p, const char *state_dir)
{
	struct strvec aliases = STRVEC_INIT;
	char real[PATH_MAX];
	char *slash;
	size_t i;

	if (!state_dir || !realpath(state_dir, real))
		return;
	slash = strrchr(real, '/');
	*slash = '\0';
	slash = strrchr(real, '/');
	if (!slash || strcmp(slash, "/agentrun") != 0)
		return;
	plan_add(p, real, PLAN_MASK_DIR);
	plan_aliases(p, real, &aliases);
	for (i = 0; i < aliases.count; i++)
		plan_add(p, aliases.v[i], PLAN_MASK_DIR);
	strvec_release(&aliases);
}

/* Is CWD more than the folder of a project? */
static bool is_shared(const char *cwd)
{
	const char *home = getenv("HOME");
	char real[PATH_MAX];

	return plan_is_below("/tmp", cwd) || plan_is_below("/var/tmp", cwd) ||
	       (home && realpath(home, real) && plan_is_below(real, cwd));
}

int plan_gather(
	struct plan *p, const struct sandbox_spec *spec, struct err *err)
{
	struct needs needs;
	size_t i;

	if (check_cwd(spec->cwd, err) < 0)
		return -1;
	p->cwd = xstrdup(spec->cwd);
	p->shared_cwd = is_shared(spec->cwd);
	p->private_tmp = is_plain_dir("/tmp");
	p->private_var_tmp = is_plain_dir("/var/tmp");
	p->private_run = is_plain_dir("/run");
	for (i = 0; i < spec->loopback_count; i++)
		if (spec->loopback_ports[i] < 1024)
			p->low_ports = true;
	p->root = geteuid() == 0;
	find_needs(&needs, spec);
	show(p, spec->program);
	show(p, needs.interpreter);
	for (i = 0; spec->path_dirs && i < spec->path_dirs->count; i++)
		show(p, spec->path_dirs->v[i]);
	plan_add(p, spec->cwd, PLAN_RW);
	plan_git(p, spec->cwd);
	add_real(p, spec->tmp_dir, PLAN_RO);
	add_real(p, spec->state_dir, PLAN_RW);
	hide_other_states(p, spec->state_dir);
	for (i = 0; spec->deny_read && i < spec->deny_read->count; i++)
		if (add_denied(p, &needs, spec->deny_read->v[i], err) < 0)
			return -1;
	return 0;
}

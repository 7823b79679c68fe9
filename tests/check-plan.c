#include "config.h"

#include "check-main.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "sandbox/plan.h"

/* --- helpers --- */

/* A scratch folder, its real path; removed by drop(). */
static char top[PATH_MAX];

static void make_top(void)
{
	const char *tmp = getenv("TMPDIR");
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/plan-XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(name));
	ck_assert_ptr_nonnull(realpath(name, top));
}

static void drop_top(void)
{
	ck_assert_int_eq(io_remove_tree(top), 0);
}

static const char *at(const char *rel)
{
	static char buf[8][PATH_MAX];
	static int n;

	n = (n + 1) % 8;
	ck_assert_int_lt(snprintf(buf[n], sizeof(buf[n]), "%s/%s", top, rel),
		(int)sizeof(buf[n]));
	return buf[n];
}

static void make_dir(const char *rel)
{
	ck_assert_int_eq(io_mkdirs(at(rel), 0755), 0);
}

static void make_file(const char *rel, const char *text)
{
	FILE *f = fopen(at(rel), "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void make_repository(const char *rel)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/objects", rel);
	make_dir(path);
	snprintf(path, sizeof(path), "%s/refs", rel);
	make_dir(path);
	snprintf(path, sizeof(path), "%s/HEAD", rel);
	make_file(path, "ref: refs/heads/main\n");
	snprintf(path, sizeof(path), "%s/config", rel);
	make_file(path, "[core]\n\tbare = false\n");
}

static int kind_of(const struct plan *p, const char *path)
{
	int kind = -1;
	size_t i;

	for (i = 0; i < p->count; i++)
		if (strcmp(p->mounts[i].path, path) == 0 &&
			(int)p->mounts[i].kind > kind)
			kind = (int)p->mounts[i].kind;
	return kind;
}

/* The options as one line. */
static const char *options(struct plan *p, bool disable_userns)
{
	static struct strbuf line = STRBUF_INIT;
	struct strvec v = STRVEC_INIT;
	size_t i;

	strbuf_reset(&line);
	plan_argv(p, disable_userns, &v);
	for (i = 0; i < v.count; i++)
		strbuf_addf(&line, " %s", v.v[i]);
	strbuf_addch(&line, ' ');
	strvec_release(&v);
	return line.buf;
}

static void has(const char *line, const char *part)
{
	ck_assert_msg(
		strstr(line, part) != NULL, "no '%s' in '%s'", part, line);
}

static void has_not(const char *line, const char *part)
{
	ck_assert_msg(strstr(line, part) == NULL, "'%s' in '%s'", part, line);
}

static void in_order(const char *line, const char *a, const char *b)
{
	has(line, a);
	has(line, b);
	ck_assert_msg(strstr(line, a) < strstr(line, b),
		"'%s' must come before '%s' in '%s'", a, b, line);
}

static void begin(struct plan *p)
{
	plan_init(p);
	p->cwd = strdup("/w/repo");
	plan_add(p, "/w/repo", PLAN_RW);
}

static int gather(struct plan *p, const char *cwd, const char *program,
	const char *denied, struct err *err)
{
	struct strvec deny = STRVEC_INIT;
	struct sandbox_spec spec = {
		.program = program, .cwd = cwd, .deny_read = &deny};
	int ret;

	plan_init(p);
	if (denied)
		strvec_push(&deny, denied);
	ret = plan_gather(p, &spec, err);
	strvec_release(&deny);
	return ret;
}

/* --- the text --- */

START_TEST(isolation_is_complete)
{
	struct plan p;
	const char *s;

	begin(&p);
	p.private_tmp = p.private_var_tmp = p.private_run = true;
	s = options(&p, true);
	has(s, " --unshare-user ");
	has(s, " --disable-userns ");
	has(s, " --unshare-pid ");
	has(s, " --unshare-net ");
	has(s, " --unshare-ipc ");
	has(s, " --unshare-uts ");
	has(s, " --as-pid-1 ");
	has(s, " --cap-drop ALL ");
	has(s, " --new-session ");
	has(s, " --die-with-parent ");
	has_not(s, "--share");
	in_order(s, " --cap-drop ALL ", " --cap-add CAP_SYS_ADMIN ");
	has_not(s, "CAP_NET");
	in_order(s, " --ro-bind / / ", " --proc /proc ");
	has_not(s, "/proc/sys");
	in_order(s, " --ro-bind / / ", " --dev /dev ");
	in_order(s, " --dev /dev ", " --perms 1777 --tmpfs /tmp ");
	has(s, " --perms 1777 --tmpfs /var/tmp ");
	in_order(s, " --tmpfs /run ", " --bind /w/repo /w/repo ");
	has(s, " --chdir /w/repo ");
	has_not(options(&p, false), "--disable-userns");
	p.root = true;
	in_order(options(&p, true), " --proc /proc ",
		" --ro-bind-try /proc/sys /proc/sys ");
	plan_release(&p);
}
END_TEST

START_TEST(what_is_not_there_is_not_covered)
{
	struct plan p;

	begin(&p);
	has_not(options(&p, true), "--tmpfs");
	plan_release(&p);
}
END_TEST

START_TEST(parents_come_first)
{
	struct plan p;
	const char *s;

	begin(&p);
	plan_add(&p, "/w/repo/a/b", PLAN_MASK_FILE);
	plan_add(&p, "/w/repo/a", PLAN_RO_FIRM);
	plan_add(&p, "/w/repo/a-b", PLAN_MASK_DIR);
	plan_add(&p, "/w", PLAN_RO);
	s = options(&p, true);
	in_order(s, " --ro-bind /w /w ", " --bind /w/repo /w/repo ");
	in_order(s, " --bind /w/repo /w/repo ",
		" --ro-bind /w/repo/a /w/repo/a ");
	in_order(s, " --ro-bind /w/repo/a /w/repo/a ",
		" --ro-bind /dev/null /w/repo/a/b ");
	in_order(s, " /w/repo/a/b ", " --perms 0000 --tmpfs /w/repo/a-b ");
	in_order(s, " --tmpfs /w/repo/a-b ", " --remount-ro /w/repo/a-b ");
	plan_release(&p);
}
END_TEST

START_TEST(a_denial_wins)
{
	struct plan p;
	const char *s;

	begin(&p);
	plan_add(&p, "/h/x", PLAN_MASK_DIR);
	plan_add(&p, "/h/x", PLAN_RO);
	plan_add(&p, "/h/x", PLAN_RW);
	plan_add(&p, "/h/x", PLAN_MASK_DIR);
	s = options(&p, true);
	has(s, " --tmpfs /h/x ");
	has_not(s, "bind /h/x ");
	plan_release(&p);
}
END_TEST

START_TEST(nothing_below_a_mask_is_masked)
{
	struct plan p;
	const char *s;

	begin(&p);
	plan_add(&p, "/h/x", PLAN_MASK_DIR);
	plan_add(&p, "/h/x/y", PLAN_MASK_FILE);
	plan_add(&p, "/h/x/z/a", PLAN_MASK_DIR);
	plan_add(&p, "/h/xy", PLAN_MASK_FILE);
	s = options(&p, true);
	has_not(s, "/h/x/");
	has(s, " --ro-bind /dev/null /h/xy ");
	plan_release(&p);
}
END_TEST

/* The working directory below a denied folder: only itself is shown, and a
 * denial inside of it still counts. */
START_TEST(a_window_in_a_mask)
{
	struct plan p;
	const char *s;

	begin(&p);
	plan_add(&p, "/w", PLAN_MASK_DIR);
	plan_add(&p, "/w/repo/.env", PLAN_MASK_FILE);
	plan_add(&p, "/w/other", PLAN_MASK_FILE);
	s = options(&p, true);
	in_order(s, " --perms 0111 --tmpfs /w ", " --bind /w/repo /w/repo ");
	in_order(s, " --bind /w/repo /w/repo ",
		" --ro-bind /dev/null /w/repo/.env ");
	in_order(s, " /w/repo/.env ", " --remount-ro /w ");
	has_not(s, "/w/other");
	plan_release(&p);
}
END_TEST

START_TEST(hidden_folders_need_no_masks)
{
	struct plan p;
	const char *s;

	begin(&p);
	p.private_tmp = p.private_run = true;
	plan_add(&p, "/tmp/a/b", PLAN_MASK_FILE);
	plan_add(&p, "/run/x.sock", PLAN_MASK_FILE);
	plan_add(&p, "/tmp/shown", PLAN_RO);
	plan_add(&p, "/tmp/shown/secret", PLAN_MASK_DIR);
	s = options(&p, true);
	has_not(s, "/tmp/a/b");
	has_not(s, "/run/x.sock");
	in_order(s, " --ro-bind /tmp/shown /tmp/shown ",
		" --tmpfs /tmp/shown/secret ");
	plan_release(&p);
}
END_TEST

START_TEST(low_ports_need_one_capability)
{
	struct plan p;

	begin(&p);
	p.low_ports = true;
	in_order(options(&p, true), " --cap-drop ALL ",
		" --cap-add CAP_NET_BIND_SERVICE ");
	p.setuid_bwrap = true; /* refuses the option */
	has_not(options(&p, true), "--cap-add");
	plan_release(&p);
}
END_TEST

/* --- the system --- */

START_TEST(links_are_followed_and_gaps_skipped)
{
	struct plan p;
	struct err err = ERR_INIT;

	make_top();
	make_dir("w");
	make_dir("secret");
	make_file("file", "x");
	ck_assert_int_eq(symlink("secret", at("link")), 0);
	ck_assert_int_eq(symlink("nowhere", at("dangling")), 0);
	ck_assert_int_eq(gather(&p, at("w"), "/bin/sh", at("link"), &err), 0);
	ck_assert_int_eq(kind_of(&p, at("secret")), PLAN_MASK_DIR);
	ck_assert_int_eq(kind_of(&p, at("link")), -1);
	plan_release(&p);
	ck_assert_int_eq(gather(&p, at("w"), "/bin/sh", at("file"), &err), 0);
	ck_assert_int_eq(kind_of(&p, at("file")), PLAN_MASK_FILE);
	plan_release(&p);
	ck_assert_int_eq(
		gather(&p, at("w"), "/bin/sh", at("dangling"), &err), 0);
	ck_assert_int_eq(kind_of(&p, at("nowhere")), -1);
	plan_release(&p);
	ck_assert_int_eq(gather(&p, at("w"), "/bin/sh", at("none"), &err), 0);
	ck_assert_int_eq(kind_of(&p, at("w")), PLAN_RW);
	plan_release(&p);
	drop_top();
}
END_TEST

START_TEST(what_the_run_needs_is_not_denied)
{
	struct plan p;
	struct err err = ERR_INIT;

	make_top();
	make_dir("w/sub");
	make_dir("bin");
	make_file("bin/agent", "#!/usr/bin/env -S prog\n");
	/* the working directory itself */
	ck_assert_int_lt(gather(&p, at("w"), "/bin/sh", at("w"), &err), 0);
	ck_assert_int_eq(err.code, AR_EUSAGE);
	plan_release(&p);
	/* but not a folder above it */
	ck_assert_int_eq(gather(&p, at("w/sub"), "/bin/sh", at("w"), &err), 0);
	ck_assert_int_eq(kind_of(&p, at("w")), PLAN_MASK_DIR);
	ck_assert_int_eq(kind_of(&p, at("w/sub")), PLAN_RW);
	plan_release(&p);
	/* the program, both named */
	ck_assert_int_lt(
		gather(&p, at("w"), at("bin/agent"), at("bin"), &err), 0);
	ck_assert_ptr_nonnull(strstr(err.msg, at("bin")));
	ck_assert_ptr_nonnull(strstr(err.msg, at("bin/agent")));
	plan_release(&p);
	/* its interpreter */
	make_file("bin/agent", "#!/bin/sh\n");
	ck_assert_int_lt(
		gather(&p, at("w"), at("bin/agent"), "/usr/bin", &err), 0);
	plan_release(&p);
	drop_top();
}
END_TEST

START_TEST(some_folders_cannot_be_given_away)
{
	static const char *const refused[] = {
		"/", "/proc", "/proc/self", "/dev", "/sys", "/run"};
	struct err err = ERR_INIT;
	struct plan p;
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		ck_assert_int_lt(
			gather(&p, refused[i], "/bin/sh", NULL, &err), 0);
		ck_assert_int_eq(err.code, AR_EUSAGE);
		plan_release(&p);
	}
}
END_TEST

START_TEST(program_below_tmp_is_shown)
{
	struct plan p;
	struct err err = ERR_INIT;
	char first[PATH_MAX];

	make_top();
	make_dir("w");
	make_dir("deep/bin");
	make_file("deep/bin/agent", "");
	ck_assert_int_eq(
		gather(&p, at("w"), at("deep/bin/agent"), NULL, &err), 0);
	if (plan_is_below(top, "/tmp")) {
		snprintf(first, sizeof(first), "%s", top);
		first[5 + strcspn(first + 5, "/")] = '\0';
		ck_assert_int_eq(kind_of(&p, first), PLAN_RO);
	}
	plan_release(&p);
	drop_top();
}
END_TEST

static int bind_socket(const char *path)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	return fd;
}

START_TEST(sockets_are_masked)
{
	struct plan p;
	struct strbuf t = STRBUF_INIT;
	int a;
	int b;

	make_top();
	make_dir("w");
	make_file("plain", "");
	a = bind_socket(at("an agent.sock"));
	b = bind_socket(at("w/own.sock"));
	strbuf_addstr(&t, "Num       RefCount Protocol Flags    Type St Inode "
			  "Path\n");
	strbuf_addf(&t,
		"0000000000000000: 00000002 00000000 00010000 0001 01 77 %s\n",
		at("an agent.sock"));
	strbuf_addf(&t, "0: 00000002 00000000 00010000 0001 01 78 %s\n",
		at("w/own.sock"));
	strbuf_addf(&t, "0: 00000002 00000000 00010000 0001 01 79 %s\n",
		at("plain"));
	strbuf_addf(&t, "0: 00000002 00000000 00010000 0001 01 79 %s\n",
		at("gone"));
	strbuf_addstr(&t, "0: 00000002 00000000 00010000 0001 01 80 @abs\n"
			  "0: 00000003 00000000 00000000 0001 03 81\n"
			  "rubbish\n\n");
	plan_init(&p);
	p.cwd = strdup(at("w"));
	plan_mask_sockets(&p, t.buf);
	ck_assert_int_eq(kind_of(&p, at("an agent.sock")), PLAN_MASK_FILE);
	ck_assert_int_eq(kind_of(&p, at("w/own.sock")), -1);
	ck_assert_int_eq(kind_of(&p, at("plain")), -1);
	plan_release(&p);
	strbuf_release(&t);
	close(a);
	close(b);
	drop_top();
}
END_TEST

/* --- git --- */

static void gather_git(struct plan *p, const char *cwd)
{
	plan_init(p);
	p->cwd = strdup(cwd);
	plan_git(p, cwd);
}

START_TEST(a_repository_is_protected)
{
	struct plan p;
	struct stat st;

	make_top();
	make_repository("w/.git");
	plan_init(&p);
	p.look_only = true;
	p.cwd = strdup(at("w"));
	plan_git(&p, at("w"));
	ck_assert_int_lt(stat(at("w/.git/hooks"), &st), 0);
	plan_release(&p);
	gather_git(&p, at("w"));
	ck_assert_int_eq(kind_of(&p, at("w/.git")), PLAN_RW);
	ck_assert_int_eq(kind_of(&p, at("w/.git/config")), PLAN_RO_FIRM);
	/* made, so that the agent cannot */
	ck_assert_int_eq(stat(at("w/.git/hooks"), &st), 0);
	ck_assert_int_eq(kind_of(&p, at("w/.git/hooks")), PLAN_RO_FIRM);
	ck_assert_str_eq(p.git_dirs.v[0], at("w/.git"));
	ck_assert_uint_eq(p.git_dirs.count, 1);
	plan_release(&p);
	/* from a folder inside */
	make_dir("w/a/b");
	gather_git(&p, at("w/a/b"));
	ck_assert_int_eq(kind_of(&p, at("w/.git")), PLAN_RW);
	ck_assert_int_eq(kind_of(&p, at("w/.git/hooks")), PLAN_RO_FIRM);
	plan_release(&p);
	drop_top();
}
END_TEST

/* The working directory as a folder of projects. */
START_TEST(repositories_below_are_protected)
{
	struct plan p;

	make_top();
	make_repository("w/one/.git");
	make_repository("w/more/two/.git");
	make_repository("w/a/b/c/far/.git");
	make_repository("elsewhere/.git");
	ck_assert_int_eq(symlink(at("elsewhere"), at("w/link")), 0);
	gather_git(&p, at("w"));
	ck_assert_int_eq(kind_of(&p, at("w/one/.git")), PLAN_RW);
	ck_assert_int_eq(kind_of(&p, at("w/one/.git/hooks")), PLAN_RO_FIRM);
	ck_assert_int_eq(
		kind_of(&p, at("w/more/two/.git/config")), PLAN_RO_FIRM);
	ck_assert_int_eq(kind_of(&p, at("w/a/b/c/far/.git")), -1);
	ck_assert_int_eq(kind_of(&p, at("elsewhere/.git")), -1);
	plan_release(&p);
	drop_top();
}
END_TEST

START_TEST(hooks_elsewhere_are_protected)
{
	struct plan p;

	make_top();
	make_repository("w/.git");
	make_dir("w/.husky/_");
	make_file("w/.git/config", "[core]\n\tHooksPath = \".husky/_\"\n"
				   "[extensions]\n worktreeConfig=true\n");
	gather_git(&p, at("w"));
	ck_assert_int_eq(kind_of(&p, at("w/.husky/_")), PLAN_RO_FIRM);
	ck_assert_int_eq(
		kind_of(&p, at("w/.git/config.worktree")), PLAN_RO_FIRM);
	plan_release(&p);
	drop_top();
}
END_TEST

/* Each is a way that a path came to be, or came to be missed. */
START_TEST(configured_paths_are_found)
{
	struct plan p;

	make_top();
	make_repository("w/.git");
	make_dir("w/one/a");
	make_dir("w/two");
	make_file("w/inc", "[core]\nhooksPath = two # mine\n"
			   "[include] path=inc\n"); /* itself: not for ever */
	make_file("w/.git/config",
		"[core] hooksPath=\"one\\\n/a\"\n"
		"[include]\n path = ../inc\n"
		"[includeIf \"gitdir:/x\"] path = ../new/inc\n"
		"[core]\n hooksPath = new/hooks/\n hooksPath = .\n"
		"hooksPath = ../outside\n hooksPath = /\n hooksPath\n");
	gather_git(&p, at("w"));
	ck_assert_int_eq(kind_of(&p, at("w/one/a")), PLAN_RO_FIRM);
	ck_assert_int_eq(kind_of(&p, at("w/one")), PLAN_PIN);
	ck_assert_int_eq(kind_of(&p, at("w/two")), PLAN_RO_FIRM);
	ck_assert_int_eq(kind_of(&p, at("w/inc")), PLAN_RO_FIRM);
	ck_assert_int_eq(kind_of(&p, at("w/new/inc")), PLAN_RO_FIRM);
	ck_assert_int_eq(kind_of(&p, at("w/new/hooks")), PLAN_RO_FIRM);
	ck_assert_int_eq(kind_of(&p, at("w/new")), PLAN_PIN);
	ck_assert_int_eq(kind_of(&p, at("outside")), -1);
	ck_assert_int_lt(access(at("outside"), F_OK), 0);
	ck_assert_int_eq(kind_of(&p, at("w")), -1);
	plan_release(&p);
	drop_top();
}
END_TEST

START_TEST(submodules_are_protected)
{
	struct plan p;
	struct strbuf text = STRBUF_INIT;

	make_top();
	make_repository("w/.git");
	make_repository("w/.git/modules/a/b");
	gather_git(&p, at("w"));
	ck_assert_int_eq(
		kind_of(&p, at("w/.git/modules/a/b/config")), PLAN_RO_FIRM);
	ck_assert_int_eq(
		kind_of(&p, at("w/.git/modules/a/b/hooks")), PLAN_RO_FIRM);
	plan_release(&p);
	/* the submodule itself as the working directory */
	make_dir("w/a/b");
	make_file("w/a/b/.git", "gitdir: ../../.git/modules/a/b\n");
	make_file("w/.git/modules/a/b/config",
		"[core]\n\tworktree = ../../../../a/b\n");
	gather_git(&p, at("w/a/b"));
	ck_assert_int_eq(kind_of(&p, at("w/.git/modules/a/b")), PLAN_RW);
	ck_assert_int_eq(kind_of(&p, at("w/a/b/.git")), PLAN_RO_FIRM);
	ck_assert_int_eq(kind_of(&p, at("w/.git")), -1);
	plan_release(&p);
	strbuf_release(&text);
	drop_top();
}
END_TEST

static void make_worktree(void)
{
	struct strbuf text = STRBUF_INIT;

	make_repository("main/.git");
	make_dir("main/.git/worktrees/wt");
	make_file("main/.git/worktrees/wt/commondir", "../..\n");
	strbuf_addf(&text, "%s\n", at("wt/.git"));
	make_file("main/.git/worktrees/wt/gitdir", text.buf);
	make_file("main/.git/worktrees/wt/HEAD", "ref: refs/heads/x\n");
	make_dir("wt");
	strbuf_reset(&text);
	strbuf_addf(&text, "gitdir: %s\n", at("main/.git/worktrees/wt"));
	make_file("wt/.git", text.buf);
	strbuf_release(&text);
}

START_TEST(a_worktree_reaches_its_repository)
{
	struct plan p;

	make_top();
	make_worktree();
	gather_git(&p, at("wt"));
	ck_assert_int_eq(kind_of(&p, at("wt/.git")), PLAN_RO_FIRM);
	ck_assert_int_eq(kind_of(&p, at("main/.git")), PLAN_RW);
	ck_assert_int_eq(kind_of(&p, at("main/.git/hooks")), PLAN_RO_FIRM);
	ck_assert_int_eq(kind_of(&p, at("main/.git/config")), PLAN_RO_FIRM);
	ck_assert_int_eq(kind_of(&p, at("main/.git/worktrees/wt/commondir")),
		PLAN_RO_FIRM);
	plan_release(&p);
	drop_top();
}
END_TEST

/* A .git file that an agent wrote must not open another repository. */
START_TEST(a_forged_git_file_opens_nothing)
{
	struct plan p;
	struct strbuf text = STRBUF_INIT;

	make_top();
	make_worktree();
	make_dir("evil");
	strbuf_addf(&text, "gitdir: %s\n", at("main/.git"));
	make_file("evil/.git", text.buf);
	gather_git(&p, at("evil"));
	ck_assert_int_eq(kind_of(&p, at("main/.git")), -1);
	plan_release(&p);
	strbuf_reset(&text);
	strbuf_addf(&text, "gitdir: %s\n", at("main/.git/worktrees/wt"));
	make_file("evil/.git", text.buf);
	gather_git(&p, at("evil"));
	ck_assert_int_eq(kind_of(&p, at("main/.git")), -1);
	plan_release(&p);
	/* nor may a link */
	ck_assert_int_eq(unlink(at("evil/.git")), 0);
	ck_assert_int_eq(symlink(at("main/.git"), at("evil/.git")), 0);
	gather_git(&p, at("evil"));
	ck_assert_int_eq(kind_of(&p, at("main/.git")), -1);
	plan_release(&p);
	strbuf_release(&text);
	drop_top();
}
END_TEST

START_TEST(a_fifo_does_not_hold_up)
{
	struct plan p;

	make_top();
	make_repository("w/.git");
	ck_assert_int_eq(unlink(at("w/.git/config")), 0);
	ck_assert_int_eq(mkfifo(at("w/.git/config"), 0600), 0);
	ck_assert_int_eq(mkfifo(at("w/.git/commondir"), 0600), 0);
	gather_git(&p, at("w"));
	ck_assert_int_eq(kind_of(&p, at("w/.git")), PLAN_RW);
	plan_release(&p);
	drop_top();
}
END_TEST

/* --- the deny list --- */

START_TEST(the_deny_list)
{
	struct strvec out = STRVEC_INIT;
	struct strvec extra = STRVEC_INIT;
	struct strvec allow = STRVEC_INIT;
	struct strvec other = STRVEC_INIT;

	unsetenv("XDG_CONFIG_HOME");
	setenv("XDG_DATA_HOME", "/data", 1);
	strvec_push(&other, "/h/.codex");
	strvec_push(&extra, "~/x");
	strvec_push(&extra, "rel//./a");
	strvec_push(&extra, "/abs/");
	strvec_push(&extra, "/h/.ssh");
	strvec_push(&allow, "~/.aws");
	strvec_push(&allow, "/h/.cargo");
	denylist_build(&out, "/h", "/w", &other, &extra, &allow);
	ck_assert_str_eq(out.v[0], "/h/.ssh");
	ck_assert_int_ge(strvec_find(&out, "/h/.config/gcloud"), 0);
	ck_assert_int_ge(strvec_find(&out, "/data/keyrings"), 0);
	ck_assert_int_lt(strvec_find(&out, "/h/.local/share/keyrings"), 0);
	ck_assert_int_ge(strvec_find(&out, "/etc/shadow"), 0);
	ck_assert_int_lt(strvec_find(&out, "/h/.aws"), 0);
	ck_assert_int_lt(strvec_find(&out, "/h/.cargo/credentials"), 0);
	/* ours, the other runtimes', the caller's; each once */
	ck_assert_uint_ge(out.count, 4);
	ck_assert_str_eq(out.v[out.count - 4], "/h/.codex");
	ck_assert_str_eq(out.v[out.count - 3], "/h/x");
	ck_assert_str_eq(out.v[out.count - 2], "/w/rel/a");
	ck_assert_str_eq(out.v[out.count - 1], "/abs");
	strvec_release(&out);
	strvec_release(&extra);
	strvec_release(&allow);
	strvec_release(&other);
}
END_TEST

START_TEST(no_home_no_entries_below_it)
{
	struct strvec out = STRVEC_INIT;

	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_DATA_HOME");
	denylist_build(&out, NULL, "/w", NULL, NULL, NULL);
	ck_assert_uint_eq(out.count, 4);
	ck_assert_str_eq(out.v[0], "/etc/shadow");
	strvec_release(&out);
}
END_TEST

CHECK_MAIN("plan", isolation_is_complete, what_is_not_there_is_not_covered,
	parents_come_first, a_denial_wins, nothing_below_a_mask_is_masked,
	a_window_in_a_mask, hidden_folders_need_no_masks,
	low_ports_need_one_capability, links_are_followed_and_gaps_skipped,
	what_the_run_needs_is_not_denied, some_folders_cannot_be_given_away,
	program_below_tmp_is_shown, sockets_are_masked,
	a_repository_is_protected, repositories_below_are_protected,
	hooks_elsewhere_are_protected, configured_paths_are_found,
	submodules_are_protected, a_worktree_reaches_its_repository,
	a_forged_git_file_opens_nothing, a_fifo_does_not_hold_up, the_deny_list,
	no_home_no_entries_below_it)

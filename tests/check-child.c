#include "config.h"

#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

#include "check-main.h"

static struct strvec args;
static struct strvec env;

/* PATH and its arguments, up to NULL. */
static struct child_spec spec_of(const char *path, ...)
	__attribute__((sentinel));

static struct child_spec spec_of(const char *path, ...)
{
	struct child_spec spec = {.path = path};
	const char *arg;
	va_list ap;

	strvec_release(&args);
	strvec_push(&args, path);
	va_start(ap, path);
	while ((arg = va_arg(ap, const char *)))
		strvec_push(&args, arg);
	va_end(ap);
	strvec_release(&env);
	strvec_push(&env, "PATH=/usr/bin:/bin");
	spec.argv = args.v;
	spec.envp = env.v;
	return spec;
}

static struct strbuf out = STRBUF_INIT;
static struct strbuf errs = STRBUF_INIT;

static int collect(const struct child_spec *spec, int *status, struct err *err)
{
	struct loop *loop = loop_new(NULL);
	int ret = child_collect(loop, spec, &out, &errs, status, err);

	loop_free(loop);
	return ret;
}

/* Runs a shell script to its end; its stdout without the last newline is then
 * in OUT. EXTRA may give a directory and descriptors. Returns the wait
 * status. */
static int script(const char *text, const struct child_spec *extra)
{
	struct child_spec plain = spec_of("/bin/sh", "-c", text, NULL);
	struct child_spec *spec = &plain;
	struct err err = ERR_INIT;
	int status = -1;

	if (extra) {
		plain.cwd = extra->cwd;
		plain.pass_fds = extra->pass_fds;
		plain.pass_count = extra->pass_count;
	}
	strbuf_reset(&out);
	strbuf_reset(&errs);
	plain.timeout_ms = 20000;
	ck_assert_msg(collect(spec, &status, &err) == 0, "%s", err.msg);
	if (out.len > 0 && out.buf[out.len - 1] == '\n')
		strbuf_setlen(&out, out.len - 1);
	return status;
}

START_TEST(output_and_status_are_collected)
{
	int status = script("echo one; echo two >&2; exit 7", NULL);

	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 7);
	ck_assert_str_eq(out.buf, "one");
	ck_assert_str_eq(errs.buf, "two\n");
	status = script("kill -TERM $$", NULL);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGTERM);
}
END_TEST

START_TEST(a_child_has_its_own_session_and_group)
{
	/* pid, group and session are fields 1, 5 and 6. */
	script("read -r p a b g s rest </proc/self/stat; echo $g $s; echo $$",
		NULL);
	ck_assert_ptr_nonnull(strchr(out.buf, '\n'));
	script("read -r p c st pp g s rest </proc/$$/stat;"
	       "[ $p = $g ] && [ $p = $s ] && echo own",
		NULL);
	ck_assert_str_eq(out.buf, "own");
}
END_TEST

START_TEST(a_child_has_its_own_directory_and_environment)
{
	struct child_spec spec = {.cwd = "/usr"};

	setenv("SECRET", "x", 1);
	script("pwd; env | grep -c SECRET", &spec);
	ck_assert_str_eq(out.buf, "/usr\n0");
}
END_TEST

START_TEST(a_child_reads_dev_null)
{
	script("readlink /proc/self/fd/0; cat", NULL);
	ck_assert_str_eq(out.buf, "/dev/null");
}
END_TEST

START_TEST(a_child_gets_no_other_descriptors)
{
	int leaked = dup2(1, 7); /* without close-on-exec */
	int passed = dup2(1, 9);
	struct child_spec spec = {.pass_fds = &passed, .pass_count = 1};

	ck_assert_int_eq(leaked, 7);
	script("for f in /proc/$$/fd/*; do echo ${f##*/}; done | sort -n |"
	       "tr '\\n' ' '",
		&spec);
	/* dash keeps what it was given; 0, 1, 2 and the one that is passed,
	 * and perhaps the directory being read. */
	ck_assert_ptr_null(strstr(out.buf, "7 "));
	ck_assert_ptr_nonnull(strstr(out.buf, "9 "));
	close(leaked);
	close(passed);
}
END_TEST

START_TEST(a_child_has_default_signals)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* Signals 32 and 33 are the C library's own: out of reach. */
	script("while read -r k v; do case $k in SigBlk: | SigIgn:)"
	       "echo $((0x$v & ~0x180000000));; esac; done </proc/$$/status",
		NULL);
	ck_assert_str_eq(out.buf, "0\n0");
	/* And we have ours back. */
	sigprocmask(SIG_BLOCK, NULL, &set);
	ck_assert_int_eq(sigismember(&set, SIGTERM), 1);
	ck_assert_int_eq(sigismember(&set, SIGUSR1), 0);
}
END_TEST

START_TEST(too_much_output_does_not_hold_it_up)
{
	script("head -c 3000000 /dev/zero; echo end >&2", NULL);
	ck_assert_uint_eq(out.len, 65536);
	ck_assert_str_eq(errs.buf, "end\n");
}
END_TEST

START_TEST(a_program_that_hangs_is_killed_with_its_group)
{
	struct child_spec spec =
		spec_of("/bin/sh", "-c", "echo $$; sleep 1000 & wait", NULL);
	struct err err = ERR_INIT;
	int status;
	pid_t group;
	int turns;

	strbuf_reset(&out);
	spec.timeout_ms = 300;
	ck_assert_int_eq(collect(&spec, &status, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "0.3 seconds"));
	group = (pid_t)strtol(out.buf, NULL, 10);
	ck_assert_int_gt(group, 1);
	for (turns = 0; turns < 200 && kill(-group, 0) == 0; turns++)
		poll(NULL, 0, 20); /* until init has reaped it */
	ck_assert_int_eq(kill(-group, 0), -1);
}
END_TEST

START_TEST(a_process_left_behind_does_not_hold_us)
{
	int status = script("sleep 1000 & echo gone", NULL);

	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(out.buf, "gone");
}
END_TEST

START_TEST(pipes_are_ours_to_use)
{
	struct child_spec spec = spec_of("/bin/cat", NULL);
	struct err err = ERR_INIT;
	struct child c = CHILD_INIT;
	char buf[16];
	struct pollfd p;
	int status;

	spec.pipe_stdin = true;
	spec.pipe_stdout = true;
	ck_assert_int_eq(child_start(&c, &spec, &err), 0);
	ck_assert_int_eq(c.stderr_fd, -1);
	ck_assert(fcntl(c.stdin_fd, F_GETFL) & O_NONBLOCK);
	ck_assert(fcntl(c.stdout_fd, F_GETFL) & O_NONBLOCK);
	ck_assert_int_eq(fcntl(c.stdout_fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(read(c.stdout_fd, buf, sizeof(buf)), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_int_eq(io_write_all(c.stdin_fd, "hello", 5), 0);
	close(c.stdin_fd);
	p = (struct pollfd){c.stdout_fd, POLLIN, 0};
	ck_assert_int_eq(poll(&p, 1, 10000), 1);
	ck_assert_int_eq(read(c.stdout_fd, buf, sizeof(buf)), 5);
	ck_assert_int_eq(waitpid(c.pid, &status, 0), c.pid);
	ck_assert_int_eq(status, 0);
	close(c.stdout_fd);
}
END_TEST

START_TEST(it_works_with_closed_standard_descriptors)
{
	int saved = fcntl(1, F_DUPFD_CLOEXEC, 20);

	close(0);
	close(1);
	script("echo fine", NULL);
	dup2(saved, 1);
	ck_assert_str_eq(out.buf, "fine");
}
END_TEST

static void cannot_start(const char *path, const char *cwd, const char *why)
{
	struct child_spec spec = spec_of(path, NULL);
	struct err err = ERR_INIT;
	struct child c;
	int before = dup(0);

	close(before);
	spec.cwd = cwd;
	spec.pipe_stdin = true;
	spec.pipe_stdout = true;
	spec.pipe_stderr = true;
	ck_assert_int_eq(child_start(&c, &spec, &err), -1);
	ck_assert_int_eq(err.code, AR_ESTART);
	ck_assert_msg(
		strstr(err.msg, why) && strstr(err.msg, path), "%s", err.msg);
	ck_assert_int_eq(c.pid, -1);
	ck_assert_int_eq(c.stdin_fd, -1);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1); /* nobody is left */
	ck_assert_int_eq(dup(0), before);           /* nor a descriptor */
	close(before);
}

START_TEST(a_failed_start_says_why)
{
	cannot_start("/no/such/program", NULL, "No such file or directory");
	cannot_start("/etc/passwd", NULL, "Permission denied");
	cannot_start("/bin/sh", "/no/such/dir", "'/no/such/dir'");
}
END_TEST

START_TEST(a_child_dies_with_us)
{
	int fds[2];
	char c;
	pid_t pid;

	/* The grandchild holds the write end; it is closed by its death. */
	ck_assert_int_eq(io_pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		struct child_spec spec = spec_of("/bin/sleep", "1000", NULL);
		struct child child;

		spec.pass_fds = &fds[1];
		spec.pass_count = 1;
		_exit(child_start(&child, &spec, NULL) == 0 ? 0 : 1);
	}
	close(fds[1]);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(read(fds[0], &c, 1), 0);
	close(fds[0]);
}
END_TEST

START_TEST(programs_are_found_along_the_path)
{
	struct strbuf dir = STRBUF_INIT;
	struct strbuf path = STRBUF_INIT;
	struct strbuf found = STRBUF_INIT;
	struct strbuf want = STRBUF_INIT;
	char name[1024];

	ck_assert_int_eq(io_temp_dir(&dir, NULL), 0);
	ck_assert_int_eq(chdir(dir.buf), 0);
	ck_assert_ptr_nonnull(getcwd(name, sizeof(name)));
	ck_assert_int_eq(io_mkdirs("one/tool", 0700), 0); /* a directory */
	ck_assert_int_eq(io_mkdirs("two", 0700), 0);
	ck_assert_int_eq(io_mkdirs("three", 0700), 0);
	ck_assert_int_eq(io_replace_file("two/tool", "", 0, 0644, NULL), 0);
	ck_assert_int_eq(io_replace_file("three/tool", "", 0, 0755, NULL), 0);
	ck_assert_int_eq(io_replace_file("here", "", 0, 0755, NULL), 0);

	strbuf_addf(&path, "%s/none:%s/one:%s/two/:three", name, name, name);
	strbuf_addf(&want, "%s/three/tool", name);
	ck_assert_int_eq(child_find("tool", path.buf, &found), 0);
	ck_assert_str_eq(found.buf, want.buf);
	strbuf_reset(&found);
	ck_assert_int_eq(child_find("three/tool", "", &found), 0);
	ck_assert_str_eq(found.buf, want.buf);
	strbuf_reset(&found);
	ck_assert_int_eq(child_find(want.buf, NULL, &found), 0);
	ck_assert_str_eq(found.buf, want.buf);
	/* An empty part of PATH is the current directory. */
	strbuf_reset(&found);
	ck_assert_int_eq(child_find("here", "/none::/x", &found), 0);
	ck_assert_ptr_nonnull(strstr(found.buf, "/here"));
	ck_assert_int_eq(found.buf[0], '/');
	strbuf_reset(&found);
	ck_assert_int_eq(child_find("two/tool", path.buf, &found), -1);
	ck_assert_int_eq(child_find("nothing", path.buf, &found), -1);
	ck_assert_int_eq(child_find("tool", NULL, &found), -1);
	ck_assert_int_eq(child_find("", path.buf, &found), -1);
	ck_assert_str_eq(found.buf, "");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(io_remove_tree(dir.buf), 0);
	strbuf_release(&dir);
	strbuf_release(&path);
	strbuf_release(&found);
	strbuf_release(&want);
}
END_TEST

START_TEST(signals_have_names)
{
	ck_assert_str_eq(child_signal_name(SIGKILL), "SIGKILL");
	ck_assert_str_eq(child_signal_name(SIGSEGV), "SIGSEGV");
	ck_assert_str_eq(child_signal_name(99), "signal 99");
}
END_TEST

CHECK_MAIN("child", output_and_status_are_collected,
	a_child_has_its_own_session_and_group,
	a_child_has_its_own_directory_and_environment, a_child_reads_dev_null,
	a_child_gets_no_other_descriptors, a_child_has_default_signals,
	too_much_output_does_not_hold_it_up,
	a_program_that_hangs_is_killed_with_its_group,
	a_process_left_behind_does_not_hold_us, pipes_are_ours_to_use,
	it_works_with_closed_standard_descriptors, a_failed_start_says_why,
	a_child_dies_with_us, programs_are_found_along_the_path,
	signals_have_names)

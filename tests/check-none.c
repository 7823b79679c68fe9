#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/strbuf.h"
#include "sandbox/sandbox.h"

#include "check-main.h"

/* A run without a sandbox: what starts, what is reported, what is left. */

struct seen {
	struct loop *loop;
	struct sandbox *box;
	bool running;
	bool failed;
	bool exited;
	int status;
	struct err err;
	struct strbuf out;
	int out_fd;
};

static void on_running(void *arg)
{
	struct seen *s = arg;

	ck_assert(!s->running && !s->failed);
	s->running = true;
}

static void on_failed(void *arg, const struct err *err)
{
	struct seen *s = arg;

	s->failed = true;
	s->err = *err;
	loop_stop(s->loop);
}

static void on_exited(void *arg, int status)
{
	struct seen *s = arg;

	ck_assert(s->running && !s->exited);
	s->exited = true;
	s->status = status;
	loop_stop(s->loop);
}

static const struct sandbox_events events = {
	.running = on_running,
	.failed = on_failed,
	.exited = on_exited,
};

static void start(struct seen *s, const char *program, const char *script)
{
	const char *argv[] = {program, "-c", script, NULL};
	const char *envp[] = {"PATH=/usr/bin:/bin", NULL};
	struct sandbox_spec spec = {
		.program = program,
		.argv = (char *const *)argv,
		.envp = (char *const *)envp,
		.cwd = "/",
	};
	struct err err = ERR_INIT;
	int in;
	int errs;

	memset(s, 0, sizeof(*s));
	strbuf_init(&s->out);
	s->loop = loop_new(NULL);
	s->box = sandbox_none.start(s->loop, &spec, &events, s, &err);
	ck_assert_msg(s->box != NULL, "%s", err.msg);
	sandbox_none.pipes(s->box, &in, &s->out_fd, &errs);
	close(in);
	close(errs);
}

/* What the runtime wrote so far; waits until a line is there. */
static void read_line(struct seen *s)
{
	while (!memchr(s->out.buf, '\n', s->out.len)) {
		char buf[512];
		ssize_t n = read(s->out_fd, buf, sizeof(buf));

		if (n > 0)
			strbuf_add(&s->out, buf, (size_t)n);
		else if (n == 0)
			break;
		else
			loop_once(s->loop, 10);
	}
}

static void finish(struct seen *s)
{
	if (!s->exited && !s->failed)
		loop_run(s->loop);
}

static void end(struct seen *s)
{
	sandbox_none.free(s->box);
	close(s->out_fd);
	strbuf_release(&s->out);
	loop_free(s->loop);
}

static bool is_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

START_TEST(exit_status_is_reported)
{
	struct seen s;

	start(&s, "/bin/sh", "exit 143");
	finish(&s);
	ck_assert(s.exited);
	ck_assert(WIFEXITED(s.status));
	ck_assert_int_eq(WEXITSTATUS(s.status), 143);
	end(&s);
}
END_TEST

START_TEST(death_by_signal_is_reported)
{
	struct seen s;

	start(&s, "/bin/sh", "kill -TERM $$");
	finish(&s);
	ck_assert(WIFSIGNALED(s.status));
	ck_assert_int_eq(WTERMSIG(s.status), SIGTERM);
	end(&s);
}
END_TEST

START_TEST(a_missing_program_fails)
{
	struct seen s;

	start(&s, "/nonexistent/program", "");
	finish(&s);
	ck_assert(s.failed && !s.running);
	ck_assert_int_eq(s.err.code, AR_ESTART);
	ck_assert_ptr_nonnull(strstr(s.err.msg, "/nonexistent/program"));
	ck_assert_ptr_nonnull(strstr(s.err.msg, "No such file"));
	end(&s);
}
END_TEST

START_TEST(signals_reach_the_group)
{
	struct seen s;

	start(&s, "/bin/sh", "trap 'exit 7' INT; echo ready; sleep 600 & wait");
	read_line(&s);
	sandbox_none.signal(s.box, SIGINT);
	finish(&s);
	ck_assert(WIFEXITED(s.status));
	ck_assert_int_eq(WEXITSTATUS(s.status), 7);
	end(&s);
}
END_TEST

/* The runtime may run, and even speak, before we hear that it does. */
START_TEST(an_early_signal_is_not_lost)
{
	struct seen s;

	start(&s, "/bin/sh", "trap 'exit 7' INT; sleep 600 & wait");
	sandbox_none.signal(s.box, SIGINT);
	ck_assert(!s.running);
	finish(&s);
	ck_assert(WIFEXITED(s.status) ? WEXITSTATUS(s.status) == 7
				      : WTERMSIG(s.status) == SIGINT);
	end(&s);
}
END_TEST

/* Started in the background of a script SIGINT is ignored; the runtime must
 * see it all the same. */
START_TEST(ignored_signals_are_reset)
{
	struct seen s;

	(void)signal(SIGINT, SIG_IGN);
	start(&s, "/bin/sh", "kill -INT $$; echo still here; exit 3");
	(void)signal(SIGINT, SIG_DFL);
	finish(&s);
	ck_assert(WIFSIGNALED(s.status));
	ck_assert_int_eq(WTERMSIG(s.status), SIGINT);
	end(&s);
}
END_TEST

static pid_t start_daemon(struct seen *s, const char *head, const char *tail)
{
	char script[512];

	/* A grandchild in a session of its own that ignores every plea, its
	 * parent gone. When it has told its pid, HEAD has run. */
	snprintf(script, sizeof(script),
		"%s; (setsid sh -c 'trap \"\" INT TERM HUP; echo $$; "
		"while :; do sleep 600; done' 2>/dev/null &) ; %s",
		head, tail);
	start(s, "/bin/sh", script);
	read_line(s);
	return (pid_t)strtol(s->out.buf, NULL, 10);
}

START_TEST(a_daemon_goes_with_the_runtime)
{
	struct seen s;
	pid_t daemon_pid = start_daemon(
		&s, "trap 'exit 0' USR1", "while :; do sleep 600 & wait; done");

	ck_assert_int_gt(daemon_pid, 1);
	sandbox_none.signal(s.box, SIGUSR1);
	finish(&s);
	ck_assert(WIFEXITED(s.status));
	ck_assert(is_gone(daemon_pid));
	end(&s);
}
END_TEST

START_TEST(kill_takes_all)
{
	struct seen s;
	pid_t daemon_pid = start_daemon(
		&s, "trap '' INT TERM", "while :; do sleep 600; done");

	sandbox_none.signal(s.box, SIGTERM);
	loop_once(s.loop, 10);
	ck_assert(!s.exited);
	sandbox_none.kill(s.box);
	sandbox_none.kill(s.box);
	finish(&s);
	ck_assert(WIFSIGNALED(s.status));
	ck_assert_int_eq(WTERMSIG(s.status), SIGKILL);
	ck_assert(is_gone(daemon_pid));
	end(&s);
}
END_TEST

START_TEST(free_takes_all)
{
	struct seen s;
	pid_t daemon_pid = start_daemon(&s, ":", "while :; do sleep 600; done");

	end(&s);
	ck_assert(is_gone(daemon_pid));
}
END_TEST

/* Our own death, by SIGKILL: the watcher sees the socket close. */
START_TEST(our_death_takes_all)
{
	struct seen s;
	pid_t daemon_pid = 0;
	pid_t ours;
	int p[2];

	ck_assert_int_eq(pipe(p), 0);
	ours = fork();
	if (ours == 0) {
		daemon_pid =
			start_daemon(&s, ":", "while :; do sleep 600; done");
		if (write(p[1], &daemon_pid, sizeof(daemon_pid)) < 0)
			_exit(1);
		pause();
	}
	close(p[1]);
	ck_assert_int_eq(read(p[0], &daemon_pid, sizeof(daemon_pid)),
		(int)sizeof(daemon_pid));
	ck_assert(!is_gone(daemon_pid));
	kill(ours, SIGKILL);
	ck_assert_int_eq(waitpid(ours, NULL, 0), ours);
	while (!is_gone(daemon_pid))
		usleep(1000);
}
END_TEST

/* Another child of ours is nobody's business. */
START_TEST(other_children_are_left_alone)
{
	struct seen s;
	pid_t other = fork();

	if (other == 0) {
		pause();
		_exit(0);
	}
	start(&s, "/bin/sh", "exit 0");
	finish(&s);
	end(&s);
	ck_assert_int_eq(waitpid(other, NULL, WNOHANG), 0);
	kill(other, SIGKILL);
	ck_assert_int_eq(waitpid(other, NULL, 0), other);
}
END_TEST

START_TEST(no_descriptor_leaks)
{
	struct seen s;
	int leak = dup(0);

	ck_assert_int_ge(leak, 3);
	start(&s, "/bin/sh", "ls /proc/self/fd | tr '\\n' ' '; echo");
	read_line(&s);
	finish(&s);
	/* 3 is ls's own. */
	ck_assert_str_eq(s.out.buf, "0 1 2 3 \n");
	end(&s);
	close(leak);
}
END_TEST

CHECK_MAIN("none", exit_status_is_reported, death_by_signal_is_reported,
	a_missing_program_fails, signals_reach_the_group,
	an_early_signal_is_not_lost, ignored_signals_are_reset,
	a_daemon_goes_with_the_runtime, kill_takes_all, free_takes_all,
	our_death_takes_all, other_children_are_left_alone, no_descriptor_leaks)

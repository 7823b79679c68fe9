#include "config.h"

#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/i18n.h"
#include "base/io.h"
#include "base/signals.h"

#define COLLECT_MAX 65536
#define COLLECT_TURN_MS 50
#define COLLECT_LINGER_MS 500

/* Where the child stood when it failed, as it tells its parent. */
enum child_step {
	CHILD_STEP_SETUP,
	CHILD_STEP_CWD,
	CHILD_STEP_EXEC
};

struct child_failure {
	enum child_step step;
	int errnum;
};

/* The child's own ends; -1 where nothing was asked for. */
struct child_ends {
	int in;
	int out;
	int errs;
	int report; /* close-on-exec: end of file says that exec succeeded */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Marks everything above stderr close-on-exec: descriptors that agentrun itself
 * was started with must not leak into a sandbox. Async-signal-safe. */
static void seal_fds(void)
{
	long max;
	int fd;

#ifdef CLOSE_RANGE_CLOEXEC
	if (close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
		return;
#endif
	max = sysconf(_SC_OPEN_MAX);
	if (max < 0 || max > 65536)
		max = 65536;
	for (fd = 3; fd < max; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* dup2 that also works when FD is the number already. */
static int move_fd(int fd, int to)
{
	if (fd != to)
		return dup2(fd, to);
	return fcntl(fd, F_SETFD, 0);
}

static int child_wire(const struct child_spec *spec, struct child_ends *e)
{
	size_t i;

	if (e->in < 0)
		e->in = open("/dev/null", O_RDONLY);
	if (e->in < 0 || move_fd(e->in, 0) < 0)
		return -1;
	if (e->out >= 0 && move_fd(e->out, 1) < 0)
		return -1;
	if (e->errs >= 0 && move_fd(e->errs, 2) < 0)
		return -1;
	seal_fds();
	for (i = 0; i < spec->pass_count; i++) {
		if (fcntl(spec->pass_fds[i], F_SETFD, 0) < 0)
			return -1;
	}
	return 0;
}

/* The forked child: async-signal-safe calls only, never returns. */
static void child_main(const struct child_spec *spec, struct child_ends *e,
	pid_t parent) __attribute__((noreturn));

static void child_main(
	const struct child_spec *spec, struct child_ends *e, pid_t parent)
{
	struct child_failure f = {CHILD_STEP_SETUP, 0};

#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent)
		_exit(127); /* it died before prctl */
	setsid();
	signals_reset();
	if (child_wire(spec, e) < 0)
		goto failed;
	f.step = CHILD_STEP_CWD;
	if (spec->cwd && chdir(spec->cwd) < 0)
		goto failed;
	f.step = CHILD_STEP_EXEC;
	execve(spec->path, spec->argv, spec->envp);
failed:
	f.errnum = errno;
	(void)!write(e->report, &f, sizeof(f));
	_exit(127);
}

/* A pipe whose ends are above 2: the child's dup2() calls must not step on one
 * another when agentrun was started with a closed stdin. */
static int high_pipe(int *read_end, int *write_end)
{
	int fds[2];
	int i;

	if (io_pipe(fds) < 0)
		return -1;
	for (i = 0; i < 2; i++) {
		int fd;

		if (fds[i] > 2)
			continue;
		fd = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
		if (fd < 0) {
			close(fds[0]);
			close(fds[1]);
			return -1;
		}
		close(fds[i]);
		fds[i] = fd;
	}
	*read_end = fds[0];
	*write_end = fds[1];
	return 0;
}

static int open_pipes(struct child *c, const struct child_spec *spec,
	struct child_ends *e, int *report)
{
	if (high_pipe(report, &e->report) < 0)
		return -1;
	if (spec->pipe_stdin && (high_pipe(&e->in, &c->stdin_fd) < 0 ||
					io_set_nonblock(c->stdin_fd, true) < 0))
		return -1;
	if (spec->pipe_stdout &&
		(high_pipe(&c->stdout_fd, &e->out) < 0 ||
			io_set_nonblock(c->stdout_fd, true) < 0))
		return -1;
	if (spec->pipe_stderr &&
		(high_pipe(&c->stderr_fd, &e->errs) < 0 ||
			io_set_nonblock(c->stderr_fd, true) < 0))
		return -1;
	return 0;
}

/* Waits until exec succeeded or failed. Returns whether F was told. */
static bool read_report(int fd, struct child_failure *f)
{
	ssize_t n;

	do
		n = read(fd, f, sizeof(*f));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*f);
}

static int report_failure(const struct child_spec *spec,
	const struct child_failure *f, struct err *err)
{
	switch (f->step) {
	case CHILD_STEP_CWD:
		return err_set(err, AR_ESTART,
			N_("cannot start '%s' in '%s': %s"), spec->path,
			spec->cwd, err_str(f->errnum));
	case CHILD_STEP_SETUP:
	case CHILD_STEP_EXEC:
		break;
	}
	return err_set(err, AR_ESTART, N_("cannot start '%s': %s"), spec->path,
		err_str(f->errnum));
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int child_start(struct child *c, const struct child_spec *spec, struct err *err)
{
	struct child_ends e = {-1, -1, -1, -1};
	struct child_failure f = {CHILD_STEP_SETUP, 0};
	pid_t parent = getpid();
	int report = -1;
	bool good;

	*c = (struct child)CHILD_INIT;
	good = open_pipes(c, spec, &e, &report) == 0;
	if (good) {
		c->pid = signals_fork();
		if (c->pid == 0)
			child_main(spec, &e, parent);
		good = c->pid > 0;
	}
	f.errnum = errno;
	close_fd(&e.in);
	close_fd(&e.out);
	close_fd(&e.errs);
	close_fd(&e.report);
	if (good && read_report(report, &f)) {
		reap(c->pid);
		good = false;
	}
	close_fd(&report);
	if (good)
		return 0;
	close_fd(&c->stdin_fd);
	close_fd(&c->stdout_fd);
	close_fd(&c->stderr_fd);
	c->pid = -1;
	return report_failure(spec, &f, err);
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

/* DIR/NAME, made absolute; an empty DIR is the current one, as in a shell. */
static bool try_program(
	const char *dir, size_t dir_len, const char *name, struct strbuf *path)
{
	strbuf_reset(path);
	if (dir_len == 0 || dir[0] != '/') {
		char *cwd = getcwd(NULL, 0);

		if (!cwd)
			return false;
		strbuf_addf(path, "%s/", cwd);
		free(cwd);
	}
	strbuf_add(path, dir, dir_len);
	if (dir_len > 0 && dir[dir_len - 1] != '/')
		strbuf_addch(path, '/');
	strbuf_addstr(path, name);
	return is_program(path->buf);
}

int child_find(const char *program, const char *path, struct strbuf *out)
{
	struct strbuf candidate = STRBUF_INIT;
	const char *slash = strrchr(program, '/');
	bool found = false;

	if (slash) {
		found = try_program(program, (size_t)(slash - program) + 1,
			slash + 1, &candidate);
	} else if (path && *program) {
		while (!found) {
			size_t len = strcspn(path, ":");

			found = try_program(path, len, program, &candidate);
			if (path[len] == '\0')
				break;
			path += len + 1;
		}
	}
	if (found)
		strbuf_adds(out, strbuf_str(&candidate));
	else
		errno = ENOENT;
	strbuf_release(&candidate);
	return found ? 0 : -1;
}

/* One stream of a program that is being collected. */
struct stream {
	int *fd;
	struct loop_fd *watch;
	struct strbuf *out;
	size_t base; /* what OUT held before */
};

/* Reads what is there; closes the stream at its end. What goes beyond the limit
 * is read and dropped, so that the program is not held up. */
static void on_output(void *arg, int fd, short revents)
{
	struct stream *s = arg;
	char buf[4096];
	size_t room = COLLECT_MAX - (s->out->len - s->base);
	ssize_t n = read(fd, buf, sizeof(buf));

	(void)revents;
	if (n > 0) {
		strbuf_add(s->out, buf, (size_t)n < room ? (size_t)n : room);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		loop_unwatch(s->watch);
		s->watch = NULL;
		close_fd(s->fd);
	}
}

/* Collects until the program is gone and its output at an end. Programs that
 * it left behind with the pipe in their hands get COLLECT_LINGER_MS. Returns
 * false after DEADLINE or a stop signal; *EXITED says whether *STATUS is
 * known. */
static bool collect_run(struct loop *loop, struct child *c, int64_t deadline,
	int *status, bool *exited)
{
	for (;;) {
		bool eof = c->stdout_fd < 0 && c->stderr_fd < 0;
		int64_t now = loop_now_ms(loop);

		if (*exited && eof)
			return true;
		if (now >= deadline || loop_stopped(loop))
			return *exited && !loop_stopped(loop);
		(void)loop_once(loop, deadline - now < COLLECT_TURN_MS
					      ? (int)(deadline - now)
				      : eof ? COLLECT_TURN_MS / 5
					    : COLLECT_TURN_MS);
		if (!*exited && waitpid(c->pid, status, WNOHANG) == c->pid) {
			*exited = true;
			if (deadline - now > COLLECT_LINGER_MS)
				deadline = now + COLLECT_LINGER_MS;
		}
	}
}

int child_collect(struct loop *loop, const struct child_spec *spec,
	struct strbuf *out, struct strbuf *errs, int *status, struct err *err)
{
	struct child_spec piped = *spec;
	struct child c;
	struct stream streams[2] = {{&c.stdout_fd, NULL, out, out->len},
		{&c.stderr_fd, NULL, errs, errs->len}};
	bool exited = false;
	bool in_time;

	piped.pipe_stdin = false;
	piped.pipe_stdout = true;
	piped.pipe_stderr = true;
	if (child_start(&c, &piped, err) < 0)
		return -1;
	for (int i = 0; i < 2; i++)
		streams[i].watch = loop_watch(
			loop, *streams[i].fd, POLLIN, on_output, &streams[i]);
	in_time = collect_run(loop, &c, loop_now_ms(loop) + spec->timeout_ms,
		status, &exited);
	kill(-c.pid, SIGKILL); /* whoever is left of the group */
	if (!exited)
		reap(c.pid);
	for (int i = 0; i < 2; i++)
		loop_unwatch(streams[i].watch);
	close_fd(&c.stdout_fd);
	close_fd(&c.stderr_fd);
	if (in_time)
		return 0;
	if (loop_stopped(loop))
		return err_set(err, AR_ESTART, N_("'%s' was stopped by %s"),
			spec->path, child_signal_name(loop_stopped(loop)));
	return err_set(err, AR_ESTART,
		N_("'%s' did not end within %.1f seconds"), spec->path,
		(double)spec->timeout_ms / 1000);
}

const char *child_signal_name(int signo)
{
	static const struct {
		int signo;
		const char *name;
	} names[] = {
		{SIGHUP, "SIGHUP"},
		{SIGINT, "SIGINT"},
		{SIGQUIT, "SIGQUIT"},
		{SIGILL, "SIGILL"},
		{SIGTRAP, "SIGTRAP"},
		{SIGABRT, "SIGABRT"},
		{SIGBUS, "SIGBUS"},
		{SIGFPE, "SIGFPE"},
		{SIGKILL, "SIGKILL"},
		{SIGUSR1, "SIGUSR1"},
		{SIGSEGV, "SIGSEGV"},
		{SIGUSR2, "SIGUSR2"},
		{SIGPIPE, "SIGPIPE"},
		{SIGALRM, "SIGALRM"},
		{SIGTERM, "SIGTERM"},
		{SIGCHLD, "SIGCHLD"},
		{SIGCONT, "SIGCONT"},
		{SIGSTOP, "SIGSTOP"},
		{SIGTSTP, "SIGTSTP"},
		{SIGTTIN, "SIGTTIN"},
		{SIGTTOU, "SIGTTOU"},
		{SIGURG, "SIGURG"},
		{SIGXCPU, "SIGXCPU"},
		{SIGXFSZ, "SIGXFSZ"},
		{SIGVTALRM, "SIGVTALRM"},
		{SIGPROF, "SIGPROF"},
		{SIGWINCH, "SIGWINCH"},
		{SIGSYS, "SIGSYS"},
#ifdef SIGSTKFLT
		{SIGSTKFLT, "SIGSTKFLT"},
#endif
#ifdef SIGPWR
		{SIGPWR, "SIGPWR"},
#endif
#ifdef SIGPOLL
		{SIGPOLL, "SIGPOLL"},
#endif
	};
	static char other[32];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].signo == signo)
			return names[i].name;
	}
#ifdef SIGRTMIN
	if (signo >= SIGRTMIN && signo <= SIGRTMAX)
		snprintf(other, sizeof(other), "SIGRTMIN+%d", signo - SIGRTMIN);
	else
#endif
		snprintf(other, sizeof(other), "signal %d", signo);
	return other;
}

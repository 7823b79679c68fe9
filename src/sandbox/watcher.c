#include "config.h"

#include "sandbox/watcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "base/signals.h"
#include "base/xalloc.h"
#include "sandbox/ctl.h"

#define CTL_FD 3
#define STDIO_FD 4  /* 4, 5, 6 until the runtime has them */
#define STATUS_FD 3 /* in the child, close-on-exec */

/* Longest time the end of a run waits for processes that do not die. */
#define END_LIMIT_MS 3000

struct watcher {
	const struct watcher_spec *spec;
	pid_t pid;  /* the runtime; -1 once it was reaped */
	int status; /* its wait status */
	bool ended;
	sigset_t wait_mask;
};

static void on_child(int signo)
{
	(void)signo; /* only wakes pselect */
}

void watcher_close_from(int first)
{
	int i;
	int max;

#if defined(SYS_close_range)
	if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0)
		return;
#endif
	max = (int)sysconf(_SC_OPEN_MAX);
	if (max < 0 || max > 65536)
		max = 65536;
	for (i = first; i < max; i++)
		close(i);
}

int watcher_place_fds(int *fds, int n, int first)
{
	int i;

	/* Out of the way first: a source may be another one's target. */
	for (i = 0; i < n; i++) {
		int fd = fcntl(fds[i], F_DUPFD_CLOEXEC, first + n);

		if (fd < 0)
			return -1;
		fds[i] = fd;
	}
	for (i = 0; i < n; i++) {
		if (dup2(fds[i], first + i) < 0)
			return -1;
		(void)fcntl(first + i, F_SETFD, FD_CLOEXEC);
		close(fds[i]);
		fds[i] = first + i;
	}
	return 0;
}

/* The runtime's side of the fork. Reports errno through STATUS_FD. */
static void start_runtime(
	const struct watcher_spec *spec, int status_fd, pid_t parent)
{
	int fds[4] = {0};
	int i;

	memcpy(fds, spec->stdio, sizeof(spec->stdio));
	fds[3] = status_fd;
#if defined(PR_SET_PDEATHSIG)
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		goto fail;
#endif
	if (getppid() != parent)
		_exit(127); /* it died before the line above */
	if (setsid() < 0)
		goto fail;
	if (watcher_place_fds(fds, 4, 0) < 0)
		_exit(127); /* the status pipe may be among the lost ones */
	status_fd = STATUS_FD;
	for (i = 0; i < 3; i++)
		(void)fcntl(i, F_SETFD, 0);
	watcher_close_from(STATUS_FD + 1);
	signals_reset();
	if (spec->cwd && chdir(spec->cwd) < 0)
		goto fail;
	if (spec->confine && spec->confine() < 0)
		goto fail;
	execve(spec->program, spec->argv, spec->envp);
fail:
	i = errno;
	(void)!write(status_fd, &i, sizeof(i));
	_exit(127);
}

/* Starts the runtime and reports E or R. Returns 0, or -1: it never ran. */
static int launch(struct watcher *w)
{
	const struct watcher_spec *spec = w->spec;
	pid_t self = getpid();
	int why = 0;
	int p[2];
	ssize_t n;

	if (pipe(p) < 0)
		goto fail;
	(void)fcntl(p[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(p[1], F_SETFD, FD_CLOEXEC);
	w->pid = fork();
	if (w->pid < 0) {
		close(p[0]);
		close(p[1]);
		goto fail;
	}
	if (w->pid == 0)
		start_runtime(spec, p[1], self);
	close(p[1]);
	do
		n = read(p[0], &why, sizeof(why));
	while (n < 0 && errno == EINTR);
	close(p[0]);
	if (n == 0) {
		(void)ctl_send(spec->ctl, CTL_RUNNING, w->pid, -1);
		return 0;
	}
	errno = n == (ssize_t)sizeof(why) ? why : EIO;
fail:
	(void)ctl_send(spec->ctl, CTL_NO_EXEC, errno, -1);
	return -1;
}

/* The runtime has ended but is not reaped: its group's number still belongs to
 * it, so the group can be killed without hitting a stranger. */
static void runtime_ended(struct watcher *w)
{
	pid_t r;

	(void)kill(-w->pid, SIGKILL);
	do
		r = waitpid(w->pid, &w->status, 0);
	while (r < 0 && errno == EINTR);
	w->pid = -1;
	w->ended = true;
}

static void reap(struct watcher *w)
{
	for (;;) {
		siginfo_t si;

		memset(&si, 0, sizeof(si));
		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) < 0 ||
			si.si_pid == 0)
			return;
		if (si.si_pid == w->pid) {
			runtime_ended(w);
			return;
		}
		(void)waitpid(si.si_pid, NULL, WNOHANG);
	}
}

#if defined(__linux__)
struct process {
	pid_t pid;
	pid_t parent;
	bool ours;
};

/* Parent of PID from /proc/PID/stat, or -1. */
static pid_t parent_of(pid_t pid)
{
	char path[64];
	char buf[512];
	const char *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	buf[n] = '\0';
	p = strrchr(buf, ')'); /* the name may hold anything */
	if (!p || strlen(p) < 5)
		return -1;
	return (pid_t)strtol(p + 4, NULL, 10);
}

static size_t list_processes(struct process **out)
{
	DIR *d = opendir("/proc");
	struct process *v = NULL;
	size_t count = 0;
	size_t cap = 0;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

		if (pid <= 0)
			continue;
		if (count == cap) {
			cap = cap ? cap * 2 : 256;
			v = xreallocarray(v, cap, sizeof(*v));
		}
		v[count].pid = pid;
		v[count].parent = parent_of(pid);
		v[count].ours = false;
		count++;
	}
	if (d)
		closedir(d);
	*out = v;
	return count;
}

static bool is_ours(const struct process *v, size_t count, pid_t pid)
{
	size_t i;

	if (pid == getpid())
		return true;
	for (i = 0; i < count; i++)
		if (v[i].pid == pid)
			return v[i].ours;
	return false;
}

/* SIGKILL to every descendant. */
static void kill_descendants(void)
{
	struct process *v;
	size_t count = list_processes(&v);
	bool again = true;
	size_t i;

	while (again) {
		again = false;
		for (i = 0; i < count; i++) {
			if (v[i].ours || !is_ours(v, count, v[i].parent))
				continue;
			v[i].ours = true;
			again = true;
			(void)kill(v[i].pid, SIGKILL);
		}
	}
	free(v);
}
#else
static void kill_descendants(void)
{
}
#endif

static int64_t now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Kills until no child is left. As subreaper that means: no descendant. */
static void end_all(struct watcher *w)
{
	int64_t until = now_ms() + END_LIMIT_MS;

	if (w->pid > 0)
		(void)kill(-w->pid, SIGKILL);
	for (;;) {
		siginfo_t si;

		reap(w);
		memset(&si, 0, sizeof(si));
		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) < 0 &&
			errno == ECHILD)
			return;
		if (now_ms() > until)
			return; /* another user's, or stuck in the kernel */
		kill_descendants();
		(void)poll(NULL, 0, 1);
	}
}

/* Serves the control socket. Returns false when the run is to be ended. */
static bool serve(struct watcher *w)
{
	struct ctl_msg m;
	int fd;

	if (ctl_recv(w->spec->ctl, &m, &fd) <= 0)
		return false;
	if (fd >= 0)
		close(fd);
	if (m.kind == CTL_KILL)
		return false;
	if (m.kind == CTL_SIGNAL && w->pid > 0)
		(void)kill(-w->pid, m.value);
	return true;
}

static void watch(struct watcher *w)
{
	while (!w->ended) {
		fd_set r;
		int n;

		FD_ZERO(&r);
		FD_SET(w->spec->ctl, &r);
		n = pselect(
			w->spec->ctl + 1, &r, NULL, NULL, NULL, &w->wait_mask);
		reap(w);
		if (n > 0 && !w->ended && !serve(w))
			break;
	}
}

static void prepare_signals(struct watcher *w)
{
	struct sigaction chld = {.sa_handler = on_child};
	sigset_t block;

	/* The mask comes last: what is pending must find its disposition. */
	signals_ignore();
	(void)sigaction(SIGCHLD, &chld, NULL);
	sigemptyset(&w->wait_mask);
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	(void)sigprocmask(SIG_SETMASK, &block, NULL);
}

int watcher_main(const struct watcher_spec *given)
{
	struct watcher_spec spec = *given;
	struct watcher w = {.spec = &spec, .pid = -1};
	int fds[4] = {spec.ctl, spec.stdio[0], spec.stdio[1], spec.stdio[2]};
	int null;
	int i;

	prepare_signals(&w);
	if (watcher_place_fds(fds, 4, CTL_FD) < 0)
		return 1;
	spec.ctl = CTL_FD;
	for (i = 0; i < 3; i++)
		spec.stdio[i] = STDIO_FD + i;
	watcher_close_from(STDIO_FD + 3);
	null = open("/dev/null", O_RDWR);
	if (null < 0)
		return 1;
	for (i = 0; i < 3; i++)
		(void)dup2(null, i);
	close(null);
#if defined(PR_SET_CHILD_SUBREAPER)
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
	if (launch(&w) < 0)
		return 1;
	/* Its pipes must end with the runtime, not with this process. */
	watcher_close_from(STDIO_FD);
	watch(&w);
	if (!spec.pid_namespace)
		end_all(&w);
	else if (!w.ended)
		return 1;
	if (w.ended)
		(void)ctl_send(spec.ctl, CTL_STATUS, w.status, -1);
	return 0;
}

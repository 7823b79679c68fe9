#include "config.h"

#include "sandbox/box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "base/crash.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "sandbox/ctl.h"

/* How long the end of a box may take once the runtime is gone. */
#define END_LIMIT_MS 3000

enum box_state {
	BOX_SETTING_UP,
	BOX_RUNNING,
	BOX_ENDING, /* the status is known; the last processes are dying */
	BOX_OVER    /* failed or exited was called */
};

struct sandbox {
	struct loop *loop;
	const struct box_kind *kind;
	struct sandbox_events events;
	void *arg;
	void *plan;
	char *program;
	enum box_state state;
	pid_t pid;     /* our child; -1 when reaped */
	pid_t runtime; /* in the watcher's pid namespace; its process group */
	bool killed;
	int early;  /* a signal that came before CTL_RUNNING, else 0 */
	int status; /* of the runtime */
	int ctl;
	struct loop_fd *watch;
	int pidfd; /* of the child, while it is ending */
	struct loop_fd *pid_watch;
	struct loop_timer end_timer;
	int diag;
	int in;
	int out;
	int errs;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int reap(struct sandbox *s)
{
	int status = SIGKILL;
	pid_t r;

	if (s->pid <= 0)
		return status;
	do
		r = waitpid(s->pid, &status, 0);
	while (r < 0 && errno == EINTR);
	s->pid = -1;
	return status;
}

static void stop_watching(struct sandbox *s)
{
	loop_unwatch(s->watch);
	s->watch = NULL;
	crash_socket(-1);
	close_fd(&s->ctl);
	loop_unwatch(s->pid_watch);
	s->pid_watch = NULL;
	close_fd(&s->pidfd);
	loop_timer_clear(s->loop, &s->end_timer);
}

static void ended(struct sandbox *s)
{
	stop_watching(s);
	s->state = BOX_OVER;
	if (s->kind->over)
		s->kind->over(s->plan);
	s->events.exited(s->arg, s->status);
}

static void on_child_gone(void *arg, int fd, short revents)
{
	(void)fd;
	(void)revents;
	(void)reap(arg);
	ended(arg);
}

static void on_end_limit(void *arg)
{
	ended(arg);
}

/* The runtime is gone, with STATUS. Where the child goes last of all, its end
 * says that nothing is left. */
static void ending(struct sandbox *s, int status)
{
	s->status = status;
	s->state = BOX_ENDING;
	loop_unwatch(s->watch);
	s->watch = NULL;
	if (!s->kind->dies_with_all || s->pid <= 0) {
		ended(s);
		return;
	}
#if defined(SYS_pidfd_open)
	s->pidfd = (int)syscall(SYS_pidfd_open, s->pid, 0);
#endif
	if (s->pidfd < 0) {
		(void)reap(s);
		ended(s);
		return;
	}
	(void)fcntl(s->pidfd, F_SETFD, FD_CLOEXEC);
	s->pid_watch = loop_watch(s->loop, s->pidfd, POLLIN, on_child_gone, s);
	loop_timer_set(s->loop, &s->end_timer, END_LIMIT_MS, on_end_limit, s);
}

static void fail(struct sandbox *s, const struct err *err)
{
	stop_watching(s);
	s->state = BOX_OVER;
	s->events.failed(s->arg, err);
}

/* The words that the set-up left behind. It has ended, so this cannot block
 * for long; what a pipe holds is enough. */
static void read_diag(struct sandbox *s, struct strbuf *out)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(s->diag, buf, sizeof(buf))) > 0 && out->len < 65536)
		strbuf_add(out, buf, (size_t)n);
	while (out->len > 0 && strchr(" \t\r\n", out->buf[out->len - 1]))
		strbuf_setlen(out, out->len - 1);
}

/* The control socket closed before its time. */
static void on_end(struct sandbox *s)
{
	struct strbuf said = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (s->kind->dies_with_all && s->pid > 0)
		(void)kill(s->pid, SIGKILL);
	if (s->state == BOX_RUNNING) {
		/* The watcher itself was killed, and the runtime with it. What
		 * that has started has no other parent that would end it. */
		if (!s->kind->dies_with_all && s->runtime > 1)
			(void)kill(-s->runtime, SIGKILL);
		ending(s, SIGKILL);
		return;
	}
	(void)reap(s);
	read_diag(s, &said);
	s->kind->explain(said.buf, &err);
	strbuf_release(&said);
	fail(s, &err);
}

static void on_message(struct sandbox *s, const struct ctl_msg *m, int fd)
{
	struct err err = ERR_INIT;

	switch ((enum ctl_kind)m->kind) {
	case CTL_LISTENER:
		if (fd >= 0 && s->events.listener)
			s->events.listener(s->arg, fd, (uint16_t)m->value);
		else
			close_fd(&fd);
		return;
	case CTL_READY:
		(void)ctl_send(s->ctl, CTL_GO, 0, -1);
		break;
	case CTL_BROKEN:
		err_set(&err, AR_ESANDBOX,
			N_("sandbox: cannot be set up inside: %s"),
			err_str(m->value));
		fail(s, &err);
		break;
	case CTL_NO_EXEC:
		err_set(&err, AR_ESTART, N_("cannot start '%s': %s"),
			s->program, err_str(m->value));
		fail(s, &err);
		break;
	case CTL_RUNNING:
		s->state = BOX_RUNNING;
		s->runtime = m->value;
		log_debug("runtime is running (pid %d there)", (int)m->value);
		if (s->early)
			(void)ctl_send(s->ctl, CTL_SIGNAL, s->early, -1);
		s->events.running(s->arg);
		break;
	case CTL_STATUS:
		ending(s, m->value);
		break;
	case CTL_GO:
	case CTL_SIGNAL:
	case CTL_KILL:
		break; /* ours */
	}
	close_fd(&fd);
}

static void on_ctl(void *arg, int sock, short revents)
{
	struct sandbox *s = arg;
	struct ctl_msg m;
	int fd;
	int r;

	(void)revents;
	r = ctl_recv(sock, &m, &fd);
	if (r > 0)
		on_message(s, &m, fd);
	else if (r == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
		on_end(s);
}

/* A pipe whose end OURS (0: we read) is non-blocking. */
static int pipe_for(int fds[2], int ours)
{
	if (io_pipe(fds) < 0)
		return -1;
	return io_set_nonblock(fds[ours], true);
}

static void close_pair(int fds[2])
{
	close_fd(&fds[0]);
	close_fd(&fds[1]);
}

struct sandbox *box_start(struct loop *loop, const struct sandbox_spec *spec,
	const struct box_kind *kind, void *plan,
	const struct sandbox_events *events, void *arg, struct err *err)
{
	int in[2] = {-1, -1};
	int out[2] = {-1, -1};
	int errs[2] = {-1, -1};
	int diag[2] = {-1, -1};
	int ctl[2] = {-1, -1};
	struct sandbox *s;
	pid_t parent = getpid();
	pid_t pid;

	if (pipe_for(in, 1) < 0 || pipe_for(out, 0) < 0 ||
		pipe_for(errs, 0) < 0 || pipe_for(diag, 0) < 0 ||
		socketpair(AF_UNIX, CTL_SOCKET_TYPE, 0, ctl) < 0)
		goto fail;
	(void)fcntl(ctl[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(ctl[1], F_SETFD, FD_CLOEXEC);
	(void)io_set_nonblock(ctl[0], true);
	pid = signals_fork();
	if (pid < 0)
		goto fail;
	if (pid == 0) {
		struct box_child c = {
			.spec = spec,
			.plan = plan,
			.parent = parent,
			.ctl = ctl[1],
			.stdio = {in[0], out[1], errs[1]},
			.diag = diag[1],
		};

		kind->child(&c);
	}
	close(ctl[1]);
	close(in[0]);
	close(out[1]);
	close(errs[1]);
	close(diag[1]);
	s = xcalloc(1, sizeof(*s));
	s->loop = loop;
	s->kind = kind;
	s->events = *events;
	s->arg = arg;
	s->plan = plan;
	s->pidfd = -1;
	s->program = xstrdup(spec->program);
	s->state = BOX_SETTING_UP;
	s->pid = pid;
	s->ctl = ctl[0];
	s->diag = diag[0];
	s->in = in[1];
	s->out = out[0];
	s->errs = errs[0];
	s->watch = loop_watch(loop, s->ctl, POLLIN, on_ctl, s);
	crash_socket(s->ctl);
	return s;
fail:
	err_set(err, AR_EIO, N_("cannot start a process: %s"), err_str(errno));
	close_pair(in);
	close_pair(out);
	close_pair(errs);
	close_pair(diag);
	close_pair(ctl);
	if (kind->release)
		kind->release(plan);
	return NULL;
}

void box_pipes(struct sandbox *s, int *in, int *out, int *errs)
{
	*in = s->in;
	*out = s->out;
	*errs = s->errs;
	s->in = s->out = s->errs = -1;
}

void box_signal(struct sandbox *s, int signo)
{
	if (s->state == BOX_RUNNING)
		(void)ctl_send(s->ctl, CTL_SIGNAL, signo, -1);
	else if (s->state == BOX_SETTING_UP)
		s->early = signo; /* the runtime may run already */
}

void box_kill(struct sandbox *s)
{
	if (s->state == BOX_OVER || s->pid <= 0)
		return;
	if (s->state != BOX_RUNNING || (s->killed && s->kind->dies_with_all))
		(void)kill(s->pid, SIGKILL);
	else if (s->kind->dies_with_all)
		/* The runtime alone first, so that its status arrives; when it
		 * has gone, all goes. */
		(void)ctl_send(s->ctl, CTL_SIGNAL, SIGKILL, -1);
	else
		(void)ctl_send(s->ctl, CTL_KILL, 0, -1);
	s->killed = true;
}

void box_free(struct sandbox *s)
{
	bool over;

	if (!s)
		return;
	over = s->state == BOX_OVER;
	stop_watching(s); /* the watcher takes it for our death */
	if (s->kind->dies_with_all && s->pid > 0)
		(void)kill(s->pid, SIGKILL);
	(void)reap(s);
	if (!over && s->kind->over)
		s->kind->over(s->plan);
	if (s->kind->release)
		s->kind->release(s->plan);
	close_fd(&s->diag);
	close_fd(&s->in);
	close_fd(&s->out);
	close_fd(&s->errs);
	free(s->program);
	free(s);
}

#include "config.h"

#include "base/signals.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/crash.h"

/* A loop that has not asked for this long hangs somewhere. */
#define HANGS_MS 1000

/* A process has one signal table: so here is the one state of the handlers. */
static volatile sig_atomic_t came[NSIG];
static volatile sig_atomic_t wake_fd = -1;
static volatile sig_atomic_t unheard; /* the first stop signal that waits */
static struct timespec unheard_since;

bool signals_is_stop(int signo)
{
	static const int other[] = {
		SIGKILL,
		SIGSTOP,
		SIGCONT,
		SIGTSTP,
		SIGTTIN,
		SIGTTOU,
		SIGCHLD,
		SIGURG,
		SIGWINCH,
		SIGPIPE,
		SIGXFSZ,
		SIGQUIT,
		SIGILL,
		SIGTRAP,
		SIGABRT,
		SIGBUS,
		SIGFPE,
		SIGSEGV,
		SIGSYS,
#ifdef SIGINFO
		SIGINFO,
#endif
	};

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (signo == other[i])
			return false;
	return true;
}

static long ms_since(const struct timespec *t)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (long)(now.tv_sec - t->tv_sec) * 1000 +
	       (now.tv_nsec - t->tv_nsec) / 1000000;
}

/* The first one ends what is under way, in the loop. Should that hang, the next
 * one ends it here; not at once, because a terminal that closes, its shell and
 * a job's manager may each send one. */
static void on_stop(int signo)
{
	if (!unheard) {
		(void)clock_gettime(CLOCK_MONOTONIC, &unheard_since);
		unheard = signo;
	} else if (ms_since(&unheard_since) >= HANGS_MS) {
		crash_leave(128 + (unheard == SIGHUP ? SIGTERM : unheard));
	}
}

static void on_signal(int signo)
{
	int saved = errno;

	came[signo] = 1;
	if (signals_is_stop(signo))
		on_stop(signo);
	if (wake_fd >= 0)
		(void)!write(wake_fd, "", 1); /* full: one is enough */
	errno = saved;
}

bool signals_take(int signo)
{
	if (!came[signo])
		return false;
	came[signo] = 0;
	if (signals_is_stop(signo))
		unheard = 0;
	return true;
}

void signals_wake(int fd)
{
	wake_fd = fd;
}

bool signals_ignored(int signo)
{
	struct sigaction now;

	return sigaction(signo, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int signals_catch(int signo, struct sigaction *old)
{
	struct sigaction sa;

	if (signals_ignored(signo))
		return -1;
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sa.sa_flags = SA_RESTART;
	sigfillset(&sa.sa_mask);
	return sigaction(signo, &sa, old);
}

void signals_unblock(void)
{
	sigset_t none;

	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

void signals_init(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)signal(SIGCHLD, SIG_DFL);
	signals_unblock();
}

void signals_hold(void)
{
	for (int s = 1; s < NSIG; s++)
		if (signals_is_stop(s))
			(void)signals_catch(s, NULL);
}

void signals_release(void)
{
	for (int s = 1; s < NSIG; s++) {
		struct sigaction now;

		if (!signals_is_stop(s) || sigaction(s, NULL, &now) != 0 ||
			now.sa_handler != on_signal)
			continue;
		(void)signal(s, SIG_DFL);
		if (signals_take(s))
			(void)raise(s);
	}
}

pid_t signals_fork(void)
{
	sigset_t all;
	sigset_t old;
	pid_t pid;
	int saved;

	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	saved = errno;
	if (pid != 0)
		(void)sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return pid;
}

static void all_default(void)
{
	for (int s = 1; s < NSIG; s++)
		(void)signal(s, SIG_DFL); /* KILL, STOP: refused */
}

void signals_reset(void)
{
	all_default();
	signals_unblock();
}

void signals_ignore(void)
{
	static const int more[] = {
		SIGQUIT, SIGPIPE, SIGXFSZ, SIGTSTP, SIGTTIN, SIGTTOU};

	all_default();
	for (int s = 1; s < NSIG; s++)
		if (signals_is_stop(s))
			(void)signal(s, SIG_IGN);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		(void)signal(more[i], SIG_IGN);
}

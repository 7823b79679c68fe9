#include "config.h"

#include "base/crash.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/private.h"
#include "base/signals.h"

#define FOLDERS 4
#define REMOVE_TRIES 100 /* the runtime may still be dying in there */
#define REMOVE_PAUSE_MS 20

static const int signals[] = {
	SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGQUIT};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

extern char **environ;

/* One process, and its handlers cannot be given an argument. */
static struct {
	bool installed;
	pid_t owner; /* a child that was forked has nothing to clean up */
	struct sigaction old[NSIG];

	volatile sig_atomic_t has_terminal;
	int fd;
	char restore[CRASH_MAX];
	size_t len;
	bool has_saved;
	struct termios saved;

	volatile sig_atomic_t socket;
	char folders[FOLDERS][PATH_MAX]; /* "": free */
} state = {.socket = -1};

/* The handler's own: the crash may be an overflow of the stack. */
static char stack[64 * 1024];

/* A job in the background that writes to the terminal would spoil another's
 * screen. */
static bool owns_terminal(void)
{
	pid_t group = tcgetpgrp(state.fd);

	return group <= 0 || group == getpgrp();
}

static bool put_restore(void)
{
	struct pollfd p = {state.fd, POLLOUT, 0};

	return poll(&p, 1, 0) > 0 &&
	       write(state.fd, state.restore, state.len) == (ssize_t)state.len;
}

/* A terminal that takes nothing is not waited for: what it has not read yet
 * makes room. */
void crash_terminal_restore(void)
{
	if (!state.has_terminal)
		return;
	state.has_terminal = 0;
	if (!owns_terminal())
		return;
	if (!put_restore()) {
		(void)tcflush(state.fd, TCOFLUSH);
		(void)put_restore();
	}
	if (state.has_saved)
		(void)tcsetattr(state.fd, TCSANOW, &state.saved);
}

#if defined(__linux__)
static void remove_folders(void)
{
	static char self[] = "/proc/self/exe";
	static char part[] = CRASH_REMOVE;
	char *argv[FOLDERS + 3] = {self, part};
	int n = 2;
	pid_t pid;

	for (int i = 0; i < FOLDERS; i++)
		if (state.folders[i][0])
			argv[n++] = state.folders[i];
	if (n == 2)
		return;
	pid = vfork(); /* no copy of the memory, of which there may be none */
	if (pid == 0) {
		(void)execve(self, argv, environ);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}
#else
static void remove_folders(void)
{
	/* The next start does it. */
}
#endif

static void clean_up(void)
{
	if (state.owner != getpid())
		return;
	state.owner = 0;
	crash_terminal_restore();
	if (state.socket >= 0)
		(void)shutdown(state.socket, SHUT_RDWR);
	remove_folders();
}

static void on_crash(int signo, siginfo_t *info, void *context)
{
	(void)context;
	clean_up();
	(void)sigaction(signo, &state.old[signo], NULL);
	/* An instruction that faults does so once more when this returns, so
	 * that a core file shows it, and a sanitizer sees it. */
	if (info->si_code > 0 && (signo == SIGSEGV || signo == SIGBUS ||
					 signo == SIGFPE || signo == SIGILL))
		return;
	(void)raise(signo);
}

void crash_leave(int status)
{
	clean_up();
	_exit(status);
}

static void install(void)
{
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction sa;

	if (state.installed)
		return;
	state.installed = true;
	state.owner = getpid();
	(void)sigaltstack(&ss, NULL);
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_crash;
	sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
	/* The terminal's SIGTTOU, too: tcsetattr must not stop us now. */
	sigfillset(&sa.sa_mask);
	for (size_t i = 0; i < SIGNALS; i++)
		if (!signals_ignored(signals[i]))
			(void)sigaction(
				signals[i], &sa, &state.old[signals[i]]);
}

void crash_terminal(
	int fd, const char *restore, size_t len, const struct termios *saved)
{
	install();
	state.fd = fd;
	state.len = len < CRASH_MAX ? len : CRASH_MAX;
	memcpy(state.restore, restore, state.len);
	state.has_saved = saved;
	if (saved)
		state.saved = *saved;
	state.has_terminal = 1;
}

void crash_terminal_off(void)
{
	state.has_terminal = 0;
}

void crash_socket(int fd)
{
	install();
	state.socket = fd;
}

void crash_folder(const char *path)
{
	size_t len = strlen(path);

	install();
	for (int i = 0; i < FOLDERS && len < PATH_MAX; i++)
		if (!state.folders[i][0]) {
			/* The first byte last: a handler may look meanwhile. */
			memcpy(state.folders[i] + 1, path + 1, len);
			*(volatile char *)state.folders[i] = path[0];
			return;
		}
}

void crash_folder_off(const char *path)
{
	for (int i = 0; i < FOLDERS; i++)
		if (strcmp(state.folders[i], path) == 0)
			*(volatile char *)state.folders[i] = '\0';
}

int crash_remove_main(int argc, char **argv)
{
	int left = argc - 2;

	signals_ignore();
	for (int n = 0; left > 0 && n < REMOVE_TRIES; n++) {
		left = 0;
		for (int i = 2; i < argc; i++)
			left += private_remove(argv[i]) < 0;
		if (left > 0)
			(void)poll(NULL, 0, REMOVE_PAUSE_MS);
	}
	return left > 0;
}

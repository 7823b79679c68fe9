#include "config.h"

#include "ui/crash.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {
	SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGQUIT};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

/* One terminal, one process: the handler cannot be given an argument. */
static struct {
	volatile sig_atomic_t armed;
	int fd;
	char restore[CRASH_MAX];
	size_t len;
	bool has_saved;
	struct termios saved;
	struct sigaction old[SIGNALS];
} state;

/* A handler of its own stack: the crash may be an overflow. */
static char stack[64 * 1024];

static bool put_restore(void)
{
	struct pollfd p = {state.fd, POLLOUT, 0};

	return poll(&p, 1, 0) > 0 &&
	       write(state.fd, state.restore, state.len) == (ssize_t)state.len;
}

/* A terminal that takes nothing is not waited for: what it has not read yet
 * makes room. */
void crash_restore(void)
{
	if (!state.armed)
		return;
	state.armed = 0;
	if (!put_restore()) {
		(void)tcflush(state.fd, TCOFLUSH);
		(void)put_restore();
	}
	if (state.has_saved)
		tcsetattr(state.fd, TCSANOW, &state.saved);
}

static void on_crash(int signo)
{
	crash_restore();
	raise(signo); /* SA_RESETHAND: now as without a handler */
}

void crash_arm(
	int fd, const char *restore, size_t len, const struct termios *saved)
{
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction sa;
	size_t i;

	state.fd = fd;
	state.len = len < CRASH_MAX ? len : CRASH_MAX;
	memcpy(state.restore, restore, state.len);
	state.has_saved = saved;
	if (saved)
		state.saved = *saved;
	sigaltstack(&ss, NULL);
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_crash;
	sa.sa_flags = SA_RESETHAND | SA_ONSTACK | SA_NODEFER;
	sigemptyset(&sa.sa_mask);
	for (i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &sa, &state.old[i]);
	state.armed = 1;
}

void crash_disarm(void)
{
	size_t i;

	if (!state.armed)
		return;
	state.armed = 0;
	for (i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &state.old[i], NULL);
}

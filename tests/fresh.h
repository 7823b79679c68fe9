#ifndef AGENTRUN_TESTS_FRESH_H
#define AGENTRUN_TESTS_FRESH_H

/* fresh: what a process has that nobody prepared for anything. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* No signal is ignored or blocked. Those that cannot be set stay. */
static inline void fresh_signals(void)
{
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		(void)signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Is NAME=VALUE the affair of a test, or of a tool that the test runs under? */
static inline int fresh_keeps(const char *variable)
{
	static const char *const names[] = {"AGENTRUN=", "ASAN_", "CK_", "GCOV",
		"HOME=", "LD_", "LLVM_", "LSAN_", "MALLOC_", "PATH=", "TEST_",
		"TMPDIR=", "UBSAN_", "UPDATE_", "top_"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return 1;
	return 0;
}

/* The environment is the same for every caller. */
static inline void fresh_environment(void)
{
	char **from = environ;
	char **to = environ;

	for (; *from; from++)
		if (fresh_keeps(*from))
			*to++ = *from;
	*to = NULL;
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("TERM", "xterm-256color", 1);
	setenv("TZ", "UTC", 1);
}

#endif

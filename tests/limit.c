/* limit: runs one test, wherever it was started from.
 *
 *   limit COMMAND ARGUMENT...
 *
 * The command gets a session of its own, no input, and every signal as a
 * fresh process has it: what the caller ignores or blocks (nohup, a job in the
 * background, a CI runner) a shell could never undo. It may take TEST_SECONDS
 * (300 unless the environment says so; times CK_TIMEOUT_MULTIPLIER): then it
 * is asked to stop, killed after 5 s more, and the TAP says that it hung. What
 * it leaves running, daemons too, is killed at its end. The exit status is
 * the command's, 128+N for a signal. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "fresh.h"

enum {
	SECONDS = 300,
	GRACE_SECONDS = 5
};

/* A number of the environment, or what stands in for it. */
static long number(const char *name, long otherwise)
{
	const char *s = getenv(name);
	long n = s ? strtol(s, NULL, 10) : 0;

	return n > 0 ? n : otherwise;
}

static void run(char **argv)
{
	int fd = open("/dev/null", O_RDONLY);

	setsid();
	if (fd > 0)
		dup2(fd, 0);
	if (fd > 2)
		close(fd);
	fresh_signals();
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	setenv("TEST_LIMITED", "1", 1);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

/* Reaps whatever ended: orphans come here, too. True when it was the test. */
static bool reap(pid_t test, int *status)
{
	bool ended = false;
	int s;
	pid_t pid;

	while ((pid = waitpid(-1, &s, WNOHANG)) > 0) {
		if (pid != test)
			continue;
		*status = s;
		ended = true;
	}
	return ended;
}

/* Waits for the test's end, or a signal that ends it. Gives SIGCHLD, that
 * signal, or SIGALRM when the time is over. */
static int wait_for(const sigset_t *set, pid_t test, int *status, long seconds)
{
	int sig;

	alarm((unsigned)seconds);
	for (;;) {
		if (sigwait(set, &sig) != 0 || sig != SIGCHLD)
			return sig;
		if (reap(test, status))
			return SIGCHLD;
	}
}

/* Kills the children of this process until there are none: those whose parent
 * dies become its children. */
static void kill_children(void)
{
	char path[64];
	FILE *f;
	int pid;
	int status;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		(int)getpid());
	while ((f = fopen(path, "r"))) {
		while (fscanf(f, "%d", &pid) == 1)
			kill(pid, SIGKILL);
		fclose(f);
		if (waitpid(-1, &status, 0) < 0 && errno == ECHILD)
			break;
	}
}

int main(int argc, char **argv)
{
	static const int heard[] = {SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGTERM};
	long seconds = number("TEST_SECONDS", SECONDS) *
		       number("CK_TIMEOUT_MULTIPLIER", 1);
	int status = 0;
	sigset_t set;
	size_t i;
	pid_t test;
	int sig;

	if (argc < 2)
		return 2;
	sigemptyset(&set);
	for (i = 0; i < sizeof(heard) / sizeof(*heard); i++)
		sigaddset(&set, heard[i]);
	(void)signal(SIGALRM, SIG_DFL);
	(void)signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, NULL);
#ifdef __linux__
	prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
	test = fork();
	if (test < 0) {
		perror("fork");
		return 99;
	}
	if (test == 0)
		run(argv + 1);
	sig = wait_for(&set, test, &status, seconds);
	if (sig != SIGCHLD) {
		kill(-test, SIGTERM);
		(void)wait_for(&set, test, &status, GRACE_SECONDS);
		kill(-test, SIGKILL);
	}
	kill_children();
	if (sig == SIGALRM) {
		printf("\nBail out! %s: no end after %ld s\n", argv[argc - 1],
			seconds);
		return 124;
	}
	if (sig != SIGCHLD)
		return 128 + sig;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

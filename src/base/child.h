#ifndef AGENTRUN_BASE_CHILD_H
#define AGENTRUN_BASE_CHILD_H

#include "base/err.h"
#include "base/loop.h"
#include "base/strbuf.h"
#include "base/strvec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* child: starting a program.
 *
 * A child gets its own session (setsid), default signal dispositions, an empty
 * mask, only the descriptors it is given, and PR_SET_PDEATHSIG SIGKILL. */
struct child {
	pid_t pid;     /* also its process group; -1 when not started */
	int stdin_fd;  /* our ends; -1 when not asked for; the caller closes */
	int stdout_fd; /* all three are non-blocking */
	int stderr_fd;
};

#define CHILD_INIT             \
	{                      \
		-1, -1, -1, -1 \
	}

struct child_spec {
	const char *path; /* absolute */
	char *const *argv;
	char *const *envp;
	const char *cwd;     /* NULL: ours */
	bool pipe_stdin;     /* else /dev/null */
	bool pipe_stdout;    /* else inherited */
	bool pipe_stderr;    /* else inherited */
	const int *pass_fds; /* further descriptors kept open, same numbers */
	size_t pass_count;
	int64_t timeout_ms; /* child_collect: > 0 */
};

/* Returns 0 when the program runs (exec succeeded: reported through a
 * close-on-exec pipe), else -1 with ERR code AR_ESTART. */
int child_start(
	struct child *c, const struct child_spec *spec, struct err *err);

/* Finds PROGRAM in the colon list PATH (or takes it when it has a slash): the
 * absolute path of an executable regular file in OUT. Returns 0 or -1. */
int child_find(const char *program, const char *path, struct strbuf *out);

/* Runs a command to its end for at most spec.timeout_ms and collects its stdout
 * and stderr (each at most 64 KiB); meanwhile LOOP turns. Returns 0 with the
 * wait status in *STATUS, or -1 with ERR (not started, timeout, a stop signal;
 * the whole group is killed). */
int child_collect(struct loop *loop, const struct child_spec *spec,
	struct strbuf *out, struct strbuf *errs, int *status, struct err *err);

/* "SIGKILL" for 9, "SIGRTMIN+1" for one of the real time, "signal 99" if it has
 * no name; static storage. */
const char *child_signal_name(int signo);

#endif

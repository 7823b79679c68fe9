#include "config.h"

#include "demo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <limits.h>
#include <mach-o/dyld.h>
#endif

#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/xalloc.h"
#include "run-cmd.h"
#include "run/preflight.h"

/* --- the child --- */

/* Waits until AT_MS on the monotonic clock. Stop signals have their default
 * action here and end it. */
static void wait_for(int64_t at_ms)
{
	int64_t left;

	while ((left = at_ms - clock_system.mono_ms(clock_system.arg)) > 0) {
		struct timespec ts = {.tv_sec = (time_t)(left / 1000),
			.tv_nsec = (long)(left % 1000) * 1000000};

		(void)nanosleep(&ts, NULL);
	}
}

int demo_player_main(int argc, char **argv)
{
	double speed = argc > 2 ? strtod(argv[2], NULL) : 1;
	int64_t start_ms = clock_system.mono_ms(clock_system.arg);
	const char *p = (const char *)demo_data;
	const char *end = p + demo_data_len;

	while (p < end) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		if (!tab || !nl || tab > nl)
			return 1;
		if (speed > 0)
			wait_for(start_ms + (int64_t)(strtod(p, NULL) / speed));
		if (io_write_all(STDOUT_FILENO, tab + 1, (size_t)(nl - tab)) <
			0)
			return 1;
		p = nl + 1;
	}
	return 0;
}

/* --- agentrun's side --- */

/* Where this program is: the system knows, on Linux also when the file has
 * gone. */
static char *own_program(void)
{
#if defined(__APPLE__)
	char name[PATH_MAX];
	uint32_t size = sizeof(name);
	char *path = _NSGetExecutablePath(name, &size) == 0
			     ? realpath(name, NULL)
			     : NULL;
#else
	char *path = realpath("/proc/self/exe", NULL);
#endif

	if (path && access(path, X_OK) == 0)
		return path;
	free(path);
	return xstrdup("/proc/self/exe");
}

/* Takes the place of the preflight: the child is this program. */
static int demo_fill(struct run_plan *plan, struct loop *loop,
	const bool *stopped, struct err *err)
{
	(void)loop;
	(void)stopped;
	plan->cwd = realpath(".", NULL);
	if (!plan->cwd)
		return err_set(err, AR_EUSAGE,
			N_("cannot work in '.': %s; change to a directory that "
			   "exists"),
			err_str(errno));
	plan->program = own_program();
	strvec_push(&plan->cmd.argv, plan->program);
	strvec_push(&plan->cmd.argv, DEMO_PLAYER);
	strvec_push_all(&plan->cmd.argv, &plan->rq->runtime_args);
	for (char *const *p = environ; *p; p++)
		strvec_push(&plan->vars, *p);
	preflight_notes(plan, NULL);
	return preflight_outputs(plan, err);
}

int demo_cmd(const struct options *o, int64_t start_ms)
{
	struct run_request rq = o->run;
	int status;

	rq.runtime = runtime_find("claude-code");
	rq.sandbox = SANDBOX_OFF;
	strvec_init(&rq.runtime_args);
	strvec_pushf(&rq.runtime_args, "%.9g", o->speed);
	status = run_cmd_play(o, &rq, start_ms, demo_fill);
	strvec_release(&rq.runtime_args);
	return status;
}

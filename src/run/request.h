#ifndef AGENTRUN_RUN_REQUEST_H
#define AGENTRUN_RUN_REQUEST_H

#include "base/strvec.h"
#include "runtime/runtime.h"

#include <stdbool.h>
#include <stdint.h>

/* request: what the caller of a run asks for, as the command line gave it
 * (interface 1). Nothing is resolved here; run/preflight does that. All strings
 * are borrowed from argv. */
enum sandbox_mode {
	SANDBOX_ON,    /* no sandbox, no run */
	SANDBOX_RELAX, /* without one when it cannot start */
	SANDBOX_OFF,
	SANDBOX_NATIVE /* the runtime's own */
};

struct run_request {
	const struct runtime_ops *runtime;
	struct strvec runtime_args; /* behind "--" */

	const char *cwd; /* NULL: the current directory */
	const char *prompt;
	const char *prompt_file; /* both NULL: stdin */
	const char *model;
	const char *effort;
	struct strvec images;

	int64_t max_turns;  /* 0: none */
	int64_t max_tokens; /* 0: none */
	double max_usd;     /* 0: none */
	const char *max_usd_text;
	int64_t timeout_ms;       /* 0: none */
	const char *timeout_text; /* as written */

	enum sandbox_mode sandbox;
	enum runtime_network network;
	struct strvec allow_host;
	struct strvec deny_read;
	struct strvec allow_read;

	/* --env and --env-file in the order of the command line: "e" before
	 * KEY[=VALUE], "f" before a file's name. */
	struct strvec env;
	bool inherit_env;
	struct strvec path; /* --path: in front of PATH */

	bool no_subagents;
	const char *session_dir;
	const char *resume;

	const char *raw;
	const char *save;
	bool debug;
	bool dry_run;
};

void run_request_init(struct run_request *rq);
void run_request_release(struct run_request *rq);

#endif

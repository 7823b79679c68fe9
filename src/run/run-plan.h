#ifndef AGENTRUN_RUN_RUN_PLAN_H
#define AGENTRUN_RUN_RUN_PLAN_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/private.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "run/environ.h"
#include "run/image.h"
#include "run/network.h"
#include "run/request.h"
#include "run/session.h"
#include "run/state.h"
#include "runtime/runtime.h"
#include "sandbox/sandbox.h"

/* run-plan: everything a run is made from; run/preflight fills it. */
struct run_plan {
	const struct run_request *rq;
	const struct runtime_ops *rt;
	const struct clock *clock;
	int64_t start_ms; /* monotonic: the command line was parsed */

	char *cwd; /* real, absolute */
	struct strbuf prompt;
	struct environ_made env; /* before the command adds to it */
	struct strbuf found;     /* the executable as PATH gave it */
	char *program;           /* its real path */
	struct strvec path_dirs;
	struct strvec deny_read; /* empty without a sandbox of ours */
	struct image_list images;
	struct session_dir session_dir;
	struct state state;
	struct private_dir tmp; /* for small files */
	struct strbuf resume_file;
	struct token_counts baseline;

	int save_fd; /* of --save and --raw; -1: none */
	int raw_fd;

	/* What follows from the box; made anew when --sandbox relax goes on
	 * without one. */
	enum runtime_box box;
	const struct sandbox_ops *sandbox;
	struct runtime_command cmd;
	struct network_plan network;
	struct strvec vars;         /* the whole environment of the runtime */
	struct strvec notes;        /* texts of the [note] lines */
	struct strvec sandbox_argv; /* --dry-run: the sandbox's command */
};

void run_plan_init(struct run_plan *plan, const struct run_request *rq,
	const struct clock *clock, int64_t start_ms);

/* Forgets what follows from the box. */
void run_plan_clear_command(struct run_plan *plan);

/* Removes the temporary folders (with --debug only that of the credentials):
 * the run is over, whatever becomes of its output. */
void run_plan_clean(struct run_plan *plan);

/* The same, and frees. */
void run_plan_release(struct run_plan *plan);

/* What the sandbox is started from; borrows from PLAN. */
void run_plan_spec(const struct run_plan *plan, struct sandbox_spec *spec);

/* start.sandbox and start.network.enforced. */
const char *run_plan_sandbox_name(const struct run_plan *plan);
bool run_plan_enforced(const struct run_plan *plan);

/* The start event. Strings that are not UTF-8 are repaired in A; the lists are
 * there, too. */
void run_plan_start_event(const struct run_plan *plan, struct arena *a,
	struct event_start *start);

/* What --dry-run prints: the command, PATH, the names of the variables set and
 * removed; no value but PATH's, and the prompt as its length. */
void run_plan_describe(
	const struct run_plan *plan, char *const *caller, struct strbuf *out);

#endif

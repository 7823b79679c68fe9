#ifndef AGENTRUN_RUNTIME_DSH_JOBS_H
#define AGENTRUN_RUNTIME_DSH_JOBS_H

#include "base/json.h"
#include "base/strset.h"
#include "event/record.h"

/* dsh-jobs: the background jobs of dsh whose end has not been seen.
 *
 * No line of its own tells that a job begins or ends. A call with
 * run_in_background begins one, and its result ends with the job's id;
 * job_output and job_kill tell how it is; and the end of one while the agent is
 * idle opens another turn. (Seen in dsh 0.1.0-rc.8. While the agent is busy the
 * notice goes to the model alone.) */
struct dsh_jobs {
	struct strmap calls; /* under way, and about a job: struct dsh_call */
	struct strset open;  /* by job id */
};

void dsh_jobs_init(struct dsh_jobs *jobs);
void dsh_jobs_release(struct dsh_jobs *jobs);

/* Call ID of TOOL, whose INPUT may be NULL. */
void dsh_jobs_call(struct dsh_jobs *jobs, struct str id, struct str tool,
	const struct json *input);

/* Its result; TEXT may be null. COMPLETED: it is no error. */
void dsh_jobs_result(
	struct dsh_jobs *jobs, struct str id, bool completed, struct str text);

/* A turn begins. */
void dsh_jobs_turn(struct dsh_jobs *jobs);

/* The output is over: one RECORD_TASK for each that is open. */
void dsh_jobs_finish(const struct dsh_jobs *jobs, const struct record_out *out);

#endif

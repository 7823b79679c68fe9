#include "config.h"

#include "runtime/dsh-jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum dsh_call_kind {
	DSH_CALL_STARTS,
	DSH_CALL_READS,
	DSH_CALL_KILLS
};

struct dsh_call {
	enum dsh_call_kind kind;
	struct str id;  /* both strings stand behind the struct */
	struct str job; /* DSH_CALL_READS, _KILLS */
};

void dsh_jobs_init(struct dsh_jobs *jobs)
{
	strmap_init(&jobs->calls);
	strset_init(&jobs->open);
}

void dsh_jobs_release(struct dsh_jobs *jobs)
{
	for (size_t i = 0; i < jobs->calls.cap; i++)
		free(jobs->calls.slots[i].value);
	strmap_release(&jobs->calls);
	strset_release(&jobs->open);
}

void dsh_jobs_call(struct dsh_jobs *jobs, struct str id, struct str tool,
	const struct json *input)
{
	struct str job = json_str(input, "job_id");
	struct dsh_call *c;
	enum dsh_call_kind kind;

	if (json_is_true(input, "run_in_background"))
		kind = DSH_CALL_STARTS;
	else if (job.ptr && str_is(tool, "job_output"))
		kind = DSH_CALL_READS;
	else if (job.ptr && str_is(tool, "job_kill"))
		kind = DSH_CALL_KILLS;
	else
		return;
	if (strmap_get(&jobs->calls, id))
		return;
	c = xmalloc(sizeof(*c) + id.len + job.len);
	c->kind = kind;
	c->id = (struct str){(char *)(c + 1), id.len};
	c->job = (struct str){c->id.ptr + id.len, job.len};
	memcpy((char *)c->id.ptr, id.ptr, id.len);
	if (job.len)
		memcpy((char *)c->job.ptr, job.ptr, job.len);
	strmap_put(&jobs->calls, c->id, c);
}

/* "started background job bash-1", "started background subagent job
 * subagent-1"; the call's own id stands for a job that is told otherwise. */
static struct str job_id(const struct dsh_call *c, struct str text)
{
	size_t at = text.len;

	while (at > 0 && text.ptr[at - 1] > ' ')
		at--;
	if (!str_starts(text, "started background ") || at == text.len)
		return c->id;
	return (struct str){text.ptr + at, text.len - at};
}

/* The last line of job_output: "[status: completed, exit code 0]". */
static bool is_over(struct str text)
{
	static const char *const ends[] = {
		"[status: completed", "[status: failed", "[status: killed"};
	size_t at = text.len;

	while (at > 0 && text.ptr[at - 1] != '\n')
		at--;
	for (size_t i = 0; text.ptr && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (str_starts((struct str){text.ptr + at, text.len - at},
			    ends[i]))
			return true;
	return false;
}

void dsh_jobs_result(
	struct dsh_jobs *jobs, struct str id, bool completed, struct str text)
{
	struct dsh_call *c = strmap_remove(&jobs->calls, id);

	if (!c)
		return;
	switch (c->kind) {
	case DSH_CALL_STARTS:
		if (completed)
			strset_add(&jobs->open, job_id(c, text));
		break;
	case DSH_CALL_READS:
		if (completed && is_over(text))
			strset_remove(&jobs->open, c->job);
		break;
	case DSH_CALL_KILLS:
		if (completed)
			strset_remove(&jobs->open, c->job);
		break;
	}
	free(c);
}

void dsh_jobs_turn(struct dsh_jobs *jobs)
{
	/* Which of them is over is not said; the oldest is as good as any. */
	if (jobs->open.first)
		strset_remove(&jobs->open, jobs->open.first->s);
}

void dsh_jobs_finish(const struct dsh_jobs *jobs, const struct record_out *out)
{
	const struct record r = {.kind = RECORD_TASK};

	for (struct strset_item *it = jobs->open.first; it; it = it->next)
		record_put(out, &r);
}

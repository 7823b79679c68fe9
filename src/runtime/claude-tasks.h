#ifndef AGENTRUN_RUNTIME_CLAUDE_TASKS_H
#define AGENTRUN_RUNTIME_CLAUDE_TASKS_H

#include "base/json.h"
#include "base/strmap.h"
#include "event/record.h"

#include <stdbool.h>

/* claude-tasks: the background tasks of claude-code that have not ended
 * (runtime page: claude-code 6): commands, subagents and workflows.
 *
 * A task starts with task_started and ends with task_notification, or with
 * a task_updated that says so. Its id may come again in another run of it (a
 * subagent that is sent a message). Besides, background_tasks_changed lists
 * all that run in the background. Every line costs the same, however many
 * tasks there are. */
struct claude_task;

struct claude_tasks {
	struct strmap by_id;      /* struct claude_task */
	struct strmap runs;       /* struct claude_run, by task and run */
	struct claude_task *list; /* those of the newest list */
	size_t listed;            /* of these, not over yet */
	size_t nameless;          /* entries of that list without an id */
	struct strbuf key;
};

void claude_tasks_init(struct claude_tasks *ts);
void claude_tasks_release(struct claude_tasks *ts);

/* A task_started line; one for a run that is known is ignored. */
void claude_tasks_start(struct claude_tasks *ts, const struct json *line);

/* A task_notification, or a task_updated that ends the run it names; without a
 * run all runs of the task. */
void claude_tasks_over(struct claude_tasks *ts, const struct json *line);
void claude_tasks_updated(struct claude_tasks *ts, const struct json *line);

/* A background_tasks_changed. */
void claude_tasks_list(struct claude_tasks *ts, const struct json *line);

/* Nothing runs, by what was started and by the newest list. */
bool claude_tasks_idle(const struct claude_tasks *ts);

/* The output is over: one RECORD_TASK for each that runs. */
void claude_tasks_finish(
	const struct claude_tasks *ts, const struct record_out *out);

#endif

#ifndef AGENTRUN_RUNTIME_CLAUDE_AGENTS_H
#define AGENTRUN_RUNTIME_CLAUDE_AGENTS_H

#include "base/json.h"
#include "base/strmap.h"
#include "event/record.h"
#include "runtime/claude-usage.h"

/* claude-agents: the calls of claude-code's Agent tool (runtime page:
 * claude-code 6; decisions 10, 11, 32).
 *
 * Such a call is held back until something proves that a subagent started; one
 * that fails or is refused before that is an ordinary tool call. A subagent
 * ends with its task_notification or its tool result, whichever comes first. */
struct claude_agent;

struct claude_agents {
	struct claude_agent *first; /* all calls, in order */
	struct claude_agent **last;
	struct strmap by_id;
	struct claude_calls *calls; /* borrowed */
};

/* What a tool result says. */
struct claude_outcome {
	bool launched; /* in the background: this is not the end */
	bool denied;
	bool is_error;
};

/* The end of the ordinary tool call ID. */
void claude_put_tool_end(struct str id, const struct claude_outcome *oc,
	const struct record_out *out);

/* CALLS: the model calls; those of a subagent are closed when it ends. */
void claude_agents_init(struct claude_agents *as, struct claude_calls *calls);
void claude_agents_release(struct claude_agents *as);

/* A call was made. TOOL: the record that an ordinary call would give; INPUT:
 * what the subagent is to do. A repeated id is ignored. */
void claude_agents_hold(struct claude_agents *as, const struct record *tool,
	const struct json *input);

/* A line proves that the subagent ID (if it is one) runs. BACKGROUND: its tool
 * result will be the launch only. */
void claude_agents_start(struct claude_agents *as, struct str id,
	bool background, const struct record_out *out);

/* A task_notification for ID. */
void claude_agents_over(struct claude_agents *as, struct str id, bool failed,
	const struct record_out *out);

/* The tool result of ID. Returns false when ID is no call of Agent. */
bool claude_agents_result(struct claude_agents *as, struct str id,
	const struct claude_outcome *oc, const struct record_out *out);

/* The output is over: calls that are still held back. */
void claude_agents_finish(
	struct claude_agents *as, const struct record_out *out);

#endif

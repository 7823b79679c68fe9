#ifndef AGENTRUN_UI_AGENTS_H
#define AGENTRUN_UI_AGENTS_H

#include "base/strmap.h"
#include "event/event.h"

#include <stdbool.h>
#include <stdint.h>

/* agents: every agent of a run, for ever, and the tool calls under way.
 *
 * Index 0 is the main agent, then the subagents in order of their start. A
 * parent's index is always smaller than its child's, so that nothing a stream
 * says can make a cycle. Strings are cleaned for display. */
enum agent_state {
	AGENT_RUNNING,
	AGENT_FINISHED,
	AGENT_FAILED
};

#define AGENT_MAIN 0

struct agent {
	char *id; /* owned; NULL for the main agent */
	size_t id_len;
	char *label;       /* owned: "explore#1" */
	char *description; /* owned */
	uint32_t parent;
	uint32_t depth; /* main 0, its subagents 1 */
	enum agent_state state;
	int64_t start_ms;         /* of its start event */
	int64_t duration_ms;      /* once it ended */
	int64_t context;          /* newest context_tokens, or COUNT_UNKNOWN */
	struct token_counts used; /* its own usage events */
	struct call *call;        /* the newest one under way, or NULL */
	struct raw_ref first;     /* sources of its start and end */
	struct raw_ref last;
};

/* A tool call between tool_start and tool. */
struct call {
	struct str id; /* behind the struct */
	char *summary; /* owned */
	uint32_t agent;
	int64_t start_ms;
	struct raw_ref source;
	struct call *older; /* of the same agent */
	struct call *newer;
};

struct agents {
	struct agent *v;
	size_t count;
	size_t cap;
	struct strmap by_id; /* index + 1 as the object */
	size_t running;      /* subagents */
	size_t ended;
	size_t failed; /* of the ended ones */
	struct strmap calls;
};

void agents_init(struct agents *a);
void agents_release(struct agents *a);

/* The agent of an event's parent; one that never started is the main agent. */
uint32_t agents_find(const struct agents *a, struct str id);

/* A new subagent; LABEL is copied. Returns its index; an id that is there
 * already keeps its agent. */
uint32_t agents_start(struct agents *a, const struct event_subagent_start *s,
	struct str label, int64_t time_ms);

/* Ends it. Returns its index, AGENT_MAIN when ID is unknown or has ended. */
uint32_t agents_end(struct agents *a, const struct event_subagent_end *e);

void agents_call_start(struct agents *a, const struct event *ev);

/* Returns when the call began, or TIME_MS when that was not seen; else *FIRST
 * is set to the source of its start. */
int64_t agents_call_end(struct agents *a, struct str id, int64_t time_ms,
	struct raw_ref *first);

/* What the agent is doing: the summary of its newest call; "" if none. */
const char *agents_tool(const struct agents *a, uint32_t agent);

/* The usage of AGENT and all below it. */
struct token_counts agents_used(const struct agents *a, uint32_t agent);

#endif

#ifndef AGENTRUN_EVENT_RECORD_H
#define AGENTRUN_EVENT_RECORD_H

#include "event/event.h"

/* record: what an adapter says about one raw line. The aggregator turns records
 * into events: it knows parents, numbers, sums and what is still open. Strings
 * are borrowed for the call. An adapter never invents an id or a parent. */
enum record_kind {
	RECORD_PROMPT,         /* text: the runtime's echo */
	RECORD_TEXT,           /* parent, text; blank ones are dropped */
	RECORD_TOOL_START,     /* id, parent, name, summary */
	RECORD_TOOL_END,       /* id, denied, error; unknown ids are ignored */
	RECORD_CALL_START,     /* parent, id (of the model call) or null: then
				  one call at a time for each parent */
	RECORD_CALL_USAGE,     /* parent, id, counts so far (replaces) */
	RECORD_USAGE,          /* parent, id or null, model, counts: final */
	RECORD_SUBAGENT_START, /* id, parent, kind, model, description */
	RECORD_SUBAGENT_END,   /* id, failed */
	RECORD_SESSION,        /* id: candidate for end.session_id */
	RECORD_TOTALS,         /* totals: the runtime's own sums; adds */
	RECORD_RESULT,         /* text: the runtime's own final answer (dsh) */
	RECORD_REFUSED,        /* id of a call that was not allowed, or null */
	RECORD_TASK,           /* id of the call or subagent that a background
				  task belongs to, or null: it has not ended.
				  Put when the output is over */
	RECORD_NETWORK         /* host, port, allowed, reason (the proxy) */
};

/* Whether records of KIND give events; the others only numbers and words for
 * later. */
static inline bool record_gives_event(enum record_kind kind)
{
	switch (kind) {
	case RECORD_CALL_START:
	case RECORD_CALL_USAGE:
	case RECORD_SESSION:
	case RECORD_TOTALS:
	case RECORD_RESULT:
	case RECORD_REFUSED:
	case RECORD_TASK:
		return false;
	case RECORD_PROMPT:
	case RECORD_TEXT:
	case RECORD_TOOL_START:
	case RECORD_TOOL_END:
	case RECORD_USAGE:
	case RECORD_SUBAGENT_START:
	case RECORD_SUBAGENT_END:
	case RECORD_NETWORK:
		break;
	}
	return true;
}

struct record {
	enum record_kind kind;
	struct str id;
	struct str parent; /* null: main agent, or see foreign */
	bool foreign;      /* RECORD_TEXT: the line named a parent that is no
			      subagent here (decisions 31): parent null, but
			      no candidate for end.result */
	struct str name;
	struct str summary;
	struct str text;
	struct str model;
	struct str agent_kind;
	struct str description;
	bool denied;
	bool failed;
	enum tri error;
	struct token_counts counts;
	const struct usage *totals;
	bool adds; /* the totals are more of them, else they replace */
	struct str host;
	int64_t port;
	bool allowed;
	struct str reason;
};

/* Where an adapter puts its records. */
typedef void record_fn(void *arg, const struct record *r);

struct record_out {
	record_fn *fn;
	void *arg;
};

static inline void record_put(
	const struct record_out *out, const struct record *r)
{
	out->fn(out->arg, r);
}

#endif

#ifndef AGENTRUN_RUNTIME_CLAUDE_USAGE_H
#define AGENTRUN_RUNTIME_CLAUDE_USAGE_H

#include "base/json.h"
#include "base/strmap.h"
#include "event/record.h"

/* claude-usage: one usage record for each model call of claude-code (runtime
 * page: claude-code 3; decisions 9).
 *
 * A call is known by its parent, as the lines name it, and the message id. An
 * agent makes one call at a time, so each parent has at most one open call. A
 * call that comes up again after its usage was given is given again; the
 * aggregator ignores that. */
struct claude_call;

struct claude_calls {
	struct claude_call *first; /* the open ones, in order of their start */
	struct claude_call *last;
	struct claude_call *main; /* that of the main agent, or NULL */
	struct strmap by_parent;  /* those of the others */
};

void claude_calls_init(struct claude_calls *cs);
void claude_calls_release(struct claude_calls *cs);

/* A line of message ID of MODEL (either may be null) with its USAGE object, or
 * NULL. Another open call of PARENT is over with it. STREAM: the line is a
 * message_start, not an assistant line. */
void claude_calls_message(struct claude_calls *cs, struct str parent,
	struct str id, struct str model, const struct json *usage, bool stream,
	const struct record_out *out);

/* A message_delta: its numbers are final and beat those of assistant lines. ID
 * null: the open call of PARENT. */
void claude_calls_delta(struct claude_calls *cs, struct str parent,
	struct str id, const struct json *usage, const struct record_out *out);

/* The open call of PARENT is over; with ID not null only if it is that message.
 */
void claude_calls_close(struct claude_calls *cs, struct str parent,
	struct str id, const struct record_out *out);
void claude_calls_close_all(
	struct claude_calls *cs, const struct record_out *out);

/* The numbers of one entry of modelUsage. */
struct token_counts claude_model_counts(const struct json *entry);

#endif

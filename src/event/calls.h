#ifndef AGENTRUN_EVENT_CALLS_H
#define AGENTRUN_EVENT_CALLS_H

#include "base/strbuf.h"
#include "base/strmap.h"
#include "event/record.h"
#include "event/seen.h"

/* calls: the model calls under way, for the limits (decisions 7), and which
 * calls have had their usage.
 *
 * A call is its parent and its id. A runtime that does not name its calls has
 * one at a time for each parent. The ids of calls that are over are remembered
 * as event/seen.h says. */
struct calls {
	struct strmap open; /* struct call */
	struct seen done;
	int64_t tokens;     /* of all open calls */
	int64_t main_count; /* calls of the main agent that have begun */
	struct strbuf key;
};

void calls_init(struct calls *c);
void calls_release(struct calls *c);

/* RECORD_CALL_START. A call of a parent, known or not, is not the main
 * agent's. */
void calls_start(struct calls *c, const struct record *r);

/* RECORD_CALL_USAGE: its numbers replace the earlier ones of that call. */
void calls_usage(struct calls *c, const struct record *r);

/* RECORD_USAGE: the call is over. Returns false when it was over before. */
bool calls_close(struct calls *c, const struct record *r);

#endif

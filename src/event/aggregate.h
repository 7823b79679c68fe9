#ifndef AGENTRUN_EVENT_AGGREGATE_H
#define AGENTRUN_EVENT_AGGREGATE_H

#include "base/clock.h"
#include "base/strvec.h"
#include "event/record.h"

/* aggregate: records -> events. Gives parents, subagent numbers and sums,
 * completes what is open before `end` (usage, tools, subagents, each in order
 * of their start), counts warnings, and keeps `time` from running back.
 *
 * Tool calls and subagents share one space of ids. What is over and comes again
 * is ignored: of tool calls and model calls as far back as event/seen.h says,
 * of subagents always. The usage of a call counts for the subagents up to 32
 * levels above it. */
struct aggregate;

/* EMIT gets every event. START_MS: monotonic time at which the command line
 * was parsed, for end.duration_ms. */
struct aggregate *aggregate_new(
	const struct clock *clock, int64_t start_ms, event_fn *emit, void *arg);
void aggregate_free(struct aggregate *a);

/* The start event: its fields as given (time is set here). */
void aggregate_start(struct aggregate *a, const struct event_start *start);

/* The prompt of the run. A runtime that does not echo (codex, dsh): called
 * right after start. For the others the echo arrives as RECORD_PROMPT; IMAGES
 * are the caller's paths for that event, set before. */
void aggregate_images(struct aggregate *a, const struct strvec *images);
void aggregate_prompt(struct aggregate *a, struct str text);

/* The line of raw output that the records from now on are made from; events
 * carry it. A zero one: what comes next is made from none. `network` never
 * carries one, `end` that of the last line that gave a record. */
void aggregate_source(struct aggregate *a, struct raw_ref source);

/* Before the start only records that give no event count (calls, session,
 * totals, result); after the end none. */
void aggregate_record(struct aggregate *a, const struct record *r);

/* Limits look at these after each raw line (decisions 7). */
int64_t aggregate_main_calls(const struct aggregate *a); /* begun */
int64_t aggregate_tokens(const struct aggregate *a);     /* incl. open calls */
double aggregate_cost(const struct aggregate *a);        /* NAN: none yet */

/* The session id the runtime named last; null if none. */
struct str aggregate_session(const struct aggregate *a);

/* What the end event needs besides what the aggregator knows. */
struct aggregate_end {
	enum end_status status;
	int64_t exit_code; /* or EXIT_CODE_NULL */
	struct str detail;
	struct str session_id;         /* null unless saved */
	const struct strvec *warnings; /* further ones, after our own */
	bool cost_expected; /* claude-code, pi: cost_unknown is a warning */
	bool session_lost;  /* asked for and not saved */
	bool last_line_cut;
	uint64_t lines_skipped;
};

/* Completes what is open and emits `end`. Exactly once; without a start before
 * it only the end event is given (rejected). Warnings stand in this order:
 * empty_run, subagents_unfinished, tools_unfinished, tasks_unfinished, denied,
 * those of END->warnings, last_line_cut, lines_skipped, cost_unknown,
 * session_not_saved. */
void aggregate_end(struct aggregate *a, const struct aggregate_end *end);

#endif

#ifndef AGENTRUN_VIEW_CONVERT_H
#define AGENTRUN_VIEW_CONVERT_H

#include "base/clock.h"
#include "event/event.h"
#include "runtime/runtime.h"

/* convert: a runtime's raw output as events, without the run (interface 8).
 *
 * Adapter and aggregator are those of a run. The `start` says what is known:
 * the runtime, no sandbox (with the note of --sandbox off, as any stream
 * without a sandbox has it), network full and not enforced, empty lists. Its
 * cwd is the first one that the raw stream names, so it is kept back until that
 * line, or the first event, or the end of the input.
 *
 * Before the first line that is one of the runtime (runtime_has_line) nothing
 * is given: what another program has written is not judged. */
struct convert;

/* CWD: for a stream that names none. EMIT gets the events. All borrowed. */
struct convert *convert_new(const struct runtime_ops *from, const char *cwd,
	const struct clock *clock, event_fn *emit, void *arg);
void convert_free(struct convert *c);

/* One raw line, which stands at OFFSET of its stream. What is no JSON is passed
 * over. */
void convert_line(
	struct convert *c, uint64_t offset, const char *line, size_t len);

/* The input is over: completes what is open and gives `end`, judged by the
 * stream alone. False, and nothing is given, when no line was one of FROM.
 * LINES_SKIPPED: lines over the length limit. UNFINISHED: the last line had no
 * end. */
bool convert_finish(struct convert *c, uint64_t lines_skipped, bool unfinished);

#endif

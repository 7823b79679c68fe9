#ifndef AGENTRUN_TESTS_FUZZ_STREAM_H
#define AGENTRUN_TESTS_FUZZ_STREAM_H

/* fuzz-stream: the rules of the event stream (spec: unified events), checked on
 * every event as the sinks get it.
 *
 * The stream: `start` first, one `end`, last; a prompt at most once; the time
 * never runs back; each call and subagent begins and ends once, with the same
 * fields; a parent is a subagent that has begun; subagents are numbered from 1;
 * `end` has the sums. Each line: valid UTF-8, the fields of its type in their
 * order, read back the same. The text format: the same from the event and from
 * its line; cleaned, nothing in it acts on a terminal. */
#include "base/arena.h"
#include "base/strmap.h"
#include "event/event.h"
#include "output/textfmt.h"

struct fuzz_stream {
	struct arena arena;  /* what is remembered */
	struct arena second; /* the present line */
	struct strmap calls; /* struct fuzz_call, calls and subagents */
	size_t open_tools;
	size_t open_agents;
	int64_t agents;
	int64_t time_ms;
	struct usage usage; /* of the usage events */
	bool has_totals;    /* set by the caller: `end` has other sums */
	bool started;
	bool prompted;
	bool ended;
	struct textfmt *plain; /* from the events */
	struct textfmt *clean;
	struct textfmt *again; /* from their lines */
	struct strbuf line;
	struct strbuf text;
	struct strbuf other;
	struct strbuf all; /* all lines */
};

void fuzz_stream_init(struct fuzz_stream *s);
void fuzz_stream_release(struct fuzz_stream *s);

/* An event_fn; ARG is the struct. */
void fuzz_stream_event(void *arg, const struct event *ev);

/* A line of the stream has the fields of its type in their order. */
void fuzz_check_order(const struct json *line);

#endif

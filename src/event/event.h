#ifndef AGENTRUN_EVENT_EVENT_H
#define AGENTRUN_EVENT_EVENT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "event/usage.h"

/* event: one event of the unified stream (spec: 统一事件流), built once; every
 * sink gets the same const pointer. All strings are borrowed until the sink
 * returns, and valid UTF-8. */
#define EVENT_SCHEMA 1

enum event_kind {
	EVENT_START,
	EVENT_PROMPT,
	EVENT_TOOL_START,
	EVENT_TOOL,
	EVENT_TEXT,
	EVENT_USAGE,
	EVENT_SUBAGENT_START,
	EVENT_SUBAGENT_END,
	EVENT_NETWORK,
	EVENT_END,
	EVENT_UNKNOWN /* only from a saved stream: a type of a later version */
};

/* Where the line stands that something was made from: bytes before it in its
 * stream, and its length. len 0: nowhere. */
struct raw_ref {
	uint64_t offset;
	uint32_t len;
};

enum tri {
	TRI_NULL = -1,
	TRI_FALSE = 0,
	TRI_TRUE = 1
};

struct str_list {
	const struct str *v;
	size_t count;
};

/* Rows of the status table; event/status.h has words and exit statuses. */
enum end_status {
	END_FINISHED,
	END_FAILED,
	END_INTERRUPTED,
	END_TIMEOUT,
	END_LIMIT,
	END_REJECTED
};

#define EXIT_CODE_NULL (-1)

struct event_start {
	struct str runtime;
	struct str sandbox;
	struct str network_mode;
	struct str_list network_allow;
	bool network_enforced;
	struct str_list deny_read;
	struct str model;
	struct str cwd;
	struct str_list argv;
	struct str_list env;
	struct str_list notes; /* texts without "[note] " */
	bool has_notes;        /* false: a saved stream without the field */
};

struct event_prompt {
	struct str text;
	struct str_list images;
};

struct event_tool { /* tool_start uses all but denied and error */
	struct str id;
	struct str parent;
	struct str name;
	struct str summary;
	bool denied;
	enum tri error;
};

struct event_text {
	struct str parent;
	struct str text;
};

struct event_usage {
	struct str parent;
	struct str model;
	struct token_counts counts;
	int64_t context_tokens; /* or COUNT_UNKNOWN */
};

struct event_subagent_start {
	struct str id;
	struct str parent;
	int64_t number; /* from 1 */
	struct str kind;
	struct str model;
	struct str description;
};

struct event_subagent_end {
	struct str id;
	bool failed;
	int64_t duration_ms;
	const struct usage *usage;
};

struct event_network {
	struct str host;
	int64_t port;
	bool allowed;
	struct str reason; /* null when allowed */
};

struct event_end {
	enum end_status status;
	int64_t exit_code; /* or EXIT_CODE_NULL */
	struct str detail;
	int64_t duration_ms;
	const struct usage *usage;
	struct str result;
	struct str session_id;
	struct str_list warnings;
};

struct event {
	enum event_kind kind;
	int64_t time_ms; /* wall clock; never smaller than the one before */
	struct str raw;  /* a saved line, byte for byte, else null */
	/* The line it was made from: of the runtime's output, or its own one
	 * in a saved stream. Never written. */
	struct raw_ref source;
	union {
		struct event_start start;
		struct event_prompt prompt;
		struct event_tool tool; /* EVENT_TOOL_START and EVENT_TOOL */
		struct event_text text;
		struct event_usage usage;
		struct event_subagent_start subagent_start;
		struct event_subagent_end subagent_end;
		struct event_network network;
		struct event_end end;
	} u;
};

typedef void event_fn(void *arg, const struct event *ev);

/* The word of the `type` field ("tool_start"); "" for EVENT_UNKNOWN. */
const char *event_type(enum event_kind kind);

/* Appends the event as one line of JSON with its '\n'; a raw line as it is. */
void event_write(struct strbuf *out, const struct event *ev);

/* Reads one line of a saved stream. Memory (strings, lists, usage) comes from
 * A; the line must live as long. Returns 0; -1 with ERR when it is no event:
 * not a JSON object, no `type`, another schema (said so), or a known type with
 * a field that is missing or of the wrong type. Unknown types give
 * EVENT_UNKNOWN; unknown fields are ignored; fields that came later (notes,
 * warnings) may be absent, and so may time and duration_ms (0 then): streams
 * that are compared are stored without them. Numbers out of range saturate.
 * EV's raw is the line, so that event_write passes it on byte for byte. */
int event_read(struct event *ev, struct arena *a, const char *line, size_t len,
	struct err *err);

#endif

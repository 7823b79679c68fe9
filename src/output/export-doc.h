#ifndef AGENTRUN_OUTPUT_EXPORT_DOC_H
#define AGENTRUN_OUTPUT_EXPORT_DOC_H

#include "base/arena.h"
#include "base/strmap.h"
#include "event/detail.h"
#include "event/event.h"
#include "output/export.h"

/* export-doc: what a document shows of a stream, shared by the writers of
 * export-html.c and export-md.c. Everything lives in the arena of its run. */

/* Agents nested deeper stand beside each other: no reader and no browser can
 * follow further. */
#define DOC_DEPTH_MAX 12

enum doc_item_kind {
	DOC_TEXT,
	DOC_TOOL,
	DOC_AGENT
};

enum doc_tool_state {
	DOC_TOOL_OPEN, /* no result in the stream */
	DOC_TOOL_OK,
	DOC_TOOL_DENIED,
	DOC_TOOL_ERROR
};

struct doc_item {
	enum doc_item_kind kind;
	int64_t time_ms;
	struct str id;   /* of a tool call */
	struct str name; /* of its tool */
	struct raw_ref first;
	struct raw_ref last;
	struct str text; /* or the summary of a tool call */
	enum doc_tool_state state;
	struct doc_agent *agent;
	struct doc_item *next;
};

/* The main agent is one, too: without id and label. */
struct doc_agent {
	struct str id;
	struct str label;
	struct str model; /* the newest known, else null */
	struct str description;
	struct doc_agent *host; /* in whose items it stands */
	int depth;              /* 0: main */
	size_t index;           /* of all subagents, from 1: its anchor */
	int64_t start_ms;
	int64_t duration_ms;
	bool ended;
	bool failed;
	struct raw_ref first_line;
	struct raw_ref last_line;
	struct token_counts counts;
	size_t tools;
	size_t denied;
	size_t errors;
	struct doc_item *first;
	struct doc_item *last;
	struct doc_agent *next; /* in the order of their starts */
};

struct doc_host {
	struct str host;
	int64_t port;
	bool allowed;
	struct str reason;
	struct doc_host *next;
};

struct doc_run {
	struct arena arena;
	bool has_start;
	int64_t first_ms; /* time of the first event */
	int64_t last_ms;
	struct str runtime;
	struct str sandbox;
	struct str network;
	struct str model;
	struct str cwd;
	struct str_list notes;
	bool has_prompt;
	struct str prompt;
	struct str_list images;
	struct doc_agent main;
	struct doc_agent *agents;
	struct doc_agent *agents_last;
	size_t agent_count;
	struct doc_host *hosts;
	struct doc_host *hosts_last;
	bool has_end;
	struct event_end end; /* strings copied; usage in the arena */
	struct strmap by_id;  /* agents */
	struct strmap open;   /* tool calls without a result */
	size_t index;         /* from 1, for the anchors */
	struct doc_run *next;
};

struct doc {
	struct sink sink;
	struct doc_run *first;
	struct doc_run *last;
	uint64_t bad_lines;
};

/* The document as it is written. */
struct doc_out {
	struct strbuf sb;
	export_fn *fn;
	void *arg;
	int failed;
	struct detail *detail; /* or NULL */
	size_t detail_left;    /* bytes that details may still take */
};

/* Hands on what was built so far, when it is much or FORCE. */
void doc_flush(struct doc_out *o, bool force);

/* Appends S with its controls visible and CR LF, CR as LF; ONE_LINE writes a
 * line break as a blank. No markup is escaped. */
void doc_clean(struct strbuf *out, struct str s, bool one_line);

/* The first line that is not blank, cut to a heading; NAME if there is none. */
void doc_title(struct strbuf *out, const struct doc_run *run, const char *name);

/* "finished", ..., or "no end event". */
const char *doc_status(const struct doc_run *run);
const char *doc_agent_status(const struct doc_agent *agent);

/* 14120 as "14,120", unknown as an en dash; dollars as "$0.0437". */
void doc_number(struct strbuf *out, int64_t n);
void doc_cost(struct strbuf *out, double usd);

/* Facts of a tool call worth a mark: "denied", "error", "no result", or NULL.
 */
const char *doc_tool_mark(enum doc_tool_state state);

/* Outside text as HTML, as it is, rendered Markdown and coloured lines; and in
 * Markdown as a code span and as a fenced block whose language is LANG. */
void doc_html_text(struct strbuf *out, struct str s, bool one_line);
void doc_html_markdown(struct strbuf *out, struct str text);
void doc_html_diff(struct strbuf *out, struct str lines);
void doc_md_span(struct strbuf *out, struct str s, bool in_table);
void doc_md_fence(struct strbuf *out, struct str s, const char *lang);

/* Details (export-detail.c): a part shows at most DOC_PART_MAX bytes and all of
 * a document DOC_DETAIL_MAX; what is left out is said. */
#define DOC_PART_MAX ((size_t)64 << 10)
#define DOC_DETAIL_MAX ((size_t)32 << 20)

/* The content of a tool call or an agent into C (initialised). False: none is
 * wanted. */
bool doc_detail_tool(
	struct doc_out *o, const struct doc_item *item, struct content *c);
bool doc_detail_agent(
	struct doc_out *o, const struct doc_agent *agent, struct content *c);

/* Its input, or its result. */
void doc_detail_md(struct doc_out *o, const struct content *c, bool result);
void doc_detail_html(struct doc_out *o, const struct content *c, bool result);

void doc_write_html(struct doc_out *o, const struct doc *doc, const char *name);
void doc_write_md(struct doc_out *o, const struct doc *doc, const char *name);

#endif

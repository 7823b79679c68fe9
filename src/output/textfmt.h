#ifndef AGENTRUN_OUTPUT_TEXTFMT_H
#define AGENTRUN_OUTPUT_TEXTFMT_H

#include "base/strbuf.h"
#include "event/event.h"

/* textfmt: the lines of the text format (spec: text 格式; interface 5), shared
 * by the text sink, the UI and export. Keeps what a stream's lines need: labels
 * and models of the agents, the last text of the main agent. */
struct textfmt;

#define TEXT_PREVIEW_LINES 3

/* CLEAN as in text_new. */
struct textfmt *textfmt_new(bool clean);
void textfmt_free(struct textfmt *t);

/* Appends the complete lines of EV ('\n'-ended; nothing for events that are not
 * shown) and takes note of what later lines need. */
void textfmt_event(
	struct textfmt *t, const struct event *ev, struct strbuf *out);

/* "main" for null, else "explore#1"; "?" for an id never started. Borrowed
 * until the next textfmt_event. */
struct str textfmt_label(const struct textfmt *t, struct str id);

/* The model shown for an agent: its newest usage, else that of its start; null
 * if unknown. */
struct str textfmt_model(const struct textfmt *t, struct str id);

/* Pieces. LABEL text: "[label] text FIRST" and up to MAX_LINES - 1 more lines
 * that are not blank, indented, then "    … (+N lines)"; MAX_LINES 0: all,
 * without a cut. */
void textfmt_text(struct strbuf *out, struct str label, struct str text,
	size_t max_lines);
void textfmt_tokens(struct strbuf *out, int64_t n);    /* 912 -> 0.9k */
void textfmt_duration(struct strbuf *out, int64_t ms); /* 12.4s */
/* "  in X  out Y  cached N%", each with two blanks before it; WITH_OUT false
 * leaves `out` away (status bar). */
void textfmt_usage(
	struct strbuf *out, const struct token_counts *c, bool with_out);
/* The lower-case label of a subagent: "general-purpose#2". */
void textfmt_make_label(struct strbuf *out, struct str kind, int64_t number);

#endif

#ifndef AGENTRUN_RUNTIME_SUMMARY_H
#define AGENTRUN_RUNTIME_SUMMARY_H

#include "base/strbuf.h"

#include <stdbool.h>

#define SUMMARY_MAX 120 /* code points (spec: ToolEvent.summary) */

/* summary: "PREFIX: ARGUMENT" on one line (decisions 1, interface 5): the first
 * line of ARG that is not blank, trimmed, other control characters to one
 * blank, cut at a grapheme cluster to 119 code points and "…" when longer.
 * ARG null or blank: PREFIX alone. OUT is reset first. */
void summary_make(struct strbuf *out, const char *prefix, struct str arg);

/* Only the line: the first of ARG that is not blank, cleaned the same way but
 * not cut; empty when there is none. OUT is reset first. */
void summary_line(struct strbuf *out, struct str arg);

/* summary_line, cut like a summary. */
void summary_short(struct strbuf *out, struct str arg);

/* summary_make for an argument that is a path: inside CWD it is shown relative
 * to it (CWD itself as "."). */
void summary_path(struct strbuf *out, const char *prefix, struct str path,
	struct str cwd);

/* PATH relative to CWD when it lies inside, else PATH. */
struct str summary_relative(struct str path, struct str cwd);

/* The summary of a call of tool NAME, which is its prefix. */
void summary_tool(struct strbuf *out, struct str name, struct str arg,
	bool is_path, struct str cwd);

#endif

#ifndef AGENTRUN_RUNTIME_CLAUDE_TOOL_H
#define AGENTRUN_RUNTIME_CLAUDE_TOOL_H

#include "base/json.h"
#include "base/strbuf.h"

/* claude-tool: the summary of a call of claude-code's tool NAME with INPUT
 * (runtime page: claude-code 4). A tool that is not known shows the first of
 * the usual fields that holds a text. OUT is reset first. */
void claude_tool_summary(struct strbuf *out, const char *name,
	const struct json *input, struct str cwd);

#endif

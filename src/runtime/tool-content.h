#ifndef AGENTRUN_RUNTIME_TOOL_CONTENT_H
#define AGENTRUN_RUNTIME_TOOL_CONTENT_H

#include "event/content.h"

/* tool-content: what the runtimes' tools have in common: an input is an object
 * with well-known members, a result a text or a list of blocks as MCP has them
 * (text, image, ...). What is not known is shown as JSON, never dropped. */

/* The input of a call: command, path, the change that is asked for (unless the
 * result says what was changed: HAS_DIFF), the contents to be written, long
 * texts, and everything else as one object. A string (JSON that the model got
 * wrong) stands as it is. */
void tool_input(struct content *c, const struct json *input, bool has_diff);

/* The path that INPUT names, or null. */
struct str tool_path(const struct json *input);

/* What kind of text a result of tool NAME is: PART_OUTPUT of those that run
 * commands, PART_FILE of those that read, else PART_PLAIN. */
enum part_kind tool_result_kind(struct str name);

/* A result: a string, an array of blocks, or another tree. KIND is that of its
 * texts; with PART_FILE they are of PATH from line FIRST on; FIRST 0: each line
 * may begin with its number. */
struct result_form {
	enum part_kind kind;
	struct str path;
	int64_t first;
};

void tool_result_blocks(struct content *c, const struct json *v,
	const struct result_form *form);

/* One text of a result. */
void tool_result_text(
	struct content *c, struct str text, const struct result_form *form);

#endif

#include "config.h"

#include "runtime/claude-tool.h"

#include <string.h>

#include "runtime/summary.h"

/* The field that tells what a tool call is about. */
struct tool_field {
	const char *tool; /* NULL: a tool that is not listed */
	const char *field;
	bool is_path;
};

/* Of several rows of a tool the first that holds a text counts. */
static const struct tool_field listed_tools[] = {
	{"Bash", "command", false},
	{"Edit", "file_path", true},
	{"Glob", "pattern", false},
	{"Grep", "pattern", false},
	{"ListAgents", "query", false},
	{"ListAgents", "q", false},
	{"NotebookEdit", "notebook_path", true},
	{"Read", "file_path", true},
	{"SendMessage", "summary", false},
	{"Skill", "skill", false},
	{"TaskStop", "task_id", false},
	{"ToolSearch", "query", false},
	{"ToolSearch", "q", false},
	{"WebFetch", "url", false},
	{"WebSearch", "query", false},
	{"WebSearch", "q", false},
	{"Workflow", "title", false},
	{"Workflow", "name", false},
	{"Write", "file_path", true},
	{NULL, NULL, false},
};

static const struct tool_field other_tools[] = {
	{NULL, "command", false},
	{NULL, "file_path", true},
	{NULL, "path", true},
	{NULL, "pattern", false},
	{NULL, "query", false},
	{NULL, "url", false},
	{NULL, "description", false},
	{NULL, "prompt", false},
	{NULL, "name", false},
	{NULL, NULL, false},
};

void claude_tool_summary(struct strbuf *out, const char *name,
	const struct json *input, struct str cwd)
{
	const struct tool_field *f;
	struct str arg = str_null();
	bool is_listed = false;
	bool is_path = false;

	for (f = listed_tools; f->field && !arg.len; f++) {
		if (strcmp(name, f->tool) != 0)
			continue;
		is_listed = true;
		arg = json_str(input, f->field);
		is_path = f->is_path;
	}
	for (f = other_tools; f->field && !is_listed && !arg.len; f++) {
		arg = json_str(input, f->field);
		is_path = f->is_path;
	}
	if (is_path)
		summary_path(out, name, arg, cwd);
	else
		summary_make(out, name, arg);
}

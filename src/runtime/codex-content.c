#include "config.h"

#include "runtime/codex-content.h"

#include "base/i18n.h"
#include "runtime/codex-script.h"
#include "runtime/tool-content.h"

/* The item of LINE when it is the one that is sought. */
static const struct json *find_item(const struct json *line, struct str id)
{
	const struct json *item = json_get(line, "item");

	/* web_search has `id` twice; the first is the item's (page 2). */
	if (item && str_eq(json_text(json_get_first(item, "id")), id))
		return item;
	return NULL;
}

static void add_command(
	struct content *c, const struct json *start, const struct json *end)
{
	struct str command = json_str(start, "command");
	struct strbuf sb = STRBUF_INIT;
	struct str script;

	if (!str_is_null(command)) {
		script = codex_script(command, &sb);
		if (script.ptr == sb.buf)
			script = content_keep(c, &sb);
		content_add(c, PART_COMMAND, NULL, script);
		strbuf_release(&sb);
	}
	if (!end)
		return;
	c->result = true;
	if (json_str(end, "aggregated_output").len)
		content_add(c, PART_OUTPUT, NULL,
			json_str(end, "aggregated_output"));
	content_field(c, N_("exit code"), json_get(end, "exit_code"));
}

/* One file of a patch. `exec` tells its path and kind alone; other interfaces
 * of codex give the change too. */
static bool add_file(struct content *c, const struct json *change)
{
	struct str path = json_str(change, "path");
	struct str diff = json_str(change, "diff");
	struct str text = json_str(change, "content");
	const struct json *kind = json_get(change, "kind");
	struct str word;
	struct part *p;

	if (str_is_null(diff))
		diff = json_str(change, "unified_diff");
	word = json_text(kind);
	if (str_is_null(word))
		word = json_str(kind, "type");
	if (str_is_null(path) || str_is_null(word)) {
		content_json(c, NULL, change);
		return true;
	}
	content_add(c, PART_FIELD, NULL, word)->name = path;
	if (!str_is_null(diff)) {
		content_add(c, PART_DIFF, NULL, diff)->name = path;
	} else if (!str_is_null(text)) {
		p = content_add(c, PART_FILE, NULL, text);
		p->name = path;
		p->first = 1;
	} else {
		return false;
	}
	return true;
}

static void add_patch(
	struct content *c, const struct json *start, const struct json *end)
{
	const struct json *changes = json_get(end ? end : start, "changes");
	bool all = true;

	c->result = end;
	if (!changes || changes->kind != JSON_ARRAY) {
		content_json(c, NULL, changes);
		return;
	}
	for (const struct json *f = changes->first; f; f = f->next)
		all &= add_file(c, f);
	if (!all)
		content_add(c, PART_NOTE, NULL,
			str_of(N_("codex does not say what it changed in these "
				  "files")));
}

static void add_mcp(
	struct content *c, const struct json *start, const struct json *end)
{
	const struct result_form form = {PART_PLAIN, str_null(), 1};
	const struct json *result = json_get(end, "result");
	const struct json *structured = json_get(result, "structured_content");

	content_field(c, N_("server"), json_get(start, "server"));
	content_field(c, N_("tool"), json_get(start, "tool"));
	tool_input(c, json_get(start, "arguments"), false);
	if (!end)
		return;
	c->result = true;
	tool_result_blocks(c, json_get(result, "content"), &form);
	if (structured && structured->kind != JSON_NULL)
		content_json(c, N_("details"), structured);
	content_field(c, N_("error"), json_path(end, "error", "message", NULL));
}

/* A call that has no form of its own: what it was given, and how the item stood
 * at its end. */
static void add_other(
	struct content *c, const struct json *start, const struct json *end)
{
	static const char *const taken[] = {
		"id", "type", "prompt", "status", NULL};
	struct str prompt = json_str(start, "prompt");

	if (prompt.len)
		content_add(c, PART_TEXT, "prompt", prompt);
	if (!end) {
		content_json(c, NULL, content_rest(c, start, taken));
		return;
	}
	c->result = true;
	content_json(c, NULL, content_rest(c, end, taken));
}

static void add_search(struct content *c, const struct json *item)
{
	static const char *const taken[] = {"id", "type", "query", NULL};

	content_field(c, N_("query"), json_get(item, "query"));
	content_json(c, NULL, content_rest(c, item, taken));
}

void codex_content(const struct content_query *q, struct content *c)
{
	const struct json *start = NULL;
	const struct json *end = NULL;
	struct str type;

	for (size_t i = 0; i < q->count; i++) {
		const struct json *item = find_item(q->lines[i], q->id);

		if (!item)
			continue;
		if (json_is(q->lines[i], "type", "item.completed"))
			end = item;
		else
			start = item;
	}
	if (!start)
		start = end;
	if (!start)
		return;
	type = json_str(start, "type");
	if (str_is(type, "command_execution"))
		add_command(c, start, end);
	else if (str_is(type, "file_change"))
		add_patch(c, start, end);
	else if (str_is(type, "mcp_tool_call"))
		add_mcp(c, start, end);
	else if (str_is(type, "web_search"))
		add_search(c, end ? end : start);
	else
		add_other(c, start, end);
	if (end && !json_is(end, "status", "completed")) {
		c->result = true;
		content_field(c, N_("status"), json_get(end, "status"));
	}
}

#include "config.h"

#include "runtime/dsh-content.h"

#include <string.h>

#include "base/i18n.h"
#include "runtime/tool-content.h"

static void note_cut(struct content *c, const struct json *line)
{
	if (json_is_true(line, "truncated"))
		content_add(c, PART_NOTE, NULL,
			str_of(N_("dsh has cut this: it prints at most 8 KiB "
				  "of a text and 32 KiB of a line")));
}

/* A file comes as "<path>...<content>\n1: text\n2: ...\n</content>". */
static void add_file(
	struct content *c, struct str text, const struct result_form *form)
{
	static const char head[] = "<content>\n";
	static const char tail[] = "</content>";
	const char *at = memmem(text.ptr, text.len, head, strlen(head));

	if (at) {
		at += strlen(head);
		text.len -= (size_t)(at - text.ptr);
		text.ptr = at;
		if (text.len >= strlen(tail) &&
			memcmp(text.ptr + text.len - strlen(tail), tail,
				strlen(tail)) == 0)
			text.len -= strlen(tail);
	}
	tool_result_text(c, text, form);
}

void dsh_content(const struct content_query *q, struct content *c)
{
	const struct json *call = NULL;
	const struct json *result = NULL;
	const struct json *input;
	struct result_form form = {tool_result_kind(q->name), str_null(), 0};
	struct str text;

	for (size_t i = 0; i < q->count; i++) {
		const struct json *line = q->lines[i];

		if (!str_eq(json_str(line, "callId"), q->id))
			continue;
		if (json_is(line, "type", "tool_call"))
			call = line;
		else if (json_is(line, "type", "tool_result"))
			result = line;
	}
	input = json_get(call, "input");
	tool_input(c, input, false);
	note_cut(c, call);
	if (!result)
		return;
	c->result = true;
	form.path = tool_path(input);
	if (form.kind == PART_FILE && json_is(result, "status", "error"))
		form.kind = PART_PLAIN;
	text = json_str(result, "result");
	if (form.kind == PART_FILE && text.len)
		add_file(c, text, &form);
	else
		tool_result_blocks(c, json_get(result, "result"), &form);
	note_cut(c, result);
}

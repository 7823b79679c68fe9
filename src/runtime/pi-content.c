#include "config.h"

#include "runtime/pi-content.h"

#include <string.h>

#include "base/i18n.h"
#include "runtime/tool-content.h"

/* pi's own diff has a line number behind the sign, and "..." where lines are
 * left out: " 12 text", "-12 text", "+12 text", "    ...". Gives the lines as
 * a unified diff; a line of another form stays as it is. */
static struct str plain_diff(struct content *c, struct str diff)
{
	struct strbuf sb = STRBUF_INIT;
	size_t pos = 0;
	struct str kept;

	while (pos < diff.len) {
		const char *nl = memchr(diff.ptr + pos, '\n', diff.len - pos);
		size_t end = nl ? (size_t)(nl - diff.ptr) : diff.len;
		size_t i = pos + 1;

		while (i < end && diff.ptr[i] == ' ')
			i++;
		if (diff.ptr[pos] == ' ' && end - i == 3 &&
			memcmp(diff.ptr + i, "...", 3) == 0) {
			strbuf_addstr(&sb, "@@ ... @@\n");
			pos = end + 1;
			continue;
		}
		while (i < end && diff.ptr[i] >= '0' && diff.ptr[i] <= '9')
			i++;
		if (i < end && i > pos + 1 && diff.ptr[i] == ' ') {
			strbuf_addch(&sb, diff.ptr[pos]);
			i++;
		} else {
			i = pos;
		}
		strbuf_add(&sb, diff.ptr + i, end - i);
		strbuf_addch(&sb, '\n');
		pos = end + 1;
	}
	kept = content_keep(c, &sb);
	strbuf_release(&sb);
	return kept;
}

/* The diff of an edit. False: there is none. */
static bool add_diff(
	struct content *c, const struct json *details, struct str path)
{
	struct str diff = json_str(details, "patch");

	if (!diff.len) {
		diff = json_str(details, "diff");
		if (!diff.len)
			return false;
		diff = plain_diff(c, diff);
	}
	content_add(c, PART_DIFF, NULL, diff)->name = path;
	return true;
}

/* Behind a part of a file stands what else there is of it, in brackets. */
static struct str cut_notice(struct str *text)
{
	struct str notice = str_null();
	size_t at = text->len;

	if (!at || text->ptr[at - 1] != ']')
		return notice;
	while (at > 0 && text->ptr[at - 1] != '\n')
		at--;
	if (at < 2 || text->ptr[at - 2] != '\n' || text->ptr[at] != '[')
		return notice;
	notice = (struct str){text->ptr + at, text->len - at};
	text->len = at - 1;
	return notice;
}

/* What was read, when that is one text: an image comes with words of pi. */
static bool add_file(struct content *c, const struct json *result,
	const struct result_form *form)
{
	const struct json *blocks = json_get(result, "content");
	const struct json *block = blocks ? blocks->first : NULL;
	struct str text = json_str(block, "text");
	struct str notice;

	if (form->kind != PART_FILE || !block || block->next || !text.len)
		return false;
	notice = cut_notice(&text);
	tool_result_text(c, text, form);
	if (notice.len)
		content_add(c, PART_PLAIN, NULL, notice);
	return true;
}

static void add_texts(
	struct content *c, const struct json *result, struct result_form form)
{
	if (form.kind == PART_FILE)
		form.kind = PART_PLAIN;
	tool_result_blocks(c, json_get(result, "content"), &form);
}

static void add_result(struct content *c, const struct content_query *q,
	const struct json *result, const struct json *args, bool is_error)
{
	static const char *const taken[] = {
		"diff", "patch", "firstChangedLine", "truncation", NULL};
	static const char *const shown[] = {
		"output", "truncated", "exit_code", NULL};
	const struct json *details = json_get(result, "details");
	const struct json *structured = json_get(result, "structuredContent");
	struct str output = json_str(structured, "output");
	struct result_form form = {tool_result_kind(q->name), tool_path(args),
		json_int(args, "offset", 1)};

	c->result = true;
	if (is_error && form.kind == PART_FILE)
		form.kind = PART_PLAIN;
	(void)add_diff(c, details, form.path);
	/* The structured output is whole; the model sees its end. */
	if (output.len)
		content_add(c, form.kind, NULL, output);
	else if (!add_file(c, result, &form))
		add_texts(c, result, form);
	content_field(c, N_("exit code"), json_get(structured, "exit_code"));
	if (structured && structured->kind == JSON_OBJECT)
		content_json(
			c, N_("details"), content_rest(c, structured, shown));
	if (details && details->kind == JSON_OBJECT)
		content_json(c, N_("details"), content_rest(c, details, taken));
}

void pi_content(const struct content_query *q, struct content *c)
{
	const struct json *start = NULL;
	const struct json *update = NULL;
	const struct json *end = NULL;
	const struct json *args;

	for (size_t i = 0; i < q->count; i++) {
		const struct json *line = q->lines[i];

		if (!str_eq(json_str(line, "toolCallId"), q->id))
			continue;
		if (json_is(line, "type", "tool_execution_start"))
			start = line;
		else if (json_is(line, "type", "tool_execution_update"))
			update = line;
		else if (json_is(line, "type", "tool_execution_end"))
			end = line;
	}
	args = json_get(start ? start : update, "args");
	tool_input(c, args,
		json_str(json_path(end, "result", "details", NULL), "diff")
			.len);
	if (end)
		add_result(c, q, json_get(end, "result"), args,
			json_is_true(end, "isError"));
	else if (update)
		add_result(
			c, q, json_get(update, "partialResult"), args, false);
}

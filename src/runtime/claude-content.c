#include "config.h"

#include "runtime/claude-content.h"

#include <string.h>

#include "base/i18n.h"
#include "runtime/tool-content.h"

/* Members of tool_use_result that say nothing to a reader, or stand in other
 * parts already. */
static const char *const known[] = {"type", "filePath", "oldString",
	"newString", "structuredPatch", "originalFile", "original_file",
	"updated_file", "old_source", "new_source", "notebook_path", "content",
	"file", "stdout", "stderr", "isImage", "noOutputExpected", "prompt",
	"usage", "agentId", "canReadOutputFile", "canContinueAgent",
	"harnessNoteCount", "harnessSectionHash", "harnessTailCount", NULL};

/* The block of message.content whose TYPE and KEY (its id) fit. */
static const struct json *find_block(const struct json *line, const char *type,
	const char *key, struct str id)
{
	const struct json *blocks = json_path(line, "message", "content", NULL);

	if (!blocks || blocks->kind != JSON_ARRAY)
		return NULL;
	for (const struct json *b = blocks->first; b; b = b->next) {
		if (json_is(b, "type", type) && str_eq(json_str(b, key), id))
			return b;
	}
	return NULL;
}

/* The hunks of a structured patch as a unified diff. False: it is none. */
static bool add_patch(
	struct content *c, struct str path, const struct json *patch)
{
	struct strbuf sb = STRBUF_INIT;

	if (!patch || patch->kind != JSON_ARRAY || !patch->first)
		return false;
	for (const struct json *h = patch->first; h; h = h->next) {
		const struct json *lines = json_get(h, "lines");

		strbuf_addf(&sb, "@@ -%lld,%lld +%lld,%lld @@\n",
			(long long)json_int(h, "oldStart", 0),
			(long long)json_int(h, "oldLines", 0),
			(long long)json_int(h, "newStart", 0),
			(long long)json_int(h, "newLines", 0));
		for (const struct json *l = lines ? lines->first : NULL; l;
			l = l->next) {
			strbuf_adds(&sb, json_text(l));
			strbuf_addch(&sb, '\n');
		}
	}
	content_add(c, PART_DIFF, NULL, content_keep(c, &sb))->name = path;
	strbuf_release(&sb);
	return true;
}

/* Edit, MultiEdit, Write, NotebookEdit: what was changed. */
static bool add_diff(struct content *c, const struct json *r)
{
	static const char *const pairs[][2] = {{"oldString", "newString"},
		{"old_source", "new_source"}, {"original_file", "updated_file"},
		{"originalFile", "content"}};
	struct str path = json_str(r, "filePath");

	if (str_is_null(path))
		path = json_str(r, "notebook_path");
	if (add_patch(c, path, json_get(r, "structuredPatch")))
		return true;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct str from = json_str(r, pairs[i][0]);
		struct str to = json_str(r, pairs[i][1]);

		if (str_is_null(from) || str_is_null(to))
			continue;
		content_change(c, path, from, to);
		return true;
	}
	return false;
}

static bool add_file(
	struct content *c, const struct json *r, const struct json *file)
{
	struct str text = json_str(file, "content");
	struct str data = json_str(file, "base64");
	struct part *p;

	if (!str_is_null(text)) {
		p = content_add(c, PART_FILE, NULL, text);
		p->name = json_str(file, "filePath");
		p->first = json_int(file, "startLine", 1);
		content_field(
			c, N_("lines in all"), json_get(file, "totalLines"));
		return true;
	}
	if (str_is_null(data))
		return false;
	text = json_str(file, "type");
	content_image(c, str_is_null(text) ? json_str(r, "type") : text, data);
	return true;
}

/* An image that a command printed: a data URI. */
static void add_data_uri(struct content *c, struct str uri)
{
	const char *comma = memchr(uri.ptr, ',', uri.len);
	const char *semicolon = memchr(uri.ptr, ';', uri.len);
	size_t start = str_starts(uri, "data:") ? 5 : 0;

	if (!comma || !semicolon || semicolon > comma) {
		content_image(c, str_null(), uri);
		return;
	}
	content_image(c,
		(struct str){
			uri.ptr + start, (size_t)(semicolon - uri.ptr) - start},
		(struct str){
			comma + 1, uri.len - (size_t)(comma + 1 - uri.ptr)});
}

static bool add_output(struct content *c, const struct json *r)
{
	struct str out = json_str(r, "stdout");
	struct str errs = json_str(r, "stderr");

	if (str_is_null(out) && str_is_null(errs))
		return false;
	if (out.len && json_is_true(r, "isImage"))
		add_data_uri(c, out);
	else if (out.len)
		content_add(c, PART_OUTPUT, NULL, out);
	if (errs.len)
		content_add(c, PART_OUTPUT, "stderr", errs);
	return true;
}

/* WebSearch: pages that were found, and words about them. */
static bool add_results(struct content *c, const struct json *results)
{
	if (!results || results->kind != JSON_ARRAY)
		return false;
	for (const struct json *r = results->first; r; r = r->next) {
		const struct json *pages = json_get(r, "content");

		if (r->kind == JSON_STRING) {
			content_add(c, PART_TEXT, NULL, r->text);
			continue;
		}
		if (!pages || pages->kind != JSON_ARRAY) {
			content_json(c, NULL, r);
			continue;
		}
		for (const struct json *p = pages->first; p; p = p->next) {
			struct str url = json_str(p, "url");

			if (str_is_null(url))
				content_json(c, NULL, p);
			else
				content_add(c, PART_FIELD, NULL, url)->name =
					json_str(p, "title");
		}
	}
	return true;
}

static bool is_shown(const struct content *c, size_t from, struct str text)
{
	for (size_t i = from; i < c->count; i++) {
		if (str_eq(c->v[i].text, text))
			return true;
	}
	return false;
}

/* "interrupted": false, "error": "", ... */
static bool says_nothing(const struct json *v)
{
	return v->kind == JSON_FALSE || v->kind == JSON_NULL ||
	       (v->kind == JSON_STRING && !v->text.len);
}

/* What is left of the structured result: with KNOWN, members that the parts
 * behind FROM were not made of; always those that are no copy of one. */
static void add_rest(
	struct content *c, const struct json *r, size_t from, bool is_known)
{
	const char *taken[64];
	size_t n = 0;

	for (; is_known && known[n]; n++)
		taken[n] = known[n];
	if (is_known && json_get(r, "results"))
		taken[n++] = "results";
	for (const struct json *m = r->first; m && n < 60; m = m->next) {
		if (is_known ? says_nothing(m)
			     : m->kind == JSON_STRING &&
					is_shown(c, from, m->text))
			taken[n++] =
				arena_copy(&c->arena, m->key.ptr, m->key.len);
	}
	taken[n] = NULL;
	content_json(c, N_("details"), content_rest(c, r, taken));
}

static bool add_structured(struct content *c, const struct json *r)
{
	size_t before = c->count;
	const struct json *file = json_get(r, "file");
	struct str text = json_str(r, "content");
	struct part *p;

	if (file && add_file(c, r, file))
		return true;
	if (add_diff(c, r))
		return true;
	if (!str_is_null(text) && !str_is_null(json_str(r, "filePath"))) {
		p = content_add(c, PART_FILE, NULL, text);
		p->name = json_str(r, "filePath");
		p->first = 1;
		return true;
	}
	if (add_output(c, r) || add_results(c, json_get(r, "results")))
		return true;
	c->count = before;
	return false;
}

static void add_result(struct content *c, const struct content_query *q,
	const struct json *line, const struct json *block,
	const struct json *input)
{
	const struct json *r = json_get(line, "tool_use_result");
	struct result_form form = {
		tool_result_kind(q->name), tool_path(input), 0};
	size_t before = c->count;
	bool is_known = q->is_agent;

	c->result = true;
	if (q->is_agent)
		form.kind = PART_TEXT;
	if (json_is_true(block, "is_error") && form.kind == PART_FILE)
		form.kind = PART_PLAIN;
	if (!r || r->kind != JSON_OBJECT) {
		tool_result_blocks(c, json_get(block, "content"), &form);
		return;
	}
	/* An agent's own words, without what is added for the other model. */
	if (q->is_agent && json_get(r, "content"))
		tool_result_blocks(c, json_get(r, "content"), &form);
	else
		is_known = add_structured(c, r);
	if (c->count == before)
		tool_result_blocks(c, json_get(block, "content"), &form);
	add_rest(c, r, before, is_known);
}

/* The notice of a task's end: the result of a background agent is told to the
 * other agent in words. */
static void add_notification(struct content *c, const struct json *line)
{
	struct str summary = json_str(line, "summary");

	c->result = true;
	content_field(c, N_("status"), json_get(line, "status"));
	if (summary.len)
		content_add(c, PART_TEXT, NULL, summary);
	content_field(c, N_("tokens"),
		json_path(line, "usage", "total_tokens", NULL));
	content_field(c, N_("tool calls"),
		json_path(line, "usage", "tool_uses", NULL));
}

static bool is_launch(const struct json *line)
{
	return json_is(
		json_get(line, "tool_use_result"), "status", "async_launched");
}

void claude_content(const struct content_query *q, struct content *c)
{
	const struct json *call = NULL;
	const struct json *result = NULL;
	const struct json *result_line = NULL;
	const struct json *notice = NULL;
	const struct json *input;
	bool has_diff;

	for (size_t i = 0; i < q->count; i++) {
		const struct json *line = q->lines[i];
		const struct json *b;

		if (!call)
			call = find_block(line, "tool_use", "id", q->id);
		b = find_block(line, "tool_result", "tool_use_id", q->id);
		if (b && !(q->is_agent && is_launch(line))) {
			result = b;
			result_line = line;
		}
		if (json_is(line, "subtype", "task_notification") &&
			str_eq(json_str(line, "tool_use_id"), q->id))
			notice = line;
	}
	input = json_get(call, "input");
	has_diff =
		!str_is_null(json_str(json_get(result_line, "tool_use_result"),
			"filePath")) ||
		!str_is_null(json_str(json_get(result_line, "tool_use_result"),
			"notebook_path"));
	tool_input(c, input, has_diff);
	if (result)
		add_result(c, q, result_line, result, input);
	else if (notice)
		add_notification(c, notice);
}

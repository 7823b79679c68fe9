#include "config.h"

#include "runtime/tool-content.h"

#include <string.h>

#include "base/i18n.h"

/* Members of inputs, by what they are. */
static const char *const path_keys[] = {
	"file_path", "path", "notebook_path", NULL};
static const char *const from_keys[] = {
	"old_string", "oldText", "old_str", NULL};
static const char *const to_keys[] = {"new_string", "newText", "new_str", NULL};
static const char *const body_keys[] = {"content", "file_text", NULL};
static const char *const text_keys[] = {
	N_("prompt"), N_("plan"), N_("message"), N_("description"), NULL};

/* The first of KEYS that is a string member of V; its key at *KEY. */
static struct str find_text(
	const struct json *v, const char *const *keys, const char **key)
{
	for (; *keys; keys++) {
		struct str s = json_str(v, *keys);

		if (!str_is_null(s)) {
			*key = *keys;
			return s;
		}
	}
	*key = NULL;
	return str_null();
}

struct str tool_path(const struct json *input)
{
	const char *key;

	return find_text(input, path_keys, &key);
}

/* What was used of an input. */
struct taken {
	const char *keys[64];
	size_t count;
};

static void take(struct taken *t, const char *key)
{
	if (key && t->count + 1 < sizeof(t->keys) / sizeof(t->keys[0]))
		t->keys[t->count++] = key;
}

/* One {from, to}. False when V is none. */
static bool add_change(struct content *c, struct str path, const struct json *v,
	struct taken *taken)
{
	const char *from_key;
	const char *to_key;
	struct str from = find_text(v, from_keys, &from_key);
	struct str to = find_text(v, to_keys, &to_key);

	if (!from_key || !to_key)
		return false;
	content_change(c, path, from, to);
	take(taken, from_key);
	take(taken, to_key);
	return true;
}

/* A list of them; false when one of them is something else. */
static bool add_changes(
	struct content *c, struct str path, const struct json *edits)
{
	size_t before = c->count;
	struct taken unused = {.count = 0};

	if (!edits || edits->kind != JSON_ARRAY || !edits->first)
		return false;
	for (const struct json *e = edits->first; e; e = e->next) {
		if (!add_change(c, path, e, &unused)) {
			c->count = before;
			return false;
		}
	}
	return true;
}

static bool has_change(const struct json *input)
{
	const char *a;
	const char *b;

	(void)find_text(input, from_keys, &a);
	(void)find_text(input, to_keys, &b);
	return a && b;
}

static void add_edit(struct content *c, const struct json *input,
	struct taken *taken, bool has_diff)
{
	struct str path = tool_path(input);
	const struct json *edits = json_get(input, "edits");

	if (has_diff && has_change(input)) {
		const char *key;

		(void)find_text(input, from_keys, &key);
		take(taken, key);
		(void)find_text(input, to_keys, &key);
		take(taken, key);
	} else {
		(void)add_change(c, path, input, taken);
	}
	if (!edits)
		return;
	if ((has_diff && has_change(edits->first)) ||
		add_changes(c, path, edits))
		take(taken, "edits");
}

static bool is_long(struct str s)
{
	return s.len > 200 || memchr(s.ptr, '\n', s.len);
}

/* Strings of several lines are no pleasure inside JSON. Their key lives in the
 * tree. */
static const struct json *add_long_texts(
	struct content *c, const struct json *rest)
{
	struct json *kept = NULL;
	struct json **at = &kept;
	struct json *all;

	if (!rest || rest->kind != JSON_OBJECT)
		return rest;
	all = arena_alloc(&c->arena, sizeof(*all));
	*all = *rest;
	for (const struct json *m = rest->first; m; m = m->next) {
		struct json *copy;

		if (m->kind == JSON_STRING && is_long(m->text)) {
			content_add(c, PART_PLAIN, NULL, m->text)->name =
				m->key;
			continue;
		}
		copy = arena_alloc(&c->arena, sizeof(*copy));
		*copy = *m;
		copy->next = NULL;
		*at = copy;
		at = &copy->next;
	}
	all->first = kept;
	return kept ? all : NULL;
}

static void add_texts(
	struct content *c, const struct json *input, struct taken *taken)
{
	for (const char *const *key = text_keys; *key; key++) {
		struct str s = json_str(input, *key);

		if (str_is_null(s) || !s.len)
			continue;
		content_add(c,
			is_long(s) || strcmp(*key, "description") != 0
				? PART_TEXT
				: PART_FIELD,
			*key, s);
		take(taken, *key);
	}
}

void tool_input(struct content *c, const struct json *input, bool has_diff)
{
	struct taken taken = {.count = 0};
	const char *key;
	struct str s;

	c->result = false;
	if (!input)
		return;
	if (input->kind == JSON_STRING) {
		content_guess(c, PART_PLAIN, NULL, input->text);
		return;
	}
	s = json_str(input, "command");
	if (!str_is_null(s)) {
		content_add(c, PART_COMMAND, NULL, s);
		take(&taken, "command");
	}
	s = find_text(input, path_keys, &key);
	if (key) {
		content_add(c, PART_PATH, NULL, s);
		take(&taken, key);
	}
	add_edit(c, input, &taken, has_diff);
	add_texts(c, input, &taken);
	if (key) {
		struct str body = find_text(input, body_keys, &key);

		if (key && !has_diff) {
			struct part *p = content_add(c, PART_FILE, NULL, body);

			p->name = s;
			p->first = 1;
		}
		take(&taken, key);
	}
	taken.keys[taken.count] = NULL;
	content_json(
		c, NULL, add_long_texts(c, content_rest(c, input, taken.keys)));
}

enum part_kind tool_result_kind(struct str name)
{
	static const struct {
		const char *name;
		enum part_kind kind;
	} kinds[] = {
		{"Bash", PART_OUTPUT},
		{"BashOutput", PART_OUTPUT},
		{"bash", PART_OUTPUT},
		{"job_output", PART_OUTPUT},
		{"Read", PART_FILE},
		{"read", PART_FILE},
		{"Agent", PART_TEXT},
		{"Task", PART_TEXT},
		{"subagent", PART_TEXT},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (str_is(name, kinds[i].name))
			return kinds[i].kind;
	}
	return PART_PLAIN;
}

/* "   12\ttext", "   12→text" or "12: text": the number, and where the text
 * begins; 0 when the line is another one. */
static size_t numbered(struct str line, int64_t *n)
{
	static const char arrow[] = "\xe2\x86\x92";
	size_t i = 0;

	*n = 0;
	while (i < line.len && line.ptr[i] == ' ')
		i++;
	for (; i < line.len && line.ptr[i] >= '0' && line.ptr[i] <= '9'; i++) {
		if (*n > INT32_MAX)
			return 0;
		*n = *n * 10 + (line.ptr[i] - '0');
	}
	if (!*n || i == line.len)
		return 0;
	if (line.ptr[i] == '\t')
		return i + 1;
	if (line.len - i >= 2 && memcmp(line.ptr + i, ": ", 2) == 0)
		return i + 2;
	if (line.len - i >= 3 && memcmp(line.ptr + i, arrow, 3) == 0)
		return i + 3;
	return 0;
}

/* A file with numbers before its lines, as some tools print it for the model:
 * the lines without them, and what follows them as a text of its own. */
static bool add_numbered(
	struct content *c, struct str text, const struct result_form *form)
{
	struct strbuf body = STRBUF_INIT;
	int64_t first = 0;
	int64_t next = 0;
	size_t pos = 0;
	struct part *p;

	while (pos < text.len) {
		const char *nl = memchr(text.ptr + pos, '\n', text.len - pos);
		size_t end = nl ? (size_t)(nl - text.ptr) : text.len;
		struct str line = {text.ptr + pos, end - pos};
		int64_t n;
		size_t at = numbered(line, &n);

		if (!at || (first && n != next))
			break;
		if (!first)
			first = n;
		next = n + 1;
		strbuf_add(&body, line.ptr + at, line.len - at);
		strbuf_addch(&body, '\n');
		pos = end + (nl != NULL);
	}
	if (first) {
		p = content_add(c, PART_FILE, NULL, content_keep(c, &body));
		p->name = form->path;
		p->first = first;
		if (pos < text.len)
			content_add(c, PART_PLAIN, NULL,
				(struct str){text.ptr + pos, text.len - pos});
	}
	strbuf_release(&body);
	return first != 0;
}

void tool_result_text(
	struct content *c, struct str text, const struct result_form *form)
{
	struct part *p;

	if (!text.len)
		return;
	if (form->kind == PART_PLAIN) {
		content_guess(c, PART_PLAIN, NULL, text);
	} else if (form->kind != PART_FILE) {
		content_add(c, form->kind, NULL, text);
	} else if (form->first) {
		p = content_add(c, PART_FILE, NULL, text);
		p->name = form->path;
		p->first = form->first;
	} else if (!add_numbered(c, text, form)) {
		content_add(c, PART_PLAIN, NULL, text);
	}
}

/* An image has its bytes in itself (MCP) or in a `source` (Anthropic). */
static bool add_image(struct content *c, const struct json *block)
{
	const struct json *source = json_get(block, "source");
	struct str data = json_str(source ? source : block, "data");
	struct str media = json_str(
		source ? source : block, source ? "media_type" : "mimeType");

	if (str_is_null(data))
		return false;
	content_image(c, media, data);
	return true;
}

static bool add_resource(struct content *c, const struct json *block,
	const struct result_form *form)
{
	const struct json *r = json_get(block, "resource");
	struct str text = json_str(r, "text");

	if (str_is_null(text))
		return false;
	content_field(c, N_("resource"), json_get(r, "uri"));
	tool_result_text(c, text, form);
	return true;
}

static void add_block(struct content *c, const struct json *block,
	const struct result_form *form)
{
	struct str type = json_str(block, "type");
	struct str text = json_str(block, "text");
	bool done = false;

	if (block->kind == JSON_STRING) {
		tool_result_text(c, block->text, form);
		return;
	}
	if (str_is(type, "text") && !str_is_null(text)) {
		tool_result_text(c, text, form);
		done = true;
	} else if (str_is(type, "image")) {
		done = add_image(c, block);
	} else if (str_is(type, "resource")) {
		done = add_resource(c, block, form);
	}
	if (!done)
		content_json(c, NULL, block);
}

void tool_result_blocks(
	struct content *c, const struct json *v, const struct result_form *form)
{
	c->result = true;
	if (!v || v->kind == JSON_NULL)
		return;
	if (v->kind == JSON_STRING) {
		tool_result_text(c, v->text, form);
	} else if (v->kind == JSON_ARRAY) {
		for (const struct json *b = v->first; b; b = b->next)
			add_block(c, b, form);
	} else {
		content_json(c, NULL, v);
	}
}

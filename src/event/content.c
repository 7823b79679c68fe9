#include "config.h"

#include "event/content.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "event/image-size.h"
#include "event/linediff.h"

void content_init(struct content *c)
{
	memset(c, 0, sizeof(*c));
	arena_init(&c->arena);
}

void content_release(struct content *c)
{
	free(c->v);
	arena_release(&c->arena);
	content_init(c);
}

struct part *content_add(struct content *c, enum part_kind kind,
	const char *title, struct str text)
{
	struct part *p;

	if (c->count == c->cap) {
		c->cap += c->cap / 2 + 8;
		c->v = xreallocarray(c->v, c->cap, sizeof(*c->v));
	}
	p = &c->v[c->count++];
	memset(p, 0, sizeof(*p));
	p->kind = kind;
	p->result = c->result;
	p->title = title;
	p->text = text;
	return p;
}

void content_json(struct content *c, const char *title, const struct json *v)
{
	if (v)
		content_add(c, PART_JSON, title, str_null())->value = v;
}

static bool is_short(struct str s)
{
	return s.len <= 200 && !memchr(s.ptr, '\n', s.len);
}

void content_field(struct content *c, const char *title, const struct json *v)
{
	if (!v)
		return;
	switch (v->kind) {
	case JSON_NULL:
		return;
	case JSON_FALSE:
		content_add(c, PART_FIELD, title, str_of("false"));
		return;
	case JSON_TRUE:
		content_add(c, PART_FIELD, title, str_of("true"));
		return;
	case JSON_NUMBER:
		content_add(c, PART_FIELD, title, v->text);
		return;
	case JSON_STRING:
		if (v->text.len)
			content_add(c,
				is_short(v->text) ? PART_FIELD : PART_PLAIN,
				title, v->text);
		return;
	case JSON_ARRAY:
	case JSON_OBJECT:
		content_json(c, title, v);
		return;
	}
}

void content_guess(struct content *c, enum part_kind kind, const char *title,
	struct str text)
{
	size_t i = 0;
	const struct json *v = NULL;

	while (i < text.len && memchr(" \t\r\n", text.ptr[i], 4))
		i++;
	if (i < text.len && (text.ptr[i] == '{' || text.ptr[i] == '['))
		v = json_parse(&c->arena, text.ptr, text.len);
	if (v)
		content_json(c, title, v);
	else
		content_add(c, kind, title, text);
}

void content_change(
	struct content *c, struct str path, struct str from, struct str to)
{
	struct strbuf diff = STRBUF_INIT;

	linediff(&diff, from, to);
	content_add(c, PART_DIFF, NULL, content_keep(c, &diff))->name = path;
	strbuf_release(&diff);
}

void content_image(struct content *c, struct str media, struct str base64)
{
	struct part *p = content_add(c, PART_IMAGE, NULL, media);

	p->size = image_bytes(base64);
	image_size(base64, &p->width, &p->height);
}

static bool is_taken(struct str key, const char *const *taken)
{
	for (; *taken; taken++) {
		if (str_is(key, *taken))
			return true;
	}
	return false;
}

const struct json *content_rest(
	struct content *c, const struct json *v, const char *const *taken)
{
	struct json *rest = NULL;
	struct json **at = NULL;

	if (!v || v->kind != JSON_OBJECT)
		return v;
	for (const struct json *m = v->first; m; m = m->next) {
		struct json *copy;

		if (is_taken(m->key, taken))
			continue;
		if (!rest) {
			rest = arena_alloc(&c->arena, sizeof(*rest));
			*rest = *v;
			at = &rest->first;
		}
		copy = arena_alloc(&c->arena, sizeof(*copy));
		*copy = *m;
		*at = copy;
		at = &copy->next;
	}
	if (at)
		*at = NULL;
	return rest;
}

bool content_has(const struct content *c, size_t from, bool result)
{
	for (size_t i = from; i < c->count; i++) {
		if (c->v[i].result == result && c->v[i].kind != PART_NOTE)
			return true;
	}
	return false;
}

struct str content_keep(struct content *c, const struct strbuf *sb)
{
	struct str s = {arena_copy(&c->arena, sb->buf, sb->len), sb->len};

	return s;
}

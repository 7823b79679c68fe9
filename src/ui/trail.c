#include "config.h"

#include "ui/trail.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xalloc.h"

void trail_init(struct trail *t)
{
	memset(t, 0, sizeof(*t));
	strbuf_init(&t->ids);
	t->usage.sum = token_counts_unknown();
	arena_init(&t->arena);
}

void trail_release(struct trail *t)
{
	free(t->v);
	strbuf_release(&t->ids);
	arena_release(&t->arena);
}

static uint32_t add_id(struct trail *t, struct str id)
{
	uint32_t len = (uint32_t)id.len;
	size_t at;

	if (!id.len || t->ids.len + id.len >= UINT32_MAX - sizeof(len))
		return 0;
	if (!t->ids.len)
		strbuf_addch(&t->ids, '\0'); /* 0 stands for none */
	at = t->ids.len;
	strbuf_add(&t->ids, (const char *)&len, sizeof(len));
	strbuf_adds(&t->ids, id);
	return (uint32_t)at;
}

void trail_add(struct trail *t, size_t i, struct raw_ref first,
	struct raw_ref last, struct str id)
{
	while (t->count <= i) {
		if (t->count == t->cap) {
			t->cap += t->cap / 2 + 64;
			t->v = xreallocarray(t->v, t->cap, sizeof(*t->v));
		}
		t->v[t->count++] = (struct trail_item){{0}, {0}, 0};
	}
	t->v[i] = (struct trail_item){first, last, add_id(t, id)};
}

struct trail_item trail_of(const struct trail *t, size_t i)
{
	return i < t->count ? t->v[i] : (struct trail_item){{0}, {0}, 0};
}

struct str trail_id(const struct trail *t, const struct trail_item *it)
{
	uint32_t len;

	if (!it->id)
		return str_null();
	memcpy(&len, t->ids.buf + it->id, sizeof(len));
	return (struct str){t->ids.buf + it->id + sizeof(len), len};
}

static struct str keep(struct trail *t, struct str s)
{
	return str_is_null(s)
		       ? s
		       : (struct str){
				 arena_copy(&t->arena, s.ptr, s.len), s.len};
}

static void keep_usage(struct trail *t, const struct usage *from)
{
	struct usage *u = &t->usage;

	*u = (struct usage){.sum = from->sum, .count = from->count};
	u->models =
		arena_alloc(&t->arena, (from->count + 1) * sizeof(*u->models));
	for (size_t i = 0; i < from->count; i++) {
		u->models[i] = from->models[i];
		u->models[i].model = arena_copy(&t->arena,
			from->models[i].model, from->models[i].model_len);
	}
}

void trail_end(struct trail *t, const struct event_end *e)
{
	struct str *list;

	arena_reset(&t->arena);
	list = arena_alloc(
		&t->arena, (e->warnings.count + 1) * sizeof(struct str));
	for (size_t i = 0; i < e->warnings.count; i++)
		list[i] = keep(t, e->warnings.v[i]);
	keep_usage(t, e->usage);
	t->ended = true;
	t->end = *e;
	t->end.detail = keep(t, e->detail);
	t->end.result = str_null(); /* a text of the model */
	t->end.session_id = keep(t, e->session_id);
	t->end.warnings.v = list;
	t->end.usage = &t->usage;
}

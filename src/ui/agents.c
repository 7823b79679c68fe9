#include "config.h"

#include "ui/agents.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "base/xalloc.h"

static char *clean(struct str s)
{
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	if (!str_is_null(s))
		utf8_display(&sb, s.ptr, s.len, UTF8_AGENT, 1);
	for (i = 0; i < sb.len; i++)
		if (sb.buf[i] == '\n')
			sb.buf[i] = ' ';
	return strbuf_detach(&sb);
}

static struct agent *add(struct agents *a)
{
	struct agent *g;

	if (a->count == a->cap) {
		a->cap = a->cap ? a->cap * 2 : 8;
		a->v = xreallocarray(a->v, a->cap, sizeof(*a->v));
	}
	g = &a->v[a->count++];
	memset(g, 0, sizeof(*g));
	g->context = COUNT_UNKNOWN;
	g->used = token_counts_unknown();
	return g;
}

void agents_init(struct agents *a)
{
	struct agent *g;

	memset(a, 0, sizeof(*a));
	strmap_init(&a->by_id);
	strmap_init(&a->calls);
	g = add(a);
	g->label = xstrdup("main");
	g->description = xstrdup("");
}

static void free_call(struct call *c)
{
	free(c->summary);
	free(c);
}

void agents_release(struct agents *a)
{
	size_t i;

	for (i = 0; i < a->count; i++) {
		struct agent *g = &a->v[i];

		while (g->call) {
			struct call *c = g->call;

			g->call = c->older;
			free_call(c);
		}
		free(g->id);
		free(g->label);
		free(g->description);
	}
	free(a->v);
	strmap_release(&a->by_id);
	strmap_release(&a->calls);
}

uint32_t agents_find(const struct agents *a, struct str id)
{
	void *found;

	if (str_is_null(id))
		return AGENT_MAIN;
	found = strmap_get(&a->by_id, id);
	return found ? (uint32_t)((uintptr_t)found - 1) : AGENT_MAIN;
}

uint32_t agents_start(struct agents *a, const struct event_subagent_start *s,
	struct str label, int64_t time_ms)
{
	uint32_t parent = agents_find(a, s->parent);
	uint32_t depth = a->v[parent].depth + 1;
	uint32_t known = agents_find(a, s->id);
	struct agent *g;

	if (known != AGENT_MAIN)
		return known;
	g = add(a);

	g->id = xstrndup(s->id.len ? s->id.ptr : "", s->id.len);
	g->id_len = s->id.len;
	g->label = clean(label);
	g->description = clean(s->description);
	g->parent = parent;
	g->depth = depth;
	g->state = AGENT_RUNNING;
	g->start_ms = time_ms;
	a->running++;
	if (!str_is_null(s->id))
		strmap_put(&a->by_id, (struct str){g->id, g->id_len},
			(void *)(uintptr_t)a->count);
	return (uint32_t)(a->count - 1);
}

uint32_t agents_end(struct agents *a, const struct event_subagent_end *e)
{
	uint32_t i = agents_find(a, e->id);
	struct agent *g = &a->v[i];

	if (i == AGENT_MAIN || g->state != AGENT_RUNNING)
		return AGENT_MAIN;
	g->state = e->failed ? AGENT_FAILED : AGENT_FINISHED;
	g->duration_ms = e->duration_ms;
	a->running--;
	a->ended++;
	a->failed += g->state == AGENT_FAILED;
	return i;
}

static void forget_call(struct agents *a, struct call *c)
{
	if (c->newer)
		c->newer->older = c->older;
	else
		a->v[c->agent].call = c->older;
	if (c->older)
		c->older->newer = c->newer;
	free_call(c);
}

void agents_call_start(struct agents *a, const struct event *ev)
{
	const struct event_tool *t = &ev->u.tool;
	struct call *c;
	struct agent *g;

	if (str_is_null(t->id))
		return;
	c = strmap_remove(&a->calls, t->id);
	if (c)
		forget_call(a, c);
	c = xmalloc(sizeof(*c) + t->id.len);
	if (t->id.len)
		memcpy(c + 1, t->id.ptr, t->id.len);
	c->id = (struct str){(const char *)(c + 1), t->id.len};
	c->agent = agents_find(a, t->parent);
	c->summary = clean(t->summary);
	c->start_ms = ev->time_ms;
	c->source = ev->source;
	g = &a->v[c->agent];
	c->older = g->call;
	c->newer = NULL;
	if (g->call)
		g->call->newer = c;
	g->call = c;
	strmap_put(&a->calls, c->id, c);
}

int64_t agents_call_end(
	struct agents *a, struct str id, int64_t time_ms, struct raw_ref *first)
{
	struct call *c;

	if (str_is_null(id))
		return time_ms;
	c = strmap_remove(&a->calls, id);
	if (c) {
		time_ms = c->start_ms;
		*first = c->source;
		forget_call(a, c);
	}
	return time_ms;
}

const char *agents_tool(const struct agents *a, uint32_t agent)
{
	const struct call *c = a->v[agent].call;

	return c ? c->summary : "";
}

struct token_counts agents_used(const struct agents *a, uint32_t agent)
{
	struct token_counts sum = a->v[agent].used;
	bool *below;
	size_t i;

	if (agent + 1 >= a->count)
		return sum;
	below = xcalloc(a->count, sizeof(*below));
	below[agent] = true;
	for (i = agent + 1; i < a->count; i++) {
		below[i] = below[a->v[i].parent];
		if (below[i])
			token_counts_add(&sum, &a->v[i].used);
	}
	free(below);
	return sum;
}

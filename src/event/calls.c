#include "config.h"

#include "event/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* More than anybody pays for; so the sum of the open calls stays exact for
 * every number of calls that fits into memory. */
#define CALL_TOKENS_MAX ((int64_t)1 << 40)

struct call {
	struct str key; /* stands behind the struct */
	int64_t tokens;
};

void calls_init(struct calls *c)
{
	*c = (struct calls){0};
	strmap_init(&c->open);
	seen_init(&c->done);
	strbuf_init(&c->key);
}

void calls_release(struct calls *c)
{
	for (size_t i = 0; i < c->open.cap; i++)
		free(c->open.slots[i].value);
	strmap_release(&c->open);
	seen_release(&c->done);
	strbuf_release(&c->key);
}

/* The key of a call: parent and id, each with its length before it. */
static struct str key_of(struct calls *c, const struct record *r)
{
	size_t parent_len = r->parent.ptr ? r->parent.len : SIZE_MAX;
	size_t id_len = r->id.ptr ? r->id.len : SIZE_MAX;

	strbuf_reset(&c->key);
	strbuf_add(&c->key, (const char *)&parent_len, sizeof(parent_len));
	strbuf_add(&c->key, (const char *)&id_len, sizeof(id_len));
	if (r->parent.len)
		strbuf_adds(&c->key, r->parent);
	if (r->id.len)
		strbuf_adds(&c->key, r->id);
	return strbuf_str(&c->key);
}

static bool is_done(const struct calls *c, const struct record *r)
{
	return r->id.ptr && seen_has(&c->done, r->parent, r->id);
}

static struct call *add(struct calls *c, struct str key)
{
	struct call *call = xmalloc(sizeof(*call) + key.len);

	memcpy(call + 1, key.ptr, key.len);
	call->key = (struct str){(const char *)(call + 1), key.len};
	call->tokens = 0;
	strmap_put(&c->open, call->key, call);
	return call;
}

static void drop(struct calls *c, const struct record *r)
{
	struct call *call = strmap_remove(&c->open, key_of(c, r));

	if (!call)
		return;
	c->tokens -= call->tokens;
	free(call);
}

void calls_start(struct calls *c, const struct record *r)
{
	if (!r->id.ptr)
		drop(c, r); /* the one before broke off */
	else if (strmap_get(&c->open, key_of(c, r)) || is_done(c, r))
		return;
	add(c, key_of(c, r));
	if (!r->parent.ptr)
		c->main_count++;
}

void calls_usage(struct calls *c, const struct record *r)
{
	int64_t tokens = token_counts_total(&r->counts);
	struct call *call;

	call = strmap_get(&c->open, key_of(c, r));
	if (!call && is_done(c, r))
		return;
	if (!call)
		call = add(c, key_of(c, r));
	c->tokens -= call->tokens;
	call->tokens = tokens < CALL_TOKENS_MAX ? tokens : CALL_TOKENS_MAX;
	c->tokens += call->tokens;
}

bool calls_close(struct calls *c, const struct record *r)
{
	if (is_done(c, r))
		return false;
	if (r->id.ptr)
		seen_add(&c->done, r->parent, r->id);
	drop(c, r);
	return true;
}

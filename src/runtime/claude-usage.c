#include "config.h"

#include "runtime/claude-usage.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct claude_call {
	struct claude_call *prev;
	struct claude_call *next;
	char *parent; /* NULL: the main agent */
	size_t parent_len;
	char *id;
	size_t id_len;
	char *model; /* NULL: not named */
	size_t model_len;
	struct token_counts counts;
	bool has_lines; /* an assistant line was seen */
	bool is_final;  /* a message_delta was seen */
};

static char *copy(struct str s, size_t *len)
{
	*len = s.len;
	return str_is_null(s) ? NULL : xstrndup(s.ptr, s.len);
}

static struct str view(const char *ptr, size_t len)
{
	struct str s = {ptr, ptr ? len : 0};

	return s;
}

static void call_free(struct claude_call *c)
{
	free(c->parent);
	free(c->id);
	free(c->model);
	free(c);
}

void claude_calls_init(struct claude_calls *cs)
{
	memset(cs, 0, sizeof(*cs));
	strmap_init(&cs->by_parent);
}

void claude_calls_release(struct claude_calls *cs)
{
	struct claude_call *c;

	while ((c = cs->first)) {
		cs->first = c->next;
		call_free(c);
	}
	cs->last = cs->main = NULL;
	strmap_release(&cs->by_parent);
}

/* The open call of PARENT, or NULL. */
static struct claude_call *call_find(
	const struct claude_calls *cs, struct str parent)
{
	return parent.ptr ? strmap_get(&cs->by_parent, parent) : cs->main;
}

static void call_add(struct claude_calls *cs, struct claude_call *c)
{
	c->prev = cs->last;
	c->next = NULL;
	if (c->prev)
		c->prev->next = c;
	else
		cs->first = c;
	cs->last = c;
	if (c->parent)
		strmap_put(&cs->by_parent, view(c->parent, c->parent_len), c);
	else
		cs->main = c;
}

static void call_remove(struct claude_calls *cs, struct claude_call *c)
{
	if (c->prev)
		c->prev->next = c->next;
	else
		cs->first = c->next;
	if (c->next)
		c->next->prev = c->prev;
	else
		cs->last = c->prev;
	if (c->parent)
		strmap_remove(&cs->by_parent, view(c->parent, c->parent_len));
	else
		cs->main = NULL;
}

static void call_record(const struct claude_call *c, enum record_kind kind,
	const struct record_out *out)
{
	struct record r = {.kind = kind};

	r.id = view(c->id, c->id_len);
	r.parent = view(c->parent, c->parent_len);
	r.model = view(c->model, c->model_len);
	r.counts = c->counts;
	record_put(out, &r);
}

/* A call that only began and has no number but 0 never happened (decisions
 * 6). */
static bool call_happened(const struct claude_call *c)
{
	return c->has_lines || token_counts_total(&c->counts) > 0;
}

static void call_close(struct claude_calls *cs, struct claude_call *c,
	const struct record_out *out)
{
	call_remove(cs, c);
	if (call_happened(c))
		call_record(c, RECORD_USAGE, out);
	call_free(c);
}

static bool call_is(const struct claude_call *c, struct str id)
{
	return str_is_null(id) || str_eq(view(c->id, c->id_len), id);
}

void claude_calls_close(struct claude_calls *cs, struct str parent,
	struct str id, const struct record_out *out)
{
	struct claude_call *c = call_find(cs, parent);

	if (c && call_is(c, id))
		call_close(cs, c, out);
}

void claude_calls_close_all(
	struct claude_calls *cs, const struct record_out *out)
{
	struct claude_call *next;

	for (struct claude_call *c = cs->first; c; c = next) {
		next = c->next;
		call_close(cs, c, out);
	}
}

static struct claude_call *call_begin(struct claude_calls *cs,
	struct str parent, struct str id, struct str model,
	const struct record_out *out)
{
	struct claude_call *c = xcalloc(1, sizeof(*c));

	c->parent = copy(parent, &c->parent_len);
	c->id = copy(id, &c->id_len);
	c->model = copy(model, &c->model_len);
	c->counts = token_counts_unknown();
	call_add(cs, c);
	call_record(c, RECORD_CALL_START, out);
	return c;
}

/* The open call of message ID, begun if need be; NULL when the message has no
 * id. */
static struct claude_call *call_of(struct claude_calls *cs, struct str parent,
	struct str id, struct str model, const struct record_out *out)
{
	struct claude_call *c = call_find(cs, parent);

	if (c && str_eq(view(c->id, c->id_len), id))
		return c;
	if (c)
		call_close(cs, c, out);
	return str_is_null(id) ? NULL : call_begin(cs, parent, id, model, out);
}

static void take(int64_t *to, const struct json *usage, const char *key)
{
	int64_t n = json_int(usage, key, COUNT_UNKNOWN);

	if (n >= 0)
		*to = n;
}

/* What USAGE reports replaces what was known; the rest stays. */
static void take_usage(struct token_counts *c, const struct json *usage)
{
	take(&c->input, usage, "input_tokens");
	take(&c->output, usage, "output_tokens");
	take(&c->cache_read, usage, "cache_read_input_tokens");
	take(&c->cache_write, usage, "cache_creation_input_tokens");
}

void claude_calls_message(struct claude_calls *cs, struct str parent,
	struct str id, struct str model, const struct json *usage, bool stream,
	const struct record_out *out)
{
	struct claude_call *c = call_of(cs, parent, id, model, out);

	if (!c)
		return;
	if (!stream)
		c->has_lines = true;
	if (!str_is_null(model)) {
		free(c->model);
		c->model = copy(model, &c->model_len);
	}
	if (c->is_final)
		return;
	take_usage(&c->counts, usage);
	call_record(c, RECORD_CALL_USAGE, out);
}

void claude_calls_delta(struct claude_calls *cs, struct str parent,
	struct str id, const struct json *usage, const struct record_out *out)
{
	struct claude_call *c = call_find(cs, parent);

	if (!c || !call_is(c, id))
		return;
	c->is_final = true;
	take_usage(&c->counts, usage);
	call_record(c, RECORD_CALL_USAGE, out);
}

struct token_counts claude_model_counts(const struct json *entry)
{
	struct token_counts c = token_counts_unknown();

	take(&c.input, entry, "inputTokens");
	take(&c.output, entry, "outputTokens");
	take(&c.cache_read, entry, "cacheReadInputTokens");
	take(&c.cache_write, entry, "cacheCreationInputTokens");
	c.cost_usd = json_double(entry, "costUSD", c.cost_usd);
	return c;
}

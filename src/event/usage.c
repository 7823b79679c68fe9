#include "config.h"

#include "event/usage.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/strmap.h"
#include "base/xalloc.h"

/* So many models are looked through one by one; a stream that names more is
 * odd, or means harm, and gets an index. */
#define USAGE_LINEAR 16

struct token_counts token_counts_unknown(void)
{
	return (struct token_counts){COUNT_UNKNOWN, COUNT_UNKNOWN,
		COUNT_UNKNOWN, COUNT_UNKNOWN, (double)NAN};
}

bool token_counts_known(const struct token_counts *c)
{
	return c->input >= 0 || c->output >= 0 || c->cache_read >= 0 ||
	       c->cache_write >= 0 || !isnan(c->cost_usd);
}

static int64_t add_saturating(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* A + B where below 0 means unknown. */
static int64_t add_known(int64_t a, int64_t b)
{
	if (b < 0)
		return a < 0 ? COUNT_UNKNOWN : a;
	return a < 0 ? b : add_saturating(a, b);
}

int64_t token_counts_context(const struct token_counts *c)
{
	if (c->input < 0 || c->cache_read < 0 || c->cache_write < 0)
		return COUNT_UNKNOWN;
	return token_counts_in(c);
}

int64_t token_counts_in(const struct token_counts *c)
{
	return add_known(
		add_known(add_known(COUNT_UNKNOWN, c->input), c->cache_read),
		c->cache_write);
}

int64_t token_counts_total(const struct token_counts *c)
{
	return add_known(add_known(0, token_counts_in(c)), c->output);
}

void token_counts_add(struct token_counts *a, const struct token_counts *b)
{
	a->input = add_known(a->input, b->input);
	a->output = add_known(a->output, b->output);
	a->cache_read = add_known(a->cache_read, b->cache_read);
	a->cache_write = add_known(a->cache_write, b->cache_write);
	if (!isfinite(b->cost_usd) || b->cost_usd < 0)
		return;
	a->cost_usd =
		isnan(a->cost_usd) ? b->cost_usd : a->cost_usd + b->cost_usd;
	if (!isfinite(a->cost_usd))
		a->cost_usd = DBL_MAX;
}

void usage_init(struct usage *u)
{
	*u = (struct usage){.sum = token_counts_unknown()};
}

void usage_reset(struct usage *u)
{
	for (size_t i = 0; i < u->count; i++)
		free(u->models[i].model);
	u->count = 0;
	u->sum = token_counts_unknown();
	if (u->index) {
		strmap_release(u->index);
		free(u->index);
		u->index = NULL;
	}
}

void usage_release(struct usage *u)
{
	usage_reset(u);
	free(u->models);
	usage_init(u);
}

/* The map gives positions plus one, because NULL means absent. */
static void index_put(struct usage *u, size_t i)
{
	struct str key = {u->models[i].model, u->models[i].model_len};

	strmap_put(u->index, key, (void *)(uintptr_t)(i + 1));
}

static struct usage_model *find(const struct usage *u, struct str model)
{
	uintptr_t at;

	if (u->index) {
		at = (uintptr_t)strmap_get(u->index, model);
		return at ? &u->models[at - 1] : NULL;
	}
	for (size_t i = 0; i < u->count; i++) {
		struct str name = {u->models[i].model, u->models[i].model_len};

		if (str_eq(name, model))
			return &u->models[i];
	}
	return NULL;
}

static struct usage_model *append(struct usage *u, struct str model)
{
	struct usage_model *m;

	if (u->count == u->cap) {
		u->cap = u->cap ? u->cap * 2 : 2;
		u->models =
			xreallocarray(u->models, u->cap, sizeof(*u->models));
	}
	m = &u->models[u->count++];
	m->model = xstrndup(model.ptr, model.len);
	m->model_len = model.len;
	m->counts = token_counts_unknown();
	if (u->index) {
		index_put(u, u->count - 1);
	} else if (u->count > USAGE_LINEAR) {
		u->index = xmalloc(sizeof(*u->index));
		strmap_init(u->index);
		for (size_t i = 0; i < u->count; i++)
			index_put(u, i);
	}
	return m;
}

void usage_add(struct usage *u, struct str model, const struct token_counts *c)
{
	struct str name = model.ptr ? model : str_of("unknown");
	struct usage_model *m = find(u, name);

	if (!m)
		m = append(u, name);
	token_counts_add(&m->counts, c);
	token_counts_add(&u->sum, c);
}

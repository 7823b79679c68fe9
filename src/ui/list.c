#include "config.h"

#include "ui/list.h"

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"

#define MIN_ROWS 10 /* smaller screens have no list */
#define MANY 5000   /* from here on the order is built once a second */

void list_release(struct list *l)
{
	find_release(&l->match);
	free(l->folded);
	free(l->rows);
	memset(l, 0, sizeof(*l));
}

int64_t list_agent_ms(
	const struct model *m, const struct agent *g, int64_t mono)
{
	if (g->state != AGENT_RUNNING)
		return g->duration_ms;
	return model_now(m, mono) - g->start_ms;
}

enum list_show list_shows(const struct list *l, const struct model *m)
{
	if (l->show != LIST_AUTO)
		return l->show;
	return m->ended || m->still ? LIST_ALL : LIST_RUNNING;
}

/* --- the order --- */

struct sorting {
	const struct list *l;
	const struct model *m;
	int64_t mono;
};

static int64_t state_rank(enum agent_state state)
{
	return state == AGENT_RUNNING ? 2 : state == AGENT_FAILED ? 1 : 0;
}

static int64_t sort_value(const struct sorting *s, const struct agent *g)
{
	switch (s->l->sort) {
	case LIST_STATE:
		return state_rank(g->state);
	case LIST_TIME:
		return list_agent_ms(s->m, g, s->mono);
	case LIST_COST:
		return isfinite(g->used.cost_usd) && g->used.cost_usd < 1e9
			       ? (int64_t)(g->used.cost_usd * 1e6)
			       : -1;
	case LIST_TOKENS:
		return token_counts_total(&g->used);
	case LIST_CONTEXT:
		return g->context;
	case LIST_START:
	case LIST_SORTS:
		break;
	}
	return 0;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;
	uint32_t x = ((const struct list_row *)a)->agent;
	uint32_t y = ((const struct list_row *)b)->agent;
	int64_t vx = sort_value(s, &s->m->agents.v[x]);
	int64_t vy = sort_value(s, &s->m->agents.v[y]);
	int c = x < y ? -1 : x > y;

	if (vx != vy)
		c = vx > vy ? -1 : 1;
	return s->l->reverse ? -c : c;
}

void list_changed(struct list *l)
{
	l->built_for = SIZE_MAX;
	l->built_at = 0;
}

static bool has(const struct find *f, struct str s)
{
	return s.len && find_in(f, s, 0) >= 0;
}

static bool selects(const struct list *l, const struct model *m, uint32_t i)
{
	const struct agent *g = &m->agents.v[i];
	enum list_show show = list_shows(l, m);

	if (show == LIST_RUNNING && g->state != AGENT_RUNNING)
		return false;
	if (show == LIST_FAILED && g->state != AGENT_FAILED)
		return false;
	return !find_is_set(&l->match) || has(&l->match, str_of(g->label)) ||
	       has(&l->match, str_of(g->description)) ||
	       has(&l->match, model_of(m, i));
}

bool list_is_folded(const struct list *l, uint32_t agent)
{
	return agent < l->folded_cap && l->folded[agent];
}

static void add_row(
	struct list *l, uint32_t agent, uint32_t level, uint32_t hidden)
{
	if (l->count == l->cap) {
		l->cap += l->cap / 2 + 16;
		l->rows = xreallocarray(l->rows, l->cap, sizeof(*l->rows));
	}
	l->rows[l->count++] = (struct list_row){
		agent, hidden, (uint16_t)(level < 999 ? level : 999)};
}

/* An agent in the tree; 0 is no child, as it is the main agent. */
struct node {
	uint32_t first; /* child */
	uint32_t next;  /* sibling */
	uint32_t below; /* selected ones */
	uint32_t level; /* of its children */
	bool selected;
};

static struct node *plant(const struct list *l, const struct model *m)
{
	const struct agents *a = &m->agents;
	struct node *n = xcalloc(a->count, sizeof(*n));
	size_t k;

	for (k = a->count - 1; k > 0; k--) {
		struct node *parent = &n[a->v[k].parent];

		n[k].selected = selects(l, m, (uint32_t)k);
		parent->below += n[k].below + n[k].selected;
	}
	for (k = 1; k < a->count; k++) {
		size_t i = l->reverse ? k : a->count - k;

		n[i].next = n[a->v[i].parent].first;
		n[a->v[i].parent].first = (uint32_t)i;
	}
	return n;
}

static void build_tree(struct list *l, const struct model *m)
{
	const struct agents *a = &m->agents;
	struct node *n = plant(l, m);
	uint32_t i = n[0].first;

	while (i) {
		bool folded = n[i].selected && list_is_folded(l, i);

		n[i].level = n[a->v[i].parent].level;
		if (n[i].selected)
			add_row(l, i, n[i].level++, folded ? n[i].below : 0);
		if (n[i].first && !folded) {
			i = n[i].first;
			continue;
		}
		while (i && !n[i].next)
			i = a->v[i].parent;
		i = i ? n[i].next : 0;
	}
	free(n);
}

static void build(struct list *l, const struct model *m, int64_t mono)
{
	struct sorting s = {l, m, mono};
	uint32_t i;

	l->count = 0;
	if (m->agents.count < 2)
		return;
	if (l->sort == LIST_START) {
		build_tree(l, m);
		return;
	}
	for (i = 1; i < m->agents.count; i++)
		if (selects(l, m, i))
			add_row(l, i, 0, 0);
	if (l->count)
		qsort_r(l->rows, l->count, sizeof(*l->rows), compare, &s);
}

size_t list_position(const struct list *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (l->rows[i].agent == l->selected)
			return i;
	return l->count;
}

/* The agent that the reader selected stays; when it left the list, who is in
 * its place. Before the reader did, the first one: a run that was watched then
 * looks as it does when it is opened. */
static void keep_selection(struct list *l, size_t was)
{
	if (!l->count)
		return;
	if (!l->chosen)
		was = 0;
	else if (list_position(l) < l->count)
		return;
	l->selected = l->rows[was < l->count ? was : l->count - 1].agent;
}

void list_sync(struct list *l, const struct model *m, int64_t mono)
{
	size_t state = m->agents.count + m->agents.ended;
	enum list_show show = list_shows(l, m);
	bool moving = l->sort > LIST_STATE && m->agents.running;
	bool many = m->agents.count > MANY;
	size_t was = list_position(l);

	if (l->built_at && show == l->built_show) {
		if (many && mono < l->built_at + 1000)
			return;
		if (state == l->built_for &&
			!(moving && mono >= l->built_at + 1000))
			return;
	}
	build(l, m, mono);
	l->built_for = state;
	l->built_at = mono ? mono : 1;
	l->built_show = show;
	keep_selection(l, was);
}

void list_keep_some(struct list *l, const struct model *m, int64_t mono)
{
	if (m->agents.running || list_shows(l, m) != LIST_RUNNING)
		return;
	l->show = LIST_ALL;
	list_changed(l);
	list_sync(l, m, mono);
}

/* --- the reader --- */

void list_select(struct list *l, uint32_t agent)
{
	l->selected = agent;
	l->chosen = true;
}

void list_move(struct list *l, int delta)
{
	size_t at = list_position(l);

	if (!l->count)
		return;
	if (at == l->count)
		at = 0;
	else if (delta < 0)
		at = at > (size_t)-delta ? at - (size_t)-delta : 0;
	else
		at += (size_t)delta;
	list_select(l, l->rows[at < l->count ? at : l->count - 1].agent);
}

void list_edge(struct list *l, bool end)
{
	if (l->count)
		list_select(l, l->rows[end ? l->count - 1 : 0].agent);
}

static void set_folded(struct list *l, uint32_t agent, bool on)
{
	if (agent >= l->folded_cap) {
		size_t cap = agent + agent / 2 + 16;

		l->folded = xreallocarray(l->folded, cap, sizeof(*l->folded));
		memset(l->folded + l->folded_cap, 0, cap - l->folded_cap);
		l->folded_cap = cap;
	}
	l->folded[agent] = on;
}

static bool has_child(const struct model *m, uint32_t agent)
{
	size_t i;

	for (i = agent + 1; i < m->agents.count; i++)
		if (m->agents.v[i].parent == agent)
			return true;
	return false;
}

void list_fold(struct list *l, const struct model *m, bool on)
{
	uint32_t agent = l->selected;

	if (on && agent && (!has_child(m, agent) || list_is_folded(l, agent)))
		agent = m->agents.v[agent].parent; /* as in every tree */
	if (!agent)
		return;
	set_folded(l, agent, on);
	list_select(l, agent);
	list_changed(l);
}

void list_fold_all(struct list *l, const struct model *m, bool on)
{
	size_t i;

	l->all_folded = on;
	for (i = m->agents.count; i-- > 1;) {
		uint32_t parent = m->agents.v[i].parent;

		if (parent)
			set_folded(l, parent, on);
		if (on && parent && l->selected == i)
			l->selected = parent;
	}
	list_changed(l);
}

int list_rows(const struct list *l, const struct model *m, int rows)
{
	int most = rows / 3 - 1;

	if (m->agents.count < 2 || rows < MIN_ROWS)
		return 0;
	if (most < 1)
		most = 1;
	return 3 + (l->count < (size_t)most ? (int)l->count : most);
}

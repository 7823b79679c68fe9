#include "config.h"

#include "event/aggregate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/strmap.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "event/calls.h"
#include "event/seen.h"
#include "event/tally.h"

/* The sums of a subagent reach so many levels up. Nobody nests like this; it
 * keeps a hostile chain of a million from taking a million steps per call. */
#define AGENT_LEVELS 32

/* A doubly linked list in order of the start. */
struct item {
	struct item *prev;
	struct item *next;
};

struct list {
	struct item head;
	uint64_t count;
};

/* A subagent. Stays known after its end, because later lines may name it as
 * their parent. */
struct agent {
	struct item open; /* in aggregate.agents_open; must be first */
	struct agent *all;
	struct agent *parent; /* NULL: the main agent */
	struct str id;
	int64_t started_ms;
	bool ended;
	struct usage usage;
};

/* A tool call that has not ended. Its strings stand behind it. */
struct tool {
	struct item open; /* must be first */
	struct agent *parent;
	struct str id;
	struct str name;
	struct str summary;
};

struct aggregate {
	const struct clock *clock;
	int64_t start_ms;
	event_fn *emit;
	void *arg;
	int64_t last_ms; /* `time` of the newest event */
	struct raw_ref source;
	struct raw_ref last_source; /* of the newest record */
	bool started;
	bool ended;
	bool prompt_seen;

	struct strvec images;
	struct strmap agents; /* id -> struct agent, ended ones too */
	struct agent *agents_all;
	struct list agents_open;
	int64_t agent_count;

	struct strmap tools; /* id -> struct tool */
	struct list tools_open;
	struct seen tools_done;

	struct calls calls;

	struct usage usage; /* of all usage events */
	struct usage totals;
	bool has_totals;

	struct seen connections;
	struct tally tally;

	struct strbuf last_text; /* of the main agent */
	bool has_text;
	struct strbuf result;
	struct strbuf session;
};

static void list_init(struct list *l)
{
	l->head.prev = &l->head;
	l->head.next = &l->head;
	l->count = 0;
}

static void list_add(struct list *l, struct item *it)
{
	it->prev = l->head.prev;
	it->next = &l->head;
	it->prev->next = it;
	l->head.prev = it;
	l->count++;
}

static void list_remove(struct list *l, struct item *it)
{
	it->prev->next = it->next;
	it->next->prev = it->prev;
	l->count--;
}

struct aggregate *aggregate_new(
	const struct clock *clock, int64_t start_ms, event_fn *emit, void *arg)
{
	struct aggregate *a = xcalloc(1, sizeof(*a));

	a->clock = clock;
	a->start_ms = start_ms;
	a->emit = emit;
	a->arg = arg;
	a->last_ms = INT64_MIN;
	strvec_init(&a->images);
	strmap_init(&a->agents);
	strmap_init(&a->tools);
	calls_init(&a->calls);
	list_init(&a->agents_open);
	list_init(&a->tools_open);
	seen_init(&a->tools_done);
	seen_init(&a->connections);
	tally_init(&a->tally);
	usage_init(&a->usage);
	usage_init(&a->totals);
	strbuf_init(&a->last_text);
	strbuf_init(&a->result);
	strbuf_init(&a->session);
	return a;
}

void aggregate_free(struct aggregate *a)
{
	if (!a)
		return;
	while (a->agents_all) {
		struct agent *ag = a->agents_all;

		a->agents_all = ag->all;
		usage_release(&ag->usage);
		free(ag);
	}
	for (struct item *it = a->tools_open.head.next, *next;
		it != &a->tools_open.head; it = next) {
		next = it->next;
		free(it);
	}
	strvec_release(&a->images);
	strmap_release(&a->agents);
	strmap_release(&a->tools);
	calls_release(&a->calls);
	seen_release(&a->tools_done);
	seen_release(&a->connections);
	tally_release(&a->tally);
	usage_release(&a->usage);
	usage_release(&a->totals);
	strbuf_release(&a->last_text);
	strbuf_release(&a->result);
	strbuf_release(&a->session);
	free(a);
}

static int64_t mono_now(const struct aggregate *a)
{
	return a->clock->mono_ms(a->clock->arg);
}

static int64_t since(const struct aggregate *a, int64_t start_ms)
{
	int64_t now = mono_now(a);

	return now > start_ms ? now - start_ms : 0;
}

static void emit(struct aggregate *a, struct event *ev)
{
	int64_t now = a->clock->wall_ms(a->clock->arg);

	if (now > a->last_ms)
		a->last_ms = now;
	ev->time_ms = a->last_ms;
	if (ev->kind == EVENT_END)
		ev->source = a->last_source;
	else if (ev->kind != EVENT_NETWORK)
		ev->source = a->source;
	tally_event(&a->tally, ev);
	a->emit(a->arg, ev);
}

void aggregate_start(struct aggregate *a, const struct event_start *start)
{
	struct event ev = {.kind = EVENT_START, .u.start = *start};

	ar_assert(!a->started && !a->ended);
	a->started = true;
	emit(a, &ev);
}

void aggregate_images(struct aggregate *a, const struct strvec *images)
{
	strvec_push_all(&a->images, images);
}

/* Paths are bytes; what is not UTF-8 in them becomes U+FFFD (spec: prompt). */
static struct str_list image_list(
	const struct aggregate *a, struct strbuf *text)
{
	struct str *v = xreallocarray(NULL, a->images.count + 1, sizeof(*v));
	size_t at = 0;

	for (size_t i = 0; i < a->images.count; i++) {
		size_t before = text->len;

		utf8_repair(text, a->images.v[i], strlen(a->images.v[i]));
		v[i].len = text->len - before;
	}
	for (size_t i = 0; i < a->images.count; i++) {
		v[i].ptr = text->buf + at;
		at += v[i].len;
	}
	return (struct str_list){v, a->images.count};
}

void aggregate_prompt(struct aggregate *a, struct str text)
{
	struct strbuf paths = STRBUF_INIT;
	struct event ev = {.kind = EVENT_PROMPT};

	if (!a->started || a->prompt_seen)
		return;
	a->prompt_seen = true;
	ev.u.prompt.text = text.ptr ? text : str_of("");
	ev.u.prompt.images = image_list(a, &paths);
	emit(a, &ev);
	free((void *)ev.u.prompt.images.v);
	strbuf_release(&paths);
}

static struct agent *agent_find(const struct aggregate *a, struct str id)
{
	return strmap_get(&a->agents, id);
}

static struct str agent_id(const struct agent *ag)
{
	return ag ? ag->id : str_null();
}

/* Puts a copy of S at *ROOM and moves *ROOM behind it. */
static struct str place(char **room, struct str s)
{
	struct str copy = {*room, s.len};

	if (s.len)
		memcpy(*room, s.ptr, s.len);
	*room += s.len;
	return copy;
}

/* --- tools --- */

/* Open or over. Tool calls and subagents have one space of ids. */
static bool is_tool(const struct aggregate *a, struct str id)
{
	return strmap_get(&a->tools, id) ||
	       seen_has(&a->tools_done, id, str_null());
}

static void tool_event(
	struct aggregate *a, const struct tool *t, struct event *ev)
{
	ev->u.tool.id = t->id;
	ev->u.tool.parent = agent_id(t->parent);
	ev->u.tool.name = t->name;
	ev->u.tool.summary = t->summary;
	emit(a, ev);
}

static void tool_start(struct aggregate *a, const struct record *r)
{
	struct event ev = {.kind = EVENT_TOOL_START, .u.tool.error = TRI_NULL};
	struct tool *t;
	char *room;

	if (!r->id.ptr || agent_find(a, r->id) || is_tool(a, r->id))
		return;
	t = xmalloc(sizeof(*t) + r->id.len + r->name.len + r->summary.len);
	room = (char *)(t + 1);
	t->parent = agent_find(a, r->parent);
	t->id = place(&room, r->id);
	t->name = place(&room, r->name);
	t->summary = place(&room, r->summary);
	strmap_put(&a->tools, t->id, t);
	list_add(&a->tools_open, &t->open);
	tool_event(a, t, &ev);
}

static void tool_finish(struct aggregate *a, struct tool *t, struct event *ev)
{
	strmap_remove(&a->tools, t->id);
	list_remove(&a->tools_open, &t->open);
	seen_add(&a->tools_done, t->id, str_null());
	tool_event(a, t, ev);
	free(t);
}

static void tool_end(struct aggregate *a, const struct record *r)
{
	struct event ev = {.kind = EVENT_TOOL};
	struct tool *t = strmap_get(&a->tools, r->id);

	if (!t)
		return;
	ev.u.tool.denied = r->denied;
	ev.u.tool.error = r->denied ? TRI_FALSE : r->error;
	tool_finish(a, t, &ev);
}

/* --- subagents --- */

static void subagent_start(struct aggregate *a, const struct record *r)
{
	struct event ev = {.kind = EVENT_SUBAGENT_START};
	struct agent *ag;
	char *room;

	if (!r->id.ptr || agent_find(a, r->id) || is_tool(a, r->id))
		return;
	ag = xmalloc(sizeof(*ag) + r->id.len);
	room = (char *)(ag + 1);
	/* Found before the agent itself is known: no cycle can arise. */
	ag->parent = agent_find(a, r->parent);
	ag->id = place(&room, r->id);
	ag->started_ms = mono_now(a);
	ag->ended = false;
	usage_init(&ag->usage);
	ag->all = a->agents_all;
	a->agents_all = ag;
	strmap_put(&a->agents, ag->id, ag);
	list_add(&a->agents_open, &ag->open);

	ev.u.subagent_start.id = ag->id;
	ev.u.subagent_start.parent = agent_id(ag->parent);
	ev.u.subagent_start.number = ++a->agent_count;
	ev.u.subagent_start.kind =
		r->agent_kind.ptr ? r->agent_kind : str_of("");
	ev.u.subagent_start.model = r->model;
	ev.u.subagent_start.description =
		r->description.ptr ? r->description : str_of("");
	emit(a, &ev);
}

static void subagent_finish(struct aggregate *a, struct agent *ag, bool failed)
{
	struct event ev = {.kind = EVENT_SUBAGENT_END};

	list_remove(&a->agents_open, &ag->open);
	ag->ended = true;
	ev.u.subagent_end.id = ag->id;
	ev.u.subagent_end.failed = failed;
	ev.u.subagent_end.duration_ms = since(a, ag->started_ms);
	ev.u.subagent_end.usage = &ag->usage;
	emit(a, &ev);
	usage_release(&ag->usage);
}

static void subagent_end(struct aggregate *a, const struct record *r)
{
	struct agent *ag = agent_find(a, r->id);

	if (ag && !ag->ended)
		subagent_finish(a, ag, r->failed);
}

/* --- model calls and usage --- */

static struct token_counts sane_counts(const struct token_counts *c)
{
	struct token_counts sane = token_counts_unknown();

	token_counts_add(&sane, c);
	return sane;
}

static void usage_record(struct aggregate *a, const struct record *r)
{
	struct event ev = {.kind = EVENT_USAGE};
	struct agent *parent = agent_find(a, r->parent);
	struct token_counts counts = sane_counts(&r->counts);
	int level = 0;

	if (!calls_close(&a->calls, r))
		return;
	usage_add(&a->usage, r->model, &counts);
	for (struct agent *ag = parent; ag && level < AGENT_LEVELS;
		ag = ag->parent, level++)
		if (!ag->ended)
			usage_add(&ag->usage, r->model, &counts);
	ev.u.usage.parent = agent_id(parent);
	ev.u.usage.model = r->model;
	ev.u.usage.counts = counts;
	ev.u.usage.context_tokens = token_counts_context(&counts);
	emit(a, &ev);
}

/* --- the rest --- */

static void text(struct aggregate *a, const struct record *r)
{
	struct event ev = {.kind = EVENT_TEXT};
	struct agent *parent = agent_find(a, r->parent);

	if (!r->text.ptr || utf8_is_blank(r->text.ptr, r->text.len))
		return;
	if (!parent && !r->foreign && !r->parent.ptr) {
		strbuf_reset(&a->last_text);
		strbuf_adds(&a->last_text, r->text);
		a->has_text = true;
	}
	ev.u.text.parent = agent_id(parent);
	ev.u.text.text = r->text;
	emit(a, &ev);
}

static void network(struct aggregate *a, const struct record *r)
{
	struct event ev = {.kind = EVENT_NETWORK};
	struct strbuf what = STRBUF_INIT;
	bool known;

	strbuf_addf(&what, "%lld %d", (long long)r->port, r->allowed);
	known = seen_has(&a->connections, r->host, strbuf_str(&what));
	seen_add(&a->connections, r->host, strbuf_str(&what));
	strbuf_release(&what);
	if (known)
		return;
	ev.u.network.host = r->host.ptr ? r->host : str_of("");
	ev.u.network.port = r->port;
	ev.u.network.allowed = r->allowed;
	ev.u.network.reason = r->allowed ? str_null() : r->reason;
	emit(a, &ev);
}

static void totals(struct aggregate *a, const struct record *r)
{
	a->has_totals = true;
	if (!r->adds)
		usage_reset(&a->totals);
	for (size_t i = 0; i < r->totals->count; i++) {
		const struct usage_model *m = &r->totals->models[i];

		usage_add(&a->totals, (struct str){m->model, m->model_len},
			&m->counts);
	}
}

static void keep(struct strbuf *to, struct str s)
{
	strbuf_reset(to);
	if (s.len)
		strbuf_adds(to, s);
}

/* Each thing that is not over is counted once: a task of a call or subagent
 * that is still open is not one more. */
static void task(struct aggregate *a, struct str id)
{
	const struct agent *ag = agent_find(a, id);

	if (strmap_get(&a->tools, id) || (ag && !ag->ended))
		return;
	a->tally.tasks++;
}

void aggregate_source(struct aggregate *a, struct raw_ref source)
{
	a->source = source;
}

void aggregate_record(struct aggregate *a, const struct record *r)
{
	if (a->source.len && r->kind != RECORD_NETWORK)
		a->last_source = a->source;
	if (a->ended || (!a->started && record_gives_event(r->kind)))
		return;
	switch (r->kind) {
	case RECORD_PROMPT:
		aggregate_prompt(a, r->text);
		break;
	case RECORD_TEXT:
		text(a, r);
		break;
	case RECORD_TOOL_START:
		tool_start(a, r);
		break;
	case RECORD_TOOL_END:
		tool_end(a, r);
		break;
	case RECORD_CALL_START:
		calls_start(&a->calls, r);
		break;
	case RECORD_CALL_USAGE:
		calls_usage(&a->calls, r);
		break;
	case RECORD_USAGE:
		usage_record(a, r);
		break;
	case RECORD_SUBAGENT_START:
		subagent_start(a, r);
		break;
	case RECORD_SUBAGENT_END:
		subagent_end(a, r);
		break;
	case RECORD_SESSION:
		keep(&a->session, r->id);
		break;
	case RECORD_TOTALS:
		totals(a, r);
		break;
	case RECORD_RESULT:
		keep(&a->result, r->text);
		break;
	case RECORD_REFUSED:
		tally_refused(&a->tally, r->id);
		break;
	case RECORD_TASK:
		task(a, r->id);
		break;
	case RECORD_NETWORK:
		network(a, r);
		break;
	}
}

int64_t aggregate_main_calls(const struct aggregate *a)
{
	return a->calls.main_count;
}

/* The runtime's own sum may hold calls that had no lines; it may also be older
 * than the newest calls. */
int64_t aggregate_tokens(const struct aggregate *a)
{
	int64_t n = token_counts_total(&a->usage.sum);
	int64_t totals = token_counts_total(&a->totals.sum);

	n = n < INT64_MAX - a->calls.tokens ? n + a->calls.tokens : INT64_MAX;
	return n > totals ? n : totals;
}

double aggregate_cost(const struct aggregate *a)
{
	return a->has_totals ? a->totals.sum.cost_usd : a->usage.sum.cost_usd;
}

struct str aggregate_session(const struct aggregate *a)
{
	return a->session.len ? strbuf_str(&a->session) : str_null();
}

static struct str end_result(const struct aggregate *a)
{
	if (!utf8_is_blank(a->result.buf, a->result.len))
		return strbuf_str(&a->result);
	return a->has_text ? strbuf_str(&a->last_text) : str_null();
}

static bool tokens_known(const struct token_counts *c)
{
	return token_counts_in(c) >= 0 || c->output >= 0;
}

/* A run that ended well and shows nothing for it. */
static bool is_empty(const struct aggregate *a, const struct aggregate_end *end)
{
	return end->status == END_FINISHED && !a->tally.worked &&
	       str_is_null(end_result(a)) && aggregate_tokens(a) == 0;
}

static void end_warnings(const struct aggregate *a,
	const struct aggregate_end *end, const struct usage *usage,
	struct strvec *warn)
{
	if (is_empty(a, end))
		strvec_push(warn, "empty_run");
	if (a->agents_open.count)
		strvec_pushf(warn, "subagents_unfinished:%llu",
			(unsigned long long)a->agents_open.count);
	if (a->tools_open.count)
		strvec_pushf(warn, "tools_unfinished:%llu",
			(unsigned long long)a->tools_open.count);
	tally_warnings(&a->tally, warn);
	if (end->warnings)
		strvec_push_all(warn, end->warnings);
	if (end->last_line_cut)
		strvec_push(warn, "last_line_cut");
	if (end->lines_skipped)
		strvec_pushf(warn, "lines_skipped:%llu",
			(unsigned long long)end->lines_skipped);
	if (end->cost_expected && tokens_known(&usage->sum) &&
		isnan(usage->sum.cost_usd))
		strvec_push(warn, "cost_unknown");
	if (end->session_lost)
		strvec_push(warn, "session_not_saved");
}

static void complete(struct aggregate *a)
{
	while (a->tools_open.count) {
		struct event ev = {.kind = EVENT_TOOL};

		ev.u.tool.error = TRI_NULL;
		tool_finish(a, (struct tool *)a->tools_open.head.next, &ev);
	}
	while (a->agents_open.count)
		subagent_finish(
			a, (struct agent *)a->agents_open.head.next, true);
}

void aggregate_end(struct aggregate *a, const struct aggregate_end *end)
{
	const struct usage *usage = a->has_totals ? &a->totals : &a->usage;
	struct event ev = {.kind = EVENT_END};
	struct strvec warn = STRVEC_INIT;
	struct strbuf detail = STRBUF_INIT;
	struct str *list;

	ar_assert(!a->ended);
	a->ended = true;
	end_warnings(a, end, usage, &warn);
	complete(a);
	list = xreallocarray(NULL, warn.count + 1, sizeof(*list));
	for (size_t i = 0; i < warn.count; i++)
		list[i] = str_of(warn.v[i]);
	ev.u.end.status = end->status;
	ev.u.end.exit_code = end->exit_code;
	/* It may be the end of a stderr, so any bytes. */
	if (end->detail.len)
		utf8_repair(&detail, end->detail.ptr, end->detail.len);
	ev.u.end.detail = strbuf_str(&detail);
	ev.u.end.usage = usage;
	ev.u.end.result = end_result(a);
	ev.u.end.session_id = end->session_id;
	ev.u.end.warnings = (struct str_list){list, warn.count};
	ev.u.end.duration_ms = since(a, a->start_ms);
	emit(a, &ev);
	free(list);
	strbuf_release(&detail);
	strvec_release(&warn);
}

#include "config.h"

#include "output/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "event/status.h"
#include "output/export-doc.h"
#include "output/textfmt.h"

#define FLUSH_SIZE ((size_t)64 << 10)
#define TITLE_POINTS 90

/* Collecting. */

static struct str keep(struct doc_run *run, struct str s)
{
	struct str copy = s;

	if (s.ptr)
		copy.ptr = arena_copy(&run->arena, s.ptr, s.len);
	return copy;
}

static struct str_list keep_list(struct doc_run *run, struct str_list list)
{
	struct str_list copy = {NULL, list.count};
	struct str *v = arena_alloc(&run->arena, (list.count + 1) * sizeof(*v));

	for (size_t i = 0; i < list.count; i++)
		v[i] = keep(run, list.v[i]);
	copy.v = v;
	return copy;
}

static void *alloc_zero(struct doc_run *run, size_t size)
{
	return memset(arena_alloc(&run->arena, size), 0, size);
}

static struct doc_run *add_run(struct doc *doc)
{
	struct doc_run *run = xcalloc(1, sizeof(*run));

	arena_init(&run->arena);
	strmap_init(&run->by_id);
	strmap_init(&run->open);
	run->main.counts = token_counts_unknown();
	run->index = doc->last ? doc->last->index + 1 : 1;
	if (doc->last)
		doc->last->next = run;
	else
		doc->first = run;
	doc->last = run;
	return run;
}

static struct doc_agent *find_agent(struct doc_run *run, struct str id)
{
	struct doc_agent *agent =
		str_is_null(id) ? NULL : strmap_get(&run->by_id, id);

	/* what names an agent that never started is the main agent's */
	return agent ? agent : &run->main;
}

static struct doc_item *add_item(struct doc_run *run, struct doc_agent *agent,
	enum doc_item_kind kind, int64_t time_ms)
{
	struct doc_item *item = alloc_zero(run, sizeof(*item));

	item->kind = kind;
	item->time_ms = time_ms;
	if (agent->last)
		agent->last->next = item;
	else
		agent->first = item;
	agent->last = item;
	return item;
}

static void take_start(struct doc_run *run, const struct event_start *e)
{
	run->has_start = true;
	run->runtime = keep(run, e->runtime);
	run->sandbox = keep(run, e->sandbox);
	run->network = keep(run, e->network_mode);
	run->model = keep(run, e->model);
	run->cwd = keep(run, e->cwd);
	run->notes = keep_list(run, e->notes);
	run->main.model = run->model;
}

static struct doc_item *open_tool(
	struct doc_run *run, const struct event_tool *e, const struct event *ev)
{
	struct doc_agent *agent = find_agent(run, e->parent);
	struct doc_item *item = add_item(run, agent, DOC_TOOL, ev->time_ms);

	item->id = keep(run, e->id);
	item->name = keep(run, e->name);
	item->first = ev->source;
	item->text = keep(run, e->summary);
	item->agent = agent;
	agent->tools++;
	return item;
}

static void take_tool_start(struct doc_run *run, const struct event *ev)
{
	struct doc_item *item = open_tool(run, &ev->u.tool, ev);

	/* an id that comes again while it is open: both are shown */
	(void)strmap_remove(&run->open, item->id);
	strmap_put(&run->open, item->id, item);
}

static void take_tool(struct doc_run *run, const struct event *ev)
{
	const struct event_tool *e = &ev->u.tool;
	struct doc_item *item = strmap_remove(&run->open, e->id);

	if (!item)
		item = open_tool(run, e, ev);
	item->last = ev->source;
	if (e->denied)
		item->state = DOC_TOOL_DENIED;
	else if (e->error == TRI_TRUE)
		item->state = DOC_TOOL_ERROR;
	else
		item->state = DOC_TOOL_OK;
	item->agent->denied += item->state == DOC_TOOL_DENIED;
	item->agent->errors += item->state == DOC_TOOL_ERROR;
}

static void take_usage(struct doc_run *run, const struct event_usage *e)
{
	struct doc_agent *agent = find_agent(run, e->parent);

	if (!agent->ended)
		token_counts_add(&agent->counts, &e->counts);
	if (e->model.ptr && !str_eq(agent->model, e->model))
		agent->model = keep(run, e->model);
}

static void take_subagent_start(struct doc_run *run, const struct event *ev)
{
	const struct event_subagent_start *e = &ev->u.subagent_start;
	struct doc_agent *parent = find_agent(run, e->parent);
	struct doc_agent *agent = alloc_zero(run, sizeof(*agent));
	struct strbuf label = STRBUF_INIT;

	textfmt_make_label(&label, e->kind, e->number);
	agent->id = keep(run, e->id);
	agent->label = keep(run, strbuf_str(&label));
	strbuf_release(&label);
	agent->model = keep(run, e->model);
	agent->description = keep(run, e->description);
	agent->host = parent->depth < DOC_DEPTH_MAX || !parent->host
			      ? parent
			      : parent->host;
	agent->depth = agent->host->depth + 1;
	agent->index = ++run->agent_count;
	agent->start_ms = ev->time_ms;
	agent->first_line = ev->source;
	agent->counts = token_counts_unknown();
	add_item(run, agent->host, DOC_AGENT, ev->time_ms)->agent = agent;
	if (run->agents_last)
		run->agents_last->next = agent;
	else
		run->agents = agent;
	run->agents_last = agent;
	(void)strmap_remove(&run->by_id, agent->id);
	strmap_put(&run->by_id, agent->id, agent);
}

static void take_subagent_end(struct doc_run *run, const struct event *ev)
{
	const struct event_subagent_end *e = &ev->u.subagent_end;
	struct doc_agent *agent = strmap_get(&run->by_id, e->id);

	if (!agent || agent->ended)
		return;
	agent->ended = true;
	agent->last_line = ev->source;
	agent->failed = e->failed;
	agent->duration_ms = e->duration_ms;
	agent->counts = e->usage->sum;
}

static void take_network(struct doc_run *run, const struct event_network *e)
{
	struct doc_host *host = alloc_zero(run, sizeof(*host));

	host->host = keep(run, e->host);
	host->port = e->port;
	host->allowed = e->allowed;
	host->reason = keep(run, e->reason);
	if (run->hosts_last)
		run->hosts_last->next = host;
	else
		run->hosts = host;
	run->hosts_last = host;
}

static void take_end(struct doc_run *run, const struct event_end *e)
{
	struct usage *usage = alloc_zero(run, sizeof(*usage));

	usage->sum = e->usage->sum;
	usage->count = e->usage->count;
	usage->models = arena_alloc(
		&run->arena, (usage->count + 1) * sizeof(*usage->models));
	for (size_t i = 0; i < usage->count; i++) {
		usage->models[i] = e->usage->models[i];
		usage->models[i].model = arena_copy(&run->arena,
			usage->models[i].model, usage->models[i].model_len);
	}
	run->has_end = true;
	run->end = *e;
	run->end.detail = keep(run, e->detail);
	run->end.result = keep(run, e->result);
	run->end.session_id = keep(run, e->session_id);
	run->end.warnings = keep_list(run, e->warnings);
	run->end.usage = usage;
}

static void take(struct doc_run *run, const struct event *ev)
{
	struct doc_agent *agent;

	switch (ev->kind) {
	case EVENT_START:
		take_start(run, &ev->u.start);
		break;
	case EVENT_PROMPT:
		run->has_prompt = true;
		run->prompt = keep(run, ev->u.prompt.text);
		run->images = keep_list(run, ev->u.prompt.images);
		break;
	case EVENT_TOOL_START:
		take_tool_start(run, ev);
		break;
	case EVENT_TOOL:
		take_tool(run, ev);
		break;
	case EVENT_TEXT:
		agent = find_agent(run, ev->u.text.parent);
		add_item(run, agent, DOC_TEXT, ev->time_ms)->text =
			keep(run, ev->u.text.text);
		break;
	case EVENT_USAGE:
		take_usage(run, &ev->u.usage);
		break;
	case EVENT_SUBAGENT_START:
		take_subagent_start(run, ev);
		break;
	case EVENT_SUBAGENT_END:
		take_subagent_end(run, ev);
		break;
	case EVENT_NETWORK:
		take_network(run, &ev->u.network);
		break;
	case EVENT_END:
		take_end(run, &ev->u.end);
		break;
	case EVENT_UNKNOWN:
		break;
	}
}

static int export_event(
	struct sink *s, const struct event *ev, int *syserr, struct err *err)
{
	struct doc *doc = (struct doc *)s;
	struct doc_run *run = doc->last;

	(void)syserr;
	(void)err;
	if (!run || ev->kind == EVENT_START) {
		run = add_run(doc);
		run->first_ms = ev->time_ms;
	}
	if (ev->time_ms > run->last_ms)
		run->last_ms = ev->time_ms;
	take(run, ev);
	return 0;
}

static void export_free(struct sink *s)
{
	struct doc *doc = (struct doc *)s;

	while (doc->first) {
		struct doc_run *run = doc->first;

		doc->first = run->next;
		strmap_release(&run->by_id);
		strmap_release(&run->open);
		arena_release(&run->arena);
		free(run);
	}
	free(doc);
}

static const struct sink_ops export_ops = {
	.event = export_event,
	.free = export_free,
};

struct sink *export_new(void)
{
	struct doc *doc = xcalloc(1, sizeof(*doc));

	doc->sink.ops = &export_ops;
	return &doc->sink;
}

void export_bad_lines(struct sink *s, uint64_t count)
{
	((struct doc *)s)->bad_lines = count;
}

int export_write(const struct sink *s, const struct export_form *form,
	export_fn *fn, void *arg)
{
	const struct doc *doc = (const struct doc *)s;
	const char *name = form->name;
	struct doc_out o = {STRBUF_INIT, fn, arg, 0, form->detail,
		form->detail ? DOC_DETAIL_MAX : 0};

	switch (form->kind) {
	case EXPORT_MD:
		doc_write_md(&o, doc, name);
		break;
	case EXPORT_HTML:
		doc_write_html(&o, doc, name);
		break;
	}
	doc_flush(&o, true);
	strbuf_release(&o.sb);
	return o.failed;
}

/* What the writers share. */

void doc_flush(struct doc_out *o, bool force)
{
	if (!force && o->sb.len < FLUSH_SIZE)
		return;
	if (!o->failed && o->sb.len)
		o->failed = o->fn(o->arg, o->sb.buf, o->sb.len);
	strbuf_reset(&o->sb);
}

/* The length of a character at S that must not act: a C1 control, a bidi
 * control or a line separator; else 0. */
static size_t hidden_len(const unsigned char *s, size_t left)
{
	if (left >= 2 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f)
		return 2;
	if (left >= 2 && s[0] == 0xd8 && s[1] == 0x9c)
		return 2;
	if (left < 3 || s[0] != 0xe2)
		return 0;
	if (s[1] == 0x80 && (s[2] == 0x8e || s[2] == 0x8f))
		return 3;
	if (s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae)
		return 3;
	if (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9)
		return 3;
	return 0;
}

/* A control as its picture: ESC is U+241B. */
static void add_control(struct strbuf *out, unsigned char c)
{
	const char picture[] = {
		'\xe2', '\x90', (char)(c == 0x7f ? 0xa1 : 0x80 + c), '\0'};

	strbuf_add(out, picture, 3);
}

void doc_clean(struct strbuf *out, struct str s, bool one_line)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t from = 0;
	size_t i = 0;

	while (i < s.len) {
		size_t hidden = hidden_len(p + i, s.len - i);
		bool control = p[i] < 0x20 || p[i] == 0x7f;

		if (!hidden && (!control || p[i] == '\t' ||
				       (p[i] == '\n' && !one_line))) {
			i++;
			continue;
		}
		strbuf_add(out, s.ptr + from, i - from);
		if (hidden)
			strbuf_addstr(out, "\xef\xbf\xbd");
		else if (p[i] == '\r' && i + 1 < s.len && p[i + 1] == '\n')
			; /* the LF follows */
		else if (p[i] == '\n' || p[i] == '\r')
			strbuf_addch(out, one_line ? ' ' : '\n');
		else
			add_control(out, p[i]);
		i += hidden ? hidden : 1;
		from = i;
	}
	if (s.len > from)
		strbuf_add(out, s.ptr + from, s.len - from);
}

void doc_title(struct strbuf *out, const struct doc_run *run, const char *name)
{
	struct str line = str_null();
	size_t pos = 0;

	while (utf8_next_line(run->prompt, &pos, &line)) {
		size_t cut;

		if (utf8_is_blank(line.ptr, line.len))
			continue;
		cut = utf8_cut(line.ptr, line.len, TITLE_POINTS);
		strbuf_add(out, line.ptr, cut);
		if (cut < line.len)
			strbuf_addstr(out, "\xe2\x80\xa6");
		return;
	}
	strbuf_addstr(out, name);
}

const char *doc_status(const struct doc_run *run)
{
	return run->has_end ? status_word(run->end.status) : "no end event";
}

const char *doc_agent_status(const struct doc_agent *agent)
{
	if (!agent->ended)
		return "no end event";
	return agent->failed ? "failed" : "finished";
}

void doc_number(struct strbuf *out, int64_t n)
{
	struct strbuf digits = STRBUF_INIT;

	if (n < 0) {
		strbuf_addstr(out, "\xe2\x80\x93");
		return;
	}
	strbuf_addf(&digits, "%lld", (long long)n);
	for (size_t i = 0; i < digits.len; i++) {
		if (i && (digits.len - i) % 3 == 0)
			strbuf_addch(out, ',');
		strbuf_addch(out, digits.buf[i]);
	}
	strbuf_release(&digits);
}

void doc_cost(struct strbuf *out, double usd)
{
	if (isnan(usd))
		strbuf_addstr(out, "\xe2\x80\x93");
	else
		strbuf_addf(out, "$%.4f", usd);
}

const char *doc_tool_mark(enum doc_tool_state state)
{
	switch (state) {
	case DOC_TOOL_OPEN:
		return "no result";
	case DOC_TOOL_OK:
		break;
	case DOC_TOOL_DENIED:
		return "denied";
	case DOC_TOOL_ERROR:
		return "error";
	}
	return NULL;
}

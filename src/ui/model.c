#include "config.h"

#include "ui/model.h"

#include <stdlib.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#define NAMES_MAX UINT16_MAX
#define COLS_FIRST 76 /* until somebody says how wide the pane is */

void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
	trail_init(&m->trail);
	agents_init(&m->agents);
	strmap_init(&m->name_map);
	m->fmt = textfmt_new(true);
	m->cols = COLS_FIRST;
	m->used = token_counts_unknown();
	strbuf_init(&m->stderr_part);
	strbuf_init(&m->lines);
	strbuf_init(&m->text);
	strbuf_init(&m->kept);
}

void model_release(struct model *m)
{
	size_t i;

	doc_release(&m->doc);
	trail_release(&m->trail);
	agents_release(&m->agents);
	textfmt_free(m->fmt);
	for (i = 0; i < m->name_count; i++)
		free(m->names[i]);
	free(m->names);
	strmap_release(&m->name_map);
	free(m->items);
	free(m->runtime);
	free(m->label);
	strbuf_release(&m->stderr_part);
	strbuf_release(&m->lines);
	strbuf_release(&m->text);
	strbuf_release(&m->kept);
	free(m->texts);
}

struct item *model_add_item(struct model *m, enum item_kind kind)
{
	int64_t after = m->last_ms - m->first_ms;
	struct item *it;

	if (m->item_count == m->item_cap) {
		m->item_cap += m->item_cap / 2 + 64;
		m->items =
			xreallocarray(m->items, m->item_cap, sizeof(*m->items));
	}
	it = &m->items[m->item_count++];
	memset(it, 0, sizeof(*it));
	it->line = (uint32_t)m->doc.count;
	it->kind = (uint8_t)kind;
	if (after > 0)
		it->time = after < UINT32_MAX ? (uint32_t)after : UINT32_MAX;
	return it;
}

/* The newest item was made from these lines. */
static void add_trail(struct model *m, struct raw_ref first,
	struct raw_ref last, struct str id)
{
	trail_add(&m->trail, m->item_count - 1, first, last, id);
}

/* What the further rows of an item's head stand under: "[main] tool ", "[end]
 * ", else the text behind the label. */
static int head_indent(struct str s)
{
	static const char *const words[] = {"tool ", "text ", "prompt "};
	const char *end = s.len ? memchr(s.ptr, ']', s.len) : NULL;
	size_t at;
	size_t i;

	if (!end || *s.ptr != '[')
		return 0;
	at = (size_t)(end - s.ptr) + 2;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (at < s.len &&
			str_starts(
				(struct str){s.ptr + at, s.len - at}, words[i]))
			return (int)utf8_cols(s.ptr, at + strlen(words[i]));
	return at <= s.len ? (int)utf8_cols(s.ptr, at) : 0;
}

/* Adds the '\n'-ended lines of S, the first one an item's head. */
static void add_lines(struct model *m, struct str s)
{
	size_t pos = 0;
	int indent = head_indent(s);

	while (pos < s.len) {
		const char *nl = memchr(s.ptr + pos, '\n', s.len - pos);
		size_t end = nl ? (size_t)(nl - s.ptr) : s.len;

		doc_add_styled(&m->doc, (struct str){s.ptr + pos, end - pos},
			indent, NULL, 0);
		indent = 0;
		pos = end + 1;
	}
}

/* Where the last line of a '\n'-ended text begins. */
static size_t last_line(struct str s)
{
	size_t at = s.len ? s.len - 1 : 0;

	while (at && s.ptr[at - 1] != '\n')
		at--;
	return at;
}

static uint16_t name_index(struct model *m, struct str name)
{
	void *found;
	char *s;

	if (str_is_null(name))
		name = str_of("");
	strbuf_reset(&m->text);
	utf8_display(&m->text, name.ptr, name.len, UTF8_AGENT, 1);
	name = strbuf_str(&m->text);
	found = strmap_get(&m->name_map, name);
	if (found)
		return (uint16_t)((uintptr_t)found - 1);
	if (m->name_count == NAMES_MAX)
		return NAMES_MAX;
	m->names =
		xreallocarray(m->names, m->name_count + 1, sizeof(*m->names));
	s = xstrndup(name.ptr, name.len);
	m->names[m->name_count++] = s;
	strmap_put(&m->name_map, (struct str){s, name.len},
		(void *)(uintptr_t)m->name_count);
	return (uint16_t)(m->name_count - 1);
}

/* The run's label in lists: the first line of its prompt. */
static void set_label(struct model *m, struct str text)
{
	struct str line;
	size_t pos = 0;

	strbuf_reset(&m->text);
	utf8_display(&m->text, text.ptr, text.len, UTF8_AGENT, 1);
	while (utf8_next_line(strbuf_str(&m->text), &pos, &line)) {
		if (utf8_is_blank(line.ptr, line.len))
			continue;
		free(m->label);
		m->label = xstrndup(line.ptr, line.len);
		return;
	}
}

static void take_prompt(
	struct model *m, const struct event *ev, struct str lines)
{
	const struct event_prompt *p = &ev->u.prompt;
	struct strbuf images = STRBUF_INIT;
	struct model_new_text t = {ITEM_PROMPT, AGENT_MAIN, lines,
		strlen("[main] prompt "), p->text, {NULL, 0}, p->images.count};
	size_t i;

	for (i = 0; i < p->images.count; i++) {
		strbuf_addf(&images, "%s ", _("image"));
		utf8_display(&images, p->images.v[i].ptr, p->images.v[i].len,
			UTF8_AGENT, 1);
		strbuf_addch(&images, '\n');
	}
	t.extra = strbuf_str(&images);
	set_label(m, p->text);
	model_add_text(m, &t);
	add_trail(m, ev->source, ev->source, str_null());
	strbuf_release(&images);
}

static void take_text(struct model *m, const struct event *ev, struct str lines)
{
	const struct event_text *e = &ev->u.text;
	size_t label = textfmt_label(m->fmt, e->parent).len;
	const struct model_new_text t = {ITEM_TEXT,
		agents_find(&m->agents, e->parent), lines,
		label + strlen("[] text "), e->text, {NULL, 0}, 0};

	/* Perhaps nothing is left of it once it is cleaned. */
	if (!lines.len)
		return;
	model_add_text(m, &t);
	add_trail(m, ev->source, ev->source, str_null());
}

static void take_tool(struct model *m, const struct event *ev, struct str lines)
{
	const struct event_tool *t = &ev->u.tool;
	struct item *it = model_add_item(m, ITEM_TOOL);
	struct raw_ref first = {0};
	int64_t start = agents_call_end(&m->agents, t->id, ev->time_ms, &first);
	int64_t took = ev->time_ms - start;

	add_trail(m, first, ev->source, t->id);
	it->agent = agents_find(&m->agents, t->parent);
	it->aux = took <= 0 ? 0
			    : (uint32_t)(took < UINT32_MAX ? took : UINT32_MAX);
	it->name = name_index(m, t->name);
	if (t->denied) {
		it->flags |= ITEM_DENIED;
		m->denied++;
	} else if (t->error == TRI_TRUE) {
		it->flags |= ITEM_FAILED;
		m->failed++;
	} else if (t->error == TRI_NULL) {
		it->flags |= ITEM_UNKNOWN;
	}
	add_lines(m, lines);
}

static void take_subagent_start(
	struct model *m, const struct event *ev, struct str lines)
{
	const struct event_subagent_start *s = &ev->u.subagent_start;
	uint32_t parent = agents_find(&m->agents, s->parent);
	uint32_t agent = agents_start(
		&m->agents, s, textfmt_label(m->fmt, s->id), ev->time_ms);
	struct item *it = model_add_item(m, ITEM_AGENT_START);

	m->agents.v[agent].first = ev->source;
	it->agent = parent;
	it->aux = agent;
	add_lines(m, lines);
}

static void take_subagent_end(
	struct model *m, const struct event *ev, struct str lines)
{
	const struct event_subagent_end *e = &ev->u.subagent_end;
	struct item *it = model_add_item(m, ITEM_AGENT_END);
	uint32_t agent = agents_end(&m->agents, e);

	if (agent != AGENT_MAIN)
		m->agents.v[agent].last = ev->source;
	it->agent = agents_find(&m->agents, e->id);
	if (e->failed) {
		it->flags |= ITEM_FAILED;
		m->failed++;
	}
	add_lines(m, lines);
}

static void take_network(
	struct model *m, const struct event_network *n, struct str lines)
{
	struct item *it;

	if (n->allowed)
		return;
	it = model_add_item(m, ITEM_NET);
	add_trail(m, (struct raw_ref){0}, (struct raw_ref){0}, n->host);
	it->aux = (uint32_t)n->port;
	it->flags |= ITEM_DENIED;
	it->name = name_index(m, n->reason);
	m->denied++;
	add_lines(m, lines);
}

static void take_end(struct model *m, const struct event *ev, struct str lines)
{
	const struct event_end *e = &ev->u.end;
	size_t end = last_line(lines);
	size_t at = end;
	struct item *it;

	model_stderr_finish(m);
	if (e->warnings.count)
		at = last_line((struct str){lines.ptr, at});
	if (at) {
		const struct model_new_text t = {ITEM_RESULT, AGENT_MAIN,
			{lines.ptr, at}, 0, e->result, {NULL, 0}, 0};

		model_add_text(m, &t);
		add_trail(m, ev->source, ev->source, str_null());
	}
	it = model_add_item(m, ITEM_END);
	add_trail(m, ev->source, ev->source, str_null());
	trail_end(&m->trail, e);
	if (e->status != END_FINISHED)
		it->flags |= ITEM_FAILED;
	add_lines(m, (struct str){lines.ptr + at, end - at});
	add_lines(m, (struct str){lines.ptr + end, lines.len - end});
	m->ended = true;
	m->status = e->status;
	m->duration_ms = e->duration_ms;
	if (e->usage)
		m->used = e->usage->sum;
}

static void take_usage(struct model *m, const struct event_usage *u)
{
	struct agent *g = &m->agents.v[agents_find(&m->agents, u->parent)];

	token_counts_add(&g->used, &u->counts);
	token_counts_add(&m->used, &u->counts);
	if (u->context_tokens != COUNT_UNKNOWN)
		g->context = u->context_tokens;
}

static void take_start(
	struct model *m, const struct event_start *s, struct str lines)
{
	free(m->runtime);
	strbuf_reset(&m->text);
	utf8_display(&m->text, s->runtime.ptr, s->runtime.len, UTF8_AGENT, 1);
	m->runtime = xstrndup(m->text.buf, m->text.len);
	if (!lines.len)
		return;
	model_add_item(m, ITEM_NOTE);
	add_lines(m, lines);
}

static void take_time(struct model *m, int64_t time_ms, int64_t mono)
{
	if (!m->began)
		m->first_ms = m->last_ms = time_ms;
	m->began = true;
	if (time_ms > m->last_ms)
		m->last_ms = time_ms;
	m->last_mono = mono;
}

void model_event(struct model *m, const struct event *ev, int64_t mono)
{
	struct strbuf out = m->lines;
	struct str lines;

	take_time(m, ev->time_ms, mono);
	strbuf_reset(&out);
	strbuf_init(&m->lines);
	textfmt_event(m->fmt, ev, &out);
	lines = strbuf_str(&out);
	switch (ev->kind) {
	case EVENT_START:
		take_start(m, &ev->u.start, lines);
		break;
	case EVENT_PROMPT:
		take_prompt(m, ev, lines);
		break;
	case EVENT_TOOL_START:
		agents_call_start(&m->agents, ev);
		break;
	case EVENT_TOOL:
		take_tool(m, ev, lines);
		break;
	case EVENT_TEXT:
		take_text(m, ev, lines);
		break;
	case EVENT_USAGE:
		take_usage(m, &ev->u.usage);
		break;
	case EVENT_SUBAGENT_START:
		take_subagent_start(m, ev, lines);
		break;
	case EVENT_SUBAGENT_END:
		take_subagent_end(m, ev, lines);
		break;
	case EVENT_NETWORK:
		take_network(m, &ev->u.network, lines);
		break;
	case EVENT_END:
		take_end(m, ev, lines);
		break;
	case EVENT_UNKNOWN:
		break;
	}
	strbuf_release(&m->lines);
	m->lines = out;
}

static void stderr_lines(struct model *m, const char *s, size_t len)
{
	strbuf_reset(&m->text);
	utf8_display(&m->text, s, len, UTF8_STDERR, 0);
	model_add_item(m, ITEM_STDERR);
	if (!m->text.len)
		doc_add(&m->doc, "", 0);
	else
		add_lines(m, strbuf_str(&m->text));
}

void model_stderr(struct model *m, const char *s, size_t len)
{
	size_t whole = len;

	while (whole && s[whole - 1] != '\n')
		whole--;
	if (whole) {
		strbuf_add(&m->stderr_part, s, whole);
		stderr_lines(m, m->stderr_part.buf, m->stderr_part.len);
		strbuf_reset(&m->stderr_part);
	}
	strbuf_add(&m->stderr_part, s + whole, len - whole);
}

void model_stderr_finish(struct model *m)
{
	if (!m->stderr_part.len)
		return;
	stderr_lines(m, m->stderr_part.buf, m->stderr_part.len);
	strbuf_release(&m->stderr_part);
}

void model_plain(struct model *m, struct str line)
{
	model_add_item(m, ITEM_PLAIN);
	doc_add(&m->doc, line.ptr, line.len);
}

void model_part(struct model *m, uint32_t aux, uint8_t flags)
{
	struct item *it = model_add_item(m, ITEM_PLAIN);

	it->aux = aux;
	it->flags = flags;
}

size_t model_item_end(const struct model *m, size_t i)
{
	return i + 1 < m->item_count ? m->items[i + 1].line : m->doc.count;
}

size_t model_item_of(const struct model *m, size_t line)
{
	size_t low = 0;
	size_t high = m->item_count;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (m->items[mid].line <= line)
			low = mid;
		else
			high = mid;
	}
	return low;
}

int64_t model_now(const struct model *m, int64_t mono)
{
	if (!m->began || m->ended || m->still || mono < m->last_mono)
		return m->last_ms;
	return m->last_ms + (mono - m->last_mono);
}

int64_t model_elapsed(const struct model *m, int64_t mono)
{
	if (m->ended)
		return m->duration_ms;
	return model_now(m, mono) - m->first_ms;
}

struct str model_of(const struct model *m, uint32_t agent)
{
	const struct agent *g = &m->agents.v[agent];
	struct str id = {g->id, g->id_len};

	return textfmt_model(m->fmt, id);
}

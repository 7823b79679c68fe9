#include "config.h"

#include "fuzz-stream.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/utf8.h"
#include "event/event.h"
#include "fuzz.h"

struct fuzz_call {
	struct event_tool tool; /* strings in the arena */
	bool agent;
	bool over;
};

#define COUNTS                                                             \
	"input_tokens output_tokens cache_read_tokens cache_write_tokens " \
	"cost_usd "

/* The fields after schema, type and time. */
static const struct {
	const char *type;
	const char *fields;
} orders[] = {
	{"start",
		"runtime sandbox network deny_read model cwd argv env notes "},
	{"prompt", "text images "},
	{"tool_start", "id parent name summary "},
	{"tool", "id parent name summary denied error "},
	{"text", "parent text "},
	{"usage", "parent model " COUNTS "context_tokens "},
	{"subagent_start", "id parent number kind model description "},
	{"subagent_end", "id status duration_ms usage "},
	{"network", "host port allowed reason "},
	{"end", "status exit_code detail duration_ms usage result session_id "
		"warnings "},
};

static void check_fields(const struct json *v, const char *want)
{
	struct strbuf got = STRBUF_INIT;

	ar_assert(v && v->kind == JSON_OBJECT);
	for (const struct json *m = v->first; m; m = m->next) {
		strbuf_adds(&got, m->key);
		strbuf_addch(&got, ' ');
	}
	ar_assert(strcmp(got.buf, want) == 0);
	strbuf_release(&got);
}

static void check_usage_fields(const struct json *usage)
{
	const struct json *by_model = json_get(usage, "by_model");

	check_fields(usage, COUNTS "by_model ");
	for (const struct json *m = by_model->first; m; m = m->next)
		check_fields(m, COUNTS);
}

void fuzz_check_order(const struct json *line)
{
	struct str type = json_str(line, "type");
	struct strbuf want = STRBUF_INIT;
	size_t i = 0;

	while (!str_is(type, orders[i].type))
		ar_assert(++i < sizeof(orders) / sizeof(orders[0]));
	strbuf_addf(&want, "schema type time %s", orders[i].fields);
	check_fields(line, want.buf);
	strbuf_release(&want);
	if (json_get(line, "network"))
		check_fields(json_get(line, "network"), "mode allow enforced ");
	if (json_get(line, "usage"))
		check_usage_fields(json_get(line, "usage"));
}

void fuzz_stream_init(struct fuzz_stream *s)
{
	memset(s, 0, sizeof(*s));
	arena_init(&s->arena);
	arena_init(&s->second);
	strmap_init(&s->calls);
	usage_init(&s->usage);
	s->plain = textfmt_new(false);
	s->clean = textfmt_new(true);
	s->again = textfmt_new(false);
	strbuf_init(&s->line);
	strbuf_init(&s->text);
	strbuf_init(&s->other);
	strbuf_init(&s->all);
	s->time_ms = INT64_MIN;
}

void fuzz_stream_release(struct fuzz_stream *s)
{
	strmap_release(&s->calls);
	usage_release(&s->usage);
	textfmt_free(s->plain);
	textfmt_free(s->clean);
	textfmt_free(s->again);
	strbuf_release(&s->line);
	strbuf_release(&s->text);
	strbuf_release(&s->other);
	strbuf_release(&s->all);
	arena_release(&s->arena);
	arena_release(&s->second);
}

static struct str keep(struct fuzz_stream *s, struct str from)
{
	if (from.ptr)
		from.ptr = arena_copy(&s->arena, from.ptr, from.len);
	return from;
}

static void check_parent(const struct fuzz_stream *s, struct str parent)
{
	const struct fuzz_call *call = strmap_get(&s->calls, parent);

	ar_assert(!parent.ptr || (call && call->agent));
}

/* One line, as interface 5 wants it. */
static void check_one_line(struct str s)
{
	fuzz_check_clean(s, false);
	ar_assert(!memchr(s.ptr, '\n', s.len));
}

static void begin(
	struct fuzz_stream *s, const struct event_tool *tool, bool agent)
{
	struct fuzz_call *call = arena_alloc(&s->arena, sizeof(*call));

	ar_assert(tool->id.ptr && !strmap_get(&s->calls, tool->id));
	check_parent(s, tool->parent);
	call->tool.id = keep(s, tool->id);
	call->tool.parent = keep(s, tool->parent);
	call->tool.name = keep(s, tool->name);
	call->tool.summary = keep(s, tool->summary);
	call->agent = agent;
	call->over = false;
	strmap_put(&s->calls, call->tool.id, call);
	*(agent ? &s->open_agents : &s->open_tools) += 1;
}

static struct fuzz_call *finish(
	struct fuzz_stream *s, struct str id, bool agent)
{
	struct fuzz_call *call = strmap_get(&s->calls, id);

	ar_assert(call && !call->over && call->agent == agent);
	call->over = true;
	*(agent ? &s->open_agents : &s->open_tools) -= 1;
	return call;
}

static void check_tool(struct fuzz_stream *s, const struct event_tool *tool)
{
	const struct fuzz_call *call = finish(s, tool->id, false);

	ar_assert(str_eq(tool->parent, call->tool.parent));
	ar_assert(str_eq(tool->name, call->tool.name));
	ar_assert(str_eq(tool->summary, call->tool.summary));
	ar_assert(!tool->denied || tool->error == TRI_FALSE);
}

static void check_agent(
	struct fuzz_stream *s, const struct event_subagent_start *e)
{
	const struct event_tool call = {.id = e->id, .parent = e->parent};

	begin(s, &call, true);
	ar_assert(e->number == ++s->agents);
	check_one_line(e->description);
}

static void check_models(const struct usage *u)
{
	for (size_t i = 0; i < u->count && i < 64; i++) {
		struct str a = {u->models[i].model, u->models[i].model_len};

		for (size_t k = i + 1; k < u->count; k++) {
			struct str b = {
				u->models[k].model, u->models[k].model_len};

			ar_assert(!str_eq(a, b));
		}
	}
}

static void check_counts(const struct token_counts *c)
{
	ar_assert(c->input >= COUNT_UNKNOWN && c->output >= COUNT_UNKNOWN);
	ar_assert(c->cache_read >= COUNT_UNKNOWN &&
		  c->cache_write >= COUNT_UNKNOWN);
	ar_assert(isnan(c->cost_usd) ||
		  (isfinite(c->cost_usd) && c->cost_usd >= 0));
}

static bool same_cost(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void check_end(struct fuzz_stream *s, const struct event_end *e)
{
	const struct token_counts *a = &s->usage.sum;
	const struct token_counts *b = &e->usage->sum;

	ar_assert(s->open_tools == 0 && s->open_agents == 0);
	check_counts(b);
	check_models(e->usage);
	if (!s->has_totals) {
		ar_assert(a->input == b->input && a->output == b->output);
		ar_assert(a->cache_read == b->cache_read);
		ar_assert(a->cache_write == b->cache_write);
		ar_assert(same_cost(a->cost_usd, b->cost_usd));
		ar_assert(s->usage.count == e->usage->count);
	}
	ar_assert(e->status == END_FINISHED || e->status == END_FAILED);
	ar_assert((e->status == END_FAILED) == (e->detail.len > 0));
	s->ended = true;
}

static void check_order_of_events(struct fuzz_stream *s, const struct event *ev)
{
	ar_assert(!s->ended);
	ar_assert(s->started == (ev->kind != EVENT_START));
	ar_assert(ev->time_ms >= s->time_ms);
	s->time_ms = ev->time_ms;
	switch (ev->kind) {
	case EVENT_START:
		s->started = true;
		break;
	case EVENT_PROMPT:
		ar_assert(!s->prompted);
		s->prompted = true;
		break;
	case EVENT_TOOL_START:
		begin(s, &ev->u.tool, false);
		check_one_line(ev->u.tool.summary);
		ar_assert(utf8_points(ev->u.tool.summary.ptr,
				  ev->u.tool.summary.len) <= 120);
		break;
	case EVENT_TOOL:
		check_tool(s, &ev->u.tool);
		break;
	case EVENT_TEXT:
		check_parent(s, ev->u.text.parent);
		ar_assert(!utf8_is_blank(
			ev->u.text.text.ptr, ev->u.text.text.len));
		break;
	case EVENT_USAGE:
		check_parent(s, ev->u.usage.parent);
		check_counts(&ev->u.usage.counts);
		usage_add(&s->usage, ev->u.usage.model, &ev->u.usage.counts);
		break;
	case EVENT_SUBAGENT_START:
		check_agent(s, &ev->u.subagent_start);
		break;
	case EVENT_SUBAGENT_END:
		(void)finish(s, ev->u.subagent_end.id, true);
		check_counts(&ev->u.subagent_end.usage->sum);
		check_models(ev->u.subagent_end.usage);
		break;
	case EVENT_NETWORK:
		break;
	case EVENT_END:
		check_end(s, &ev->u.end);
		break;
	case EVENT_UNKNOWN:
		ar_assert(false);
	}
}

/* Complete lines, each of which says whose it is, or goes on with a text. */
static void check_text(const struct fuzz_stream *s, const struct event *ev)
{
	struct str rest = strbuf_str(&s->text);
	size_t lines = 0;
	struct str line;

	ar_assert(!rest.len || rest.ptr[rest.len - 1] == '\n');
	while (fuzz_line(&rest, &line)) {
		if (ev->kind != EVENT_END)
			ar_assert(str_starts(line, "[") ||
				  (ev->kind == EVENT_TEXT &&
					  str_starts(line, "    ")));
		lines++;
	}
	if (ev->kind == EVENT_TOOL || ev->kind == EVENT_PROMPT ||
		ev->kind == EVENT_SUBAGENT_START ||
		ev->kind == EVENT_SUBAGENT_END)
		ar_assert(lines == 1);
	if (ev->kind == EVENT_END) {
		rest = strbuf_str(&s->text);
		while (lines-- > 0)
			(void)fuzz_line(&rest, &line);
		ar_assert(str_starts(line, "[end] "));
	}
}

void fuzz_stream_event(void *arg, const struct event *ev)
{
	struct fuzz_stream *s = arg;
	struct err err = ERR_INIT;
	const struct json *tree;
	struct event again;
	struct str line;

	check_order_of_events(s, ev);
	strbuf_reset(&s->line);
	event_write(&s->line, ev);
	strbuf_adds(&s->all, strbuf_str(&s->line));
	line = (struct str){s->line.buf, s->line.len - 1};
	ar_assert(s->line.buf[line.len] == '\n');
	ar_assert(!memchr(line.ptr, '\n', line.len));
	ar_assert(utf8_valid(line.ptr, line.len));
	tree = json_parse(&s->second, line.ptr, line.len);
	fuzz_check_order(tree);
	ar_assert(
		event_read(&again, &s->second, line.ptr, line.len, &err) == 0);
	ar_assert(again.kind == ev->kind && again.time_ms == ev->time_ms);

	strbuf_reset(&s->text);
	textfmt_event(s->plain, ev, &s->text);
	strbuf_reset(&s->other);
	textfmt_event(s->again, &again, &s->other);
	ar_assert(str_eq(strbuf_str(&s->text), strbuf_str(&s->other)));
	ar_assert(utf8_valid(s->text.buf, s->text.len));
	strbuf_reset(&s->text);
	textfmt_event(s->clean, ev, &s->text);
	fuzz_check_clean(strbuf_str(&s->text), true);
	check_text(s, ev);
	arena_reset(&s->second);
}

#include "config.h"

#include "event/event.h"

#include "base/clock.h"
#include "base/jsonw.h"
#include "event/status.h"

static const char *const types[] = {
	[EVENT_START] = "start",
	[EVENT_PROMPT] = "prompt",
	[EVENT_TOOL_START] = "tool_start",
	[EVENT_TOOL] = "tool",
	[EVENT_TEXT] = "text",
	[EVENT_USAGE] = "usage",
	[EVENT_SUBAGENT_START] = "subagent_start",
	[EVENT_SUBAGENT_END] = "subagent_end",
	[EVENT_NETWORK] = "network",
	[EVENT_END] = "end",
	[EVENT_UNKNOWN] = "",
};

const char *event_type(enum event_kind kind)
{
	return types[kind];
}

static void write_list(
	struct jsonw *w, const char *key, const struct str_list *list)
{
	jsonw_array(w, key);
	for (size_t i = 0; i < list->count; i++)
		jsonw_str(w, NULL, list->v[i]);
	jsonw_array_end(w);
}

static void write_count(struct jsonw *w, const char *key, int64_t n)
{
	if (n < 0)
		jsonw_null(w, key);
	else
		jsonw_int(w, key, n);
}

static void write_counts(struct jsonw *w, const struct token_counts *c)
{
	write_count(w, "input_tokens", c->input);
	write_count(w, "output_tokens", c->output);
	write_count(w, "cache_read_tokens", c->cache_read);
	write_count(w, "cache_write_tokens", c->cache_write);
	jsonw_double(w, "cost_usd", c->cost_usd);
}

static void write_usage(struct jsonw *w, const struct usage *u)
{
	struct token_counts none = token_counts_unknown();

	jsonw_object(w, "usage");
	write_counts(w, u ? &u->sum : &none);
	jsonw_object(w, "by_model");
	for (size_t i = 0; u && i < u->count; i++) {
		struct str name = {u->models[i].model, u->models[i].model_len};

		jsonw_key(w, name);
		jsonw_object(w, NULL);
		write_counts(w, &u->models[i].counts);
		jsonw_object_end(w);
	}
	jsonw_object_end(w);
	jsonw_object_end(w);
}

static void write_start(struct jsonw *w, const struct event_start *e)
{
	jsonw_str(w, "runtime", e->runtime);
	jsonw_str(w, "sandbox", e->sandbox);
	jsonw_object(w, "network");
	jsonw_str(w, "mode", e->network_mode);
	write_list(w, "allow", &e->network_allow);
	jsonw_bool(w, "enforced", e->network_enforced);
	jsonw_object_end(w);
	write_list(w, "deny_read", &e->deny_read);
	jsonw_str(w, "model", e->model);
	jsonw_str(w, "cwd", e->cwd);
	write_list(w, "argv", &e->argv);
	write_list(w, "env", &e->env);
	if (e->has_notes)
		write_list(w, "notes", &e->notes);
}

static void write_tool(
	struct jsonw *w, const struct event_tool *e, bool complete)
{
	jsonw_str(w, "id", e->id);
	jsonw_str(w, "parent", e->parent);
	jsonw_str(w, "name", e->name);
	jsonw_str(w, "summary", e->summary);
	if (!complete)
		return;
	jsonw_bool(w, "denied", e->denied);
	if (e->error == TRI_NULL)
		jsonw_null(w, "error");
	else
		jsonw_bool(w, "error", e->error == TRI_TRUE);
}

static void write_subagent_start(
	struct jsonw *w, const struct event_subagent_start *e)
{
	jsonw_str(w, "id", e->id);
	jsonw_str(w, "parent", e->parent);
	jsonw_int(w, "number", e->number);
	jsonw_str(w, "kind", e->kind);
	jsonw_str(w, "model", e->model);
	jsonw_str(w, "description", e->description);
}

static void write_end(struct jsonw *w, const struct event_end *e)
{
	jsonw_str(w, "status", str_of(status_word(e->status)));
	if (e->exit_code == EXIT_CODE_NULL)
		jsonw_null(w, "exit_code");
	else
		jsonw_int(w, "exit_code", e->exit_code);
	jsonw_str(w, "detail", e->detail);
	jsonw_int(w, "duration_ms", e->duration_ms);
	write_usage(w, e->usage);
	jsonw_str(w, "result", e->result);
	jsonw_str(w, "session_id", e->session_id);
	write_list(w, "warnings", &e->warnings);
}

static void write_body(struct jsonw *w, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_START:
		write_start(w, &ev->u.start);
		break;
	case EVENT_PROMPT:
		jsonw_str(w, "text", ev->u.prompt.text);
		write_list(w, "images", &ev->u.prompt.images);
		break;
	case EVENT_TOOL_START:
	case EVENT_TOOL:
		write_tool(w, &ev->u.tool, ev->kind == EVENT_TOOL);
		break;
	case EVENT_TEXT:
		jsonw_str(w, "parent", ev->u.text.parent);
		jsonw_str(w, "text", ev->u.text.text);
		break;
	case EVENT_USAGE:
		jsonw_str(w, "parent", ev->u.usage.parent);
		jsonw_str(w, "model", ev->u.usage.model);
		write_counts(w, &ev->u.usage.counts);
		write_count(w, "context_tokens", ev->u.usage.context_tokens);
		break;
	case EVENT_SUBAGENT_START:
		write_subagent_start(w, &ev->u.subagent_start);
		break;
	case EVENT_SUBAGENT_END:
		jsonw_str(w, "id", ev->u.subagent_end.id);
		jsonw_str(w, "status",
			str_of(ev->u.subagent_end.failed ? "failed"
							 : "finished"));
		jsonw_int(w, "duration_ms", ev->u.subagent_end.duration_ms);
		write_usage(w, ev->u.subagent_end.usage);
		break;
	case EVENT_NETWORK:
		jsonw_str(w, "host", ev->u.network.host);
		jsonw_int(w, "port", ev->u.network.port);
		jsonw_bool(w, "allowed", ev->u.network.allowed);
		jsonw_str(w, "reason", ev->u.network.reason);
		break;
	case EVENT_END:
		write_end(w, &ev->u.end);
		break;
	case EVENT_UNKNOWN:
		break;
	}
}

void event_write(struct strbuf *out, const struct event *ev)
{
	char time[CLOCK_TIME_LEN + 1];
	struct jsonw w;

	if (ev->raw.ptr) {
		strbuf_adds(out, ev->raw);
		strbuf_addch(out, '\n');
		return;
	}
	clock_format(ev->time_ms, time);
	jsonw_init(&w, out);
	jsonw_object(&w, NULL);
	jsonw_int(&w, "schema", EVENT_SCHEMA);
	jsonw_str(&w, "type", str_of(event_type(ev->kind)));
	jsonw_str(&w, "time", str_of(time));
	write_body(&w, ev);
	jsonw_object_end(&w);
	strbuf_addch(out, '\n');
}

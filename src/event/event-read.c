#include "config.h"

#include "event/event.h"

#include <float.h>
#include <math.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/utf8.h"
#include "event/status.h"

/* Reading is a list of wants: the first one that fails is kept, the rest go on
 * without effect, and the end looks once whether all went well. */
struct reader {
	struct arena *arena;
	const char *bad; /* the first field that is missing or wrong */
};

static const struct json *want(struct reader *r, const struct json *v,
	const char *key, bool (*ok)(const struct json *v))
{
	const struct json *m = json_get(v, key);

	if (m && ok(m))
		return m;
	if (!r->bad)
		r->bad = key;
	return NULL;
}

static bool is_string(const struct json *v)
{
	return v->kind == JSON_STRING;
}

static bool is_string_or_null(const struct json *v)
{
	return v->kind == JSON_STRING || v->kind == JSON_NULL;
}

static bool is_number(const struct json *v)
{
	return v->kind == JSON_NUMBER;
}

static bool is_number_or_null(const struct json *v)
{
	return v->kind == JSON_NUMBER || v->kind == JSON_NULL;
}

static bool is_bool(const struct json *v)
{
	return v->kind == JSON_TRUE || v->kind == JSON_FALSE;
}

static bool is_bool_or_null(const struct json *v)
{
	return is_bool(v) || v->kind == JSON_NULL;
}

static bool is_object(const struct json *v)
{
	return v->kind == JSON_OBJECT;
}

static bool is_list(const struct json *v)
{
	if (v->kind != JSON_ARRAY)
		return false;
	for (v = v->first; v; v = v->next)
		if (v->kind != JSON_STRING)
			return false;
	return true;
}

static struct str read_str(
	struct reader *r, const struct json *v, const char *key)
{
	return json_text(want(r, v, key, is_string));
}

static struct str read_name(
	struct reader *r, const struct json *v, const char *key)
{
	return json_text(want(r, v, key, is_string_or_null));
}

static bool read_bool(struct reader *r, const struct json *v, const char *key)
{
	const struct json *m = want(r, v, key, is_bool);

	return m && m->kind == JSON_TRUE;
}

/* A whole number that saturates at MIN, MAX and those of int64_t. */
static int64_t read_int(struct reader *r, const struct json *v, const char *key,
	int64_t min, int64_t max)
{
	int64_t n;

	if (!want(r, v, key, is_number))
		return min;
	n = json_int(v, key, min);
	if (n < min)
		return min;
	return n > max ? max : n;
}

/* A duration; normalised streams have none. */
static int64_t read_duration(struct reader *r, const struct json *v)
{
	if (!json_get(v, "duration_ms"))
		return 0;
	return read_int(r, v, "duration_ms", 0, INT64_MAX);
}

static int64_t read_count(
	struct reader *r, const struct json *v, const char *key)
{
	const struct json *m = want(r, v, key, is_number_or_null);

	if (!m || m->kind == JSON_NULL)
		return COUNT_UNKNOWN;
	return read_int(r, v, key, 0, INT64_MAX);
}

static struct token_counts read_counts(struct reader *r, const struct json *v)
{
	struct token_counts c;
	const struct json *m;
	double cost;

	c.input = read_count(r, v, "input_tokens");
	c.output = read_count(r, v, "output_tokens");
	c.cache_read = read_count(r, v, "cache_read_tokens");
	c.cache_write = read_count(r, v, "cache_write_tokens");
	c.cost_usd = (double)NAN;
	m = want(r, v, "cost_usd", is_number_or_null);
	if (m && m->kind == JSON_NUMBER) {
		cost = json_double(v, "cost_usd", 0);
		c.cost_usd = cost > DBL_MAX ? DBL_MAX : cost < 0 ? 0 : cost;
	}
	return c;
}

static void read_list_of(
	struct reader *r, const struct json *m, struct str_list *list)
{
	struct str *v;
	size_t n = 0;

	*list = (struct str_list){NULL, 0};
	if (!m)
		return;
	for (const struct json *e = m->first; e; e = e->next)
		n++;
	v = arena_alloc(r->arena, n * sizeof(*v));
	n = 0;
	for (const struct json *e = m->first; e; e = e->next)
		v[n++] = json_text(e);
	*list = (struct str_list){v, n};
}

static void read_list(struct reader *r, const struct json *v, const char *key,
	struct str_list *list)
{
	read_list_of(r, want(r, v, key, is_list), list);
}

/* A list that came later: an old stream lacks it. */
static bool read_new_list(struct reader *r, const struct json *v,
	const char *key, struct str_list *list)
{
	*list = (struct str_list){NULL, 0};
	if (!json_get(v, key))
		return false;
	read_list(r, v, key, list);
	return true;
}

static const struct usage *read_usage(struct reader *r, const struct json *v)
{
	struct usage *u = arena_alloc(r->arena, sizeof(*u));
	const struct json *by_model;
	size_t n = 0;

	*u = (struct usage){.sum = token_counts_unknown()};
	v = want(r, v, "usage", is_object);
	if (!v)
		return u;
	u->sum = read_counts(r, v);
	by_model = want(r, v, "by_model", is_object);
	if (!by_model)
		return u;
	for (const struct json *m = by_model->first; m; m = m->next)
		n++;
	u->models = arena_alloc(r->arena, n * sizeof(*u->models));
	for (const struct json *m = by_model->first; m; m = m->next) {
		struct usage_model *to = &u->models[u->count++];

		if (m->kind != JSON_OBJECT && !r->bad)
			r->bad = "by_model";
		to->model = arena_copy(r->arena, m->key.ptr, m->key.len);
		to->model_len = m->key.len;
		to->counts = read_counts(r, m);
	}
	return u;
}

static void read_start(
	struct reader *r, const struct json *v, struct event_start *e)
{
	const struct json *network;

	e->runtime = read_str(r, v, "runtime");
	e->sandbox = read_str(r, v, "sandbox");
	network = want(r, v, "network", is_object);
	e->network_mode = read_str(r, network, "mode");
	read_list(r, network, "allow", &e->network_allow);
	e->network_enforced = read_bool(r, network, "enforced");
	read_list(r, v, "deny_read", &e->deny_read);
	e->model = read_name(r, v, "model");
	e->cwd = read_str(r, v, "cwd");
	read_list(r, v, "argv", &e->argv);
	read_list(r, v, "env", &e->env);
	e->has_notes = read_new_list(r, v, "notes", &e->notes);
}

static void read_tool(struct reader *r, const struct json *v,
	struct event_tool *e, bool complete)
{
	const struct json *error;

	e->id = read_str(r, v, "id");
	e->parent = read_name(r, v, "parent");
	e->name = read_str(r, v, "name");
	e->summary = read_str(r, v, "summary");
	e->denied = false;
	e->error = TRI_NULL;
	if (!complete)
		return;
	e->denied = read_bool(r, v, "denied");
	error = want(r, v, "error", is_bool_or_null);
	if (error && error->kind != JSON_NULL)
		e->error = error->kind == JSON_TRUE ? TRI_TRUE : TRI_FALSE;
}

static void read_event_usage(
	struct reader *r, const struct json *v, struct event_usage *e)
{
	e->parent = read_name(r, v, "parent");
	e->model = read_name(r, v, "model");
	e->counts = read_counts(r, v);
	e->context_tokens = read_count(r, v, "context_tokens");
}

static void read_subagent_start(
	struct reader *r, const struct json *v, struct event_subagent_start *e)
{
	e->id = read_str(r, v, "id");
	e->parent = read_name(r, v, "parent");
	e->number = read_int(r, v, "number", 1, INT64_MAX);
	e->kind = read_str(r, v, "kind");
	e->model = read_name(r, v, "model");
	e->description = read_str(r, v, "description");
}

static void read_subagent_end(
	struct reader *r, const struct json *v, struct event_subagent_end *e)
{
	struct str status = read_str(r, v, "status");

	e->id = read_str(r, v, "id");
	e->failed = str_is(status, "failed");
	if (!e->failed && !str_is(status, "finished") && !r->bad)
		r->bad = "status";
	e->duration_ms = read_duration(r, v);
	e->usage = read_usage(r, v);
}

static void read_network(
	struct reader *r, const struct json *v, struct event_network *e)
{
	e->host = read_str(r, v, "host");
	e->port = read_int(r, v, "port", 0, UINT16_MAX);
	e->allowed = read_bool(r, v, "allowed");
	e->reason = read_name(r, v, "reason");
}

static void read_end(
	struct reader *r, const struct json *v, struct event_end *e)
{
	const struct json *code;

	if (status_from_word(read_str(r, v, "status"), &e->status) && !r->bad)
		r->bad = "status";
	e->exit_code = EXIT_CODE_NULL;
	code = want(r, v, "exit_code", is_number_or_null);
	/* No process ends with a code below 0; it is not taken for success. */
	if (code && code->kind == JSON_NUMBER)
		e->exit_code =
			read_int(r, v, "exit_code", EXIT_CODE_NULL, INT64_MAX);
	e->detail = read_str(r, v, "detail");
	e->duration_ms = read_duration(r, v);
	e->usage = read_usage(r, v);
	e->result = read_name(r, v, "result");
	e->session_id = read_name(r, v, "session_id");
	read_new_list(r, v, "warnings", &e->warnings);
}

static void read_body(struct reader *r, const struct json *v, struct event *ev)
{
	switch (ev->kind) {
	case EVENT_START:
		read_start(r, v, &ev->u.start);
		break;
	case EVENT_PROMPT:
		ev->u.prompt.text = read_str(r, v, "text");
		read_list(r, v, "images", &ev->u.prompt.images);
		break;
	case EVENT_TOOL_START:
	case EVENT_TOOL:
		read_tool(r, v, &ev->u.tool, ev->kind == EVENT_TOOL);
		break;
	case EVENT_TEXT:
		ev->u.text.parent = read_name(r, v, "parent");
		ev->u.text.text = read_str(r, v, "text");
		break;
	case EVENT_USAGE:
		read_event_usage(r, v, &ev->u.usage);
		break;
	case EVENT_SUBAGENT_START:
		read_subagent_start(r, v, &ev->u.subagent_start);
		break;
	case EVENT_SUBAGENT_END:
		read_subagent_end(r, v, &ev->u.subagent_end);
		break;
	case EVENT_NETWORK:
		read_network(r, v, &ev->u.network);
		break;
	case EVENT_END:
		read_end(r, v, &ev->u.end);
		break;
	case EVENT_UNKNOWN:
		break;
	}
}

static enum event_kind kind_of(struct str type)
{
	for (int k = EVENT_START; k < EVENT_UNKNOWN; k++)
		if (str_is(type, event_type((enum event_kind)k)))
			return (enum event_kind)k;
	return EVENT_UNKNOWN;
}

/* The fields that every event has. */
static int read_base(struct event *ev, const struct json *v, struct err *err)
{
	const struct json *schema = json_get(v, "schema");
	struct str type = json_str(v, "type");
	struct str time = json_str(v, "time");

	if (!v || v->kind != JSON_OBJECT)
		return err_set(err, AR_EFORMAT, N_("not a JSON object"));
	if (!type.ptr)
		return err_set(err, AR_EFORMAT, N_("no event: no type"));
	if (!schema || schema->kind != JSON_NUMBER)
		return err_set(err, AR_EFORMAT, N_("no event: no schema"));
	if (!str_is(schema->text, "1"))
		return err_set(err, AR_EFORMAT,
			N_("events of schema %.*s are not understood, only of "
			   "schema %d"),
			(int)(schema->text.len < 32 ? schema->text.len : 32),
			schema->text.ptr, EVENT_SCHEMA);
	ev->kind = kind_of(type);
	if (json_get(v, "time") &&
		clock_parse(time.ptr ? time.ptr : "", time.len, &ev->time_ms) &&
		ev->kind != EVENT_UNKNOWN)
		return err_set(err, AR_EFORMAT,
			N_("'%s' event with a bad or missing field '%s'"),
			event_type(ev->kind), "time");
	return 0;
}

int event_read(struct event *ev, struct arena *a, const char *line, size_t len,
	struct err *err)
{
	size_t bom = utf8_bom(line, len); /* files put behind one another */
	const struct json *v = json_parse(a, line += bom, len -= bom);
	struct reader r = {a, NULL};

	*ev = (struct event){.kind = EVENT_UNKNOWN, .raw = {line, len}};
	if (read_base(ev, v, err))
		return -1;
	read_body(&r, v, ev);
	if (r.bad)
		return err_set(err, AR_EFORMAT,
			N_("'%s' event with a bad or missing field '%s'"),
			event_type(ev->kind), r.bad);
	return 0;
}

#include "config.h"

#include "runtime/claude-adapter.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "event/seen.h"
#include "runtime/claude-agents.h"
#include "runtime/claude-tasks.h"
#include "runtime/claude-tool.h"
#include "runtime/claude-usage.h"
#include "runtime/raw.h"

struct adapter {
	struct adapter_config config;
	struct strbuf cwd;     /* the runtime's own word beats config.cwd */
	struct strbuf session; /* the last session id told */
	bool prompt_seen;

	struct claude_calls calls;
	struct claude_agents agents;
	struct seen denied; /* calls that a line has said are refused */

	struct claude_tasks tasks;

	bool has_result; /* of the last result line: */
	bool success;
	struct strbuf message;
	bool is_final;
	struct usage models; /* scratch: those of a result line */
};

struct adapter *claude_adapter_new(const struct adapter_config *config)
{
	struct adapter *ad = xcalloc(1, sizeof(*ad));

	ad->config = *config;
	strbuf_init(&ad->cwd);
	strbuf_addstr(&ad->cwd, config->cwd);
	strbuf_init(&ad->session);
	strbuf_init(&ad->message);
	claude_tasks_init(&ad->tasks);
	claude_calls_init(&ad->calls);
	claude_agents_init(&ad->agents, &ad->calls);
	seen_init(&ad->denied);
	usage_init(&ad->models);
	return ad;
}

void claude_adapter_free(struct adapter *ad)
{
	if (!ad)
		return;
	claude_tasks_release(&ad->tasks);
	claude_agents_release(&ad->agents);
	seen_release(&ad->denied);
	claude_calls_release(&ad->calls);
	strbuf_release(&ad->cwd);
	strbuf_release(&ad->session);
	strbuf_release(&ad->message);
	usage_release(&ad->models);
	free(ad);
}

static void tool_use(struct adapter *ad, struct str parent,
	const struct json *block, const struct record_out *out)
{
	struct record r = {.kind = RECORD_TOOL_START};
	const struct json *input = json_get(block, "input");
	struct strbuf name = STRBUF_INIT;
	struct strbuf summary = STRBUF_INIT;

	r.id = json_str(block, "id");
	r.name = json_str(block, "name");
	if (str_is_null(r.id) || str_is_null(r.name))
		return;
	strbuf_adds(&name, r.name);
	claude_tool_summary(&summary, name.buf, input, strbuf_str(&ad->cwd));
	r.parent = parent;
	r.summary = strbuf_str(&summary);
	if (str_is(r.name, "Agent") || str_is(r.name, "Task"))
		claude_agents_hold(&ad->agents, &r, input);
	else
		record_put(out, &r);
	strbuf_release(&summary);
	strbuf_release(&name);
}

static void put_text(
	struct str parent, struct str text, const struct record_out *out)
{
	struct record r = {.kind = RECORD_TEXT};

	if (str_is_null(text))
		return;
	r.parent = parent;
	r.text = text;
	record_put(out, &r);
}

static void assistant_line(struct adapter *ad, struct str parent,
	const struct json *line, const struct record_out *out)
{
	const struct json *msg = json_get(line, "message");
	const struct json *content = json_get(msg, "content");
	const struct json *block;
	struct str model = json_str(msg, "model");

	/* The CLI's own words: no model call, but the one before is over. */
	if (str_is(model, "<synthetic>"))
		claude_calls_close(&ad->calls, parent, str_null(), out);
	else
		claude_calls_message(&ad->calls, parent, json_str(msg, "id"),
			model, json_get(msg, "usage"), false, out);
	put_text(parent, json_text(content), out);
	if (!content || content->kind != JSON_ARRAY)
		return;
	for (block = content->first; block; block = block->next) {
		if (json_is(block, "type", "text"))
			put_text(parent, json_str(block, "text"), out);
		else if (json_is(block, "type", "tool_use"))
			tool_use(ad, parent, block, out);
	}
}

/* Lines of --include-partial-messages: only their numbers are used. */
static void stream_line(struct adapter *ad, struct str parent,
	const struct json *line, const struct record_out *out)
{
	const struct json *ev = json_get(line, "event");
	const struct json *msg = json_get(ev, "message");
	struct str id = json_str(line, "api_message_id");

	if (json_is(ev, "type", "message_start"))
		claude_calls_message(&ad->calls, parent, json_str(msg, "id"),
			json_str(msg, "model"), json_get(msg, "usage"), true,
			out);
	else if (json_is(ev, "type", "message_delta"))
		claude_calls_delta(
			&ad->calls, parent, id, json_get(ev, "usage"), out);
	else if (json_is(ev, "type", "message_stop"))
		claude_calls_close(&ad->calls, parent, id, out);
}

/* tool_result_meta says how the permission was decided (runtime page:
 * claude-code 4). */
static void note_rejected(struct adapter *ad, const struct json *meta)
{
	const struct json *m;

	if (!meta || meta->kind != JSON_ARRAY)
		return;
	for (m = meta->first; m; m = m->next) {
		struct str id = json_str(m, "id");

		if (id.ptr && json_is(json_get(m, "permission_decision"),
				      "decision", "reject"))
			seen_add(&ad->denied, id, str_null());
	}
}

static void tool_result(struct adapter *ad, const struct json *line,
	const struct json *block, bool is_only, const struct record_out *out)
{
	struct str id = json_str(block, "tool_use_id");
	struct claude_outcome oc = {false, false, false};

	if (str_is_null(id))
		return;
	/* tool_use_result belongs to the line, not to one of several blocks. */
	oc.launched = is_only && json_is(json_get(line, "tool_use_result"),
					 "status", "async_launched");
	oc.denied = seen_has(&ad->denied, id, str_null());
	oc.is_error = json_is_true(block, "is_error");
	if (!claude_agents_result(&ad->agents, id, &oc, out))
		claude_put_tool_end(id, &oc, out);
}

/* All text blocks of CONTENT, joined; false when there is none. */
static bool content_text(const struct json *content, struct strbuf *text)
{
	const struct json *block;
	bool found = false;

	if (content && content->kind == JSON_STRING) {
		strbuf_adds(text, content->text);
		return true;
	}
	if (!content || content->kind != JSON_ARRAY)
		return false;
	for (block = content->first; block; block = block->next) {
		if (!json_is(block, "type", "text"))
			continue;
		strbuf_adds(text, json_str(block, "text"));
		found = true;
	}
	return found;
}

/* The echo of the prompt: the first one that is not the CLI's own (spec:
 * prompt; interface 8). It is what the runtime took for the prompt, so it
 * counts also where it differs from what was sent. */
static void prompt_echo(struct adapter *ad, const struct json *line,
	const struct json *content, const struct record_out *out)
{
	struct record r = {.kind = RECORD_PROMPT};
	struct strbuf text = STRBUF_INIT;
	bool is_prompt = content_text(content, &text);

	if (json_is_true(line, "isSynthetic"))
		is_prompt = false;
	else if (!str_eq(strbuf_str(&text), ad->config.prompt))
		is_prompt &= !str_starts(
			strbuf_str(&text), "<local-command-stdout>");
	if (is_prompt) {
		ad->prompt_seen = true;
		r.text = strbuf_str(&text);
		record_put(out, &r);
	}
	strbuf_release(&text);
}

static void user_line(struct adapter *ad, struct str parent,
	const struct json *line, const struct record_out *out)
{
	const struct json *content =
		json_path(line, "message", "content", NULL);
	const struct json *block;
	bool is_only;

	if (!ad->prompt_seen && str_is_null(parent) &&
		json_is_true(line, "isReplay"))
		prompt_echo(ad, line, content, out);
	if (!content || content->kind != JSON_ARRAY || !content->first)
		return;
	is_only = !content->first->next;
	note_rejected(ad, json_get(line, "tool_result_meta"));
	for (block = content->first; block; block = block->next)
		if (json_is(block, "type", "tool_result"))
			tool_result(ad, line, block, is_only, out);
}

static void put_refused(struct str id, const struct record_out *out)
{
	struct record r = {.kind = RECORD_REFUSED, .id = id};

	record_put(out, &r);
}

static void system_line(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct str subtype = json_str(line, "subtype");
	struct str tool = json_str(line, "tool_use_id");
	struct str cwd = json_str(line, "cwd");

	if (str_is(subtype, "init")) {
		ad->is_final = false; /* another turn begins */
		if (cwd.len) {
			strbuf_reset(&ad->cwd);
			strbuf_adds(&ad->cwd, cwd);
		}
	} else if (str_is(subtype, "task_started")) {
		claude_agents_start(&ad->agents, tool,
			json_is_true(line, "is_backgrounded"), out);
		ad->is_final = false;
		claude_tasks_start(&ad->tasks, line);
	} else if (str_is(subtype, "task_notification")) {
		claude_agents_over(&ad->agents, tool,
			!json_is(line, "status", "completed"), out);
		claude_tasks_over(&ad->tasks, line);
	} else if (str_is(subtype, "task_updated")) {
		claude_tasks_updated(&ad->tasks, line);
	} else if (str_is(subtype, "background_tasks_changed")) {
		claude_tasks_list(&ad->tasks, line);
	} else if (str_is(subtype, "permission_denied") && tool.ptr) {
		seen_add(&ad->denied, tool, str_null());
		put_refused(tool, out);
	}
}

/* Adds each model of a modelUsage object to U. */
static void add_models(struct usage *u, const struct json *models)
{
	const struct json *m;

	for (m = models->first; m; m = m->next) {
		struct token_counts c = claude_model_counts(m);

		usage_add(u, m->key, &c);
	}
}

/* The totals so far. Those of a resumed session begin with the earlier runs';
 * only what was added since the last result is ours (decisions 12). */
static void put_totals(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_TOTALS};
	const struct json *models = json_get(
		line, ad->config.resumed ? "model_usage_since_last_result"
					 : "modelUsage");

	if (!models || models->kind != JSON_OBJECT)
		return;
	usage_reset(&ad->models);
	add_models(&ad->models, models);
	r.totals = &ad->models;
	r.adds = ad->config.resumed;
	record_put(out, &r);
}

/* error_max_turns and the like; is_error is false in some. */
static bool is_error_subtype(struct str subtype)
{
	return str_starts(subtype, "error");
}

static void add_errors(struct strbuf *message, const struct json *errors)
{
	const struct json *e;

	if (!errors || errors->kind != JSON_ARRAY)
		return;
	for (e = errors->first; e; e = e->next) {
		struct str text = raw_not_blank(json_text(e));

		if (!text.len)
			continue;
		if (message->len)
			strbuf_addstr(message, "; ");
		strbuf_adds(message, text);
	}
}

/* What went wrong. `result` is an error's text only where is_error says so; the
 * subtype is at least a word. */
static void take_message(struct adapter *ad, const struct json *line)
{
	struct str subtype = json_str(line, "subtype");
	struct str result = raw_not_blank(json_str(line, "result"));

	strbuf_reset(&ad->message);
	if (ad->success)
		return;
	if (json_is_true(line, "is_error"))
		strbuf_adds(&ad->message, result);
	if (!ad->message.len)
		add_errors(&ad->message, json_get(line, "errors"));
	if (!ad->message.len && is_error_subtype(subtype))
		strbuf_adds(&ad->message, subtype);
}

static void put_denials(const struct json *line, const struct record_out *out)
{
	const struct json *denials = json_get(line, "permission_denials");
	const struct json *d;

	if (!denials || denials->kind != JSON_ARRAY)
		return;
	for (d = denials->first; d; d = d->next)
		if (d->kind == JSON_OBJECT)
			put_refused(json_str(d, "tool_use_id"), out);
}

static void result_line(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	const struct json *is_error = json_get(line, "is_error");

	ad->has_result = true;
	ad->success = is_error && is_error->kind == JSON_FALSE &&
		      !is_error_subtype(json_str(line, "subtype"));
	take_message(ad, line);
	put_denials(line, out);
	ad->is_final = claude_tasks_idle(&ad->tasks);
	put_totals(ad, line, out);
}

static void put_session(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_SESSION};
	struct str id = json_str(line, "session_id");

	if (!id.len || str_eq(id, strbuf_str(&ad->session)))
		return;
	strbuf_reset(&ad->session);
	strbuf_adds(&ad->session, id);
	r.id = id;
	record_put(out, &r);
}

void claude_line(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct str type = json_str(line, "type");
	struct str parent = json_str(line, "parent_tool_use_id");

	put_session(ad, line, out);
	if (!parent.len)
		parent = str_null();
	claude_agents_start(&ad->agents, parent, false, out);
	if (str_is(type, "assistant"))
		assistant_line(ad, parent, line, out);
	else if (str_is(type, "stream_event"))
		stream_line(ad, parent, line, out);
	else if (str_is(type, "user"))
		user_line(ad, parent, line, out);
	else if (str_is(type, "system"))
		system_line(ad, line, out);
	else if (str_is(type, "result"))
		result_line(ad, line, out);
}

void claude_finish(struct adapter *ad, const struct record_out *out)
{
	claude_calls_close_all(&ad->calls, out);
	claude_agents_finish(&ad->agents, out);
	claude_tasks_finish(&ad->tasks, out);
}

void claude_verdict(const struct adapter *ad, struct runtime_verdict *rv)
{
	rv->success = ad->has_result && ad->success;
	rv->message = ad->message.len ? strbuf_str(&ad->message) : str_null();
	rv->final = ad->has_result && ad->is_final;
}

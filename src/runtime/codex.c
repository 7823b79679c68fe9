#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/split.h"
#include "base/strset.h"
#include "base/xalloc.h"
#include "runtime/codex-config.h"
#include "runtime/codex-script.h"
#include "runtime/codex-content.h"
#include "runtime/raw.h"
#include "runtime/runtime.h"
#include "runtime/summary.h"

/* codex: `codex exec --json` (runtime page: codex). */

struct adapter {
	struct str cwd;
	char *model;
	struct token_counts baseline; /* zero unless resumed */
	struct strset searches;       /* web searches that are under way */
	struct strset agents;         /* subagents last seen at work */
	struct strbuf summary;
	struct strbuf scratch;
	struct strbuf message; /* of turn.failed, else of the last error */
	bool has_message;
	bool turn_failed;
	bool success;
	bool final;
};

/* The command line */

static const char *sandbox_mode(const struct runtime_request *rq)
{
	/* Inside our box codex makes none of its own: what it refuses there
	 * leaves no line at all (page 5). */
	return rq->box == RUNTIME_BOX_NATIVE ? "workspace-write"
					     : "danger-full-access";
}

static int codex_command(const struct runtime_request *rq,
	struct runtime_command *cmd, struct err *err)
{
	struct strvec *argv = &cmd->argv;

	if (rq->box == RUNTIME_BOX_NATIVE &&
		rq->network == RUNTIME_NETWORK_CUSTOM)
		return err_set(err, AR_EUSAGE,
			N_("codex's own sandbox cannot filter hosts. Use "
			   "--network none or full, or --sandbox on"));
	strvec_push(argv, rq->program);
	strvec_push(argv, "exec");
	strvec_push(argv, "--json");
	if (rq->model) {
		strvec_push(argv, "-m");
		strvec_push(argv, rq->model);
	}
	if (rq->effort) {
		strvec_push(argv, "-c");
		strvec_pushf(argv, "model_reasoning_effort=%s", rq->effort);
	}
	/* `resume` itself knows no -s: everything goes before it. */
	strvec_push(argv, "-s");
	strvec_push(argv, sandbox_mode(rq));
	if (rq->box == RUNTIME_BOX_NATIVE &&
		rq->network == RUNTIME_NETWORK_FULL) {
		strvec_push(argv, "-c");
		strvec_push(
			argv, "sandbox_workspace_write.network_access=true");
	}
	strvec_push(argv, "--skip-git-repo-check");
	/* Without it codex waits for ever for a network that is gone. */
	strvec_push(argv, "--disable");
	strvec_push(argv, "unbounded_connection_retries");
	if (rq->no_subagents) {
		strvec_push(argv, "-c");
		strvec_push(argv, "agents.enabled=false");
	}
	if (rq->resume_id) {
		strvec_push(argv, "resume");
		strvec_push(argv, rq->resume_id);
	}
	for (size_t i = 0; i < rq->image_count; i++)
		strvec_pushf(argv, "--image=%s", rq->images[i].copy);
	if (rq->extra_args)
		strvec_push_all(argv, rq->extra_args);
	strvec_push(argv, "-");
	strbuf_adds(&cmd->input, rq->prompt);
	return 0;
}

/* The adapter */

static struct adapter *codex_adapter_new(const struct adapter_config *config)
{
	struct adapter *ad = xcalloc(1, sizeof(*ad));

	ad->cwd = config->cwd ? str_of(xstrdup(config->cwd)) : str_null();
	ad->model = config->model ? xstrdup(config->model) : NULL;
	if (config->resumed)
		ad->baseline = config->baseline;
	strset_init(&ad->searches);
	strset_init(&ad->agents);
	strbuf_init(&ad->summary);
	strbuf_init(&ad->scratch);
	strbuf_init(&ad->message);
	return ad;
}

static void codex_adapter_free(struct adapter *ad)
{
	if (!ad)
		return;
	free((char *)ad->cwd.ptr);
	free(ad->model);
	strset_release(&ad->searches);
	strset_release(&ad->agents);
	strbuf_release(&ad->summary);
	strbuf_release(&ad->scratch);
	strbuf_release(&ad->message);
	free(ad);
}

static void set_message(struct adapter *ad, struct str text)
{
	text = raw_not_blank(text);
	ad->has_message = !str_is_null(text);
	strbuf_reset(&ad->message);
	strbuf_adds(&ad->message, text);
}

/* The paths of a patch, relative to the working directory where they lie in it,
 * with a blank between. */
static struct str patch_paths(struct adapter *ad, const struct json *item)
{
	const struct json *changes = json_get(item, "changes");

	strbuf_reset(&ad->scratch);
	if (!changes || changes->kind != JSON_ARRAY)
		return str_null();
	for (const struct json *c = changes->first; c; c = c->next) {
		struct str path = json_str(c, "path");

		if (str_is_null(path))
			continue;
		if (ad->scratch.len)
			strbuf_addch(&ad->scratch, ' ');
		strbuf_adds(&ad->scratch, summary_relative(path, ad->cwd));
	}
	return strbuf_str(&ad->scratch);
}

static struct str mcp_name(struct adapter *ad, const struct json *item)
{
	struct str server = json_str(item, "server");
	struct str tool = json_str(item, "tool");

	strbuf_reset(&ad->scratch);
	strbuf_adds(&ad->scratch, server);
	if (server.len && tool.len)
		strbuf_addch(&ad->scratch, '.');
	strbuf_adds(&ad->scratch, tool);
	return strbuf_str(&ad->scratch);
}

/* The items that are tool calls. Others (todo_list, reasoning, error, and what
 * later versions bring) give no events. */
enum codex_tool {
	CODEX_COMMAND,
	CODEX_PATCH,
	CODEX_MCP,
	CODEX_SEARCH,
	CODEX_AGENTS,
	CODEX_OTHER
};

static enum codex_tool tool_kind(struct str type)
{
	static const struct {
		const char *type;
		enum codex_tool kind;
	} kinds[] = {
		{"command_execution", CODEX_COMMAND},
		{"file_change", CODEX_PATCH},
		{"mcp_tool_call", CODEX_MCP},
		{"web_search", CODEX_SEARCH},
		{"collab_tool_call", CODEX_AGENTS},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (str_is(type, kinds[i].type))
			return kinds[i].kind;
	return CODEX_OTHER;
}

static struct str make_summary(
	struct adapter *ad, enum codex_tool kind, const struct json *item)
{
	struct str arg = str_null();
	const char *prefix = "";

	switch (kind) {
	case CODEX_COMMAND:
		prefix = "shell";
		arg = json_str(item, "command");
		if (arg.ptr)
			arg = codex_script(arg, &ad->scratch);
		break;
	case CODEX_PATCH:
		prefix = "patch";
		arg = patch_paths(ad, item);
		break;
	case CODEX_MCP:
		prefix = "mcp";
		arg = mcp_name(ad, item);
		break;
	case CODEX_SEARCH:
		prefix = "search";
		arg = json_str(item, "query");
		break;
	case CODEX_AGENTS:
		prefix = "agents";
		arg = json_str(item, "tool");
		break;
	case CODEX_OTHER:
		break;
	}
	summary_make(&ad->summary, prefix, arg);
	return strbuf_str(&ad->summary);
}

/* Refused by the permission system: commands say so; of an MCP call only the
 * message tells (page 3). */
static bool is_denied(enum codex_tool kind, const struct json *item)
{
	struct str text = json_str(json_get(item, "error"), "message");

	if (json_is(item, "status", "declined"))
		return true;
	return kind == CODEX_MCP &&
	       (str_is(text, "MCP tool call requires approval, but approval "
			     "policy is never") ||
		       str_starts(text, "This action was rejected due to") ||
		       str_starts(text, "Automatic approval review failed"));
}

static enum tri item_error(enum codex_tool kind, const struct json *item)
{
	const struct json *code = json_get(item, "exit_code");

	if (kind == CODEX_SEARCH)
		return TRI_NULL;
	if (json_is(item, "status", "failed"))
		return TRI_TRUE;
	if (!json_is(item, "status", "completed"))
		return TRI_NULL;
	if (kind != CODEX_COMMAND)
		return TRI_FALSE;
	if (!code || code->kind != JSON_NUMBER)
		return TRI_NULL;
	return json_int(item, "exit_code", 0) ? TRI_TRUE : TRI_FALSE;
}

/* A web search says what it looks for at its end only, and both its events
 * carry the same summary: until then it is only kept in mind. */
static void remember_search(struct adapter *ad, struct str id)
{
	if (!str_is_null(id))
		strset_add(&ad->searches, id);
}

static void forget_search(struct adapter *ad, struct str id)
{
	strset_remove(&ad->searches, id);
}

/* A collab_tool_call says how the subagents are that it was about. Of one that
 * is never asked again this is the last word (page 6). */
static void note_agents(struct adapter *ad, const struct json *states)
{
	if (!states || states->kind != JSON_OBJECT)
		return;
	for (const struct json *s = states->first; s; s = s->next) {
		if (json_is(s, "status", "pending_init") ||
			json_is(s, "status", "running"))
			strset_add(&ad->agents, s->key);
		else
			strset_remove(&ad->agents, s->key);
	}
}

static struct str item_id(enum codex_tool kind, const struct json *item)
{
	/* web_search has `id` twice; the first is the item's (page 2). */
	return kind == CODEX_SEARCH ? json_text(json_get_first(item, "id"))
				    : json_str(item, "id");
}

static void item_started(struct adapter *ad, const struct json *item,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_TOOL_START};
	enum codex_tool kind;

	r.name = json_str(item, "type");
	kind = tool_kind(r.name);
	r.id = item_id(kind, item);
	if (kind == CODEX_OTHER || str_is_null(r.id))
		return;
	if (kind == CODEX_SEARCH) {
		remember_search(ad, r.id);
		return;
	}
	r.summary = make_summary(ad, kind, item);
	record_put(out, &r);
}

static void item_completed(struct adapter *ad, const struct json *item,
	const struct record_out *out)
{
	struct str type = json_str(item, "type");
	enum codex_tool kind = tool_kind(type);
	struct record r = {.kind = RECORD_TOOL_START, .name = type};

	if (str_is(type, "agent_message")) {
		struct record text = {.kind = RECORD_TEXT};

		text.text = json_str(item, "text");
		if (!str_is_null(text.text))
			record_put(out, &text);
		return;
	}
	r.id = item_id(kind, item);
	if (kind == CODEX_OTHER || str_is_null(r.id))
		return;
	/* A call may show at its end only; a second start is ignored. */
	r.summary = make_summary(ad, kind, item);
	record_put(out, &r);
	r.kind = RECORD_TOOL_END;
	r.denied = is_denied(kind, item);
	r.error = r.denied ? TRI_FALSE : item_error(kind, item);
	record_put(out, &r);
	if (kind == CODEX_SEARCH)
		forget_search(ad, r.id);
	if (kind == CODEX_AGENTS)
		note_agents(ad, json_get(item, "agents_states"));
}

/* The unified counts of codex's: its input holds the cached part and what was
 * written to the cache. */
static struct token_counts usage_counts(const struct json *usage)
{
	struct token_counts c = token_counts_unknown();
	int64_t known;

	c.input = raw_count(usage, "input_tokens");
	c.cache_read = raw_count(usage, "cached_input_tokens");
	c.cache_write = raw_count(usage, "cache_write_input_tokens");
	c.output = raw_count(usage, "output_tokens");
	if (c.input == COUNT_UNKNOWN)
		return c;
	for (int i = 0; i < 2; i++) {
		known = i ? c.cache_write : c.cache_read;
		if (known != COUNT_UNKNOWN)
			c.input = known < c.input ? c.input - known : 0;
	}
	return c;
}

static int64_t count_minus(int64_t n, int64_t before)
{
	if (n == COUNT_UNKNOWN || before == COUNT_UNKNOWN)
		return n;
	return before < n ? n - before : 0;
}

static void turn_completed(struct adapter *ad, const struct json *usage,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_USAGE};

	ad->success = true;
	ad->final = true;
	ad->turn_failed = false;
	set_message(ad, str_null());
	r.counts = usage_counts(usage);
	if (!token_counts_known(&r.counts))
		return;
	/* The numbers are those of the whole thread. */
	r.counts.input = count_minus(r.counts.input, ad->baseline.input);
	r.counts.output = count_minus(r.counts.output, ad->baseline.output);
	r.counts.cache_read =
		count_minus(r.counts.cache_read, ad->baseline.cache_read);
	r.counts.cache_write =
		count_minus(r.counts.cache_write, ad->baseline.cache_write);
	r.model = str_of(ad->model);
	record_put(out, &r);
}

static void turn_failed(struct adapter *ad, const struct json *error)
{
	struct str text = json_str(error, "message");

	if (str_is_null(text))
		text = json_text(error);
	if (!str_is_null(raw_not_blank(text)))
		set_message(ad, text);
	ad->turn_failed = true;
	ad->success = false;
	ad->final = true;
}

static void turn_started(struct adapter *ad, const struct record_out *out)
{
	struct record r = {.kind = RECORD_CALL_START};

	ad->success = false;
	ad->final = false;
	record_put(out, &r);
}

static void codex_line(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct str type = json_str(line, "type");

	if (str_is(type, "item.started")) {
		item_started(ad, json_get(line, "item"), out);
	} else if (str_is(type, "item.completed")) {
		item_completed(ad, json_get(line, "item"), out);
	} else if (str_is(type, "thread.started")) {
		struct record r = {.kind = RECORD_SESSION};

		r.id = json_str(line, "thread_id");
		if (!str_is_null(r.id))
			record_put(out, &r);
	} else if (str_is(type, "turn.started")) {
		turn_started(ad, out);
	} else if (str_is(type, "turn.completed")) {
		turn_completed(ad, json_get(line, "usage"), out);
	} else if (str_is(type, "turn.failed")) {
		turn_failed(ad, json_get(line, "error"));
	} else if (str_is(type, "error") && !ad->turn_failed) {
		struct str text = raw_not_blank(json_str(line, "message"));

		/* A retry is no reason: the turn may still complete. */
		if (text.ptr && !str_starts(text, "Reconnecting..."))
			set_message(ad, text);
	}
}

static void codex_finish(struct adapter *ad, const struct record_out *out)
{
	struct record r = {.kind = RECORD_TOOL_START};

	r.name = str_of("web_search");
	r.summary = str_of("search");
	for (struct strset_item *it = ad->searches.first; it; it = it->next) {
		r.id = it->s;
		record_put(out, &r);
	}
	r = (struct record){.kind = RECORD_TASK};
	for (struct strset_item *it = ad->agents.first; it; it = it->next)
		record_put(out, &r);
}

static void codex_verdict(const struct adapter *ad, struct runtime_verdict *rv)
{
	rv->success = ad->success;
	rv->final = ad->final;
	rv->message = ad->has_message ? strbuf_str(&ad->message) : str_null();
}

/* Sessions: one rollout file, anywhere below sessions/ with its name kept. */

static int codex_session_list(const char *state_dir, const char *cwd,
	const char *id, struct strvec *paths, struct err *err)
{
	struct strbuf suffix = STRBUF_INIT;

	(void)cwd;
	(void)err;
	strbuf_addf(&suffix, "-%s.jsonl", id);
	/* sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl */
	raw_find_sessions(state_dir, "rollout-", suffix.buf, false, 4, paths);
	strbuf_release(&suffix);
	return 0;
}

static int codex_session_place(const char *path, const char *old_cwd,
	const char *cwd, struct strbuf *to, struct err *err)
{
	(void)old_cwd;
	(void)cwd;
	(void)err;
	strbuf_addstr(to, path);
	return 0;
}

struct rollout {
	struct arena arena;
	struct token_counts total;
};

/* The thread's total so far, from the lines that tell it (page 4). */
static void rollout_line(void *arg, const char *line, size_t len)
{
	struct rollout *ro = arg;
	const struct json *tree;
	const struct json *payload;
	const struct json *total = NULL;
	struct token_counts counts;

	arena_reset(&ro->arena);
	tree = json_parse(&ro->arena, line, len);
	payload = json_get(tree, "payload");
	if (json_is(tree, "type", "token_usage_record"))
		total = json_get(payload, "thread_token_usage");
	else if (json_is(tree, "type", "event_msg") &&
		 json_is(payload, "type", "token_count"))
		total = json_path(payload, "info", "total_token_usage", NULL);
	counts = usage_counts(total);
	if (token_counts_known(&counts))
		ro->total = counts;
}

static int codex_session_open(const char *state_dir, const struct strvec *paths,
	const char *cwd, struct strbuf *file, struct token_counts *baseline,
	struct err *err)
{
	struct rollout ro = {.total = {0, 0, 0, 0, 0.0}};
	struct strbuf path = STRBUF_INIT;
	struct strbuf data = STRBUF_INIT;
	struct split split;
	int ret = 0;

	(void)cwd;
	(void)file; /* codex finds it by the id */
	arena_init(&ro.arena);
	split_init(&split, SPLIT_LINE_MAX);
	for (size_t i = 0; i < paths->count && ret == 0; i++) {
		strbuf_reset(&path);
		strbuf_reset(&data);
		strbuf_addf(&path, "%s/%s", state_dir, paths->v[i]);
		ret = io_read_file(path.buf, SIZE_MAX / 2, &data, err);
		if (ret == 0) {
			split_feed(
				&split, data.buf, data.len, rollout_line, &ro);
			split_finish(&split, rollout_line, &ro);
		}
	}
	*baseline = ro.total;
	split_release(&split);
	arena_release(&ro.arena);
	strbuf_release(&data);
	strbuf_release(&path);
	return ret;
}

static const char *const env_pass[] = {"OPENAI_*", "CODEX_*", NULL};
/* Its own host stands here twice: a base URL takes the place of the first, but
 * codex 0.171 passes OPENAI_BASE_URL over. */
static const char *const hosts[] = {"api.openai.com", "api.openai.com",
	"chatgpt.com", "auth.openai.com", NULL};
static const char *const base_url_env[] = {"OPENAI_BASE_URL", NULL};
static const char *const state_copy[] = {"config.toml", "auth.json",
	".credentials.json", "AGENTS.md", "AGENTS.override.md", "hooks.json",
	"rules", "prompts", "skills", NULL};
static const char *const credentials[] = {
	"auth.json", ".credentials.json", NULL};
static const char *const login_args[] = {"login", "status", NULL};
static const char *const login_env[] = {"CODEX_API_KEY", NULL};
static const char *const login_files[] = {"auth.json", NULL};

static const struct runtime_line lines[] = {{"thread.*", NULL},
	{"turn.*", NULL}, {"item.*", NULL}, {"error", "message"}, {NULL, NULL}};

const struct runtime_ops runtime_codex = {
	.name = "codex",
	.program = "codex",
	.install = "npm install -g @openai/codex",
	.stop_signal = SIGINT,
	.has_effort = true,
	.has_native_sandbox = true,
	.on_node = true,
	.env_pass = env_pass,
	.hosts = hosts,
	.base_url_env = base_url_env,
	.base_urls = codex_base_urls,
	.state = {"CODEX_HOME", ".codex", state_copy, credentials},
	.login = {login_args, "Logged in", login_env, login_files, NULL,
		N_("run 'codex login', or set CODEX_API_KEY"), codex_key_names},
	.command = codex_command,
	.adapter_new = codex_adapter_new,
	.adapter_free = codex_adapter_free,
	.lines = lines,
	.line = codex_line,
	.finish = codex_finish,
	.content = codex_content,
	.verdict = codex_verdict,
	.session_list = codex_session_list,
	.session_place = codex_session_place,
	.session_open = codex_session_open,
};

#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "base/strset.h"
#include "base/xalloc.h"
#include "runtime/dsh-content.h"
#include "runtime/dsh-jobs.h"
#include "runtime/raw.h"
#include "runtime/runtime.h"
#include "runtime/summary.h"

/* dsh: `dsh --profile headless --json` (runtime page: dsh). */

struct adapter {
	char *cwd; /* the session's, else agentrun's; or NULL */
	char *model;
	struct strset shells; /* ids of bash calls under way */
	struct dsh_jobs jobs;
	struct strbuf summary;
	struct strbuf message;
	bool has_message;
	bool completed; /* the last turn_end */
	bool turn_open;
	bool final;
};

/* The command line */

#define PATCH_NAME "dsh.patch.yml"

static void patch_disable(struct strbuf *out, const char *row)
{
	strbuf_addf(out, "- id: %s\n  disabled: true\n", row);
}

/* The rows that dsh has no options for. A string of JSON is one of YAML. */
static void make_patch(const struct runtime_request *rq, struct strbuf *out)
{
	static const char *const subagents[] = {"tool-subagent",
		"tool-subagent-fork", "tool-subagent-control",
		"tool-subagent-list-agents", "tool-subagent-report",
		"tool-workflow", "tool-ralph", NULL};
	struct jsonw w;

	/* A hidden model call per session that no line reports. */
	patch_disable(out, "session-title-llm");
	if (rq->model) {
		strbuf_addstr(out, "- id: agent-default-model\n"
				   "  config:\n"
				   "    provider: deepseek-official\n"
				   "    model: ");
		jsonw_init(&w, out);
		jsonw_str(&w, NULL, str_of(rq->model));
		strbuf_addch(out, '\n');
	}
	for (size_t i = 0; rq->no_subagents && subagents[i]; i++)
		patch_disable(out, subagents[i]);
}

static int dsh_command(const struct runtime_request *rq,
	struct runtime_command *cmd, struct err *err)
{
	struct strvec *argv = &cmd->argv;
	struct strbuf path = STRBUF_INIT;
	struct strbuf patch = STRBUF_INIT;
	int ret = 0;

	strbuf_addf(&path, "%s/%s", rq->tmp_dir, PATCH_NAME);
	make_patch(rq, &patch);
	if (io_replace_file(path.buf, patch.buf, patch.len, 0600, err) < 0) {
		ret = -1;
		goto done;
	}
	strvec_push(argv, rq->program);
	/* The launcher's options come before those of the app. */
	strvec_push(argv, "--profile");
	strvec_push(argv, "headless");
	strvec_push(argv, "--patch");
	strvec_push(argv, path.buf);
	strvec_push(argv, "--json");
	if (rq->resume_id) {
		strvec_push(argv, "--session-id");
		strvec_push(argv, rq->resume_id);
	}
	if (rq->extra_args)
		strvec_push_all(argv, rq->extra_args);
	strvec_push(argv, "-");
	strvec_env_set(&cmd->env, "DSH_PERMISSION_MODE", "danger-full-access");
	strvec_env_set(&cmd->env, "DSH_TELEMETRY_DISABLED", "1");
	strbuf_adds(&cmd->input, rq->prompt);
	/* There is no option for images; its tool read_image takes a path. */
	for (size_t i = 0; i < rq->image_count; i++)
		strbuf_addf(&cmd->input, "%s\n- %s",
			i ? "" : "\n\nImages that belong to this prompt:",
			rq->images[i].copy);
done:
	strbuf_release(&path);
	strbuf_release(&patch);
	return ret;
}

/* The adapter */

static struct adapter *dsh_adapter_new(const struct adapter_config *config)
{
	struct adapter *ad = xcalloc(1, sizeof(*ad));

	ad->cwd = config->cwd ? xstrdup(config->cwd) : NULL;
	ad->model = config->model ? xstrdup(config->model) : NULL;
	strset_init(&ad->shells);
	dsh_jobs_init(&ad->jobs);
	strbuf_init(&ad->summary);
	strbuf_init(&ad->message);
	return ad;
}

static void dsh_adapter_free(struct adapter *ad)
{
	if (!ad)
		return;
	free(ad->cwd);
	free(ad->model);
	strset_release(&ad->shells);
	dsh_jobs_release(&ad->jobs);
	strbuf_release(&ad->summary);
	strbuf_release(&ad->message);
	free(ad);
}

static void set_message(struct adapter *ad, struct str text)
{
	text = raw_not_blank(text);
	ad->has_message = text.ptr != NULL;
	strbuf_reset(&ad->message);
	strbuf_adds(&ad->message, text);
}

/* The argument that tells what a call is about; *IS_PATH: a path. */
static struct str tool_argument(
	struct str tool, const struct json *input, bool *is_path)
{
	static const struct {
		const char *tool;
		const char *key;
		bool is_path;
	} keys[] = {
		{"bash", "command", false},
		{"read", "file_path", true},
		{"write", "file_path", true},
		{"edit", "file_path", true},
		{"read_image", "file_path", true},
		{"grep", "pattern", false},
		{"glob", "pattern", false},
		{"subagent", "description", false},
		{"job_output", "job_id", false},
	};
	const struct json *queries;

	*is_path = false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (str_is(tool, keys[i].tool)) {
			*is_path = keys[i].is_path;
			return json_str(input, keys[i].key);
		}
	if (str_is(tool, "web_search")) {
		queries = json_get(input, "queries");
		if (queries && queries->kind == JSON_ARRAY)
			return json_text(queries->first);
	}
	return str_null();
}

static void tool_call(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_TOOL_START};
	struct str arg;
	bool is_path;

	r.id = json_str(line, "callId");
	r.name = json_str(line, "tool");
	if (!r.id.ptr || !r.name.ptr)
		return;
	arg = tool_argument(r.name, json_get(line, "input"), &is_path);
	summary_tool(&ad->summary, r.name, arg, is_path, str_of(ad->cwd));
	r.summary = strbuf_str(&ad->summary);
	record_put(out, &r);
	if (str_is(r.name, "bash"))
		strset_add(&ad->shells, r.id);
	dsh_jobs_call(&ad->jobs, r.id, r.name, json_get(line, "input"));
}

/* dsh calls a command that failed `completed`; its exit status is the last line
 * of the result, "[exit code: 3]" (decisions 24). */
static bool exit_code_bad(struct str result)
{
	static const char mark[] = "[exit code: ";
	size_t at;
	bool bad = false;

	while (result.len && (result.ptr[result.len - 1] == '\n' ||
				     result.ptr[result.len - 1] == '\r'))
		result.len--;
	if (!result.len)
		return false; /* the result is blank, absent or no string */
	at = result.len;
	while (at > 0 && result.ptr[at - 1] != '\n')
		at--;
	result.ptr += at;
	result.len -= at;
	if (!str_starts(result, mark) || result.ptr[result.len - 1] != ']')
		return false;
	for (at = strlen(mark); at < result.len - 1; at++) {
		char c = result.ptr[at];

		if (c == '-' && at == strlen(mark))
			continue;
		if (c < '0' || c > '9')
			return false;
		bad = bad || c != '0';
	}
	return bad;
}

static void tool_result(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_TOOL_END, .error = TRI_NULL};
	bool completed = json_is(line, "status", "completed");
	struct str text = json_str(line, "result");
	bool shell;

	r.id = json_str(line, "callId");
	if (!r.id.ptr)
		return;
	shell = strset_remove(&ad->shells, r.id);
	dsh_jobs_result(&ad->jobs, r.id, completed, text);
	if (json_is(line, "status", "error"))
		r.error = TRI_TRUE;
	else if (completed)
		r.error = shell && exit_code_bad(text) ? TRI_TRUE : TRI_FALSE;
	record_put(out, &r);
}

static void step_end(struct adapter *ad, const struct json *usage,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_USAGE};

	r.counts = token_counts_unknown();
	r.counts.input = raw_count(usage, "inputTokens");
	r.counts.output = raw_count(usage, "outputTokens");
	r.counts.cache_read = raw_count(usage, "cacheReadTokens");
	r.counts.cache_write = raw_count(usage, "cacheWriteTokens");
	r.model = str_of(ad->model);
	if (token_counts_known(&r.counts))
		record_put(out, &r);
}

static void turn_end(struct adapter *ad, const struct json *reason)
{
	struct str kind = json_str(reason, "kind");
	struct str text = json_str(json_get(reason, "error"), "message");

	ad->turn_open = false;
	ad->completed = str_is(kind, "completed");
	set_message(ad, ad->completed ? str_null() : text);
	if (ad->completed || ad->has_message || !raw_not_blank(kind).ptr)
		return;
	strbuf_addstr(&ad->message, "dsh ended its turn with ");
	strbuf_adds(&ad->message, kind);
	ad->has_message = true;
}

static void status_line(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct str phase = json_str(line, "phase");
	struct record r = {.kind = RECORD_CALL_START};

	if (str_is(phase, "step_start")) {
		record_put(out, &r);
	} else if (str_is(phase, "step_end")) {
		step_end(ad, json_get(line, "usage"), out);
	} else if (str_is(phase, "turn_start")) {
		ad->turn_open = true;
		ad->final = false;
		dsh_jobs_turn(&ad->jobs);
	} else if (str_is(phase, "turn_end")) {
		turn_end(ad, json_get(line, "reason"));
	}
}

static void session_line(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_SESSION};
	struct str cwd = json_str(line, "cwd");

	if (cwd.ptr) {
		free(ad->cwd);
		ad->cwd = xstrndup(cwd.ptr, cwd.len);
	}
	r.id = json_str(line, "sessionId");
	if (r.id.ptr)
		record_put(out, &r);
}

static void dsh_line(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct str type = json_str(line, "type");
	struct record r = {.kind = RECORD_TEXT};

	if (str_is(type, "text")) {
		r.text = json_str(line, "text");
		if (r.text.ptr)
			record_put(out, &r);
	} else if (str_is(type, "tool_call")) {
		tool_call(ad, line, out);
	} else if (str_is(type, "tool_result")) {
		tool_result(ad, line, out);
	} else if (str_is(type, "status")) {
		status_line(ad, line, out);
	} else if (str_is(type, "final")) {
		ad->final = true;
		/* The whole answer; text lines are cut at 8 KiB. */
		r.kind = RECORD_RESULT;
		r.text = raw_not_blank(json_str(line, "text"));
		if (r.text.ptr)
			record_put(out, &r);
	} else if (str_is(type, "session")) {
		session_line(ad, line, out);
	} else if (str_is(type, "error")) {
		ad->completed = false;
		set_message(ad, json_str(line, "message"));
	}
}

static void dsh_finish(struct adapter *ad, const struct record_out *out)
{
	dsh_jobs_finish(&ad->jobs, out);
}

static void dsh_verdict(const struct adapter *ad, struct runtime_verdict *rv)
{
	rv->success = ad->completed && !ad->turn_open;
	rv->final = ad->final;
	rv->message = ad->has_message ? strbuf_str(&ad->message) : str_null();
}

/* Sessions: a folder of the session's name, below one that stands for the
 * working directory. dsh goes on with it in that directory only. */

static int dsh_session_list(const char *state_dir, const char *cwd,
	const char *id, struct strvec *paths, struct err *err)
{
	(void)cwd;
	(void)err;
	raw_find_sessions(state_dir, id, "", true, 1, paths);
	for (size_t i = paths->count; i-- > 0;)
		if (strcmp(strrchr(paths->v[i], '/') + 1, id) != 0)
			strvec_remove(paths, i); /* ID is only its beginning */
	return 0;
}

static int dsh_session_place(const char *path, const char *old_cwd,
	const char *cwd, struct strbuf *to, struct err *err)
{
	if (strcmp(old_cwd, cwd) != 0)
		return err_set(err, AR_EUSAGE,
			N_("dsh recorded this session in '%s' and goes on with "
			   "it only there, not in '%s'. Use --cwd %s"),
			old_cwd, cwd, old_cwd);
	strbuf_addstr(to, path);
	return 0;
}

static const char *const env_pass[] = {"DSH_*", "DEEPSEEK_*", NULL};
static const char *const hosts[] = {"api.deepseek.com", NULL};
static const char *const base_url_env[] = {"DEEPSEEK_BASE_URL", NULL};
static const char *const state_copy[] = {"settings.yaml", "settings.yml",
	"settings.json", "config.yaml", "auth.json", "credentials.json",
	".anonymous-user-id", "AGENTS.md", "profiles", "skills", "plugins",
	"agents", NULL};
static const char *const credentials[] = {
	"auth.json", "credentials.json", NULL};
static const char *const login_env[] = {"DEEPSEEK_API_KEY", NULL};
static const char *const login_files[] = {
	"auth.json", "credentials.json", NULL};

static const struct runtime_line lines[] = {{"session", "sessionId"},
	{"status", "phase"}, {"text", NULL}, {"thinking", NULL},
	{"tool_call", NULL}, {"tool_result", NULL}, {"final", NULL},
	{"error", "message"}, {NULL, NULL}};

const struct runtime_ops runtime_dsh = {
	.name = "dsh",
	.program = "dsh",
	.version_min = "0.1.6", /* the first with --json */
	.install = "npm install -g @deepseek-ai/dsh",
	.stop_signal = SIGTERM,
	.on_node = true,
	.env_pass = env_pass,
	.hosts = hosts,
	.base_url_env = base_url_env,
	.state = {"DSH_HOME", ".dsh", state_copy, credentials},
	.login = {NULL, NULL, login_env, login_files, NULL,
		N_("set DEEPSEEK_API_KEY")},
	.command = dsh_command,
	.adapter_new = dsh_adapter_new,
	.adapter_free = dsh_adapter_free,
	.lines = lines,
	.line = dsh_line,
	.finish = dsh_finish,
	.content = dsh_content,
	.verdict = dsh_verdict,
	.session_list = dsh_session_list,
	.session_place = dsh_session_place,
};

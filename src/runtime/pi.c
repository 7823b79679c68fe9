#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "base/xalloc.h"
#include "runtime/pi-hosts.h"
#include "runtime/pi-content.h"
#include "runtime/raw.h"
#include "runtime/runtime.h"
#include "runtime/summary.h"

/* pi: `pi --mode json -p` (runtime page: pi). */

struct adapter {
	char *cwd;    /* the session's, else agentrun's; or NULL */
	char *prompt; /* what was sent, trimmed; NULL for recorded output */
	size_t prompt_len;
	size_t image_count;
	struct strbuf summary;
	struct strbuf text;    /* of the echoed prompt */
	struct strbuf model;   /* of the last assistant message */
	struct strbuf stop;    /* its stopReason */
	struct strbuf message; /* its errorMessage */
	bool prompt_seen;
	bool has_model;
	bool has_message;
	bool started;   /* agent_start */
	uint64_t calls; /* ended so far: the next one's name, inside only */
	char call_id[24];
	bool settled;
};

/* The command line */

static int pi_command(const struct runtime_request *rq,
	struct runtime_command *cmd, struct err *err)
{
	struct strvec *argv = &cmd->argv;

	(void)err;
	strvec_push(argv, rq->program);
	strvec_push(argv, "--mode");
	strvec_push(argv, "json");
	strvec_push(argv, "-p");
	if (rq->resume_file) {
		/* By its path: an id of another folder is a question on stderr
		 * and an exit with 0. */
		strvec_push(argv, "--session");
		strvec_push(argv, rq->resume_file);
	} else if (rq->keep_session && rq->state_dir) {
		strvec_push(argv, "--session-dir");
		strvec_pushf(argv, "%s/sessions", rq->state_dir);
	} else {
		strvec_push(argv, "--no-session");
	}
	if (rq->model) {
		strvec_push(argv, "--model");
		strvec_push(argv, rq->model);
	}
	if (rq->effort) {
		strvec_push(argv, "--thinking");
		strvec_push(argv, rq->effort);
	}
	for (size_t i = 0; i < rq->image_count; i++)
		strvec_pushf(argv, "@%s", rq->images[i].copy);
	if (rq->extra_args)
		strvec_push_all(argv, rq->extra_args);
	strvec_env_set(&cmd->env, "PI_OFFLINE", "1");
	strvec_env_set(&cmd->env, "PI_TELEMETRY", "0");
	strbuf_adds(&cmd->input, rq->prompt);
	return 0;
}

/* The adapter */

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct str trim(struct str s)
{
	while (s.len && is_space(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	while (s.len && is_space(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

static struct adapter *pi_adapter_new(const struct adapter_config *config)
{
	struct adapter *ad = xcalloc(1, sizeof(*ad));
	struct str prompt = trim(config->prompt);

	ad->cwd = config->cwd ? xstrdup(config->cwd) : NULL;
	if (prompt.ptr)
		ad->prompt = xstrndup(prompt.ptr, prompt.len);
	ad->prompt_len = prompt.len;
	ad->image_count = config->image_count;
	strbuf_init(&ad->summary);
	strbuf_init(&ad->text);
	strbuf_init(&ad->model);
	strbuf_init(&ad->stop);
	strbuf_init(&ad->message);
	return ad;
}

static void pi_adapter_free(struct adapter *ad)
{
	if (!ad)
		return;
	free(ad->cwd);
	free(ad->prompt);
	strbuf_release(&ad->summary);
	strbuf_release(&ad->text);
	strbuf_release(&ad->model);
	strbuf_release(&ad->stop);
	strbuf_release(&ad->message);
	free(ad);
}

static void set_buf(struct strbuf *sb, struct str s)
{
	strbuf_reset(sb);
	strbuf_adds(sb, s);
}

/* The echoed prompt. pi puts a piece
 *     <file name="/abs/a.png"></file>\n
 * into it for each image, behind a prompt from stdin, before one from the
 * command line; a note about its size may stand inside, and a note about an
 * image that was left out behind all of them. */
#define PIECE_BEGIN "<file name=\""
#define PIECE_END "</file>\n"
#define OMITTED "\n\n[Image omitted: "

static bool str_ends(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.len >= n && memcmp(s.ptr + s.len - n, suffix, n) == 0;
}

/* The length of the piece at the start of S, 0 when there is none. */
static size_t piece_length(struct str s)
{
	size_t at = strlen(PIECE_BEGIN);
	struct str rest;
	const char *end;

	if (!str_starts(s, PIECE_BEGIN))
		return 0;
	end = memmem(s.ptr + at, s.len - at, "\">", 2);
	if (!end)
		return 0;
	rest.ptr = end + 2;
	rest.len = (size_t)(s.ptr + s.len - rest.ptr);
	end = memmem(rest.ptr, rest.len, PIECE_END, strlen(PIECE_END));
	if (!end || (end != rest.ptr && !str_starts(rest, "[Image")))
		return 0; /* a text file: its contents were sent */
	return (size_t)(end - s.ptr) + strlen(PIECE_END);
}

/* The start of the last piece when S ends with one, else S.len. */
static size_t last_piece(struct str s)
{
	size_t at = s.len;

	if (!str_ends(s, PIECE_END))
		return s.len;
	while (at-- > 0) {
		struct str tail = {s.ptr + at, s.len - at};

		if (str_starts(tail, PIECE_BEGIN))
			return piece_length(tail) == tail.len ? at : s.len;
	}
	return s.len;
}

/* Cuts the notes about images that were left out; returns how many. */
static size_t cut_omitted(struct str *s)
{
	size_t count = 0;
	size_t at;

	while (str_ends(*s, "]")) {
		struct str tail;

		for (at = s->len; at > 0; at--) {
			tail.ptr = s->ptr + at - 1;
			tail.len = s->len - at + 1;
			if (*tail.ptr == '[')
				break;
		}
		if (at < 3 ||
			!str_starts((struct str){tail.ptr - 2, tail.len + 2},
				OMITTED))
			break;
		s->len = at - 3;
		count++;
	}
	return count;
}

/* S without the pieces of at most IMAGES images; an image that is not in the
 * message (BLOCKS of them are) has left a note. */
static struct str cut_pieces(struct str s, size_t images, size_t blocks)
{
	struct str cut = s;
	size_t count = 0;
	size_t n;

	n = blocks + cut_omitted(&cut);
	if (images < n)
		images = n;
	while (count < images && (n = last_piece(cut)) < cut.len) {
		cut.len = n;
		count++;
	}
	while (count < images && (n = piece_length(cut)) > 0) {
		cut.ptr += n;
		cut.len -= n;
		count++;
	}
	return count ? cut : s;
}

static void user_message(struct adapter *ad, const struct json *content,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_PROMPT};
	size_t blocks = 0;

	if (ad->prompt_seen)
		return; /* only the first is the prompt of the run */
	r.text = json_text(content);
	if (content && content->kind == JSON_ARRAY)
		for (const struct json *b = content->first; b; b = b->next) {
			if (json_is(b, "type", "image"))
				blocks++;
			else if (!r.text.ptr && json_is(b, "type", "text"))
				r.text = json_str(b, "text");
		}
	if (!r.text.ptr)
		return;
	ad->prompt_seen = true;
	if (ad->image_count && ad->prompt_len <= r.text.len && ad->prompt &&
		memcmp(r.text.ptr, ad->prompt, ad->prompt_len) == 0)
		r.text.len = ad->prompt_len;
	else if (ad->image_count || blocks || !ad->prompt)
		r.text = cut_pieces(r.text, ad->image_count, blocks);
	record_put(out, &r);
}

static struct token_counts usage_counts(const struct json *usage)
{
	struct token_counts c = token_counts_unknown();
	double cost =
		json_double(json_get(usage, "cost"), "total", (double)NAN);

	c.input = raw_count(usage, "input");
	c.output = raw_count(usage, "output");
	c.cache_read = raw_count(usage, "cacheRead");
	c.cache_write = raw_count(usage, "cacheWrite");
	if (isfinite(cost) && cost >= 0)
		c.cost_usd = cost;
	return c;
}

/* An attempt that never reached the model reports zeros (page: mapping). */
static bool usage_is_zero(const struct json *usage)
{
	struct token_counts c = usage_counts(usage);
	int64_t total = raw_count(usage, "totalTokens");

	return total == 0 ||
	       (total == COUNT_UNKNOWN && token_counts_total(&c) == 0);
}

/* pi names no calls; what is counted while one is under way needs a name. */
static struct str call_id(struct adapter *ad)
{
	snprintf(ad->call_id, sizeof(ad->call_id), "%" PRIu64, ad->calls);
	return str_of(ad->call_id);
}

/* ID: of the call, null when it is not one of the conversation. */
static void put_usage(struct adapter *ad, struct str id,
	const struct json *usage, const struct record_out *out)
{
	struct record r = {.kind = RECORD_USAGE, .id = id};

	r.counts = usage_counts(usage);
	r.model = ad->has_model ? strbuf_str(&ad->model) : str_null();
	if (token_counts_known(&r.counts))
		record_put(out, &r);
}

static void put_texts(const struct json *content, const struct record_out *out)
{
	struct record r = {.kind = RECORD_TEXT};

	r.text = json_text(content);
	if (r.text.ptr)
		record_put(out, &r);
	if (!content || content->kind != JSON_ARRAY)
		return;
	for (const struct json *b = content->first; b; b = b->next) {
		r.text = json_is(b, "type", "text") ? json_str(b, "text")
						    : str_null();
		if (r.text.ptr)
			record_put(out, &r);
	}
}

static void assistant_message(struct adapter *ad, const struct json *message,
	const struct record_out *out)
{
	const struct json *usage = json_get(message, "usage");
	struct str stop = json_str(message, "stopReason");
	struct str text = raw_not_blank(json_str(message, "errorMessage"));
	struct str model = json_str(message, "model");
	bool broken = str_is(stop, "error") || str_is(stop, "aborted");

	set_buf(&ad->stop, stop);
	set_buf(&ad->message, text);
	ad->has_message = text.ptr != NULL;
	ad->has_model = model.ptr != NULL;
	set_buf(&ad->model, model);
	/* What a broken attempt said may be cut off, and the next repeats it.
	 */
	if (!broken)
		put_texts(json_get(message, "content"), out);
	if (!broken || !usage_is_zero(usage))
		put_usage(ad, call_id(ad), usage, out);
	ad->calls++;
}

/* The argument that tells what a call is about; *IS_PATH: a path. */
static struct str tool_argument(
	struct str name, const struct json *args, bool *is_path)
{
	static const struct {
		const char *tool;
		const char *key;
		bool is_path;
	} keys[] = {
		{"bash", "command", false},
		{"read", "path", true},
		{"edit", "path", true},
		{"write", "path", true},
		{"ls", "path", true},
		{"grep", "pattern", false},
		{"find", "pattern", false},
	};

	*is_path = false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (str_is(name, keys[i].tool)) {
			*is_path = keys[i].is_path;
			return json_str(args, keys[i].key);
		}
	return str_null();
}

static void tool_start(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_TOOL_START};
	struct str arg;
	bool is_path;

	r.id = json_str(line, "toolCallId");
	r.name = json_str(line, "toolName");
	if (!r.id.ptr || !r.name.ptr)
		return;
	arg = tool_argument(r.name, json_get(line, "args"), &is_path);
	summary_tool(&ad->summary, r.name, arg, is_path, str_of(ad->cwd));
	r.summary = strbuf_str(&ad->summary);
	record_put(out, &r);
}

static void tool_end(const struct json *line, const struct record_out *out)
{
	const struct json *is_error = json_get(line, "isError");
	struct record r = {.kind = RECORD_TOOL_END, .error = TRI_NULL};

	r.id = json_str(line, "toolCallId");
	if (is_error && is_error->kind == JSON_TRUE)
		r.error = TRI_TRUE;
	else if (is_error && is_error->kind == JSON_FALSE)
		r.error = TRI_FALSE;
	if (r.id.ptr)
		record_put(out, &r);
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
	r.id = json_str(line, "id");
	if (r.id.ptr)
		record_put(out, &r);
}

static void pi_line(struct adapter *ad, const struct json *line,
	const struct record_out *out)
{
	const struct json *message = json_get(line, "message");
	struct str type = json_str(line, "type");
	struct record r = {.kind = RECORD_CALL_START};

	if (str_is(type, "message_update")) {
		/* Cumulative for the call; nothing is shown before its end. */
		r.kind = RECORD_CALL_USAGE;
		r.id = call_id(ad);
		r.counts = usage_counts(json_get(line, "usage"));
		if (token_counts_known(&r.counts))
			record_put(out, &r);
	} else if (str_is(type, "message_end")) {
		if (json_is(message, "role", "assistant"))
			assistant_message(ad, message, out);
		else if (json_is(message, "role", "user"))
			user_message(ad, json_get(message, "content"), out);
	} else if (str_is(type, "tool_execution_start")) {
		tool_start(ad, line, out);
	} else if (str_is(type, "tool_execution_end")) {
		tool_end(line, out);
	} else if (str_is(type, "turn_start")) {
		r.id = call_id(ad); /* one per model call */
		record_put(out, &r);
	} else if (str_is(type, "compaction_end")) {
		put_usage(ad, str_null(),
			json_path(line, "result", "usage", NULL), out);
	} else if (str_is(type, "session")) {
		session_line(ad, line, out);
	} else if (str_is(type, "agent_start")) {
		ad->started = true;
		ad->settled = false;
	} else if (str_is(type, "agent_settled")) {
		ad->settled = true;
	}
}

static void pi_finish(struct adapter *ad, const struct record_out *out)
{
	(void)ad;
	(void)out;
}

static void pi_verdict(const struct adapter *ad, struct runtime_verdict *rv)
{
	rv->success = ad->started && strcmp(ad->stop.buf, "stop") == 0;
	rv->final = ad->settled;
	rv->message = str_null();
	if (strcmp(ad->stop.buf, "length") == 0)
		rv->message = str_of(
			"the answer was cut at the model's output limit");
	else if (!rv->success && ad->has_message)
		rv->message = strbuf_str(&ad->message);
}

/* Sessions: one file that names its working directory in the first line. */

static int pi_session_list(const char *state_dir, const char *cwd,
	const char *id, struct strvec *paths, struct err *err)
{
	struct strbuf suffix = STRBUF_INIT;

	(void)cwd;
	(void)err;
	strbuf_addf(&suffix, "_%s.jsonl", id);
	raw_find_sessions(state_dir, "", suffix.buf, false, 2, paths);
	strbuf_release(&suffix);
	return 0;
}

static int pi_session_place(const char *path, const char *old_cwd,
	const char *cwd, struct strbuf *to, struct err *err)
{
	const char *name = strrchr(path, '/');

	(void)old_cwd;
	(void)cwd;
	(void)err;
	strbuf_addf(to, "sessions/%s", name ? name + 1 : path);
	return 0;
}

/* Appends the first line HEAD of a session file with its cwd replaced. */
static int rewrite_head(struct strbuf *out, struct str head, const char *cwd)
{
	struct arena arena;
	struct jsonw w;
	struct json *tree;
	int ret = -1;

	arena_init(&arena);
	tree = json_parse(&arena, head.ptr, head.len);
	if (!tree || !json_is(tree, "type", "session"))
		goto done;
	jsonw_init(&w, out);
	jsonw_object(&w, NULL);
	for (const struct json *m = tree->first; m; m = m->next) {
		if (str_is(m->key, "cwd"))
			continue;
		jsonw_key(&w, m->key);
		jsonw_value(&w, NULL, m);
	}
	jsonw_str(&w, "cwd", str_of(cwd));
	jsonw_object_end(&w);
	ret = 0;
done:
	arena_release(&arena);
	return ret;
}

/* pi runs in the folder that the file names: it becomes the present one. */
static int pi_session_open(const char *state_dir, const struct strvec *paths,
	const char *cwd, struct strbuf *file, struct token_counts *baseline,
	struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	struct strbuf data = STRBUF_INIT;
	struct strbuf text = STRBUF_INIT;
	struct str head;
	const char *end;
	int ret = -1;

	(void)baseline;
	if (paths->count != 1) {
		err_set(err, AR_EFORMAT,
			N_("a session of pi is one file, here are %zu"),
			paths->count);
		goto done;
	}
	strbuf_addf(&path, "%s/%s", state_dir, paths->v[0]);
	if (io_read_file(path.buf, SIZE_MAX / 2, &data, err) < 0)
		goto done;
	end = memchr(data.buf, '\n', data.len);
	head.ptr = data.buf;
	head.len = end ? (size_t)(end - data.buf) : data.len;
	if (rewrite_head(&text, head, cwd) < 0) {
		err_set(err, AR_EFORMAT,
			N_("'%s' does not begin as a session of pi"),
			paths->v[0]);
		goto done;
	}
	strbuf_add(&text, data.buf + head.len, data.len - head.len);
	if (io_replace_file(path.buf, text.buf, text.len, 0600, err) < 0)
		goto done;
	strbuf_addstr(file, paths->v[0]);
	ret = 0;
done:
	strbuf_release(&path);
	strbuf_release(&data);
	strbuf_release(&text);
	return ret;
}

/* Its own names, and the keys of the providers it knows. */
static const char *const env_pass[] = {"PI_*", "ANTHROPIC_API_KEY",
	"ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY",
	"OPENAI_BASE_URL", "AZURE_OPENAI_*", "GEMINI_API_KEY", "GROQ_API_KEY",
	"CEREBRAS_API_KEY", "XAI_API_KEY", "OPENROUTER_API_KEY",
	"AI_GATEWAY_API_KEY", "ZAI_API_KEY", "MISTRAL_API_KEY",
	"MINIMAX_API_KEY", "MOONSHOT_API_KEY", "KIMI_API_KEY",
	"DEEPSEEK_API_KEY", "HF_TOKEN", NULL};
static const char *const hosts[] = {"api.anthropic.com", NULL};
static const char *const base_url_env[] = {"AZURE_OPENAI_BASE_URL", NULL};
static const char *const state_copy[] = {"settings.json", "models.json",
	"auth.json", "mcp.json", "keybindings.json", "AGENTS.md", "SYSTEM.md",
	"APPEND_SYSTEM.md", "extensions", "skills", "prompts", "themes",
	"tools", NULL};
static const char *const credentials[] = {"auth.json", NULL};
static const char *const login_env[] = {"ANTHROPIC_API_KEY",
	"ANTHROPIC_OAUTH_TOKEN", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY",
	"GEMINI_API_KEY", "GROQ_API_KEY", "CEREBRAS_API_KEY", "XAI_API_KEY",
	"OPENROUTER_API_KEY", "AI_GATEWAY_API_KEY", "ZAI_API_KEY",
	"MISTRAL_API_KEY", "MINIMAX_API_KEY", "MOONSHOT_API_KEY",
	"KIMI_API_KEY", "DEEPSEEK_API_KEY", "HF_TOKEN", NULL};
static const char *const login_files[] = {"auth.json", "models.json", NULL};

static const struct runtime_line lines[] = {{"session", "id"},
	{"agent_*", NULL}, {"turn_*", NULL}, {"message_*", NULL},
	{"tool_execution_*", NULL}, {"compaction_*", NULL},
	{"auto_retry_*", NULL}, {"entry_appended", NULL}, {"extension_*", NULL},
	{"queue_update", NULL}, {"session_info_changed", NULL}, {NULL, NULL}};

const struct runtime_ops runtime_pi = {
	.name = "pi",
	.program = "pi",
	.install = "npm install -g @earendil-works/pi-coding-agent",
	.stop_signal = SIGTERM, /* SIGINT leaves its commands running */
	.reports_cost = true,
	.warns_cost = true,
	.has_effort = true,
	.on_node = true,
	.echoes_prompt = true,
	.env_pass = env_pass,
	.hosts = hosts,
	.base_url_env = base_url_env,
	.base_urls = pi_base_urls,
	.state = {"PI_CODING_AGENT_DIR", ".pi/agent", state_copy, credentials},
	.login = {NULL, NULL, login_env, login_files, NULL,
		N_("run 'pi' and /login, or set the key of your provider"),
		pi_key_names},
	.command = pi_command,
	.adapter_new = pi_adapter_new,
	.adapter_free = pi_adapter_free,
	.lines = lines,
	.line = pi_line,
	.finish = pi_finish,
	.content = pi_content,
	.verdict = pi_verdict,
	.session_list = pi_session_list,
	.session_place = pi_session_place,
	.session_open = pi_session_open,
};

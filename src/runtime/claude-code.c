#include "config.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/i18n.h"
#include "base/io.h"
#include "base/jsonw.h"
#include "base/utf8.h"
#include "runtime/claude-adapter.h"
#include "runtime/claude-content.h"
#include "runtime/runtime.h"

/* The largest image that goes into the prompt line. */
#define IMAGE_MAX ((size_t)64 << 20)

/* The longest folder name of a project without a hash, in UTF-16 units. */
#define SLUG_MAX 200

static const char *const claude_options[] = {
	"-p",
	"--output-format",
	"stream-json",
	"--verbose",
	"--input-format",
	"stream-json",
	"--replay-user-messages",
	"--forward-subagent-text",
	"--include-partial-messages",
	NULL,
};

static void add_option(
	struct runtime_command *cmd, const char *name, const char *value)
{
	if (!value)
		return;
	strvec_push(&cmd->argv, name);
	strvec_push(&cmd->argv, value);
}

static void add_arguments(
	const struct runtime_request *rq, struct runtime_command *cmd)
{
	bool boxed = rq->box == RUNTIME_BOX_OURS;
	size_t i;

	strvec_push(&cmd->argv, rq->program);
	for (i = 0; claude_options[i]; i++)
		strvec_push(&cmd->argv, claude_options[i]);
	/* This one takes all words up to the next option, so one follows. */
	if (rq->no_subagents) {
		strvec_push(&cmd->argv, "--disallowedTools");
		strvec_push(&cmd->argv, "Agent");
		strvec_push(&cmd->argv, "Workflow");
	}
	add_option(
		cmd, "--permission-mode", boxed ? "bypassPermissions" : "auto");
	/* Without it root may not bypass the permissions. */
	if (boxed)
		strvec_push(&cmd->env, "IS_SANDBOX=1");
	add_option(cmd, "--model", rq->model);
	add_option(cmd, "--effort", rq->effort);
	add_option(cmd, "--resume", rq->resume_id);
	if (rq->extra_args)
		strvec_push_all(&cmd->argv, rq->extra_args);
}

static void base64(struct strbuf *out, const char *data, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i;

	strbuf_reserve(out, (len + 2) / 3 * 4);
	for (i = 0; i < len; i += 3) {
		unsigned int n = (unsigned int)(unsigned char)data[i] << 16;

		if (i + 1 < len)
			n |= (unsigned int)(unsigned char)data[i + 1] << 8;
		if (i + 2 < len)
			n |= (unsigned char)data[i + 2];
		strbuf_addch(out, digits[n >> 18]);
		strbuf_addch(out, digits[n >> 12 & 63]);
		strbuf_addch(out, i + 1 < len ? digits[n >> 6 & 63] : '=');
		strbuf_addch(out, i + 2 < len ? digits[n & 63] : '=');
	}
}

static int add_image(
	struct jsonw *w, const struct runtime_image *image, struct err *err)
{
	struct strbuf data = STRBUF_INIT;
	struct strbuf text = STRBUF_INIT;

	if (io_read_file(image->copy, IMAGE_MAX, &data, err) < 0) {
		strbuf_release(&data);
		return -1;
	}
	base64(&text, data.buf, data.len);
	jsonw_object(w, NULL);
	jsonw_str(w, "type", str_of("image"));
	jsonw_object(w, "source");
	jsonw_str(w, "type", str_of("base64"));
	jsonw_str(w, "media_type", str_of(image->media_type));
	jsonw_str(w, "data", strbuf_str(&text));
	jsonw_object_end(w);
	jsonw_object_end(w);
	strbuf_release(&text);
	strbuf_release(&data);
	return 0;
}

/* The prompt as one line on stdin: a string, or blocks with the images behind
 * the text (runtime page: claude-code 1, stdin). */
static int add_message(const struct runtime_request *rq,
	struct runtime_command *cmd, struct err *err)
{
	struct jsonw w;
	size_t i;

	jsonw_init(&w, &cmd->input);
	jsonw_object(&w, NULL);
	jsonw_str(&w, "type", str_of("user"));
	jsonw_object(&w, "message");
	jsonw_str(&w, "role", str_of("user"));
	if (!rq->image_count) {
		jsonw_str(&w, "content", rq->prompt);
	} else {
		jsonw_array(&w, "content");
		jsonw_object(&w, NULL);
		jsonw_str(&w, "type", str_of("text"));
		jsonw_str(&w, "text", rq->prompt);
		jsonw_object_end(&w);
		for (i = 0; i < rq->image_count; i++)
			if (add_image(&w, &rq->images[i], err) < 0)
				return -1;
		jsonw_array_end(&w);
	}
	jsonw_object_end(&w);
	jsonw_null(&w, "parent_tool_use_id");
	jsonw_str(&w, "session_id", str_of(""));
	jsonw_object_end(&w);
	strbuf_addch(&cmd->input, '\n');
	return 0;
}

static int claude_command(const struct runtime_request *rq,
	struct runtime_command *cmd, struct err *err)
{
	add_arguments(rq, cmd);
	return add_message(rq, cmd, err);
}

/* The code point at *POS of valid UTF-8; moves *POS behind it. */
static uint32_t next_point(const struct strbuf *text, size_t *pos)
{
	const unsigned char *p = (const unsigned char *)text->buf + *pos;
	size_t more = *p < 0x80 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : 3;
	uint32_t c = more ? *p & (0x3fu >> more) : *p;

	*pos += more + 1;
	while (more--)
		c = c << 6 | (*++p & 0x3f);
	return c;
}

static bool is_slug_char(uint32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* The folder name that stands for a working directory (runtime page:
 * claude-code 9): every UTF-16 unit that is no ASCII letter or digit is '-'.
 * Beyond SLUG_MAX units the rest gives way to a hash of all units: the one of
 * Java's strings, without its sign, in base 36 (seen with 2.1.332). */
static void add_slug(struct strbuf *out, const char *cwd)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	struct strbuf text = STRBUF_INIT;
	size_t start = out->len;
	uint32_t hash = 0;
	char number[8]; /* 2^31 has 6 digits */
	size_t n = 0;
	size_t pos = 0;

	if (!utf8_valid(cwd, strlen(cwd)))
		utf8_repair(&text, cwd, strlen(cwd));
	else
		strbuf_addstr(&text, cwd);
	while (pos < text.len) {
		uint32_t c = next_point(&text, &pos);

		if (c > 0xffff) {
			hash = hash * 31 + 0xd7c0 + (c >> 10);
			strbuf_addch(out, '-');
			c = 0xdc00 | (c & 0x3ff);
		}
		hash = hash * 31 + c;
		strbuf_addch(out, is_slug_char(c) ? (char)c : '-');
	}
	strbuf_release(&text);
	if (out->len - start <= SLUG_MAX)
		return;
	strbuf_setlen(out, start + SLUG_MAX);
	strbuf_addch(out, '-');
	if (hash > INT32_MAX)
		hash = -hash;
	do
		number[n++] = digits[hash % 36];
	while (hash /= 36);
	while (n)
		strbuf_addch(out, number[--n]);
}

static bool path_exists(const char *state_dir, const char *path)
{
	struct strbuf full = STRBUF_INIT;
	struct stat st;
	bool exists;

	strbuf_addf(&full, "%s/%s", state_dir, path);
	exists = lstat(full.buf, &st) == 0;
	strbuf_release(&full);
	return exists;
}

/* Finds projects/SLUG/ID.jsonl: in the folder of CWD, else in any other one
 * (a session that goes on stays in the file where it began). PATH gets it
 * without ".jsonl". */
static bool session_find(const char *state_dir, const char *cwd, const char *id,
	struct strbuf *path)
{
	struct strbuf file = STRBUF_INIT;
	struct dirent *entry;
	bool found;
	DIR *dir;

	strbuf_addstr(path, "projects/");
	add_slug(path, cwd);
	strbuf_addf(path, "/%s", id);
	strbuf_addf(&file, "%s.jsonl", path->buf);
	found = path_exists(state_dir, file.buf);
	strbuf_reset(&file);
	strbuf_addf(&file, "%s/projects", state_dir);
	dir = found ? NULL : opendir(file.buf);
	while (dir && !found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		strbuf_reset(path);
		strbuf_addf(path, "projects/%s/%s", entry->d_name, id);
		strbuf_reset(&file);
		strbuf_addf(&file, "%s.jsonl", path->buf);
		found = path_exists(state_dir, file.buf);
	}
	if (dir)
		closedir(dir);
	strbuf_release(&file);
	return found;
}

static int claude_session_list(const char *state_dir, const char *cwd,
	const char *id, struct strvec *paths, struct err *err)
{
	struct strbuf path = STRBUF_INIT;

	if (!*id || *id == '.' || strchr(id, '/'))
		return err_set(err, AR_EFORMAT,
			N_("'%s' is no session id of claude-code"), id);
	if (session_find(state_dir, cwd, id, &path)) {
		strvec_pushf(paths, "%s.jsonl", path.buf);
		if (path_exists(state_dir, path.buf))
			strvec_push(paths, path.buf);
	}
	strbuf_release(&path);
	return 0;
}

static int claude_session_place(const char *path, const char *old_cwd,
	const char *cwd, struct strbuf *to, struct err *err)
{
	const char *rest = NULL;

	(void)old_cwd; /* the folder may be that of a still earlier one */
	if (!strncmp(path, "projects/", 9))
		rest = strchr(path + 9, '/');
	if (!rest)
		return err_set(err, AR_EFORMAT,
			N_("'%s' is no session file of claude-code"), path);
	strbuf_addstr(to, "projects/");
	add_slug(to, cwd);
	strbuf_addstr(to, rest);
	return 0;
}

static const char *const claude_env_pass[] = {"ANTHROPIC_*", "CLAUDE_*", NULL};
static const char *const claude_hosts[] = {"api.anthropic.com",
	"platform.claude.com", "console.anthropic.com", NULL};
static const char *const claude_base_url[] = {"ANTHROPIC_BASE_URL", NULL};
/* ~/.claude.json lies beside ~/.claude, but inside a folder that
 * CLAUDE_CONFIG_DIR names. */
static const char *const claude_state_copy[] = {".credentials.json",
	"settings.json", "settings.local.json", "../.claude.json", "CLAUDE.md",
	"agents", "commands", "output-styles", "plugins", "rules", "skills",
	NULL};
static const char *const claude_credentials[] = {".credentials.json", NULL};
static const char *const claude_login_args[] = {"auth", "status", NULL};
static const char *const claude_login_env[] = {"ANTHROPIC_API_KEY",
	"ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", NULL};

static const struct runtime_line lines[] = {{"assistant", NULL}, {"user", NULL},
	{"system", NULL}, {"result", NULL}, {"stream_event", NULL},
	{"control_*", NULL}, {"*", "session_id"}, {NULL, NULL}};

const struct runtime_ops runtime_claude_code = {
	.name = "claude-code",
	.program = "claude",
	.install = "npm install -g @anthropic-ai/claude-code",
	.stop_signal = SIGINT,
	.reports_cost = true,
	.warns_cost = true,
	.has_effort = true,
	.echoes_prompt = true,
	.env_pass = claude_env_pass,
	.hosts = claude_hosts,
	.base_url_env = claude_base_url,
	.state = {"CLAUDE_CONFIG_DIR", ".claude", claude_state_copy,
		claude_credentials},
	.login = {claude_login_args, "\"loggedIn\": true", claude_login_env,
		claude_credentials, "claudeAiOauth",
		N_("run 'claude' and log in, or set ANTHROPIC_API_KEY")},
	.command = claude_command,
	.adapter_new = claude_adapter_new,
	.adapter_free = claude_adapter_free,
	.lines = lines,
	.line = claude_line,
	.finish = claude_finish,
	.content = claude_content,
	.verdict = claude_verdict,
	.session_list = claude_session_list,
	.session_place = claude_session_place,
};

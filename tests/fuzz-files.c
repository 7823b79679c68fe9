/* fuzz-files: files that people write, or that runtimes leave: environment
 * files, settings, logins, saved sessions. Several files of one input stand
 * behind one another, "==" between them. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/json.h"
#include "base/loop.h"
#include "fuzz.h"
#include "run/environ.h"
#include "run/network.h"
#include "run/session.h"
#include "run/state.h"
#include "runtime/codex-config.h"
#include "runtime/pi-hosts.h"
#include "runtime/runtime.h"

static char *path_of(const char *name)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/%s", fuzz_folder(), name);
	return strbuf_detach(&path);
}

static void make_folder(const char *name)
{
	char *path = path_of(name);

	ar_assert(io_mkdirs(path, 0700) == 0);
	free(path);
}

/* --- env-file --- */

static void check_env(const struct environ_made *e, struct str data)
{
	for (size_t i = 0; i < e->names.count; i++)
		ar_assert(strvec_env_get(&e->vars, e->names.v[i]));
	for (size_t i = 0; i < e->vars.count; i++) {
		const char *pair = e->vars.v[i];
		const char *eq = strchr(pair, '=');

		ar_assert(eq && eq > pair);
		for (const char *s = pair; s < eq; s++)
			ar_assert(*s > ' ' && *s < 0x7f);
		ar_assert(!strchr(pair, '\n'));
		/* As it stands there, but for the quotes of a shell. */
		if (!memmem(data.ptr, data.len, "export", 6) &&
			strncmp(pair, "TMPDIR=", 7) &&
			strncmp(pair, "PATH=", 5))
			ar_assert(
				memmem(data.ptr, data.len, pair, strlen(pair)));
	}
}

static void play_env(const void *arg, const char *data, size_t len)
{
	static struct loop *loop;
	static const bool stopped = false;
	char *const caller[] = {NULL};
	struct run_request rq;
	struct environ_made e;
	struct err err = ERR_INIT;
	struct reader reader;
	char *path = path_of("env");

	(void)arg;
	if (!loop)
		loop = loop_new(NULL);
	reader = (struct reader){loop, &stopped};
	fuzz_write("env", (struct str){data, len});
	run_request_init(&rq);
	rq.runtime = &runtime_dsh;
	strvec_pushf(&rq.env, "f%s", path);
	environ_init(&e);
	if (environ_build(&e, caller, &rq, &reader, &err) == 0) {
		check_env(&e, (struct str){data, len});
	} else {
		/* Which line, but nothing of it: it may be a secret. */
		ar_assert(err.code == AR_EUSAGE);
		ar_assert(strstr(err.msg, path) && !strchr(err.msg, '\n'));
		fuzz_check_clean(str_of(err.msg), false);
	}
	environ_release(&e);
	run_request_release(&rq);
	free(path);
}

static const char *const env_words[] = {
	"A=", "export ", "#", "\nB=1\n", "PATH=", "\"", "'", "\r\n", NULL};

const struct fuzz_target fuzz_env_file = {
	.name = "env-file",
	.play = play_env,
	.max = 2048,
	.words = env_words,
};

/* --- settings of codex and pi: addresses, names of variables --- */

static void check_words(const struct strvec *words)
{
	for (size_t i = 0; i < words->count; i++)
		ar_assert(!strchr(words->v[i], '\n'));
}

/* What the host filter makes of them. */
static void check_network(
	const struct runtime_ops *ops, const struct strvec *urls)
{
	struct strvec env = STRVEC_INIT;
	struct strvec hosts = STRVEC_INIT;
	struct network_config config = {.runtime = ops,
		.mode = RUNTIME_NETWORK_NONE,
		.allow_host = &hosts,
		.env = &env,
		.base_urls = urls};
	struct network_plan plan;
	struct err err = ERR_INIT;

	if (network_plan_init(&plan, &config, &err) < 0)
		ar_assert(err.msg[0]);
	for (size_t i = 0; i < plan.loopback_count; i++) {
		const char *host = plan.loopback[i].host;

		ar_assert(strcmp(host, "localhost") == 0 ||
			  strcmp(host, "::1") == 0 ||
			  (strncmp(host, "127.", 4) == 0 &&
				  !host[strspn(host, "0123456789.")]));
		ar_assert(plan.loopback[i].port == plan.loopback_ports[i]);
	}
	for (size_t i = 0; i < plan.rules.count; i++) {
		char again[256];
		const char *host = plan.rules.v[i].host;

		ar_assert(netrule_normalise(
				  str_of(host + plan.rules.v[i].wildcard),
				  again) == 0);
		ar_assert(strcmp(host + plan.rules.v[i].wildcard, again) == 0);
	}
	network_plan_release(&plan);
}

static void play_codex(const void *arg, const char *data, size_t len)
{
	struct strvec urls = STRVEC_INIT;
	struct strvec names = STRVEC_INIT;

	(void)arg;
	fuzz_write("config.toml", (struct str){data, len});
	codex_base_urls(fuzz_folder(), NULL, NULL, &urls);
	codex_key_names(fuzz_folder(), &names);
	check_words(&urls);
	check_words(&names);
	for (size_t i = 0; i < urls.count; i++)
		ar_assert(memmem(data, len, urls.v[i], strlen(urls.v[i])));
	check_network(&runtime_codex, &urls);
	strvec_release(&urls);
	strvec_release(&names);
}

static const char *const toml_words[] = {"base_url", "env_key", " = ", "\"",
	"'", "\"http://127.0.0.1:8080/v1\"", "[model_providers.x]", "{", "}",
	"#", "\\\"", "\"\"\"", "model_provider", NULL};

const struct fuzz_target fuzz_codex_config = {
	.name = "codex-config",
	.play = play_codex,
	.max = 4096,
	.words = toml_words,
};

static void play_pi(const void *arg, const char *data, size_t len)
{
	static const char *const models[] = {
		NULL, "openai/gpt", "x", "/", "a/b"};
	struct fuzz_rand r = fuzz_choice(data, len);
	const char *model = models[fuzz_below(&r, 5)];
	struct str rest = {data, len};
	struct strvec env = STRVEC_INIT;
	struct strvec urls = STRVEC_INIT;
	struct strvec names = STRVEC_INIT;

	(void)arg;
	fuzz_write("settings.json", fuzz_part(&rest));
	fuzz_write("models.json", fuzz_part(&rest));
	fuzz_write("auth.json", fuzz_part(&rest));
	if (fuzz_below(&r, 2))
		strvec_env_set(&env, "OPENAI_API_KEY", "x");
	pi_base_urls(fuzz_folder(), model, &env, &urls);
	pi_key_names(fuzz_folder(), &names);
	check_network(&runtime_pi, &urls);
	strvec_release(&env);
	strvec_release(&urls);
	strvec_release(&names);
}

static const char *const pi_words[] = {"\n==\n", "\"providers\":{",
	"\"baseUrl\":", "\"apiKey\":\"$KEY\"",
	"\"defaultProvider\":\"anthropic\"", "\"anthropic\":{}",
	"http://localhost:1234", "https://a.b/v1", NULL};

const struct fuzz_target fuzz_pi_settings = {
	.name = "pi-settings",
	.play = play_pi,
	.max = 4096,
	.json = true,
	.words = pi_words,
};

/* --- credentials: what a run leaves in place of the user's login --- */

/* A string that pi would run as a command. */
static bool names_command(const struct json *v, struct str before)
{
	if (v->kind == JSON_STRING && v->text.len) {
		const char *at = v->text.ptr;
		const char *end = at + v->text.len;

		while (at < end && strchr(" \t\r\n", *at) && *at)
			at++;
		return at < end && *at == '!' &&
		       !memmem(before.ptr, before.len, v->text.ptr,
			       v->text.len);
	}
	for (const struct json *m = v->first; m; m = m->next)
		if (names_command(m, before))
			return true;
	return false;
}

static void check_renewed(const char *file, struct str before, struct str after)
{
	struct strbuf now = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct arena a;
	struct json *tree;

	ar_assert(io_read_file(file, (size_t)1 << 20, &now, &err) == 0);
	if (!str_eq(strbuf_str(&now), before)) {
		ar_assert(str_eq(strbuf_str(&now), after));
		arena_init(&a);
		tree = json_parse(&a, now.buf, now.len);
		ar_assert(tree && !names_command(tree, before));
		arena_release(&a);
	}
	strbuf_release(&now);
}

static void play_credentials(const void *arg, const char *data, size_t len)
{
	struct str rest = {data, len};
	struct str before = fuzz_part(&rest);
	struct str after = fuzz_part(&rest);
	struct strvec env = STRVEC_INIT;
	struct strbuf inside = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct state st;
	char *own;
	char *file;

	(void)arg;
	make_folder("own");
	own = path_of("own");
	file = path_of("own/auth.json");
	setenv("XDG_STATE_HOME", fuzz_folder(), 1);
	strvec_pushf(&env, "PI_CODING_AGENT_DIR=%s", own);
	fuzz_write("own/auth.json", before);
	state_init(&st);
	if (state_open(&st, &runtime_pi, &env, &err) < 0)
		die("%s", err.msg);
	strbuf_addf(&inside, "%s/auth.json", st.dir.path);
	(void)unlink(inside.buf);
	ar_assert(str_starts(strbuf_str(&inside), fuzz_folder()));
	fuzz_write(inside.buf + strlen(fuzz_folder()) + 1, after);
	(void)state_write_back(&st, &err);
	(void)state_close(&st, &err);
	ar_assert(access(inside.buf, F_OK) < 0);
	check_renewed(file, before, after);
	strbuf_release(&inside);
	strvec_release(&env);
	free(file);
	free(own);
}

static const char *const login_words[] = {"\n==\n", "\"!rm\"", "\" \\n!a\"",
	"!", "{\"key\":", "}", "\\u0021", "\"access\":\"x\"", NULL};

const struct fuzz_target fuzz_credentials = {
	.name = "credentials",
	.play = play_credentials,
	.max = 2048,
	.json = true,
	.words = login_words,
};

/* --- session: meta.json and the runtime's own file --- */

static const struct {
	const struct runtime_ops *ops;
	const char *folder;
	const char *file;
} sessions[] = {
	{&runtime_pi, "saved/s/sessions", "saved/s/sessions/t_s.jsonl"},
	{&runtime_codex, "saved/s/sessions/2026/10/04",
		"saved/s/sessions/2026/10/04/rollout-t-s.jsonl"},
	{&runtime_dsh, "saved/s/sessions/s", "saved/s/sessions/s/x.jsonl"},
	{&runtime_claude_code, "saved/s/projects/-work",
		"saved/s/projects/-work/s.jsonl"},
};

static void restore(const struct runtime_ops *ops)
{
	struct session_dir dir;
	struct strbuf file = STRBUF_INIT;
	struct token_counts baseline = token_counts_unknown();
	struct err err = ERR_INIT;
	char *saved = path_of("saved");
	char *state = path_of("state");

	session_dir_init(&dir);
	ar_assert(session_dir_open(&dir, saved, false, &err) == 0);
	if (session_check(&dir, "s", ops, "/work", &err) == 0 &&
		session_restore(&dir, "s", ops, "/work", state, &file,
			&baseline, &err) == 0) {
		/* Nothing of the session leads out of the state folder. */
		ar_assert(!file.len || (str_starts(strbuf_str(&file), state) &&
					       access(file.buf, R_OK) == 0));
		ar_assert(baseline.input >= COUNT_UNKNOWN);
		ar_assert(baseline.output >= COUNT_UNKNOWN);
	} else {
		ar_assert(err.msg[0] && !strchr(err.msg, '\n'));
	}
	session_dir_release(&dir);
	strbuf_release(&file);
	free(saved);
	free(state);
}

static void play_session(const void *arg, const char *data, size_t len)
{
	struct fuzz_rand r = fuzz_choice(data, len);
	size_t i = fuzz_below(&r, sizeof(sessions) / sizeof(sessions[0]));
	struct str rest = {data, len};
	struct strbuf meta = STRBUF_INIT;
	char *saved = path_of("saved");
	char *state = path_of("state");

	(void)arg;
	(void)io_remove_tree(saved);
	(void)io_remove_tree(state);
	make_folder(sessions[i].folder);
	make_folder("state");
	/* Mostly one that is whole, so that the session is looked at. */
	strbuf_adds(&meta, fuzz_part(&rest));
	if (fuzz_below(&r, 4)) {
		strbuf_reset(&meta);
		strbuf_addf(&meta,
			"{\"schema\":1,\"runtime\":\"%s\",\"id\":\"s\","
			"\"cwd\":\"/work\"}",
			sessions[i].ops->name);
	}
	fuzz_write("saved/s/meta.json", strbuf_str(&meta));
	fuzz_write(sessions[i].file, rest);
	restore(sessions[i].ops);
	strbuf_release(&meta);
	free(saved);
	free(state);
}

static const char *const session_words[] = {"\n==\n", "{\"schema\":1,",
	"\"runtime\":\"pi\",", "\"cwd\":\"/work\"", "{\"type\":\"session\",",
	"\"type\":\"token_usage_record\"", "\"payload\":{",
	"\"thread_token_usage\":{", "\"input_tokens\":", NULL};

const struct fuzz_target fuzz_session = {
	.name = "session",
	.play = play_session,
	.max = 8192,
	.json = true,
	.words = session_words,
};

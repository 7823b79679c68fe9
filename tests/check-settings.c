#include "config.h"

#include "check-main.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "runtime/runtime.h"

static char dir[] = "/tmp/agentrun-check-XXXXXX";

static void put(const char *name, const char *text)
{
	struct strbuf path = STRBUF_INIT;
	FILE *f;

	if (strstr(dir, "XXXXXX"))
		ck_assert_ptr_nonnull(mkdtemp(dir));
	strbuf_addf(&path, "%s/%s", dir, name);
	f = fopen(path.buf, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	strbuf_release(&path);
}

/* The URLs, with a blank behind each. */
static const char *urls(
	const struct runtime_ops *ops, const char *model, const char *variable)
{
	static char text[1024];
	struct strvec env = STRVEC_INIT;
	struct strvec out = STRVEC_INIT;

	if (variable)
		strvec_push(&env, variable);
	ops->base_urls(dir, model, &env, &out);
	text[0] = '\0';
	for (size_t i = 0; i < out.count; i++) {
		strncat(text, out.v[i], sizeof(text) - strlen(text) - 2);
		strncat(text, " ", 2);
	}
	strvec_release(&env);
	strvec_release(&out);
	return text;
}

static void is(const char *got, const char *want)
{
	ck_assert_str_eq(got, want);
}

START_TEST(test_codex)
{
	is(urls(&runtime_codex, NULL, NULL), "");
	put("config.toml", "model = \"x\"\n"
			   "# base_url = \"http://comment\"\n"
			   "openai_base_url=\"https://a.example/v1\"\r\n"
			   "[model_providers.mine]\n"
			   "  base_url   =   'http://127.0.0.1:1/v1' # mine\n"
			   "a.base_url=\"http://dotted\"\n"
			   "b = { base_url = \"http://inline\", x = 1 }\n"
			   "base_url = unquoted\n"
			   "base_url = \"not closed\n"
			   "base_url_of = \"http://no\"\n"
			   "[mcp_servers.x]\nurl = \"http://no\"\n"
			   "base_url = \"http://last\"");
	is(urls(&runtime_codex, NULL, NULL),
		"https://a.example/v1 http://127.0.0.1:1/v1 "
		"http://dotted http://inline http://last ");
	io_remove_tree(dir);
}
END_TEST

START_TEST(test_pi)
{
	is(urls(&runtime_pi, NULL, NULL), "");
	is(urls(&runtime_pi, NULL, "GROQ_API_KEY=k"), "https://api.groq.com ");
	is(urls(&runtime_pi, NULL, "GROQ_API_KEY="), "");
	is(urls(&runtime_pi, "mistral/x", NULL), "https://api.mistral.ai ");
	/* "deepseek/x" may be a model of openrouter. */
	is(urls(&runtime_pi, "deepseek/x", "OPENROUTER_API_KEY=k"),
		"https://openrouter.ai https://api.deepseek.com ");
	is(urls(&runtime_pi, "deepseek/x", "DEEPSEEK_API_KEY=k"),
		"https://api.deepseek.com ");
	put("auth.json", "{\"openai-codex\":{\"type\":\"oauth\"}}");
	is(urls(&runtime_pi, NULL, NULL),
		"https://chatgpt.com https://auth.openai.com ");
	put("settings.json", "{\"defaultProvider\":\"xai\"}");
	is(urls(&runtime_pi, NULL, "XAI_API_KEY=k"), "https://api.x.ai ");
	put("models.json",
		"{\"providers\":{\"mine\":{\"baseUrl\":\"http://127.0.0.1:1\"},"
		"\"xai\":{\"baseUrl\":\"http://proxy\"},\"odd\":7,"
		"\"nul\":{\"baseUrl\":\"a\\u0000b\"}}}");
	is(urls(&runtime_pi, NULL, "XAI_API_KEY=k"), "http://proxy ");
	is(urls(&runtime_pi, "mine/m", "XAI_API_KEY=k"), "http://127.0.0.1:1 ");
	put("settings.json", "not json");
	put("auth.json", "[]");
	is(urls(&runtime_pi, NULL, NULL), "http://127.0.0.1:1 http://proxy ");
	io_remove_tree(dir);
}
END_TEST

CHECK_MAIN("settings", test_codex, test_pi)

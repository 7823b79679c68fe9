#include "config.h"

#include "runtime/pi-hosts.h"

#include <string.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/json.h"
#include "base/xalloc.h"

#define SETTINGS_MAX ((size_t)4 << 20)

/* The providers that pi knows by itself: the key that makes one usable and the
 * hosts it talks to. One with two keys stands here twice. */
static const struct provider {
	const char *name;
	const char *key;
	const char *hosts[3];
} providers[] = {
	{"anthropic", "ANTHROPIC_API_KEY",
		{"api.anthropic.com", "platform.claude.com",
			"console.anthropic.com"}},
	{"anthropic", "ANTHROPIC_OAUTH_TOKEN", {"api.anthropic.com"}},
	{"openai", "OPENAI_API_KEY", {"api.openai.com"}},
	{"openai-codex", NULL, {"chatgpt.com", "auth.openai.com"}},
	{"google", "GEMINI_API_KEY", {"generativelanguage.googleapis.com"}},
	{"groq", "GROQ_API_KEY", {"api.groq.com"}},
	{"cerebras", "CEREBRAS_API_KEY", {"api.cerebras.ai"}},
	{"xai", "XAI_API_KEY", {"api.x.ai"}},
	{"openrouter", "OPENROUTER_API_KEY", {"openrouter.ai"}},
	{"vercel-ai-gateway", "AI_GATEWAY_API_KEY", {"ai-gateway.vercel.sh"}},
	{"zai", "ZAI_API_KEY", {"api.z.ai"}},
	{"mistral", "MISTRAL_API_KEY", {"api.mistral.ai"}},
	{"minimax", "MINIMAX_API_KEY", {"api.minimax.io"}},
	{"moonshotai", "MOONSHOT_API_KEY", {"api.moonshot.ai"}},
	{"kimi-coding", "KIMI_API_KEY", {"api.kimi.com"}},
	{"deepseek", "DEEPSEEK_API_KEY", {"api.deepseek.com"}},
	{"huggingface", "HF_TOKEN", {"router.huggingface.co"}},
	{"github-copilot", NULL,
		{"api.individual.githubcopilot.com", "api.github.com"}},
};

#define PROVIDER_COUNT (sizeof(providers) / sizeof(providers[0]))

static const struct json *read_settings(
	struct arena *a, const char *dir, const char *name)
{
	struct strbuf path = STRBUF_INIT;
	struct strbuf text = STRBUF_INIT;
	const struct json *tree = NULL;

	strbuf_addf(&path, "%s/%s", dir, name);
	if (io_read_file(path.buf, SETTINGS_MAX, &text, NULL) == 0)
		tree = json_parse(
			a, arena_copy(a, text.buf, text.len), text.len);
	strbuf_release(&path);
	strbuf_release(&text);
	return tree;
}

/* Which provider the run is going to use; null when nothing tells. */
static struct str find_provider(const char *model, const struct json *settings)
{
	const char *slash = model ? strchr(model, '/') : NULL;
	struct str name = {model, slash ? (size_t)(slash - model) : 0};

	if (slash && name.len)
		return name;
	return model ? str_null() : json_str(settings, "defaultProvider");
}

/* Can it be used: its key is there, or a login is kept for it. */
static bool is_usable(const struct provider *p, const struct json *auth,
	const struct strvec *env)
{
	const char *value = p->key ? strvec_env_get(env, p->key) : NULL;

	return (value && *value) || json_get(auth, p->name);
}

static void add_own(
	struct strvec *urls, const struct json *models, struct str provider)
{
	const struct json *list = json_get(models, "providers");

	if (!list || list->kind != JSON_OBJECT)
		return;
	for (const struct json *p = list->first; p; p = p->next) {
		struct str url = json_str(p, "baseUrl");

		if (url.ptr && !memchr(url.ptr, '\0', url.len) &&
			(!provider.ptr || str_eq(p->key, provider)))
			strvec_take(urls, xstrndup(url.ptr, url.len));
	}
}

/* The hosts of PROVIDER; of all that can be used when it is not named, or can
 * not be used itself: "anthropic/x" is a model of openrouter, too. */
static void add_known(struct strvec *urls, struct str provider,
	const struct json *auth, const struct strvec *env)
{
	bool all = true;

	for (size_t i = 0; i < PROVIDER_COUNT; i++)
		if (str_is(provider, providers[i].name) &&
			is_usable(&providers[i], auth, env))
			all = false;
	for (size_t i = 0; i < PROVIDER_COUNT; i++) {
		const struct provider *p = &providers[i];

		if (!str_is(provider, p->name) &&
			!(all && is_usable(p, auth, env)))
			continue;
		for (size_t k = 0; k < 3 && p->hosts[k]; k++)
			strvec_pushf(urls, "https://%s", p->hosts[k]);
	}
}

void pi_base_urls(const char *settings, const char *model,
	const struct strvec *env, struct strvec *urls)
{
	const struct json *auth;
	struct str provider;
	struct arena arena;
	size_t before = urls->count;

	arena_init(&arena);
	provider = find_provider(
		model, read_settings(&arena, settings, "settings.json"));
	add_own(urls, read_settings(&arena, settings, "models.json"), provider);
	auth = read_settings(&arena, settings, "auth.json");
	/* Where the settings name a server of their own for it, only that. */
	if (!provider.ptr || urls->count == before)
		add_known(urls, provider, auth, env);
	arena_release(&arena);
}

void pi_key_names(const char *settings, struct strvec *names)
{
	const struct json *list;
	struct arena arena;

	arena_init(&arena);
	list = json_get(
		read_settings(&arena, settings, "models.json"), "providers");
	if (list && list->kind == JSON_OBJECT)
		for (const struct json *p = list->first; p; p = p->next) {
			struct str key = json_str(p, "apiKey");

			if (str_starts(key, "$")) {
				key.ptr++;
				key.len--;
			}
			/* Else it is the key itself, and no such variable is
			 * there. */
			if (key.len && !memchr(key.ptr, '\0', key.len))
				strvec_take(names, xstrndup(key.ptr, key.len));
		}
	arena_release(&arena);
}

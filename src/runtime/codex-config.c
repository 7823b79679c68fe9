#include "config.h"

#include "runtime/codex-config.h"

#include <string.h>

#include "base/io.h"
#include "base/split.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xalloc.h"

#define CONFIG_MAX ((size_t)4 << 20)

/* The settings are TOML. Of it no more is read than what stands behind
 * `KEY =` in quotes: in a table, with dots before it, or inline. */
struct scan {
	const char *key;
	struct strvec *values;
};

static void scan_line(void *arg, const char *line, size_t len)
{
	const struct scan *scan = arg;
	const char *end = line + len;
	const char *at = line;
	const char *close;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (at < end && *at == '#')
		return;
	while ((at = memmem(at, (size_t)(end - at), scan->key,
			strlen(scan->key)))) {
		at += strlen(scan->key);
		while (at < end && (*at == ' ' || *at == '\t' || *at == '='))
			at++;
		if (at == end || (*at != '"' && *at != '\''))
			continue;
		close = memchr(at + 1, *at, (size_t)(end - at) - 1);
		if (!close)
			return;
		strvec_take(scan->values,
			xstrndup(at + 1, (size_t)(close - at) - 1));
		at = close + 1;
	}
}

static void scan_config(
	const char *settings, const char *key, struct strvec *values)
{
	struct scan scan = {key, values};
	struct strbuf path = STRBUF_INIT;
	struct strbuf text = STRBUF_INIT;
	struct split split;

	strbuf_addf(&path, "%s/config.toml", settings);
	split_init(&split, SPLIT_LINE_MAX);
	if (io_read_file(path.buf, CONFIG_MAX, &text, NULL) == 0) {
		strbuf_drop(&text, utf8_bom(text.buf, text.len));
		split_feed(&split, text.buf, text.len, scan_line, &scan);
		split_finish(&split, scan_line, &scan);
	}
	split_release(&split);
	strbuf_release(&path);
	strbuf_release(&text);
}

void codex_base_urls(const char *settings, const char *model,
	const struct strvec *env, struct strvec *urls)
{
	(void)model;
	(void)env;
	scan_config(settings, "base_url", urls);
}

void codex_key_names(const char *settings, struct strvec *names)
{
	scan_config(settings, "env_key", names);
}

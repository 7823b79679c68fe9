#include "config.h"

#include "sandbox/sandbox.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/strvec.h"

/* What holds credentials or the traces of typed ones. Below $HOME unless
 * absolute; ".config/" and ".local/share/" follow XDG_CONFIG_HOME and
 * XDG_DATA_HOME. */
static const char *const default_list[] = {
	".ssh",
	".gnupg",
	".aws",
	".azure",
	".kube",
	".oci",
	".config/gcloud",
	".config/doctl",
	".config/hcloud",
	".config/gh",
	".config/glab-cli",
	".config/hub",
	".docker/config.json",
	".config/containers/auth.json",
	".netrc",
	".git-credentials",
	".config/git/credentials",
	".npmrc",
	".yarnrc.yml",
	".pypirc",
	".cargo/credentials",
	".cargo/credentials.toml",
	".gem/credentials",
	".m2/settings.xml",
	".gradle/gradle.properties",
	".terraform.d/credentials.tfrc.json",
	".terraformrc",
	".vault-token",
	".pgpass",
	".my.cnf",
	".password-store",
	".local/share/keyrings",
	".local/share/kwalletd",
	".config/op",
	".config/Bitwarden",
	".config/Bitwarden CLI",
	".mozilla",
	".thunderbird",
	".config/google-chrome",
	".config/chromium",
	".config/BraveSoftware",
	".config/microsoft-edge",
	".config/vivaldi",
	".bash_history",
	".zsh_history",
	".local/share/fish/fish_history",
	".python_history",
	".node_repl_history",
	".psql_history",
	".mysql_history",
	".lesshst",
#if defined(__APPLE__)
	"Library/Keychains",
	"Library/Cookies",
	"Library/Safari",
	"Library/Application Support/Google/Chrome",
	"Library/Application Support/Firefox",
	"Library/Application Support/BraveSoftware",
	"Library/Application Support/1Password",
#endif
	"/etc/shadow",
	"/etc/gshadow",
	"/etc/shadow-",
	"/etc/gshadow-",
};

/* Appends PATH to an absolute BASE without "." parts and doubled slashes. ".."
 * stays: it cannot be taken away by text when links are about. */
static void join(struct strbuf *out, const char *base, const char *path)
{
	strbuf_addstr(out, base);
	while (out->len > 0 && out->buf[out->len - 1] == '/')
		strbuf_setlen(out, out->len - 1);
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n > 0 && !(n == 1 && path[0] == '.')) {
			strbuf_addch(out, '/');
			strbuf_add(out, path, n);
		}
		path += n;
		path += strspn(path, "/");
	}
	if (out->len == 0)
		strbuf_addch(out, '/');
}

/* PATH as the user wrote it, made absolute. */
static void make_absolute(
	struct strbuf *out, const char *path, const char *home, const char *cwd)
{
	strbuf_reset(out);
	if (path[0] == '~' && (path[1] == '/' || !path[1]) && home)
		join(out, home, path + 1);
	else
		join(out, path[0] == '/' ? "" : cwd, path);
}

static bool is_below(const char *path, const char *top)
{
	size_t n = strlen(top);

	if (strcmp(top, "/") == 0)
		return true;
	return strncmp(path, top, n) == 0 &&
	       (path[n] == '\0' || path[n] == '/');
}

/* Compared as text and, where both exist, as what they really are. */
static bool is_allowed(const char *path, const struct strvec *allowed)
{
	char real[PATH_MAX];
	char real_allowed[PATH_MAX];
	bool exists = realpath(path, real) != NULL;
	size_t i;

	for (i = 0; i < allowed->count; i++) {
		if (is_below(path, allowed->v[i]))
			return true;
		if (exists && realpath(allowed->v[i], real_allowed) &&
			is_below(real, real_allowed))
			return true;
	}
	return false;
}

static void push_new(struct strvec *out, const char *path)
{
	if (strvec_find(out, path) < 0)
		strvec_push(out, path);
}

static const char *xdg_base(const char *name)
{
	const char *s = getenv(name);

	return s && s[0] == '/' ? s : NULL;
}

static void default_path(struct strbuf *out, const char *entry,
	const char *home, const char *config, const char *data)
{
	static const char config_dir[] = ".config/";
	static const char data_dir[] = ".local/share/";

	strbuf_reset(out);
	if (entry[0] == '/')
		join(out, "", entry);
	else if (config &&
		 strncmp(entry, config_dir, sizeof(config_dir) - 1) == 0)
		join(out, config, entry + sizeof(config_dir) - 1);
	else if (data && strncmp(entry, data_dir, sizeof(data_dir) - 1) == 0)
		join(out, data, entry + sizeof(data_dir) - 1);
	else if (home)
		join(out, home, entry);
}

void denylist_build(struct strvec *out, const char *home, const char *cwd,
	const struct strvec *other_state, const struct strvec *extra,
	const struct strvec *allow)
{
	const char *config = xdg_base("XDG_CONFIG_HOME");
	const char *data = xdg_base("XDG_DATA_HOME");
	struct strvec allowed = STRVEC_INIT;
	struct strbuf path = STRBUF_INIT;
	size_t i;

	for (i = 0; allow && i < allow->count; i++) {
		make_absolute(&path, allow->v[i], home, cwd);
		strvec_push(&allowed, path.buf);
	}
	for (i = 0; i < sizeof(default_list) / sizeof(default_list[0]); i++) {
		default_path(&path, default_list[i], home, config, data);
		if (path.len > 0 && !is_allowed(path.buf, &allowed))
			push_new(out, path.buf);
	}
	for (i = 0; other_state && i < other_state->count; i++)
		if (!is_allowed(other_state->v[i], &allowed))
			push_new(out, other_state->v[i]);
	for (i = 0; extra && i < extra->count; i++) {
		if (!extra->v[i][0])
			continue;
		make_absolute(&path, extra->v[i], home, cwd);
		push_new(out, path.buf);
	}
	strbuf_release(&path);
	strvec_release(&allowed);
}

#include "config.h"

#include "run/environ.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "run/state.h"

#define ENV_FILE_MAX ((size_t)1 << 20)
#define PATH_DEFAULT "/usr/local/bin:/usr/bin:/bin"

/* What every runtime gets. A final '*' stands for any ending. Not in it, with
 * intent: tokens, agent sockets, the desktop. */
static const char *const passed[] = {"HOME", "USER", "LOGNAME", "SHELL", "PATH",
	"LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM", "NO_COLOR",
	"FORCE_COLOR", "CI", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
	"XDG_DATA_HOME", "XDG_STATE_HOME",
	/* certificates */
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
	/* tool chains */
	"JAVA_HOME", "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR",
	"PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH",
	"PKG_CONFIG_PATH", "NIX_PATH", "LOCALE_ARCHIVE", "GIT_AUTHOR_*",
	"GIT_COMMITTER_*", NULL};

void environ_init(struct environ_made *e)
{
	strvec_init(&e->vars);
	strvec_init(&e->names);
}

void environ_release(struct environ_made *e)
{
	strvec_release(&e->vars);
	strvec_release(&e->names);
}

static bool name_matches(const char *const *list, const char *name, size_t len)
{
	for (size_t i = 0; list && list[i]; i++) {
		size_t n = strlen(list[i]);

		if (list[i][n - 1] == '*'
				? len >= n - 1 &&
					  memcmp(list[i], name, n - 1) == 0
				: len == n && memcmp(list[i], name, n) == 0)
			return true;
	}
	return false;
}

void environ_set(struct strvec *vars, const char *pair)
{
	const char *eq = strchr(pair, '=');
	char *key = xstrndup(pair, (size_t)(eq - pair));

	strvec_env_set(vars, key, eq + 1);
	free(key);
}

static void pass_on(
	struct strvec *vars, char *const *caller, const struct run_request *rq)
{
	for (; *caller; caller++) {
		const char *eq = strchr(*caller, '=');
		size_t len;

		if (!eq || eq == *caller)
			continue;
		len = (size_t)(eq - *caller);
		if (rq->inherit_env || name_matches(passed, *caller, len) ||
			name_matches(rq->runtime->env_pass, *caller, len))
			environ_set(vars, *caller);
	}
}

/* The keys that the user's settings of the runtime name are its own, too. */
static void pass_on_keys(
	struct strvec *vars, char *const *caller, const struct run_request *rq)
{
	const struct runtime_ops *rt = rq->runtime;
	struct strvec names = STRVEC_INIT;
	struct strbuf dir = STRBUF_INIT;

	if (rt->login.env_names && state_source(rt, vars, &dir) == 0)
		rt->login.env_names(dir.buf, &names);
	for (size_t i = 0; i < names.count; i++) {
		size_t len = strlen(names.v[i]);

		for (char *const *c = caller; *c; c++)
			if (strncmp(*c, names.v[i], len) == 0 &&
				(*c)[len] == '=')
				environ_set(vars, *c);
	}
	strvec_release(&names);
	strbuf_release(&dir);
}

/* A name that a shell and every program can hold. */
static bool name_is_good(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] <= ' ' || s[i] >= 0x7f || s[i] == '=')
			return false;
	}
	return len > 0;
}

static void set_named(
	struct environ_made *e, const char *key, const char *value)
{
	strvec_env_set(&e->vars, key, value);
	if (strvec_find(&e->names, key) < 0)
		strvec_push(&e->names, key);
}

static const char *caller_value(char *const *caller, const char *key)
{
	size_t len = strlen(key);

	for (; *caller; caller++) {
		if (strncmp(*caller, key, len) == 0 && (*caller)[len] == '=')
			return *caller + len + 1;
	}
	return NULL;
}

/* --env KEY=VALUE, or KEY with the caller's value. */
static int add_option(struct environ_made *e, char *const *caller,
	const char *given, struct err *err)
{
	size_t len = strcspn(given, "=");
	const char *value = given[len] ? given + len + 1 : NULL;
	char *key = xstrndup(given, len);
	int ret = -1;

	if (!value)
		value = caller_value(caller, key);
	if (!name_is_good(key, len))
		/* The value is not shown: it may be a secret. */
		err_set(err, AR_EUSAGE,
			N_("--env: '%s' is no name of a variable; write "
			   "KEY=VALUE or KEY"),
			key);
	else if (!value)
		err_set(err, AR_EUSAGE,
			N_("--env %s: the variable is not set here; set it, or "
			   "write --env %s=VALUE"),
			key, key);
	else
		ret = 0;
	if (ret == 0)
		set_named(e, key, value);
	free(key);
	return ret;
}

static int bad_line(const char *path, size_t number, struct err *err)
{
	return err_set(err, AR_EUSAGE,
		N_("'%s' line %zu is not KEY=VALUE; mend the line, or put '#' "
		   "in front of it"),
		path, number);
}

static void skip_blanks(struct str *s)
{
	while (s->len && (*s->ptr == ' ' || *s->ptr == '\t')) {
		s->ptr++;
		s->len--;
	}
}

/* "export " in front makes it a line for a shell, "export=" does not. */
static bool skip_export(struct str *line)
{
	struct str rest = *line;

	if (!str_starts(rest, "export ") && !str_starts(rest, "export\t"))
		return false;
	rest.ptr += 6;
	rest.len -= 6;
	skip_blanks(&rest);
	*line = rest;
	return true;
}

/* VALUE of a line for a shell, without the quotes if they are around all of it.
 * Nothing is expanded. */
static char *unquoted(struct str value)
{
	struct strbuf out = STRBUF_INIT;
	bool closed = false;
	size_t i = 1;
	char quote;

	while (value.len && strchr(" \t", value.ptr[value.len - 1]))
		value.len--;
	quote = value.len ? value.ptr[0] : '\0';
	for (; (quote == '"' || quote == '\'') && i < value.len; i++) {
		closed = value.ptr[i] == quote;
		if (closed)
			break;
		if (quote == '"' && value.ptr[i] == '\\' && i + 1 < value.len &&
			memchr("\"\\$`", value.ptr[i + 1], 4))
			i++;
		strbuf_addch(&out, value.ptr[i]);
	}
	if (!closed || i + 1 != value.len) {
		strbuf_reset(&out);
		strbuf_adds(&out, value);
	}
	return strbuf_detach(&out);
}

/* One line of an --env-file: KEY=VALUE, the value as it stands there, or
 * export KEY=VALUE, where quotes around it go. */
static int add_line(struct environ_made *e, const char *path, size_t number,
	struct str line, struct err *err)
{
	struct str value;
	const char *eq;
	char *text;
	char *key;
	bool shell;

	skip_blanks(&line);
	shell = skip_export(&line);
	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (!shell && (!line.len || *line.ptr == '#'))
		return 0;
	eq = memchr(line.ptr, '=', line.len);
	if (!eq || memchr(line.ptr, '\0', line.len) ||
		!name_is_good(line.ptr, (size_t)(eq - line.ptr)))
		return bad_line(path, number, err);
	key = xstrndup(line.ptr, (size_t)(eq - line.ptr));
	value = (struct str){eq + 1, line.len - (size_t)(eq + 1 - line.ptr)};
	text = shell ? unquoted(value) : xstrndup(value.ptr, value.len);
	set_named(e, key, text);
	free(key);
	free(text);
	return 0;
}

static int add_file(struct environ_made *e, const char *path,
	const struct reader *reader, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	size_t number = 0;
	size_t pos = 0;
	int ret = -1;

	if (reader_file(reader, path, ENV_FILE_MAX, &text, err) < 0) {
		err_prefix(err, "--env-file");
		goto out;
	}
	pos = utf8_bom(text.buf, text.len);
	while (pos < text.len) {
		const char *at = text.buf + pos;
		const char *nl = memchr(at, '\n', text.len - pos);
		struct str line = {at, nl ? (size_t)(nl - at) : text.len - pos};

		if (add_line(e, path, ++number, line, err) < 0)
			goto out;
		pos += line.len + 1;
	}
	ret = 0;
out:
	strbuf_release(&text);
	return ret;
}

/* The --path directories and a colon in front of the PATH there is. */
static int add_paths(
	struct environ_made *e, const struct strvec *dirs, struct err *err)
{
	const char *old = strvec_env_get(&e->vars, "PATH");
	struct strbuf path = STRBUF_INIT;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < dirs->count; i++) {
		char *real = realpath(dirs->v[i], NULL);
		struct stat st;

		if (!real || stat(real, &st) < 0)
			ret = err_set(err, AR_EUSAGE,
				N_("--path '%s': %s; give a directory that "
				   "exists"),
				dirs->v[i], err_str(errno));
		else if (!S_ISDIR(st.st_mode) || strchr(real, ':'))
			ret = err_set(err, AR_EUSAGE,
				N_("--path '%s': not a directory that PATH can "
				   "hold; give another one"),
				dirs->v[i]);
		else
			strbuf_addf(&path, "%s:", real);
		free(real);
	}
	strbuf_addstr(&path, old && *old ? old : PATH_DEFAULT);
	if (ret == 0)
		strvec_env_set(&e->vars, "PATH", path.buf);
	strbuf_release(&path);
	return ret;
}

int environ_build(struct environ_made *e, char *const *caller,
	const struct run_request *rq, const struct reader *reader,
	struct err *err)
{
	pass_on(&e->vars, caller, rq);
	pass_on_keys(&e->vars, caller, rq);
	if (!rq->inherit_env)
		strvec_env_set(&e->vars, "TMPDIR", "/tmp");
	for (size_t i = 0; i < rq->env.count; i++) {
		const char *given = rq->env.v[i];
		int ret = *given == 'f' ? add_file(e, given + 1, reader, err)
					: add_option(e, caller, given + 1, err);

		if (ret < 0)
			return -1;
	}
	return add_paths(e, &rq->path, err);
}

void environ_path_dirs(const char *path, struct strvec *dirs)
{
	while (*path) {
		size_t len = strcspn(path, ":");

		if (*path == '/')
			strvec_take(dirs, xstrndup(path, len));
		path += len + (path[len] == ':');
	}
}

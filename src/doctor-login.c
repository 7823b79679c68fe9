#include "config.h"

#include "doctor-login.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/utf8.h"
#include "run/state.h"

#define FILE_MAX ((size_t)1 << 20)
#define MS_FROM INT64_C(100000000000) /* greater times are milliseconds */

bool login_by_key(const struct runtime_ops *ops, const struct strvec *env,
	struct strbuf *how)
{
	struct strvec names = STRVEC_INIT;
	struct strbuf dir = STRBUF_INIT;
	bool found = false;

	for (size_t i = 0; ops->login.env && ops->login.env[i]; i++)
		strvec_push(&names, ops->login.env[i]);
	if (ops->login.env_names && state_source(ops, env, &dir) == 0)
		ops->login.env_names(dir.buf, &names);
	for (size_t i = 0; i < names.count && !found; i++) {
		const char *value = strvec_env_get(env, names.v[i]);

		found = value && *value;
		if (found)
			strbuf_addf(how, "$%s", names.v[i]);
	}
	strvec_release(&names);
	strbuf_release(&dir);
	return found;
}

static bool has_text(const struct strbuf *sb, const char *text)
{
	return !text || memmem(sb->buf, sb->len, text, strlen(text));
}

/* Asks the program itself: 1 logged in, 0 not, -1 it cannot tell. */
static int ask(struct loop *loop, const struct runtime_ops *ops,
	const char *program, char *const *envp)
{
	struct strvec argv = STRVEC_INIT;
	struct strbuf out = STRBUF_INIT;
	struct strbuf errs = STRBUF_INIT;
	struct child_spec spec = {
		.path = program, .envp = envp, .timeout_ms = LOGIN_TIMEOUT_MS};
	struct err err = ERR_INIT;
	int status;
	int ret = -1;

	strvec_push(&argv, program);
	for (size_t i = 0; ops->login.args[i]; i++)
		strvec_push(&argv, ops->login.args[i]);
	spec.argv = argv.v;
	if (child_collect(loop, &spec, &out, &errs, &status, &err) < 0)
		log_debug("%s", err.msg);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		ret = has_text(&out, ops->login.ok_text) ||
		      has_text(&errs, ops->login.ok_text);
	strvec_release(&argv);
	strbuf_release(&out);
	strbuf_release(&errs);
	return ret;
}

/* The files */

static bool ends_with(struct str s, const char *end)
{
	size_t n = strlen(end);

	return s.len >= n && strncasecmp(s.ptr + s.len - n, end, n) == 0;
}

static bool is_secret(const struct json *v)
{
	static const char *const ends[] = {
		"key", "token", "secret", "password", NULL};
	bool named = str_is(v->key, "access") || str_is(v->key, "refresh");

	for (size_t i = 0; ends[i] && !named; i++)
		named = ends_with(v->key, ends[i]);
	return named && v->kind == JSON_STRING &&
	       !utf8_is_blank(v->text.ptr, v->text.len);
}

enum login {
	LOGIN_NONE,
	LOGIN_EXPIRED,
	LOGIN_GOOD
};

/* The secrets in the object V itself. A token that can be renewed does not
 * expire. */
static enum login look_here(const struct json *v, int64_t now_ms)
{
	static const char *const names[] = {
		"expiresAt", "expires_at", "expires", NULL};
	enum login login = LOGIN_NONE;
	int64_t expires = INT64_MAX;

	for (size_t i = 0; names[i] && expires == INT64_MAX; i++)
		expires = json_int(v, names[i], INT64_MAX);
	if (expires <= 0)
		expires = INT64_MAX; /* not known */
	else if (expires < MS_FROM)
		expires *= 1000;
	for (const struct json *m = v->first; m; m = m->next) {
		if (!is_secret(m))
			continue;
		if (str_starts(m->key, "refresh") || expires > now_ms)
			return LOGIN_GOOD;
		login = LOGIN_EXPIRED;
	}
	return login;
}

/* The best login anywhere in V: files hold one for each provider. The depth is
 * json_parse's. */
static enum login look(const struct json *v, int64_t now_ms)
{
	enum login best = LOGIN_NONE;

	if (v && v->kind == JSON_OBJECT)
		best = look_here(v, now_ms);
	if (!v || (v->kind != JSON_OBJECT && v->kind != JSON_ARRAY))
		return best;
	for (const struct json *m = v->first; m && best != LOGIN_GOOD;
		m = m->next) {
		enum login login = look(m, now_ms);

		best = login > best ? login : best;
	}
	return best;
}

static int judge(const struct runtime_ops *ops, const char *path,
	const struct strbuf *text, struct err *why)
{
	const char *root = ops->login.file_root;
	const struct json *tree;
	struct arena arena;
	enum login login = LOGIN_NONE;

	arena_init(&arena);
	tree = json_parse(&arena, text->buf, text->len);
	if (tree)
		login = look(root ? json_get(tree, root) : tree,
			clock_system.wall_ms(clock_system.arg));
	if (utf8_is_blank(text->buf, text->len))
		err_set(why, AR_EFORMAT, N_("'%s' is empty"), path);
	else if (utf8_bom(text->buf, text->len))
		err_set(why, AR_EFORMAT,
			N_("'%s' begins with a byte order mark, which %s does "
			   "not take"),
			path, ops->name);
	else if (!tree)
		err_set(why, AR_EFORMAT, N_("'%s' is not JSON"), path);
	else if (login == LOGIN_NONE)
		err_set(why, AR_EFORMAT, N_("'%s' holds no login"), path);
	else if (login == LOGIN_EXPIRED)
		err_set(why, AR_EFORMAT, N_("the login in '%s' has expired"),
			path);
	arena_release(&arena);
	return why->code == AR_OK ? 0 : -1;
}

/* 1: PATH holds a login, 0: it is not there, -1 with WHY. */
static int look_into(
	const struct runtime_ops *ops, const char *path, struct err *why)
{
	struct strbuf text = STRBUF_INIT;
	struct stat sb;
	int ret = -1;

	if (stat(path, &sb) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return err_set(why, AR_EIO, N_("cannot read '%s': %s"), path,
			err_str(errno));
	}
	if (!S_ISREG(sb.st_mode))
		err_set(why, AR_EIO, N_("'%s' is no regular file"), path);
	else if (io_read_file(path, FILE_MAX, &text, why) == 0)
		ret = judge(ops, path, &text, why) < 0 ? -1 : 1;
	strbuf_release(&text);
	return ret;
}

static bool find_file(const struct runtime_ops *ops, const struct strvec *env,
	struct strbuf *how, struct err *why)
{
	struct strbuf dir = STRBUF_INIT;
	struct strbuf path = STRBUF_INIT;
	bool found = false;

	if (ops->login.files && state_source(ops, env, &dir) == 0)
		for (size_t i = 0; ops->login.files[i] && !found; i++) {
			struct err one = ERR_INIT;

			strbuf_reset(&path);
			strbuf_addf(
				&path, "%s/%s", dir.buf, ops->login.files[i]);
			found = look_into(ops, path.buf, &one) > 0;
			if (one.code != AR_OK && why->code == AR_OK)
				*why = one;
		}
	if (found)
		strbuf_adds(how, strbuf_str(&path));
	strbuf_release(&dir);
	strbuf_release(&path);
	return found;
}

bool login_by_program(struct loop *loop, const struct runtime_ops *ops,
	const char *program, const struct strvec *env, struct strbuf *how,
	struct err *why)
{
	int asked = ops->login.args ? ask(loop, ops, program, env->v) : -1;

	if (asked == 1) {
		strbuf_addstr(how, ops->program);
		for (size_t i = 0; ops->login.args[i]; i++)
			strbuf_addf(how, " %s", ops->login.args[i]);
	}
	return asked == 1 || (asked < 0 && find_file(ops, env, how, why));
}

#include "config.h"

#include "run/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "run/tree.h"

#define CREDENTIAL_MAX ((size_t)1 << 20)
#define RUN_PREFIX "run-"
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

void state_init(struct state *st)
{
	*st = (struct state){.source = NULL};
	private_init(&st->dir);
}

int state_source(const struct runtime_ops *ops, const struct strvec *env,
	struct strbuf *out)
{
	const char *dir = strvec_env_get(env, ops->state.env);
	const char *home = strvec_env_get(env, "HOME");

	if (dir && dir[0] == '/')
		strbuf_addstr(out, dir);
	else if (home && home[0] == '/')
		strbuf_addf(out, "%s/%s", home, ops->state.home);
	else
		return -1;
	return 0;
}

/* Where the folder goes */

/* BASE is ours alone, or it is not used: others could read what we write. */
static int make_in(struct state *st, const char *base)
{
	struct stat sb;

	if (base[0] != '/' || io_mkdirs(base, 0700) < 0)
		return -1;
	if (stat(base, &sb) < 0 || sb.st_uid != geteuid() ||
		(sb.st_mode & 022)) {
		errno = EPERM;
		return -1;
	}
	return private_open(&st->dir, base, RUN_PREFIX);
}

/* Not the temporary folder if it can be helped: codex makes no helper programs
 * for a CODEX_HOME below it (runtime page: codex 1). */
static int make_folder(struct state *st, struct err *err)
{
	const char *xdg = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	struct strbuf base = STRBUF_INIT;
	int ret = -1;

	if (xdg && *xdg) {
		strbuf_addf(&base, "%s/agentrun", xdg);
		ret = make_in(st, base.buf);
	}
	if (ret < 0 && home && *home) {
		strbuf_reset(&base);
		strbuf_addf(&base, "%s/.local/state/agentrun", home);
		ret = make_in(st, base.buf);
	}
	if (ret < 0)
		ret = private_open_temp(&st->dir, err);
	strbuf_release(&base);
	return ret;
}

/* Filling it */

static bool is_credential(const struct runtime_ops *ops, const char *name)
{
	for (size_t i = 0; ops->state.credentials[i]; i++)
		if (strcmp(ops->state.credentials[i], name) == 0)
			return true;
	return false;
}

static int write_new(int folder, const char *name, const struct strbuf *data,
	struct err *err)
{
	int fd = openat(folder, name,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int ret = fd < 0 ? -1 : io_write_all(fd, data->buf, data->len);

	if (fd >= 0 && close(fd) < 0)
		ret = -1;
	if (ret < 0)
		return err_set(err, AR_EIO, N_("cannot write '%s': %s"), name,
			err_str(errno));
	return 0;
}

/* What is copied is also kept: only against it can be told who changed it. */
static int copy_credential(struct state *st, const char *name, struct err *err)
{
	struct state_credential *c;
	struct strbuf path = STRBUF_INIT;
	struct strbuf data = STRBUF_INIT;
	int ret = 0;

	strbuf_addf(&path, "%s/%s", st->source, name);
	if (io_read_file(path.buf, CREDENTIAL_MAX, &data, NULL) == 0) {
		st->credentials = xreallocarray(st->credentials,
			st->credential_count + 1, sizeof(*st->credentials));
		c = &st->credentials[st->credential_count++];
		ret = write_new(st->dir.fd, name, &data, err);
		c->name = xstrdup(name);
		c->source = strbuf_detach(&path);
		c->len = data.len;
		c->data = strbuf_detach(&data);
	}
	strbuf_release(&path);
	strbuf_release(&data);
	return ret;
}

/* The folder above PATH; -1 when it cannot be opened. */
static int open_above(const char *path)
{
	char *copy = xstrdup(path);
	char *slash = strrchr(copy, '/');
	int fd;

	slash[slash == copy] = '\0';
	fd = open(copy, OPEN_DIR);
	free(copy);
	return fd;
}

/* One entry of the runtime's list. "../NAME" stands beside the default folder
 * and in one that a variable names; the copy has it inside. */
static int copy_setting(struct state *st, struct tree_copy *tc,
	const char *entry, bool named, struct err *err)
{
	const bool beside = strncmp(entry, "../", 3) == 0;
	const char *name = beside ? entry + 3 : entry;
	struct stat sb;
	int ret;
	int fd;

	if (fstatat(st->dir.fd, name, &sb, AT_SYMLINK_NOFOLLOW) == 0)
		return 0; /* from an entry before this one */
	fd = beside && !named ? open_above(st->source)
			      : open(st->source, OPEN_DIR);
	if (fd < 0)
		return 0;
	ret = tree_copy(tc, fd, name, st->dir.fd, name, err);
	close(fd);
	return ret;
}

int state_open(struct state *st, const struct runtime_ops *ops,
	const struct strvec *env, struct err *err)
{
	const char *named = strvec_env_get(env, ops->state.env);
	struct tree_copy tc = {.follow = true};
	struct strbuf source = STRBUF_INIT;
	int ret = 0;

	state_init(st);
	if (make_folder(st, err) < 0)
		return -1;
	if (state_source(ops, env, &source) < 0)
		goto done;
	st->source = strbuf_detach(&source);
	for (size_t i = 0; ops->state.copy[i] && ret >= 0; i++) {
		const char *entry = ops->state.copy[i];

		if (is_credential(ops, entry))
			ret = copy_credential(st, entry, err);
		else
			ret = copy_setting(
				st, &tc, entry, named && named[0] == '/', err);
	}
	if (ret < 0)
		err_prefix(err, N_("cannot prepare the private state of %s"),
			ops->name);
done:
	strbuf_release(&source);
	return ret < 0 ? -1 : 0;
}

/* Copying back */

/* Reads what the runtime left of NAME; -1 when it is no file we take. */
static int read_back(int folder, const char *name, struct strbuf *out)
{
	int fd = openat(folder, name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat sb;
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) &&
		(uintmax_t)sb.st_size <= CREDENTIAL_MAX) {
		while ((n = read(fd, strbuf_reserve(out, 65536), 65536)) > 0) {
			strbuf_setlen(out, out->len + (size_t)n);
			if (out->len > CREDENTIAL_MAX)
				break;
		}
	}
	close(fd);
	return n == 0 ? 0 : -1;
}

static bool is_json_name(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && strcmp(name + len - 5, ".json") == 0;
}

/* True when a string in V begins with '!' and does not stand in BEFORE: pi runs
 * such a value as a command, and that would be outside the sandbox. */
static bool adds_command(const struct json *v, const struct state_credential *c)
{
	if (v->kind == JSON_STRING && v->text.len &&
		memchr(v->text.ptr, '!', v->text.len) &&
		!memmem(c->data, c->len, v->text.ptr, v->text.len))
		return v->text.ptr[strspn(v->text.ptr, " \t\r\n")] == '!';
	if (v->kind != JSON_ARRAY && v->kind != JSON_OBJECT)
		return false;
	for (const struct json *m = v->first; m; m = m->next)
		if (adds_command(m, c))
			return true;
	return false;
}

/* NULL when the new contents may take the place of the old, else why not. */
static const char *refuse(
	const struct state_credential *c, const struct strbuf *now)
{
	struct strbuf original = STRBUF_INIT;
	const char *why = NULL;
	struct arena arena;
	struct json *tree;

	arena_init(&arena);
	tree = json_parse(&arena, now->buf, now->len);
	if (is_json_name(c->name) && !tree)
		why = N_("the new one is not JSON");
	else if (tree && adds_command(tree, c))
		why = N_("the new one names a command");
	else if (io_read_file(c->source, CREDENTIAL_MAX, &original, NULL) < 0 ||
		 original.len != c->len ||
		 memcmp(original.buf, c->data, c->len) != 0)
		why = N_("it has changed meanwhile");
	strbuf_release(&original);
	arena_release(&arena);
	return why;
}

static int write_back_one(const struct state *st,
	const struct state_credential *c, struct err *err)
{
	struct strbuf now = STRBUF_INIT;
	const char *why;
	char *target = NULL;
	int ret = 0;

	if (read_back(st->dir.fd, c->name, &now) < 0 ||
		(now.len == c->len && memcmp(now.buf, c->data, c->len) == 0))
		goto done; /* gone, no file, or as it was */
	why = refuse(c, &now);
	if (why) {
		ret = err_set(err, AR_EIO, N_("'%s' was not renewed: %s"),
			c->source, why);
		goto done;
	}
	/* The user's own may be a link: what it points at is replaced. */
	target = realpath(c->source, NULL);
	if (!target)
		ret = err_set(err, AR_EIO, N_("cannot write '%s': %s"),
			c->source, err_str(errno));
	else
		ret = io_replace_file(target, now.buf, now.len, 0600, err);
done:
	free(target);
	strbuf_release(&now);
	return ret;
}

int state_write_back(struct state *st, struct err *err)
{
	int ret = 0;

	if (!st->dir.path)
		return 0;
	for (size_t i = 0; i < st->credential_count; i++)
		if (write_back_one(st, &st->credentials[i], err) < 0)
			ret = -1;
	return ret;
}

int state_close(struct state *st, struct err *err)
{
	int ret = private_close(&st->dir, err);

	for (size_t i = 0; i < st->credential_count; i++) {
		free(st->credentials[i].name);
		free(st->credentials[i].source);
		free(st->credentials[i].data);
	}
	free(st->credentials);
	free(st->source);
	state_init(st);
	return ret;
}

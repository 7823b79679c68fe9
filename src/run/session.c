#include "config.h"

#include "run/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/xalloc.h"
#include "run/tree.h"

#define ID_MAX 200
#define META_NAME "meta.json"
#define META_MAX ((size_t)64 << 10)
#define TMP_PREFIX ".tmp-" /* a session that is being written */
#define OLD_PREFIX ".old-" /* ".old-ID": one that is being replaced */
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

struct meta {
	char *runtime;
	char *cwd;
};

static void meta_release(struct meta *m)
{
	free(m->runtime);
	free(m->cwd);
}

/* The directory */

void session_dir_init(struct session_dir *dir)
{
	*dir = (struct session_dir){
		.fd = -1,
		.lock = SESSION_LOCK_INIT,
	};
}

void session_dir_release(struct session_dir *dir)
{
	session_lock_drop(&dir->lock);
	if (dir->fd >= 0)
		close(dir->fd);
	free(dir->path);
	session_dir_init(dir);
}

/* The session that the temporary name NAME belongs to, or NULL. */
static const char *owner_of(const char *name)
{
	static const char *const prefixes[] = {
		TMP_PREFIX, OLD_PREFIX, SESSION_LOCK_PREFIX};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t n = strlen(prefixes[i]);

		if (strncmp(name, prefixes[i], n) == 0 &&
			session_id_check(str_of(name + n), NULL) == 0)
			return name + n;
	}
	return NULL;
}

/* Ends what a killed run has begun with session ID. Where renaming takes two
 * steps the old session may be left aside: it gets its name back. Its lock is
 * held. */
static void mend(int dir, const char *id)
{
	struct strbuf old = STRBUF_INIT;
	struct strbuf tmp = STRBUF_INIT;
	struct stat sb;

	strbuf_addf(&old, OLD_PREFIX "%s", id);
	strbuf_addf(&tmp, TMP_PREFIX "%s", id);
	if (fstatat(dir, id, &sb, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		(void)renameat(dir, old.buf, dir, id);
	else
		(void)io_remove_tree_at(dir, old.buf);
	(void)io_remove_tree_at(dir, tmp.buf);
	strbuf_release(&old);
	strbuf_release(&tmp);
}

/* Mends what killed runs left; a lock that is held shows one that lives. */
static void sweep(int dir_fd)
{
	int fd = openat(dir_fd, ".", OPEN_DIR);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct strvec ids = STRVEC_INIT;
	struct dirent *e;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(dir)) != NULL)
		if (owner_of(e->d_name))
			strvec_push(&ids, owner_of(e->d_name));
	closedir(dir);
	for (size_t i = 0; i < ids.count; i++) {
		struct session_lock lock = SESSION_LOCK_INIT;

		if (session_lock_try(&lock, dir_fd, ids.v[i]) < 0)
			continue;
		mend(dir_fd, ids.v[i]);
		session_lock_drop(&lock);
	}
	strvec_release(&ids);
}

int session_dir_open(
	struct session_dir *dir, const char *path, bool create, struct err *err)
{
	session_dir_init(dir);
	if (create && io_mkdirs(path, 0700) < 0)
		return err_set(err, AR_EUSAGE,
			N_("cannot make the session directory '%s': %s. Give "
			   "--session-dir a directory that can be written"),
			path, err_str(errno));
	dir->fd = open(path, OPEN_DIR);
	if (dir->fd < 0)
		return err_set(err, AR_EUSAGE,
			N_("cannot open the session directory '%s': %s. Give "
			   "--session-dir the directory of the run that was "
			   "saved"),
			path, err_str(errno));
	dir->path = xstrdup(path);
	if (faccessat(dir->fd, ".", W_OK | X_OK, AT_EACCESS) < 0) {
		err_set(err, AR_EUSAGE,
			N_("cannot write into the session directory '%s': %s. "
			   "Give --session-dir one that can be written"),
			path, err_str(errno));
		session_dir_release(dir);
		return -1;
	}
	sweep(dir->fd);
	return 0;
}

int session_id_check(struct str id, struct err *err)
{
	bool ok = id.len > 0 && id.len <= ID_MAX && id.ptr[0] != '.' &&
		  id.ptr[0] != '-';

	for (size_t i = 0; ok && i < id.len; i++) {
		char c = id.ptr[i];

		ok = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		     (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
	}
	if (ok)
		return 0;
	return err_set(err, AR_EUSAGE,
		N_("'%.*s' is no session id. Use the session_id that the end "
		   "event of the saved run names: letters, digits, '-', '_' "
		   "and '.'"),
		(int)(id.len > ID_MAX ? ID_MAX : id.len), id.ptr ? id.ptr : "");
}

int session_hold(struct session_dir *dir, struct str id, struct err *err)
{
	char *name;
	int ret;

	if (dir->refused || session_id_check(id, NULL) < 0)
		return 0;
	name = xstrndup(id.ptr, id.len);
	ret = session_lock_take(&dir->lock, dir->fd, dir->path, name, err);
	dir->refused = ret < 0;
	free(name);
	return ret;
}

/* meta.json */

static int read_meta_file(int session, struct strbuf *out)
{
	int fd = openat(session, META_NAME,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat sb;
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode))
		while (out->len <= META_MAX &&
			(n = read(fd, strbuf_reserve(out, 4096), 4096)) > 0)
			strbuf_setlen(out, out->len + (size_t)n);
	close(fd);
	return n == 0 ? 0 : -1;
}

static bool is_plain(struct str s)
{
	return s.ptr && s.len && !memchr(s.ptr, '\0', s.len);
}

static int meta_parse(const struct json *v, struct meta *m)
{
	struct str runtime = json_str(v, "runtime");
	struct str cwd = json_str(v, "cwd");

	if (json_int(v, "schema", 0) != SESSION_SCHEMA || !is_plain(runtime) ||
		!is_plain(cwd) || cwd.ptr[0] != '/')
		return -1;
	m->runtime = xstrndup(runtime.ptr, runtime.len);
	m->cwd = xstrndup(cwd.ptr, cwd.len);
	return 0;
}

static int meta_read(const struct session_dir *dir, int session, const char *id,
	struct meta *m, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct arena arena;
	struct json *tree;
	int ret = -1;

	arena_init(&arena);
	if (read_meta_file(session, &text) < 0) {
		err_set(err, AR_EUSAGE,
			N_("the session '%s' in '%s' is damaged: its meta.json "
			   "cannot be read. Start anew without --resume, or "
			   "restore it from a copy"),
			id, dir->path);
		goto done;
	}
	tree = json_parse(&arena, text.buf, text.len);
	if (tree && json_int(tree, "schema", SESSION_SCHEMA) > SESSION_SCHEMA)
		err_set(err, AR_EUSAGE,
			N_("the session '%s' in '%s' was saved by a later "
			   "version of agentrun. Use that version"),
			id, dir->path);
	else if (!tree || meta_parse(tree, m) < 0)
		err_set(err, AR_EUSAGE,
			N_("the session '%s' in '%s' is damaged: its meta.json "
			   "is not as it was written. Start anew without "
			   "--resume, or restore it from a copy"),
			id, dir->path);
	else
		ret = 0;
done:
	strbuf_release(&text);
	arena_release(&arena);
	return ret;
}

static int meta_write(int session, struct str id, const struct runtime_ops *ops,
	const char *cwd, const char *model, int64_t wall_ms)
{
	char time[CLOCK_TIME_LEN + 1];
	struct strbuf text = STRBUF_INIT;
	struct jsonw w;
	int ret;
	int fd;

	clock_format(wall_ms, time);
	jsonw_init(&w, &text);
	jsonw_object(&w, NULL);
	jsonw_int(&w, "schema", SESSION_SCHEMA);
	jsonw_str(&w, "runtime", str_of(ops->name));
	jsonw_str(&w, "id", id);
	jsonw_str(&w, "cwd", str_of(cwd));
	jsonw_str(&w, "time", str_of(time));
	jsonw_str(&w, "model", str_of(model));
	jsonw_object_end(&w);
	strbuf_addch(&text, '\n');
	fd = openat(session, META_NAME,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ret = fd < 0 ? -1 : io_write_all(fd, text.buf, text.len);
	if (ret == 0)
		ret = fsync(fd);
	if (fd >= 0 && close(fd) < 0)
		ret = -1;
	strbuf_release(&text);
	return ret;
}

/* Resuming */

/* Opens session ID and reads what it is. The caller closes *SESSION. */
static int open_session(const struct session_dir *dir, const char *id,
	const struct runtime_ops *ops, int *session, struct meta *m,
	struct err *err)
{
	*session = -1;
	if (session_id_check(str_of(id), err) < 0)
		return -1;
	*session = openat(dir->fd, id, OPEN_DIR | O_NOFOLLOW);
	if (*session < 0 && errno == ENOENT)
		return err_set(err, AR_EUSAGE,
			N_("there is no session '%s' in '%s'. The end event "
			   "of a run with --session-dir names its session_id"),
			id, dir->path);
	if (*session < 0)
		return err_set(err, AR_EUSAGE,
			N_("cannot open the session '%s' in '%s': %s"), id,
			dir->path, err_str(errno));
	if (meta_read(dir, *session, id, m, err) < 0)
		return -1;
	if (strcmp(m->runtime, ops->name) != 0)
		return err_set(err, AR_EUSAGE,
			N_("the session '%s' in '%s' is one of %s, not of %s. "
			   "Resume it with: agentrun %s"),
			id, dir->path, m->runtime, ops->name, m->runtime);
	return 0;
}

/* The saved paths of the session, and where each goes for CWD. */
static int session_paths(const struct session_dir *dir, const char *id,
	const struct runtime_ops *ops, const struct meta *m, const char *cwd,
	struct strvec *from, struct strvec *to, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int ret;

	/* It is laid out like the state folder it came from. */
	strbuf_addf(&path, "%s/%s", dir->path, id);
	ret = ops->session_list(path.buf, m->cwd, id, from, err);
	if (ret == 0 && from->count == 0)
		ret = err_set(err, AR_EUSAGE,
			N_("the session '%s' in '%s' is damaged: the files of "
			   "%s are missing. Start anew without --resume, or "
			   "restore it from a copy"),
			id, dir->path, ops->name);
	for (size_t i = 0; ret == 0 && i < from->count; i++) {
		strbuf_reset(&path);
		ret = ops->session_place(from->v[i], m->cwd, cwd, &path, err);
		if (ret == 0 &&
			(!tree_path_ok(from->v[i]) || !tree_path_ok(path.buf)))
			ret = err_set(err, AR_EUSAGE,
				N_("the session '%s' in '%s' is damaged"), id,
				dir->path);
		strvec_push(to, path.buf);
	}
	strbuf_release(&path);
	return ret;
}

int session_check(struct session_dir *dir, const char *id,
	const struct runtime_ops *ops, const char *cwd, struct err *err)
{
	struct strvec from = STRVEC_INIT;
	struct strvec to = STRVEC_INIT;
	struct meta m = {NULL, NULL};
	int session;
	int ret;

	if (session_hold(dir, str_of(id), err) < 0)
		return -1;
	ret = open_session(dir, id, ops, &session, &m, err);
	if (ret == 0)
		ret = session_paths(dir, id, ops, &m, cwd, &from, &to, err);
	if (session >= 0)
		close(session);
	meta_release(&m);
	strvec_release(&from);
	strvec_release(&to);
	return ret;
}

/* What the list names is a file or a folder, or something is wrong. */
static int restore_path(struct tree_copy *tc, int session, const char *from,
	int state, const char *to, struct err *err)
{
	int ret = tree_copy(tc, session, from, state, to, err);

	if (ret == 0)
		return err_set(err, AR_EUSAGE,
			N_("'%s' in it is neither a file nor a folder. "
			   "Restore it from a copy"),
			from);
	return ret < 0 ? -1 : 0;
}

int session_restore(const struct session_dir *dir, const char *id,
	const struct runtime_ops *ops, const char *cwd, const char *state_dir,
	struct strbuf *file, struct token_counts *baseline, struct err *err)
{
	struct tree_copy tc = {.follow = false};
	struct strvec from = STRVEC_INIT;
	struct strvec to = STRVEC_INIT;
	struct strbuf name = STRBUF_INIT;
	struct meta m = {NULL, NULL};
	int session;
	int state = -1;
	int ret;

	ret = open_session(dir, id, ops, &session, &m, err);
	if (ret == 0)
		ret = session_paths(dir, id, ops, &m, cwd, &from, &to, err);
	if (ret == 0 && (state = open(state_dir, OPEN_DIR)) < 0)
		ret = err_set(err, AR_EIO, N_("cannot open '%s': %s"),
			state_dir, err_str(errno));
	for (size_t i = 0; ret == 0 && i < from.count; i++)
		ret = restore_path(
			&tc, session, from.v[i], state, to.v[i], err);
	if (ret == 0 && ops->session_open)
		ret = ops->session_open(
			state_dir, &to, cwd, &name, baseline, err);
	if (ret == 0 && name.len)
		strbuf_addf(file, "%s/%s", state_dir, name.buf);
	if (ret < 0)
		err_prefix(err, N_("cannot resume"));
	if (session >= 0)
		close(session);
	if (state >= 0)
		close(state);
	meta_release(&m);
	strvec_release(&from);
	strvec_release(&to);
	strbuf_release(&name);
	return ret;
}

/* Saving */

/* The new folder ".tmp-ID" in DIR, its name in NAME. */
static int make_temporary(int dir, const char *id, struct strbuf *name)
{
	strbuf_addf(name, TMP_PREFIX "%s", id);
	if (mkdirat(dir, name->buf, 0700) < 0)
		return -1;
	return openat(dir, name->buf, OPEN_DIR | O_NOFOLLOW);
}

static int exchange(int dir, const char *a, const char *b)
{
#if defined(RENAME_EXCHANGE)
	return renameat2(dir, a, dir, b, RENAME_EXCHANGE);
#else
	(void)dir;
	(void)a;
	(void)b;
	errno = ENOSYS;
	return -1;
#endif
}

/* Gives the finished folder TMP its name ID. One that is there is exchanged, so
 * that at no moment there is none; it then stands under TMP and is removed. */
static int put_in_place(int dir, const char *tmp, const char *id)
{
	struct strbuf old = STRBUF_INIT;
	struct stat sb;
	int ret;

	if (fstatat(dir, id, &sb, AT_SYMLINK_NOFOLLOW) < 0)
		return renameat(dir, tmp, dir, id);
	if (exchange(dir, tmp, id) == 0) {
		(void)io_remove_tree_at(dir, tmp);
		return 0;
	}
	/* In two steps; mend() ends what a crash leaves between them. */
	strbuf_addf(&old, OLD_PREFIX "%s", id);
	ret = renameat(dir, id, dir, old.buf);
	if (ret == 0) {
		ret = renameat(dir, tmp, dir, id);
		if (ret < 0)
			(void)renameat(dir, old.buf, dir, id);
		else
			(void)io_remove_tree_at(dir, old.buf);
	}
	strbuf_release(&old);
	return ret;
}

static int save_files(const struct strvec *paths, const char *state_dir,
	int session, struct err *err)
{
	struct tree_copy tc = {.sync = true};
	int state = open(state_dir, OPEN_DIR | O_NOFOLLOW);
	int copied = 0;
	int ret = 0;

	if (state < 0)
		return err_set(err, AR_EIO, N_("cannot open '%s': %s"),
			state_dir, err_str(errno));
	for (size_t i = 0; i < paths->count && ret >= 0; i++) {
		ret = tree_path_ok(paths->v[i])
			      ? tree_copy(&tc, state, paths->v[i], session,
					paths->v[i], err)
			      : 0;
		copied += ret > 0;
	}
	close(state);
	return ret < 0 ? -1 : copied;
}

/* Writes and names the session. Returns as session_save. */
static int save_paths(const struct session_dir *dir, const char *name,
	const struct runtime_ops *ops, const char *cwd, const char *model,
	const char *state_dir, const struct strvec *paths, int64_t wall_ms,
	struct err *err)
{
	struct strbuf tmp = STRBUF_INIT;
	int session;
	int ret;

	mend(dir->fd, name);
	session = make_temporary(dir->fd, name, &tmp);
	if (session < 0) {
		ret = err_set(err, AR_EIO, "%s", err_str(errno));
		goto done;
	}
	ret = save_files(paths, state_dir, session, err);
	if (ret > 0 && (meta_write(session, str_of(name), ops, cwd, model,
				wall_ms) < 0 ||
			       fsync(session) < 0 ||
			       put_in_place(dir->fd, tmp.buf, name) < 0))
		ret = err_set(err, AR_EIO, "%s", err_str(errno));
	if (ret > 0)
		(void)fsync(dir->fd);
	else
		(void)io_remove_tree_at(dir->fd, tmp.buf);
	close(session);
done:
	strbuf_release(&tmp);
	return ret > 0 ? 1 : ret;
}

int session_save(struct session_dir *dir, struct str id,
	const struct runtime_ops *ops, const char *cwd, const char *model,
	const char *state_dir, int64_t wall_ms, struct err *err)
{
	struct strvec paths = STRVEC_INIT;
	char *name;
	int ret;

	/* The id comes from the runtime. */
	if (session_id_check(id, err) < 0)
		return -1;
	if (session_hold(dir, id, err) < 0)
		return -1;
	name = xstrndup(id.ptr, id.len);
	ret = ops->session_list(state_dir, cwd, name, &paths, err);
	if (ret == 0 && paths.count)
		ret = save_paths(dir, name, ops, cwd, model, state_dir, &paths,
			wall_ms, err);
	if (ret < 0)
		err_prefix(err, N_("cannot save the session '%s' in '%s'"),
			name, dir->path);
	free(name);
	strvec_release(&paths);
	return ret;
}

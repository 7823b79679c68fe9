#include "config.h"

#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/xalloc.h"

#define COPY_DEPTH_MAX 200

int io_write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n >= 0) {
			data += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd p = {fd, POLLOUT, 0};

			if (poll(&p, 1, -1) < 0 && errno != EINTR)
				return -1;
		} else if (errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

/* Reads FD to its end behind what OUT holds, at most MAX bytes. Returns 0 or -1
 * with errno; EFBIG when there is more. */
static int read_to_end(int fd, size_t max, struct strbuf *out)
{
	size_t got = 0;

	for (;;) {
		char *to = strbuf_reserve(out, 65536);
		ssize_t n = read(fd, to, 65536);

		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		got += (size_t)n;
		if (got > max) {
			errno = EFBIG;
			return -1;
		}
		strbuf_setlen(out, out->len + (size_t)n);
	}
}

static bool is_fifo(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

int io_read_file(
	const char *path, size_t max, struct strbuf *out, struct err *err)
{
	size_t before = out->len;
	int saved;
	int ret;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return err_set(err, AR_EIO, N_("cannot read '%s': %s"), path,
			err_str(errno));
	errno = ESPIPE;
	ret = is_fifo(fd) ? -1 : read_to_end(fd, max, out);
	saved = errno;
	close(fd);
	if (ret < 0) {
		strbuf_setlen(out, before);
		err_set(err, AR_EIO, N_("cannot read '%s': %s"), path,
			err_str(saved));
		errno = saved;
	}
	return ret;
}

int io_set_nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -1;
	flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) < 0 ? -1 : 0;
}

int io_pipe(int fds[2])
{
	int saved;
	int i;

	if (pipe(fds) < 0)
		return -1;
	for (i = 0; i < 2; i++) {
		if (fcntl(fds[i], F_SETFD, FD_CLOEXEC) < 0) {
			saved = errno;
			close(fds[0]);
			close(fds[1]);
			errno = saved;
			return -1;
		}
	}
	return 0;
}

/* A removal under way. It holds one directory open, however deep the tree is:
 * a run's temporary directory was written by an agent, which may have built
 * more levels than there are descriptors. */
struct removal {
	int fd;       /* the directory that is being emptied */
	size_t depth; /* below the root of the removal */
	int errnum;   /* the first failure, 0 so far */
	struct {
		dev_t dev;
		ino_t ino;
	} * stuck; /* directories that cannot be emptied: not tried again */
	size_t stuck_count;
};

static void removal_failed(struct removal *r, int errnum)
{
	if (!r->errnum)
		r->errnum = errnum;
}

static bool removal_is_stuck(const struct removal *r, const struct stat *st)
{
	size_t i;

	for (i = 0; i < r->stuck_count; i++) {
		if (r->stuck[i].dev == st->st_dev &&
			r->stuck[i].ino == st->st_ino)
			return true;
	}
	return false;
}

static void removal_give_up(struct removal *r, const struct stat *st)
{
	r->stuck =
		xreallocarray(r->stuck, r->stuck_count + 1, sizeof(*r->stuck));
	r->stuck[r->stuck_count].dev = st->st_dev;
	r->stuck[r->stuck_count].ino = st->st_ino;
	r->stuck_count++;
}

/* Opens a directory, also one whose owner took the permissions away. */
static int open_dir_at(int at, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(at, name, flags);

	if (fd < 0 && errno == EACCES && fchmodat(at, name, 0700, 0) == 0)
		fd = openat(at, name, flags);
	return fd;
}

/* Goes into NAME: what was open is closed. */
static int removal_enter(struct removal *r, const char *name)
{
	int fd = open_dir_at(r->fd, name);

	if (fd < 0)
		return -1;
	(void)fchmod(fd, 0700);
	close(r->fd);
	r->fd = fd;
	return 0;
}

/* Removes one entry of the open directory. Returns true when it is a directory
 * that has to be emptied first. */
static bool removal_entry(struct removal *r, const char *name)
{
	struct stat st;

	if (fstatat(r->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			removal_failed(r, errno);
		return false;
	}
	if (!S_ISDIR(st.st_mode)) {
		if (unlinkat(r->fd, name, 0) < 0)
			removal_failed(r, errno);
		return false;
	}
	if (unlinkat(r->fd, name, AT_REMOVEDIR) == 0 ||
		removal_is_stuck(r, &st))
		return false;
	if (errno == ENOTEMPTY || errno == EEXIST)
		return true;
	removal_failed(r, errno);
	removal_give_up(r, &st);
	return false;
}

/* Removes entries of the open directory up to the first directory that is not
 * empty, and goes into that. Returns whether it went down; false means that
 * nothing is left that could be removed. */
static bool removal_sweep(struct removal *r)
{
	struct dirent *e;
	char *down = NULL;
	DIR *dir;
	int fd;

	fd = openat(r->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		removal_failed(r, errno);
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!down && (e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (removal_entry(r, e->d_name))
			down = xstrdup(e->d_name);
	}
	closedir(dir);
	if (down && removal_enter(r, down) < 0) {
		struct stat st;

		removal_failed(r, errno);
		if (fstatat(r->fd, down, &st, AT_SYMLINK_NOFOLLOW) == 0)
			removal_give_up(r, &st);
		free(down);
		return removal_sweep(r); /* the others remain */
	}
	free(down);
	return down != NULL;
}

/* Empties the open directory and everything below. */
static void removal_run(struct removal *r)
{
	for (;;) {
		struct stat st;

		if (removal_sweep(r)) {
			r->depth++;
			continue;
		}
		if (r->depth == 0)
			return;
		/* The parent's next sweep removes this one; after a failure it
		 * may not be empty and must not be entered again. */
		if (r->errnum && fstat(r->fd, &st) == 0)
			removal_give_up(r, &st);
		if (removal_enter(r, "..") < 0) {
			removal_failed(r, errno);
			return;
		}
		r->depth--;
	}
}

int io_remove_tree_at(int at, const char *name)
{
	struct removal r = {-1, 0, 0, NULL, 0};
	struct stat st;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (!S_ISDIR(st.st_mode))
		return unlinkat(at, name, 0);
	r.fd = open_dir_at(at, name);
	if (r.fd < 0)
		return -1;
	(void)fchmod(r.fd, 0700);
	removal_run(&r);
	close(r.fd);
	free(r.stuck);
	if (unlinkat(at, name, AT_REMOVEDIR) == 0)
		return 0;
	if (r.errnum)
		errno = r.errnum;
	return -1;
}

int io_remove_tree(const char *path)
{
	return io_remove_tree_at(AT_FDCWD, path);
}

static int make_dir(const char *path, mode_t mode)
{
	struct stat st;

	if (mkdir(path, mode) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return 0;
		errno = ENOTDIR;
	}
	return -1;
}

int io_mkdirs(const char *path, mode_t mode)
{
	char *copy = xstrdup(path);
	char *slash = copy;
	int ret = 0;

	while (ret == 0 && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		ret = make_dir(copy, mode);
		*slash = '/';
	}
	if (ret == 0)
		ret = make_dir(copy, mode);
	free(copy);
	return ret;
}

int io_temp_dir(struct strbuf *path, struct err *err)
{
	const char *base = getenv("TMPDIR");
	size_t before = path->len;

	/* A relative one would mean another place for the runtime. */
	if (!base || base[0] != '/')
		base = "/tmp";
	strbuf_addf(path, "%s/agentrun-XXXXXX", base);
	if (mkdtemp(path->buf + before))
		return 0;
	strbuf_setlen(path, before);
	return err_set(err, AR_EIO,
		N_("cannot create a temporary directory in '%s': %s; set "
		   "TMPDIR to one that can be written"),
		base, err_str(errno));
}

static int copy_bytes(int in, int out)
{
	char buf[65536];

	for (;;) {
		ssize_t n = read(in, buf, sizeof(buf));

		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || io_write_all(out, buf, (size_t)n) < 0)
			return -1;
	}
}

/* FLAGS: O_NOFOLLOW or 0. O_NONBLOCK, because FROM may be a FIFO. */
static int copy_file(
	const char *from, const char *to, int flags, struct err *err)
{
	struct stat st;
	int in;
	int out;
	int ret = -1;

	in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	if (in < 0 || fstat(in, &st) < 0) {
		err_set(err, AR_EIO, N_("cannot read '%s': %s"), from,
			err_str(errno));
		goto out_in;
	}
	if (!S_ISREG(st.st_mode)) {
		err_set(err, AR_EIO, N_("cannot copy '%s': not a regular file"),
			from);
		goto out_in;
	}
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		0600);
	if (out >= 0) {
		ret = copy_bytes(in, out);
		if (ret == 0)
			ret = fchmod(out, (st.st_mode & 0777) | 0600);
		if (close(out) < 0)
			ret = -1;
	}
	if (ret < 0)
		err_set(err, AR_EIO, N_("cannot copy '%s' to '%s': %s"), from,
			to, err_str(errno));
out_in:
	if (in >= 0)
		close(in);
	return ret;
}

int io_copy_file(const char *from, const char *to, struct err *err)
{
	return copy_file(from, to, 0, err);
}

static int copy_dir(
	const char *from, const char *to, int depth, struct err *err);

/* One entry of a tree. What is neither a directory nor a regular file is
 * passed over. */
static int copy_entry(
	const char *from, const char *to, int depth, struct err *err)
{
	struct stat st;

	if (lstat(from, &st) < 0)
		return err_set(err, AR_EIO, N_("cannot read '%s': %s"), from,
			err_str(errno));
	if (S_ISREG(st.st_mode))
		return copy_file(from, to, O_NOFOLLOW, err);
	if (S_ISDIR(st.st_mode))
		return copy_dir(from, to, depth, err);
	return 0;
}

static int copy_dir(
	const char *from, const char *to, int depth, struct err *err)
{
	struct strbuf a = STRBUF_INIT;
	struct strbuf b = STRBUF_INIT;
	struct dirent *e;
	DIR *dir = NULL;
	int ret = -1;
	int fd;

	if (depth > COPY_DEPTH_MAX)
		return err_set(err, AR_EIO,
			N_("cannot copy '%s': more than %d levels of "
			   "directories"),
			from, COPY_DEPTH_MAX);
	fd = open(from, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		dir = fdopendir(fd);
	if (!dir) {
		err_set(err, AR_EIO, N_("cannot read '%s': %s"), from,
			err_str(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (make_dir(to, 0700) < 0) {
		err_set(err, AR_EIO, N_("cannot create '%s': %s"), to,
			err_str(errno));
		goto out;
	}
	while ((e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		strbuf_reset(&a);
		strbuf_reset(&b);
		strbuf_addf(&a, "%s/%s", from, e->d_name);
		strbuf_addf(&b, "%s/%s", to, e->d_name);
		if (copy_entry(a.buf, b.buf, depth + 1, err) < 0)
			goto out;
	}
	ret = 0;
out:
	closedir(dir);
	strbuf_release(&a);
	strbuf_release(&b);
	return ret;
}

int io_copy_tree(const char *from, const char *to, struct err *err)
{
	return copy_dir(from, to, 0, err);
}

int io_replace_file(const char *path, const char *data, size_t len, mode_t mode,
	struct err *err)
{
	struct strbuf temp = STRBUF_INIT;
	const char *slash = strrchr(path, '/');
	int dir_len = slash ? (int)(slash - path + 1) : 0;
	bool good;
	int saved;
	int fd;

	strbuf_addf(&temp, "%.*s.%s.XXXXXX", dir_len, path, path + dir_len);
	fd = mkostemp(temp.buf, O_CLOEXEC);
	good = fd >= 0;
	if (good) {
		good = io_write_all(fd, data, len) == 0 &&
		       fchmod(fd, mode) == 0 && fsync(fd) == 0;
		saved = errno;
		if (close(fd) < 0 && good) {
			good = false;
			saved = errno;
		}
		if (good && rename(temp.buf, path) < 0) {
			good = false;
			saved = errno;
		}
		if (!good)
			unlink(temp.buf);
	} else {
		saved = errno;
	}
	strbuf_release(&temp);
	if (good)
		return 0;
	return err_set(
		err, AR_EIO, N_("cannot write '%s': %s"), path, err_str(saved));
}

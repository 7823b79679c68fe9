#include "config.h"

#include "run/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/io.h"
#include "base/xalloc.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

bool tree_path_ok(const char *path)
{
	for (;;) {
		size_t len = strcspn(path, "/");

		if (len == 0 || (len == 1 && path[0] == '.') ||
			(len == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		if (!path[len])
			return true;
		path += len + 1;
	}
}

/* How open_parent walks. */
#define WALK_FOLLOW 1u /* through links */
#define WALK_MAKE 2u   /* folders that are missing are made, */
#define WALK_SYNC 4u   /* and written to the disk */

/* Opens the folder that holds PATH's last part, which *NAME then points at. */
static int open_parent(
	int at, const char *path, unsigned int how, const char **name)
{
	const int flags = OPEN_DIR | (how & WALK_FOLLOW ? 0 : O_NOFOLLOW);
	int fd = openat(at, ".", OPEN_DIR);
	const char *slash;

	while (fd >= 0 && (slash = strchr(path, '/'))) {
		char *part = xstrndup(path, (size_t)(slash - path));
		int saved;
		int next;

		if (((how & WALK_MAKE) && mkdirat(fd, part, 0700) < 0 &&
			    errno != EEXIST) ||
			((how & WALK_SYNC) && fsync(fd) < 0))
			next = -1;
		else
			next = openat(fd, part, flags);
		saved = errno;
		close(fd);
		free(part);
		errno = saved;
		fd = next;
		path = slash + 1;
	}
	*name = path;
	return fd;
}

int tree_open_dir(int at, const char *path)
{
	const char *name;
	int parent = open_parent(at, path, 0, &name);
	int saved;
	int fd;

	if (parent < 0)
		return -1;
	fd = openat(parent, name, OPEN_DIR | O_NOFOLLOW);
	saved = errno;
	close(parent);
	errno = saved;
	return fd;
}

/* One copy: where it stands is for the messages only. */
struct copy {
	struct tree_copy *tc;
	const char *path;
	struct err *err;
};

static int copy_failed(const struct copy *c, int errnum)
{
	return err_set(c->err, AR_EIO, N_("cannot copy '%s': %s"), c->path,
		err_str(errnum));
}

static int copy_bytes(const struct copy *c, int in, int out)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(in, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || io_write_all(out, buf, (size_t)n) < 0)
			return copy_failed(c, errno);
		c->tc->bytes += n;
		if (c->tc->bytes > TREE_BYTES_MAX)
			return err_set(c->err, AR_EIO,
				N_("cannot copy '%s': more than 1 GiB in all"),
				c->path);
	}
	return 0;
}

static int copy_file(
	const struct copy *c, int in, mode_t mode, int to, const char *to_name)
{
	int out = openat(to, to_name,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int ret;

	if (out < 0)
		return copy_failed(c, errno);
	ret = copy_bytes(c, in, out);
	if (ret == 0 && fchmod(out, (mode & 0700) | 0600) < 0)
		ret = copy_failed(c, errno);
	if (ret == 0 && c->tc->sync && fsync(out) < 0)
		ret = copy_failed(c, errno);
	if (close(out) < 0 && ret == 0)
		ret = copy_failed(c, errno);
	return ret;
}

static int copy_entry(const struct copy *c, int from, const char *from_name,
	int to, const char *to_name, int depth);

/* Copies what stands in the open folder IN (taken over). */
static int copy_entries(const struct copy *c, int in, int out, int depth)
{
	DIR *dir = fdopendir(in);
	struct dirent *e;
	int ret = 0;

	if (!dir) {
		ret = copy_failed(c, errno);
		close(in);
		return ret;
	}
	while (ret == 0 && (errno = 0, e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (copy_entry(c, dirfd(dir), e->d_name, out, e->d_name,
			    depth + 1) < 0)
			ret = -1;
	}
	if (ret == 0 && errno)
		ret = copy_failed(c, errno);
	closedir(dir);
	return ret;
}

static int copy_dir(
	const struct copy *c, int in, int to, const char *to_name, int depth)
{
	int ret;
	int out;

	if (mkdirat(to, to_name, 0700) < 0 && errno != EEXIST) {
		ret = copy_failed(c, errno);
		close(in);
		return ret;
	}
	out = openat(to, to_name, OPEN_DIR | O_NOFOLLOW);
	if (out < 0) {
		ret = copy_failed(c, errno);
		close(in);
		return ret;
	}
	ret = copy_entries(c, in, out, depth);
	if (ret == 0 && c->tc->sync && fsync(out) < 0)
		ret = copy_failed(c, errno);
	close(out);
	return ret;
}

static int copy_entry(const struct copy *c, int from, const char *from_name,
	int to, const char *to_name, int depth)
{
	/* Not blocking, because it may be a FIFO. */
	int in = openat(from, from_name,
		O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
			(c->tc->follow ? 0 : O_NOFOLLOW));
	struct stat st;
	int ret = 1;

	if (in < 0 && (errno == ENOENT || errno == ELOOP || errno == ENXIO ||
			      errno == EMLINK || errno == ENOTDIR))
		return 0; /* nothing there, a link, a socket */
	if (in < 0 && errno == EACCES && c->tc->follow)
		return 0; /* the runtime could not read it either */
	if (in < 0)
		return copy_failed(c, errno);
	if (fstat(in, &st) < 0)
		ret = copy_failed(c, errno);
	else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		ret = 0;
	else if (depth > TREE_DEPTH_MAX || ++c->tc->files > TREE_FILES_MAX)
		ret = err_set(c->err, AR_EIO,
			N_("cannot copy '%s': too many files or folders"),
			c->path);
	else if (S_ISDIR(st.st_mode))
		return copy_dir(c, in, to, to_name, depth) < 0 ? -1 : 1;
	else if (copy_file(c, in, st.st_mode, to, to_name) < 0)
		ret = -1;
	close(in);
	return ret;
}

int tree_copy(struct tree_copy *tc, int from, const char *from_path, int to,
	const char *to_path, struct err *err)
{
	const struct copy c = {tc, from_path, err};
	const char *from_name;
	const char *to_name;
	int from_dir;
	int to_dir;
	int ret;

	from_dir = open_parent(
		from, from_path, tc->follow ? WALK_FOLLOW : 0, &from_name);
	if (from_dir < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP
			       ? 0
			       : copy_failed(&c, errno);
	to_dir = open_parent(
		to, to_path, WALK_MAKE | (tc->sync ? WALK_SYNC : 0), &to_name);
	if (to_dir < 0)
		ret = copy_failed(&c, errno);
	else
		ret = copy_entry(&c, from_dir, from_name, to_dir, to_name, 0);
	close(from_dir);
	if (to_dir >= 0)
		close(to_dir);
	return ret;
}

#include "config.h"

#include "run/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/log.h"
#include "base/strbuf.h"

/* Whether PATH, which does not exist, could be made. */
static int try_parent(const char *path)
{
	struct strbuf dir = STRBUF_INIT;
	const char *slash = strrchr(path, '/');
	int ret;

	if (!slash)
		strbuf_addstr(&dir, ".");
	else
		strbuf_add(&dir, path, (size_t)(slash - path) + 1);
	ret = access(dir.buf, W_OK | X_OK);
	strbuf_release(&dir);
	return ret;
}

static bool is_fifo(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* A FIFO that nobody reads yet is not waited for: who writes to it waits for
 * its reader (base/outq.h). It is held on to as the file that it is now: by its
 * name an agent could put another one there meanwhile. Returns as open(2). */
static int open_fifo(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd >= 0 || errno != ENXIO)
		return fd;
	log_debug("waiting for a reader of '%s'", path);
#ifdef O_PATH
	if (access("/proc/self/fd", X_OK) == 0)
		return open(path, O_PATH | O_CLOEXEC);
#endif
	/* Second best: it cannot be seen then whether somebody reads. */
	return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

/* --dry-run: whether PATH could be opened. */
static int try_file(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd >= 0)
		close(fd);
	else if (errno != ENOENT)
		return -1;
	else
		return try_parent(path);
	return 0;
}

int outfile_open(
	const char *option, const char *path, bool try_only, struct err *err)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd;

	if (is_fifo(path))
		fd = try_only ? OUTFILE_TRIED : open_fifo(path, flags);
	else if (try_only)
		fd = try_file(path, flags) == 0 ? OUTFILE_TRIED : -1;
	else
		fd = open(path, flags | O_CREAT | O_TRUNC, 0666);
	if (fd == -1)
		err_set(err, AR_EUSAGE,
			N_("cannot write '%s': %s; give %s a file that can be "
			   "written"),
			path, err_str(errno), option);
	return fd;
}

static bool is_inside(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/');
}

/* Where PATH really is: inside CWD? A link to nowhere is not. */
static bool ends_inside(const char *path, const char *cwd, bool before)
{
	struct stat st;
	char *real = realpath(path, NULL);
	bool inside = real && is_inside(real, cwd);

	if (!real)
		inside = before &&
			 !(lstat(path, &st) == 0 && S_ISLNK(st.st_mode));
	free(real);
	return inside;
}

bool outfile_leads_out(const char *path, const char *cwd)
{
	struct strbuf part = STRBUF_INIT;
	bool inside = path[0] != '/' && ends_inside(".", cwd, false);
	bool out = false;

	while (*path && !out) {
		size_t slashes = strspn(path, "/");
		size_t n = strcspn(path + slashes, "/");
		bool up = n == 2 && strncmp(path + slashes, "..", 2) == 0;
		bool before = inside;

		strbuf_add(&part, path, slashes + n);
		path += slashes + n;
		if (n == 0)
			break;
		inside = ends_inside(part.buf, cwd, before);
		out = before && !inside && !up;
	}
	strbuf_release(&part);
	return out;
}

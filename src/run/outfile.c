#include "config.h"

#include "run/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
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

int outfile_open(
	const char *option, const char *path, bool try_only, struct err *err)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
	int fd;

	if (!try_only)
		flags |= O_CREAT | O_TRUNC;
	fd = open(path, flags, 0666);
	if (try_only &&
		(fd >= 0 || (errno == ENOENT && try_parent(path) == 0))) {
		if (fd >= 0)
			close(fd);
		return OUTFILE_TRIED;
	}
	if (fd < 0)
		return err_set(err, AR_EUSAGE,
			N_("cannot write '%s': %s; give %s a file that can be "
			   "written"),
			path, err_str(errno), option);
	return fd;
}

#include "config.h"

#include "base/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

struct keep {
	int fd;       /* -1: nothing is kept */
	uint64_t max; /* a private one goes round; 0: a file of others */
	uint64_t start;
	uint64_t end; /* of a private one */
	bool broken;
};

int keep_open_private(void)
{
	const char *dir = getenv("TMPDIR");
	struct strbuf path = STRBUF_INIT;
	int fd = -1;

	if (!dir || !*dir)
		dir = "/tmp";
#ifdef O_TMPFILE
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (fd >= 0)
		return fd;
#endif
	strbuf_addf(&path, "%s/agentrun-keep-XXXXXX", dir);
	fd = mkostemp(path.buf, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path.buf);
	strbuf_release(&path);
	return fd;
}

struct keep *keep_file(const char *path, struct err *err)
{
	struct keep *k;
	struct stat st;
	int fd = -1;

	/* Looked at first: to open a FIFO is to be its reader for a moment. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		err_set(err, AR_EIO, N_("'%s' is no regular file"), path);
		return NULL;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		err_set(err, AR_EIO, N_("cannot open '%s': %s"), path,
			err_str(errno));
		return NULL;
	}
	k = xcalloc(1, sizeof(*k));
	k->fd = fd;
	return k;
}

struct keep *keep_new(uint64_t max)
{
	struct keep *k = xcalloc(1, sizeof(*k));

	k->fd = max ? keep_open_private() : -1;
	k->max = max;
	k->broken = k->fd < 0;
	return k;
}

void keep_free(struct keep *k)
{
	if (!k)
		return;
	if (k->fd >= 0)
		close(k->fd);
	free(k);
}

static bool write_at(int fd, const char *data, size_t len, uint64_t at)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

void keep_add(struct keep *k, const char *data, size_t len)
{
	uint64_t end = k->end + len;

	if (k->broken)
		return;
	if (end - k->start > k->max)
		k->start = end - k->max;
	if (len > k->max) {
		data += len - k->max;
		k->end += len - k->max;
		len = (size_t)k->max;
	}
	while (len && !k->broken) {
		uint64_t at = k->end % k->max;
		size_t n = len < k->max - at ? len : (size_t)(k->max - at);

		k->broken = !write_at(k->fd, data, n, at);
		if (k->broken)
			break;
		k->end += n;
		data += n;
		len -= n;
	}
}

void keep_range(const struct keep *k, uint64_t *start, uint64_t *end)
{
	struct stat st;

	*start = k->start;
	*end = k->end > k->start ? k->end : k->start;
	if (!k->max && k->fd >= 0 && fstat(k->fd, &st) == 0 && st.st_size > 0)
		*end = (uint64_t)st.st_size;
}

static bool read_at(int fd, char *buf, size_t len, uint64_t at)
{
	while (len) {
		ssize_t n = pread(fd, buf, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		buf += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

bool keep_read(const struct keep *k, uint64_t offset, char *buf, size_t len)
{
	uint64_t start;
	uint64_t end;
	uint64_t at;
	size_t n;

	keep_range(k, &start, &end);
	if (k->fd < 0 || offset < start || offset > end || len > end - offset)
		return false;
	if (!k->max)
		return read_at(k->fd, buf, len, offset);
	at = offset % k->max;
	n = len < k->max - at ? len : (size_t)(k->max - at);
	return read_at(k->fd, buf, n, at) &&
	       read_at(k->fd, buf + n, len - n, 0);
}

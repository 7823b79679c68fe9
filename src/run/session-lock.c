#include "config.h"

#include "run/session-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

#define OPEN_FLAGS (O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define RACES_MAX 10 /* others that remove the file in the same moment */
/* Who cleans up after a killed run has its lock for a moment, and a new holder
 * has not yet said who it is. */
#define TRIES_MAX 20
#define TRY_NS 10000000L
#define TEXT_MAX 320
#define HOST_MAX 255
#define HOST_CHARS                   \
	"abcdefghijklmnopqrstuvwxyz" \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

static void lock_name(struct strbuf *name, const char *id)
{
	strbuf_reset(name);
	strbuf_addf(name, SESSION_LOCK_PREFIX "%s", id);
}

/* Whether the locked file still has its name: its last holder may have removed
 * it between our open and our lock. */
static bool is_named(int dir, const char *name, int fd)
{
	struct stat opened;
	struct stat named;

	return fstat(fd, &opened) == 0 &&
	       fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* A plain file of one name, or nothing that we write to. */
static bool is_plain(int fd)
{
	struct stat sb;

	return fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) && sb.st_nlink <= 1;
}

static int open_plain(int dir, const char *name)
{
	int fd = openat(dir, name, OPEN_FLAGS | O_CREAT, 0600);
	bool odd = fd < 0 && (errno == ELOOP || errno == EISDIR ||
				     errno == ENXIO || errno == EMLINK);

	if (fd >= 0 && !is_plain(fd)) {
		close(fd);
		odd = true;
	}
	if (!odd)
		return fd;
	if (io_remove_tree_at(dir, name) < 0)
		return -1;
	return openat(dir, name, OPEN_FLAGS | O_CREAT | O_EXCL, 0600);
}

static void say_who(int fd)
{
	struct strbuf text = STRBUF_INIT;
	char host[HOST_MAX + 1] = "";

	(void)gethostname(host, sizeof(host) - 1);
	strbuf_addf(&text, "%ld %s\n", (long)getpid(), host);
	/* Synchronised for the other hosts. */
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text.buf, text.len, 0) < 0 ||
		fsync(fd) < 0)
		log_debug("cannot write a lock: %s", err_str(errno));
	strbuf_release(&text);
}

int session_lock_try(struct session_lock *l, int dir, const char *id)
{
	struct strbuf name = STRBUF_INIT;
	int fd = -1;
	int why = EWOULDBLOCK;

	lock_name(&name, id);
	for (int i = 0; i < RACES_MAX; i++) {
		fd = open_plain(dir, name.buf);
		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0) {
			why = errno;
			break;
		}
		if (is_named(dir, name.buf, fd)) {
			why = 0;
			break;
		}
		close(fd);
		fd = -1;
	}
	if (why == 0) {
		say_who(fd);
		*l = (struct session_lock){dir, fd, xstrdup(id)};
	} else if (fd >= 0) {
		close(fd);
		if (why != EWOULDBLOCK) {
			why = ENOLCK;
			(void)unlinkat(dir, name.buf, 0);
		}
	}
	strbuf_release(&name);
	errno = why;
	return why ? -1 : 0;
}

/* The message about the holder, as far as the file names one: it may hold
 * anything. */
static int in_use(int dir, const char *path, const char *id, struct err *err)
{
	struct strbuf name = STRBUF_INIT;
	char text[TEXT_MAX + 1] = "";
	char *host = NULL;
	long pid = 0;
	int fd;

	lock_name(&name, id);
	fd = openat(dir, name.buf, O_RDONLY | (OPEN_FLAGS & ~O_RDWR));
	if (fd >= 0) {
		if (!is_plain(fd) || pread(fd, text, TEXT_MAX, 0) < 0)
			text[0] = '\0';
		close(fd);
	}
	strbuf_release(&name);
	pid = strtol(text, &host, 10);
	host[strcspn(host, "\n")] = '\0';
	if (pid > 1 && host[0] == ' ' && host[1] &&
		host[1 + strspn(host + 1, HOST_CHARS)] == '\0')
		return err_set(err, AR_EUSAGE,
			N_("the session '%s' in '%s' is in use by process %ld "
			   "on %s. Wait for the end of that run, or end it "
			   "with 'kill %ld' there"),
			id, path, pid, host + 1, pid);
	return err_set(err, AR_EUSAGE,
		N_("the session '%s' in '%s' is in use by another process. "
		   "Wait for its end"),
		id, path);
}

static int try_for_a_while(struct session_lock *l, int dir, const char *id)
{
	const struct timespec pause = {0, TRY_NS};
	int ret = session_lock_try(l, dir, id);

	for (int i = 0; ret < 0 && errno == EWOULDBLOCK && i < TRIES_MAX; i++) {
		(void)nanosleep(&pause, NULL);
		ret = session_lock_try(l, dir, id);
	}
	return ret;
}

int session_lock_take(struct session_lock *l, int dir, const char *path,
	const char *id, struct err *err)
{
	struct session_lock now = SESSION_LOCK_INIT;

	if (l->id && strcmp(l->id, id) == 0)
		return 0;
	if (try_for_a_while(&now, dir, id) < 0) {
		if (errno == EWOULDBLOCK)
			return in_use(dir, path, id, err);
		if (errno != ENOLCK)
			return err_set(err, AR_EUSAGE,
				N_("cannot lock the session '%s' in '%s': %s"),
				id, path, err_str(errno));
		diag_error(_("'%s' is on a file system without locks. Do not "
			     "go on with a session twice at once"),
			path);
		now.id = xstrdup(id);
	}
	session_lock_drop(l);
	*l = now;
	return 0;
}

void session_lock_drop(struct session_lock *l)
{
	struct strbuf name = STRBUF_INIT;

	if (l->fd >= 0) {
		lock_name(&name, l->id);
		if (is_named(l->dir, name.buf, l->fd))
			(void)unlinkat(l->dir, name.buf, 0);
		close(l->fd);
	}
	strbuf_release(&name);
	free(l->id);
	*l = (struct session_lock)SESSION_LOCK_INIT;
}

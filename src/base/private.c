#include "config.h"

#include "base/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crash.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

#define TEMP_PREFIX "agentrun-"
#define LOCK_SUFFIX ".lock"
#define SUFFIX_LEN (sizeof(LOCK_SUFFIX) - 1)
#define RANDOM_LEN 6 /* of mkostemps */
#define TRIES 10

/* What a lock says: "agentrun PID INODE BOOT HOST\n"; BOOT "-": not known. */
#define RECORD_MAX 512
#define RECORD_FORMAT "agentrun %ld %ju %s %s\n"

void private_init(struct private_dir *p)
{
	*p = (struct private_dir){NULL, -1, -1, {-1, -1}};
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Which machine this is, and which of its boots: all that share a kernel see
 * each other's locks. */
struct place {
	char boot[64];
	char host[256];
};

static void find_place(struct place *pl)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, pl->boot, sizeof(pl->boot) - 1);

	pl->boot[n > 0 ? n : 0] = '\0';
	pl->boot[strcspn(pl->boot, " \n")] = '\0';
	if (!pl->boot[0])
		memcpy(pl->boot, "-", 2);
	if (gethostname(pl->host, sizeof(pl->host)) < 0 || !pl->host[0])
		memcpy(pl->host, "-", 2);
	pl->host[sizeof(pl->host) - 1] = '\0';
	close_fd(&fd);
}

/* Those that were left behind */

/* What LOCK says: whether its folder was made here, and its inode. */
static bool read_record(int lock, uintmax_t *inode)
{
	char text[RECORD_MAX + 1];
	char boot[64];
	char host[256];
	struct place here;
	long pid;
	ssize_t n = pread(lock, text, RECORD_MAX, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	if (sscanf(text, "agentrun %ld %ju %63s %255s", &pid, inode, boot,
		    host) != 4)
		return false;
	find_place(&here);
	if (strcmp(boot, "-") != 0 && strcmp(boot, here.boot) == 0)
		return true;
	return strcmp(host, "-") != 0 && strcmp(host, here.host) == 0;
}

static bool is_ours(const struct stat *st, mode_t type)
{
	return (st->st_mode & S_IFMT) == type && st->st_uid == geteuid();
}

/* Whether NAME still is the file that is open as FD. */
static bool is_still(int dir, const char *name, int fd)
{
	struct stat a;
	struct stat b;

	return fstat(fd, &a) == 0 &&
	       fstatat(dir, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* NAME: of a lock that nobody holds, open as LOCK. */
static void sweep_one(int dir, const char *name, int lock)
{
	char *folder;
	struct stat st;
	uintmax_t inode;
	bool gone;

	if (!read_record(lock, &inode) || !is_still(dir, name, lock))
		return;
	folder = xstrndup(name, strlen(name) - SUFFIX_LEN);
	if (fstatat(dir, folder, &st, AT_SYMLINK_NOFOLLOW) < 0)
		gone = errno == ENOENT;
	else
		gone = is_ours(&st, S_IFDIR) && st.st_ino == inode &&
		       io_remove_tree_at(dir, folder) == 0;
	if (gone)
		(void)unlinkat(dir, name, 0);
	free(folder);
}

static bool is_lock_name(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) == 0 &&
	       strlen(name) == len + RANDOM_LEN + SUFFIX_LEN &&
	       strcmp(name + len + RANDOM_LEN, LOCK_SUFFIX) == 0;
}

static void sweep(const char *base, const char *prefix)
{
	DIR *dir = opendir(base);
	struct dirent *e;

	while (dir && (e = readdir(dir)) != NULL) {
		struct stat st;
		int lock;

		if (!is_lock_name(e->d_name, prefix))
			continue;
		/* For writing: NFS locks nothing else. */
		lock = openat(dirfd(dir), e->d_name,
			O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				O_CLOEXEC);
		if (lock < 0)
			continue;
		if (fstat(lock, &st) == 0 && is_ours(&st, S_IFREG) &&
			st.st_nlink == 1 && flock(lock, LOCK_EX | LOCK_NB) == 0)
			sweep_one(dirfd(dir), e->d_name, lock);
		close(lock);
	}
	if (dir)
		closedir(dir);
}

/* A new one */

static int write_record(const struct private_dir *p)
{
	char text[RECORD_MAX];
	struct place here;
	struct stat st;
	int len;

	find_place(&here);
	if (fstat(p->fd, &st) < 0)
		return -1;
	len = snprintf(text, sizeof(text), RECORD_FORMAT, (long)getpid(),
		(uintmax_t)st.st_ino, here.boot, here.host);
	return io_write_all(p->lock, text, (size_t)len);
}

/* Makes the lock NAME, a pattern for mkostemps, and takes it. Returns 1; 0:
 * another start has taken it for one that was left behind; -1 with errno. A
 * file system without locks will do: nothing is ever removed there but by us.
 */
static int make_lock(struct private_dir *p, char *name)
{
	p->lock = mkostemps(name, SUFFIX_LEN, O_CLOEXEC);
	if (p->lock < 0)
		return -1;
	if ((flock(p->lock, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) ||
		!is_still(AT_FDCWD, name, p->lock)) {
		close_fd(&p->lock);
		return 0;
	}
	return 1;
}

/* Makes the folder PATH of the lock. */
static int make_folder(struct private_dir *p, const char *path)
{
	int saved;

	if (mkdir(path, 0700) < 0)
		return -1;
	p->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p->fd >= 0 && write_record(p) == 0)
		p->path = realpath(path, NULL);
	if (p->path)
		return 0;
	saved = errno;
	close_fd(&p->fd);
	(void)rmdir(path);
	errno = saved;
	return -1;
}

static int make(struct private_dir *p, const char *base, const char *prefix)
{
	struct strbuf name = STRBUF_INIT;
	int made = 0;
	int saved;

	for (int n = 0; n < TRIES && !made; n++) {
		strbuf_reset(&name);
		strbuf_addf(&name, "%s/%sXXXXXX" LOCK_SUFFIX, base, prefix);
		made = make_lock(p, name.buf);
		if (made <= 0)
			continue;
		name.buf[name.len - SUFFIX_LEN] = '\0';
		if (make_folder(p, name.buf) == 0)
			break;
		made = errno == EEXIST ? 0 : -1;
		saved = errno;
		name.buf[name.len - SUFFIX_LEN] = LOCK_SUFFIX[0];
		(void)unlink(name.buf);
		close_fd(&p->lock);
		errno = saved;
	}
	saved = errno;
	strbuf_release(&name);
	errno = saved;
	return made > 0 ? 0 : -1;
}

int private_open(struct private_dir *p, const char *base, const char *prefix)
{
	private_init(p);
	sweep(base, prefix);
	if (make(p, base, prefix) < 0)
		return -1;
	for (int i = 0; i < 2; i++)
		p->spare[i] = fcntl(p->fd, F_DUPFD_CLOEXEC, 3);
	crash_folder(p->path);
	return 0;
}

int private_open_temp(struct private_dir *p, struct err *err)
{
	const char *base = getenv("TMPDIR");

	/* A relative one would mean another place for the runtime. */
	if (!base || base[0] != '/')
		base = "/tmp";
	if (private_open(p, base, TEMP_PREFIX) == 0)
		return 0;
	return err_set(err, AR_EIO,
		N_("cannot create a temporary directory in '%s': %s; set "
		   "TMPDIR to one that can be written"),
		base, err_str(errno));
}

/* The end */

static int remove_lock(const char *path)
{
	struct strbuf lock = STRBUF_INIT;
	int ret;

	strbuf_addf(&lock, "%s" LOCK_SUFFIX, path);
	ret = unlink(lock.buf);
	strbuf_release(&lock);
	return ret < 0 && errno != ENOENT ? -1 : 0;
}

int private_remove(const char *path)
{
	if (io_remove_tree(path) < 0 && errno != ENOENT)
		return -1;
	return remove_lock(path);
}

static void forget(struct private_dir *p)
{
	crash_folder_off(p->path);
	close_fd(&p->fd);
	close_fd(&p->spare[0]);
	close_fd(&p->spare[1]);
	close_fd(&p->lock);
	free(p->path);
	private_init(p);
}

int private_close(struct private_dir *p, struct err *err)
{
	int ret = 0;

	if (!p->path)
		return 0;
	close_fd(&p->fd);
	close_fd(&p->spare[0]);
	close_fd(&p->spare[1]);
	/* Once more: what failed may have been the moment's. */
	if (private_remove(p->path) < 0 && private_remove(p->path) < 0)
		ret = err_set(err, AR_EIO,
			N_("cannot remove the private folder '%s': %s. The "
			   "next run tries again"),
			p->path, err_str(errno));
	forget(p);
	return ret;
}

void private_keep(struct private_dir *p)
{
	if (!p->path)
		return;
	(void)remove_lock(p->path);
	forget(p);
}

#ifndef AGENTRUN_BASE_PRIVATE_H
#define AGENTRUN_BASE_PRIVATE_H

#include "base/err.h"

/* private: folders of ours that nobody else may read and that do not outlive
 * us, whatever becomes of us.
 *
 * BASE/NAME (0700) has a lock beside it, BASE/NAME.lock, held (flock) as long
 * as we live. Whoever makes a folder first removes those in BASE that nobody
 * holds: left by a SIGKILL, a crash, a power failure. Never one of another
 * user, of another machine (the lock says which made it, for a file system of
 * the network may know no locks of others), or one that stands where the lock's
 * own folder stood. No link is followed. */
struct private_dir {
	char *path; /* absolute, without links; NULL: none */
	int fd;     /* the folder */
	int lock;
	int spare[2]; /* clean-up needs descriptors when there are no more */
};

void private_init(struct private_dir *p);

/* Makes a folder PREFIXxxxxxx in BASE. Returns 0 or -1 with errno. */
int private_open(struct private_dir *p, const char *base, const char *prefix);

/* The same below $TMPDIR or /tmp. Returns 0 or -1 with ERR. */
int private_open_temp(struct private_dir *p, struct err *err);

/* Removes the folder; nothing to do without one. Returns 0, or -1 with ERR: it
 * is still there, or a part of it. The next one that is made tries again. */
int private_close(struct private_dir *p, struct err *err);

/* Leaves it where it is, for people to look at. */
void private_keep(struct private_dir *p);

/* Removes PATH of another process (one that dies) and its lock; none is no
 * failure. Returns 0 or -1 with errno. */
int private_remove(const char *path);

#endif

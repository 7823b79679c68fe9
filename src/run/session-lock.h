#ifndef AGENTRUN_RUN_SESSION_LOCK_H
#define AGENTRUN_RUN_SESSION_LOCK_H

#include "base/err.h"

#include <stdbool.h>

/* session-lock: one run at a time has a session of a --session-dir.
 *
 * The lock is flock(2) on the file ".lock-ID" in the directory: it ends with
 * its holder however that ends, and holds between hosts where the file system
 * passes locks on (NFS, CIFS and the usual cluster file systems do). What the
 * file says, "PID HOST", is for the message alone; no run is ever refused for
 * it. The file is removed with the lock. One that a killed run left is taken
 * over.
 *
 * The directory may be one that an agent can write: no link is followed, and
 * what stands under the name and is no plain file is removed. Such an agent can
 * take the lock away; it could change the session, too. */
struct session_lock {
	int dir;  /* borrowed */
	int fd;   /* -1: none, or the file system has no locks */
	char *id; /* NULL: nothing is held */
};

#define SESSION_LOCK_PREFIX ".lock-"
#define SESSION_LOCK_INIT    \
	{                    \
		-1, -1, NULL \
	}

/* Takes the lock of ID (a good one, session_id_check) in the open folder DIR;
 * does not wait. L must be free. Returns 0, or -1 with errno: EWOULDBLOCK when
 * another has it, ENOLCK when the file system has no locks. */
int session_lock_try(struct session_lock *l, int dir, const char *id);

/* The same for a run, which goes on without a lock where there are none (says
 * so on stderr). PATH: DIR's name. What L held before is dropped when the new
 * one is there; nothing happens when it is ID's. -1 with ERR (AR_EUSAGE), with
 * the pid and the host of the holder; up to 0.2 s pass before. */
int session_lock_take(struct session_lock *l, int dir, const char *path,
	const char *id, struct err *err);

void session_lock_drop(struct session_lock *l);

#endif

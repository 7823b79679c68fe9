#ifndef AGENTRUN_RUN_SESSION_H
#define AGENTRUN_RUN_SESSION_H

#include "base/err.h"
#include "run/session-lock.h"
#include "runtime/runtime.h"

#include <stdint.h>

/* session: --session-dir and --resume (decisions 27).
 *
 * DIR/ID/ holds meta.json {"schema":1,"runtime","id","cwd","time","model"} and
 * the runtime's own files under their paths below its state folder. A session
 * is written under a temporary name in DIR (".tmp-ID") and renamed; one that
 * is there is exchanged. DIR may lie where the agent can write: it is opened
 * once at the start, everything goes through *at() calls and no link is
 * followed.
 *
 * A run holds the lock of its session, from the start when it goes on with one,
 * else from when the runtime names it, until it is saved. */
#define SESSION_SCHEMA 1

struct session_dir {
	int fd;     /* -1: not open */
	char *path; /* as the user wrote it, for messages */
	struct session_lock lock;
	bool refused; /* another run has the session: nothing is saved */
};

void session_dir_init(struct session_dir *dir);
void session_dir_release(struct session_dir *dir);

/* Opens PATH; CREATE makes it (mkdir -p, 0700 for what is new). -1 with ERR
 * (AR_EUSAGE): what is wrong and how to mend it. --dry-run and --resume do not
 * create. */
int session_dir_open(struct session_dir *dir, const char *path, bool create,
	struct err *err);

/* 0 when ID may name a session: 1..200 bytes of [A-Za-z0-9._-], not beginning
 * with '.' or '-'. -1 with ERR otherwise. */
int session_id_check(struct str id, struct err *err);

/* Takes the lock of the session ID (of which the runtime says that it is its
 * own; a bad one is left to session_save). Nothing to do when it is held. -1
 * with ERR: another run has it, and this one must not save it any more. */
int session_hold(struct session_dir *dir, struct str id, struct err *err);

/* Checks before the run that session ID can be gone on with by OPS in CWD (real
 * absolute path): no other run has it, it is there, whole, of this runtime, and
 * allowed in CWD. Then its lock is held. -1 with ERR (AR_EUSAGE). */
int session_check(struct session_dir *dir, const char *id,
	const struct runtime_ops *ops, const char *cwd, struct err *err);

/* Puts the files of ID into STATE_DIR (a private state folder) where OPS wants
 * them for CWD. FILE: the absolute path for request.resume_file, empty if the
 * runtime needs none. BASELINE: for adapter_config. -1 with ERR. */
int session_restore(const struct session_dir *dir, const char *id,
	const struct runtime_ops *ops, const char *cwd, const char *state_dir,
	struct strbuf *file, struct token_counts *baseline, struct err *err);

/* Saves session ID of a run that is over (every process gone) from STATE_DIR,
 * under its lock. MODEL may be NULL. Returns 1: saved; 0: the runtime left
 * no record; -1 with ERR: could not be saved (what was there before is still
 * there). */
int session_save(struct session_dir *dir, struct str id,
	const struct runtime_ops *ops, const char *cwd, const char *model,
	const char *state_dir, int64_t wall_ms, struct err *err);

#endif

#ifndef AGENTRUN_RUN_STATE_H
#define AGENTRUN_RUN_STATE_H

#include "base/err.h"
#include "base/private.h"
#include "base/strvec.h"
#include "runtime/runtime.h"

/* state: the private folder of a runtime's state (design: sandbox 4, STATE).
 *
 * A runtime that may write its own ~/.claude or ~/.codex could leave commands
 * there that run outside the sandbox next time. So a sandboxed run, and every
 * run with --session-dir, gets a fresh 0700 folder with copies of the settings
 * and credentials. It lies below $XDG_STATE_HOME/agentrun, else
 * ~/.local/state/agentrun, else (no HOME, or not writable) below the temporary
 * folder: codex refuses a CODEX_HOME below TMPDIR. */
struct state_credential {
	char *name;   /* relative to the folder */
	char *source; /* absolute path of the user's own file */
	char *data;   /* what was copied */
	size_t len;
};

struct state {
	struct private_dir dir;
	char *source; /* the user's own state folder, or NULL: no HOME */
	struct state_credential *credentials;
	size_t credential_count;
};

void state_init(struct state *st);

/* Makes and fills the folder. ENV: the environment that the runtime is going to
 * get, before runtime_ops.command adds to it (KEY=VALUE list): names the user's
 * own folder (OPS->state.env, else $HOME/OPS->state.home). XDG_STATE_HOME and
 * HOME are taken from the caller's environment. Returns 0, or -1 with ERR. */
int state_open(struct state *st, const struct runtime_ops *ops,
	const struct strvec *env, struct err *err);

/* After the run, when every process of it is gone: copies each credentials file
 * back that the runtime has changed (rotated token), if it is a regular file of
 * at most 1 MiB, parses (JSON files), and the user's own has not changed since.
 * Returns 0 (also when nothing was to do), or -1 with ERR for the last that
 * failed; the run's result does not depend on it. */
int state_write_back(struct state *st, struct err *err);

/* Removes the folder, also with --debug: it holds credentials. Returns as
 * private_close. */
int state_close(struct state *st, struct err *err);

/* The user's own state folder of OPS under ENV: absolute path appended to OUT;
 * -1: neither the variable nor HOME is set. For the deny list and doctor. */
int state_source(const struct runtime_ops *ops, const struct strvec *env,
	struct strbuf *out);

#endif

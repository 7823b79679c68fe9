#ifndef AGENTRUN_DOCTOR_LOGIN_H
#define AGENTRUN_DOCTOR_LOGIN_H

#include "base/err.h"
#include "base/loop.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "runtime/runtime.h"

#include <stdbool.h>

/* doctor-login: whether a runtime is logged in, as far as that can be told
 * without the network. ENV: the caller's environment as a list; HOW: what shows
 * it, appended, never a secret. */
#define LOGIN_TIMEOUT_MS 10000

/* A variable that holds a key: "$NAME". */
bool login_by_key(const struct runtime_ops *ops, const struct strvec *env,
	struct strbuf *how);

/* PROGRAM's own word ("codex login status"), or a file of its state folder that
 * holds a login. WHY, else: what is wrong with a file that is there; untouched
 * when there is none. LOOP turns meanwhile. */
bool login_by_program(struct loop *loop, const struct runtime_ops *ops,
	const char *program, const struct strvec *env, struct strbuf *how,
	struct err *why);

#endif

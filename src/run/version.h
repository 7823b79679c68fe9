#ifndef AGENTRUN_RUN_VERSION_H
#define AGENTRUN_RUN_VERSION_H

#include "base/err.h"
#include "base/loop.h"
#include "base/strbuf.h"
#include "runtime/runtime.h"

/* version: what version of a runtime is installed, and whether it will do. */
#define VERSION_TIMEOUT_MS 10000

/* Runs `PROGRAM --version` (absolute path, environment ENVP) for at most
 * VERSION_TIMEOUT_MS and appends the version number found in its output, as it
 * stands there ("0.2.1-rc.2"), to OUT. -1 with ERR: not started, timeout, exit
 * status not 0, a stop signal, or no number. LOOP turns meanwhile. */
int version_read(struct loop *loop, const char *program, char *const *envp,
	struct strbuf *out, struct err *err);

/* 0 when OPS needs no particular version (then nothing is run), PROGRAM is new
 * enough, or does not tell its version. -1 with ERR (AR_ESTART): the version
 * found, the version needed, and how to get it (decisions 26); or stopped by a
 * signal. */
int runtime_version_check(struct loop *loop, const struct runtime_ops *ops,
	const char *program, char *const *envp, struct err *err);

/* <0, 0, >0 as A is older than, as new as, newer than B, after semver: numbers
 * of any count compared one by one, a missing one is 0; a pre-release
 * ("-rc.2") is older than its release; "+build" does not count. */
int version_compare(const char *a, const char *b);

#endif

#ifndef AGENTRUN_DOCTOR_PROBE_H
#define AGENTRUN_DOCTOR_PROBE_H

#include "base/err.h"
#include "base/loop.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "base/strvec.h"

#include <stdint.h>

/* doctor-probe: the two checks of doctor that try the real thing. Each waits
 * at most PROBE_TIMEOUT_MS, and in LOOP: a stop signal ends them. */
#define PROBE_TIMEOUT_MS 10000

/* Runs `true` in the default sandbox of this system. Returns 0 with the name of
 * the sandbox appended to OUT, or -1 with ERR: why, and how to mend it. */
int probe_sandbox(struct loop *loop, char *const *envp, struct strbuf *out,
	struct err *err);

/* Where an API is reached: "https://host[:port]/...", "http://...", or a bare
 * host[:port], 443 if nothing is said. */
struct endpoint {
	char *host;
	uint16_t port;
};

int endpoint_parse(struct endpoint *e, struct str url); /* 0 or -1 */
void endpoint_release(struct endpoint *e);

/* Opens a connection to E, by way of PROXY (or NULL). Returns 0, or -1 with
 * ERR. */
int probe_connect(struct loop *loop, const struct endpoint *e,
	const struct endpoint *proxy, struct err *err);

#endif

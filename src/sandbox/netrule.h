#ifndef AGENTRUN_SANDBOX_NETRULE_H
#define AGENTRUN_SANDBOX_NETRULE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* netrule: which hosts may be reached (design: sandbox 7, rules for hosts). */
struct netrule {
	char *host; /* lower case, no final dot; "*.x" is stored as ".x" */
	bool wildcard;
	bool literal;  /* an address literal: consent for private ones */
	uint16_t port; /* 0: 80 and 443 */
};

struct netrules {
	struct netrule *v;
	size_t count;
	size_t cap;
	bool full; /* every public host on every port */
};

void netrules_init(struct netrules *r);
void netrules_release(struct netrules *r);

/* Adds an --allow-host entry; -1 with ERR saying what is wrong with it. */
int netrules_add(struct netrules *r, const char *entry, struct err *err);

/* Normalises a requested host (lower case, final dot and brackets off) into
 * OUT (256 bytes). Returns 0, or -1: not a host at all (400). */
int netrule_normalise(struct str host, char out[256]);

/* The name check. HOST is normalised. */
bool netrules_allow(const struct netrules *r, const char *host, uint16_t port);

/* True when HOST:PORT was allowed by an entry that is itself this private
 * literal or localhost. */
bool netrules_consent(
	const struct netrules *r, const char *host, uint16_t port);

/* Private, reserved or otherwise not public. */
bool netrule_private(const struct sockaddr *sa);

#endif

#ifndef AGENTRUN_SANDBOX_EXPLAIN_H
#define AGENTRUN_SANDBOX_EXPLAIN_H

#include "base/err.h"

/* explain: why bubblewrap did not start, and what helps. */

/* SAID: what it wrote, "" when it wrote nothing. */
void explain_bwrap(const char *said, struct err *err);

/* It is not there. Returns -1. */
int explain_missing(struct err *err);

#endif

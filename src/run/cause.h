#ifndef AGENTRUN_RUN_CAUSE_H
#define AGENTRUN_RUN_CAUSE_H

#include "base/strbuf.h"

#include <stdbool.h>

/* cause: what of a runtime's stderr tells why it failed (end.detail).
 *
 * The spec takes the last 500 characters. They are whole lines here, and
 * warnings are left out: those of node, npm, Python, loggers and compilers,
 * each with the indented lines that follow it. What is left stays as it is. */
#define CAUSE_POINTS 500

/* Appends to OUT the last lines of TEXT that are no warnings, at most
 * CAUSE_POINTS code points, as valid UTF-8; of a single line that is longer its
 * end. Nothing when there are only warnings. CUT: TEXT begins within a line,
 * which is left out when another follows. */
void cause_find(struct str text, bool cut, struct strbuf *out);

#endif

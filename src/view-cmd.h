#ifndef AGENTRUN_VIEW_CMD_H
#define AGENTRUN_VIEW_CMD_H

#include "options.h"

/* view-cmd: `agentrun view` (interface 8): streams shown in the UI, or
 * converted one after another with --headless.
 *
 * Returns the exit status: 0 every stream was whole; 1 one had no `end`, or a
 * line that is no event, or the output could not be written; 2 usage, or a file
 * that cannot be read; 130, 143 a signal; 141 the reader of stdout has gone. */
int view_cmd(const struct options *o);

#endif

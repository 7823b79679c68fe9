#ifndef AGENTRUN_EXPORT_CMD_H
#define AGENTRUN_EXPORT_CMD_H

#include <stddef.h>

#include "options.h"

/* export-cmd: `agentrun export` (interface 1): a saved stream as a document.
 * Returns the exit status: 0 a whole stream; 1 no `end`, lines that are no
 * events, or the document could not be written; 2 usage or an unreadable
 * file. */
int export_cmd(const struct options *o);

/* The UI's key w: writes the stream in FD, from its beginning (its offset is
 * not moved), as HTML into a new file of the current directory that is named
 * after NAME. MSG (SIZE bytes) gets what to tell the reader. */
void export_key(int fd, const char *name, char *msg, size_t size);

#endif

#ifndef AGENTRUN_RUN_OUTFILE_H
#define AGENTRUN_RUN_OUTFILE_H

#include "base/err.h"

#include <stdbool.h>

/* outfile: the files of --raw and --save, opened before the run begins. */

#define OUTFILE_TRIED (-2)

/* Opens PATH for writing, emptied. TRY_ONLY (--dry-run): only looks whether it
 * could be opened, leaves it alone and returns OUTFILE_TRIED. Else a
 * descriptor that does not block, or -1 with ERR (AR_EUSAGE). OPTION: "--raw",
 * for the message. A FIFO that nobody reads yet is held by a descriptor for a
 * queue that is attached to a loop (base/outq.h: O_PATH). */
int outfile_open(
	const char *option, const char *path, bool try_only, struct err *err);

/* True when PATH goes into CWD, a real path, and leaves it by a link there: one
 * that an agent may have made to have us write where it cannot. */
bool outfile_leads_out(const char *path, const char *cwd);

#endif

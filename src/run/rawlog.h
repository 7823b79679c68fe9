#ifndef AGENTRUN_RUN_RAWLOG_H
#define AGENTRUN_RUN_RAWLOG_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* rawlog: the file of --raw: the runtime's stdout, byte for byte. */
struct rawlog {
	int fd; /* -1: not asked for, or closed */
	const char *path;
};

#define RAWLOG_INIT      \
	{                \
		-1, NULL \
	}

/* Opens PATH for writing, emptied, before the run. TRY_ONLY (--dry-run): only
 * looks whether it could be opened, leaves it alone and returns -2. Else a
 * descriptor, or -1 with ERR (AR_EUSAGE). OPTION: "--raw", for the message. */
#define RAWLOG_TRIED (-2)
int rawlog_open_file(
	const char *option, const char *path, bool try_only, struct err *err);

/* Both give 0, or -1 with ERR (file name and reason) and close the file. */
int rawlog_write(
	struct rawlog *log, const char *data, size_t len, struct err *err);
int rawlog_close(struct rawlog *log, struct err *err);

#endif

#ifndef AGENTRUN_RUN_READER_H
#define AGENTRUN_RUN_READER_H

#include "base/err.h"
#include "base/loop.h"
#include "base/strbuf.h"

#include <stdbool.h>

/* reader: files that may be pipes (--prompt-file <(...), stdin), read in the
 * loop, so that who waits for them can be interrupted like a run. */
struct reader {
	struct loop *loop;
	const bool *stopped; /* set by a signal: give up */
};

/* Appends what comes until the end, at most MAX bytes. Returns 0, or -1 with
 * ERR ("cannot read 'PATH': why", also when it is surely not UTF-8; AR_OK when
 * it was stopped). */
int reader_file(const struct reader *r, const char *path, size_t max,
	struct strbuf *out, struct err *err);

/* The same for a descriptor, which stays open. NAME: for the message. */
int reader_fd(const struct reader *r, int fd, const char *name, size_t max,
	struct strbuf *out, struct err *err);

#endif

#ifndef AGENTRUN_BASE_KEEP_H
#define AGENTRUN_BASE_KEEP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* keep: the bytes of a stream, to be read again by their offsets: from the
 * regular file that holds them, or from a private file without a name in
 * $TMPDIR (or /tmp), which keeps the newest MAX bytes.
 *
 * A file that others change meanwhile gives other bytes or none, never more
 * than was asked for: whoever reads looks whether it is what he expects. */
struct keep;

/* PATH, opened for reading. NULL with ERR: it cannot be opened or is no regular
 * file. */
struct keep *keep_file(const char *path, struct err *err);

/* An empty private one; MAX 0, and a file that cannot be made or written (disk
 * full), keep nothing more. Never NULL. */
struct keep *keep_new(uint64_t max);
void keep_free(struct keep *k); /* NULL is allowed */

/* The next bytes of the stream, of a private one. */
void keep_add(struct keep *k, const char *data, size_t len);

/* The part of the stream that is there: from *START up to *END. */
void keep_range(const struct keep *k, uint64_t *start, uint64_t *end);

/* Reads LEN bytes at OFFSET into BUF. False when they are not all there. */
bool keep_read(const struct keep *k, uint64_t offset, char *buf, size_t len);

/* A file in $TMPDIR or /tmp without a name, for this process alone (0600,
 * close-on-exec). -1 with errno. */
int keep_open_private(void);

#endif

#ifndef AGENTRUN_BASE_IO_H
#define AGENTRUN_BASE_IO_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* io: small helpers over file descriptors. All descriptors are close-on-exec.
 */

/* Writes all of it, also to a non-blocking FD (waits with poll) and over EINTR.
 * Returns 0, or -1 with errno. */
int io_write_all(int fd, const char *data, size_t len);

/* Reads a whole regular file or device into OUT, at most MAX bytes; never
 * waits: a FIFO fails (ESPIPE). Returns 0 or -1 with errno and ERR ("cannot
 * read 'PATH': why"; a directory says so). */
int io_read_file(
	const char *path, size_t max, struct strbuf *out, struct err *err);

int io_set_nonblock(int fd, bool on);
int io_pipe(int fds[2]); /* CLOEXEC */

/* Removes PATH and everything below; never follows links. */
int io_remove_tree(const char *path);
int io_remove_tree_at(int at, const char *name); /* NAME in the folder AT */

/* mkdir -p with MODE for what is new. */
int io_mkdirs(const char *path, mode_t mode);

/* A new private directory (0700) below $TMPDIR or /tmp: "agentrun-XXXXXX". */
int io_temp_dir(struct strbuf *path, struct err *err);

/* Copies a regular file (mode kept, 0600 at least for the owner). */
int io_copy_file(const char *from, const char *to, struct err *err);

/* Copies a tree: directories and regular files; links and others are left
 * out. */
int io_copy_tree(const char *from, const char *to, struct err *err);

/* Writes FILE under a temporary name beside it and renames. */
int io_replace_file(const char *path, const char *data, size_t len, mode_t mode,
	struct err *err);

#endif

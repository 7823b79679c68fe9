#ifndef AGENTRUN_RUN_TREE_H
#define AGENTRUN_RUN_TREE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* tree: copies files and folders between open folders.
 *
 * One side may have been written by an agent: a path is walked name by name
 * with openat() and O_NOFOLLOW, only regular files and folders are taken, and
 * the sum has limits. */
#define TREE_DEPTH_MAX 64
#define TREE_FILES_MAX 100000
#define TREE_BYTES_MAX (INT64_C(1) << 30)

struct tree_copy {
	bool follow; /* follow links (the user's own settings) */
	bool sync;   /* fsync what is written */

	/* What it has taken so far; zero before the first call. */
	size_t files;
	int64_t bytes;
};

/* PATH is relative, with no empty part, "." or "..". */
bool tree_path_ok(const char *path);

/* Copies FROM_PATH below the folder FROM to TO_PATH below the folder TO;
 * folders above TO_PATH are made (0700). Files get their mode, but nothing for
 * others. What is neither a file nor a folder is left out. Returns 1; 0: there
 * is no such file or folder; -1 with ERR. */
int tree_copy(struct tree_copy *tc, int from, const char *from_path, int to,
	const char *to_path, struct err *err);

/* Opens a folder below AT name by name. Returns the descriptor or -1 with
 * errno. */
int tree_open_dir(int at, const char *path);

#endif

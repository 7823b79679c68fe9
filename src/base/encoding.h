#ifndef AGENTRUN_BASE_ENCODING_H
#define AGENTRUN_BASE_ENCODING_H

#include "base/err.h"

#include <stddef.h>

/* encoding: what a file is that must hold UTF-8, as far as its first bytes tell
 * for certain: UTF-16 and UTF-32 with a byte order mark, or without one when
 * the text begins in ASCII, GB18030 with its mark, and compressed files. */

/* So many bytes are enough, and so many are needed (unless there are no
 * more). */
#define ENCODING_HEAD 16
#define ENCODING_MIN 4

/* 0: nothing speaks against UTF-8. -1 with ERR (AR_EFORMAT): what the file NAME
 * is, and how to convert it. */
int encoding_check(
	const char *name, const char *head, size_t len, struct err *err);

#endif

#ifndef AGENTRUN_BASE_XALLOC_H
#define AGENTRUN_BASE_XALLOC_H

#include <stddef.h>

/* xalloc: allocation that succeeds or ends the program (through die() of
 * base/log.h, so that the terminal is whole when the message appears).
 * The caller owns the result and releases it with free(). A size of 0 gives a
 * pointer that can be freed and must not be read. */

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);

/* Resizes PTR to COUNT elements of SIZE bytes; the product is checked. */
void *xreallocarray(void *ptr, size_t count, size_t size);

char *xstrdup(const char *s);

/* Copies exactly LEN bytes of S, NUL bytes included, and adds a NUL. */
char *xstrndup(const char *s, size_t len);

#endif

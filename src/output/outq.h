#ifndef AGENTRUN_OUTPUT_OUTQ_H
#define AGENTRUN_OUTPUT_OUTQ_H

#include "base/strbuf.h"

#include <stdbool.h>

/* outq: writing without waiting for a reader that is slow or has stopped.
 *
 * A queue begins patient: outq_write waits until everything is written. One
 * that is not takes what cannot be written now into memory; its owner looks at
 * outq_queued, watches outq_fd for POLLOUT and calls outq_flush. Nothing is
 * kept back while the reader keeps up: each outq_write is one write(2). */
struct outq {
	int fd;      /* as given; not owned */
	int own_fd;  /* the same pipe or terminal, non-blocking; or -1 */
	size_t most; /* bytes that write(2) takes without blocking when poll(2)
			says POLLOUT; 0: it never blocks */
	bool patient;
	struct strbuf pending;
	size_t sent; /* bytes of pending that are written */
};

void outq_init(struct outq *q, int fd);

/* Drops what is pending. */
void outq_release(struct outq *q);

/* From now on it does not wait. */
void outq_set_impatient(struct outq *q);

/* Both give 0, or -1 with errno. */
int outq_write(struct outq *q, const char *data, size_t len);
int outq_flush(struct outq *q);

size_t outq_queued(const struct outq *q); /* bytes */
int outq_fd(const struct outq *q);        /* to be watched */

#endif

#ifndef AGENTRUN_BASE_OUTQ_H
#define AGENTRUN_BASE_OUTQ_H

#include "base/loop.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* outq: writing without waiting for a reader that is slow or has stopped.
 *
 * A queue begins patient: outq_write waits until everything is written. Once it
 * is attached to a loop, what cannot be written now is kept in memory and
 * written in the loop. Nothing is kept back while the reader keeps up: each
 * outq_write is one write(2). A FIFO opened with O_PATH is one that has no
 * reader yet: everything is kept until there is one.
 *
 * A queue that has failed takes nothing any more: its outq_write gives -1. */

/* ERRNUM 0: nothing is queued any more. Else it has failed: EPIPE, also when a
 * reader went away while nothing was to be written. Called from the loop. */
typedef void outq_fn(void *arg, int errnum);

struct outq {
	int fd;      /* as given; not owned */
	int own_fd;  /* the same pipe or terminal, non-blocking; or -1 */
	size_t most; /* bytes that write(2) takes without blocking when poll(2)
			says POLLOUT; 0: it never blocks */
	bool is_socket;
	bool is_late; /* a FIFO that nobody reads yet */
	int errnum;   /* why it has failed; 0: it has not */
	struct strbuf pending;
	size_t sent;       /* bytes of pending that are written */
	uint64_t written;  /* bytes in all */
	struct loop *loop; /* NULL: patient */
	struct loop_fd *watch;
	struct loop_timer look; /* for the reader of a late one */
	int64_t moved_ms;       /* when something was written last, or had to
				   be queued */
	outq_fn *fn;
	void *arg;
};

void outq_init(struct outq *q, int fd);

/* Drops what is pending. */
void outq_release(struct outq *q);

/* From now on it does not wait. FN may be NULL. Must be released before the
 * loop is. */
void outq_attach(struct outq *q, struct loop *l, outq_fn *fn, void *arg);

/* Both give 0, or -1 with errno. */
int outq_write(struct outq *q, const char *data, size_t len);
int outq_flush(struct outq *q);

void outq_drop(struct outq *q);           /* what is pending is lost */
size_t outq_queued(const struct outq *q); /* bytes */
int outq_fd(const struct outq *q); /* that does not block, if there is one */

/* For how long the reader has taken nothing of what is queued; 0: nothing is
 * queued. outq_touch: as if it had taken something just now. */
int64_t outq_stalled_ms(const struct outq *q);
void outq_touch(struct outq *q);

/* So long a reader may take nothing when everything else is over. */
#define OUTQ_GRACE_MS 5000

/* Runs L until each of the N queues is empty, or has failed, or its reader has
 * taken nothing for *GRACE_MS, which may change meanwhile; 0: at once. What a
 * queue then holds was tried once more, and stays queued. NULLs are allowed. */
void outq_settle(struct loop *l, struct outq *const *queues, size_t n,
	const int64_t *grace_ms);

#endif

#ifndef AGENTRUN_OUTPUT_SINK_H
#define AGENTRUN_OUTPUT_SINK_H

#include "base/err.h"
#include "event/event.h"

/* sink: who takes events. One file, one const table. The first member of an
 * implementation is struct sink. */
struct sink;
struct outq;

struct sink_ops {
	/* One event. Returns 0, or -1 with ERR: could not be written (errno is
	 * kept in *SYSERR: EPIPE ends the run quietly). */
	int (*event)(struct sink *s, const struct event *ev, int *syserr,
		struct err *err);

	/* Frees S; what is still in its queue is lost. */
	void (*free)(struct sink *s);

	/* The queue of a sink that writes into a descriptor. NULL: it has
	 * none. Who does not attach it to a loop need not care. */
	struct outq *(*queue)(struct sink *s);
};

struct sink {
	const struct sink_ops *ops;
};

/* jsonl (output/jsonl.c): one write per event into FD (partial writes resumed,
 * also when FD does not block; see base/outq.h for slow readers). Does not
 * close FD unless OWN. NAME is the file's name for messages, "stdout" for fd 1.
 */
struct sink *jsonl_new(int fd, bool own, const char *name);

/* text (output/text.c): the text format into FD. CLEAN: FD is a terminal, so
 * everything from outside goes through utf8_display (tabs kept). */
struct sink *text_new(int fd, bool clean, const char *name);

#endif

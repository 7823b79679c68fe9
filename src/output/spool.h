#ifndef AGENTRUN_OUTPUT_SPOOL_H
#define AGENTRUN_OUTPUT_SPOOL_H

#include "output/sink.h"

/* spool: passes events on and keeps them as jsonl in a file without a name, so
 * that a run that is only shown can still be written as a document. A copy that
 * cannot be kept (disk full) does not stop what is passed on. */

/* TO is borrowed and not freed. Never NULL. */
struct sink *spool_new(struct sink *to);

/* The file, positioned anywhere; -1 when there is none. */
int spool_fd(const struct sink *s);

/* The copy is not whole: a write failed. */
bool spool_is_broken(const struct sink *s);

#endif

#ifndef AGENTRUN_EVENT_LINEDIFF_H
#define AGENTRUN_EVENT_LINEDIFF_H

#include "base/strbuf.h"

/* linediff: two texts as lines of a unified diff, without "@@": each line with
 * ' ', '-' or '+' before it. All lines are there; those that changed stand with
 * the removed ones first. Time and memory are bounded: where more than
 * LINEDIFF_CELLS pairs would have to be compared, one block replaces another.
 * A missing '\n' at the end of one text only gives the line
 * "\ No newline at end of file". */
#define LINEDIFF_CELLS ((size_t)4 << 20)

void linediff(struct strbuf *out, struct str from, struct str to);

#endif

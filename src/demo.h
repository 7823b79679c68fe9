#ifndef AGENTRUN_DEMO_H
#define AGENTRUN_DEMO_H

#include "base/err.h"

/* demo: `agentrun demo`, a recorded run of claude-code (interface 9).
 *
 * It goes the way of every run: agentrun starts itself again as the child that
 * stands for the runtime, and reads that child's stdout. The child plays
 * data/demo.jsonl. Each line of that file is
 *
 *	MILLISECONDS <tab> RAW LINE
 *
 * MILLISECONDS (decimal) is when the line comes, counted from the start of the
 * child and never smaller than on the line before; RAW LINE is what claude-code
 * printed, one JSON object. The recording lasts about 20 s. */

/* The child's part: writes the raw lines of the file PATH to stdout, each at
 * its time divided by SPEED (0: all at once). Returns 0, or -1 with ERR when
 * the file cannot be read or stdout not be written. */
int demo_play(const char *path, double speed, struct err *err);

#endif

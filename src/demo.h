#ifndef AGENTRUN_DEMO_H
#define AGENTRUN_DEMO_H

#include "options.h"

#include <stdint.h>

/* demo: `agentrun demo`, a recorded run of claude-code (interface 9).
 *
 * It goes the way of every run: agentrun starts itself again as the child that
 * stands for the runtime, and reads that child's stdout. The child plays
 * data/demo.jsonl, which is compiled into the program. Each line of that file
 * is
 *
 *	MILLISECONDS <tab> RAW LINE
 *
 * MILLISECONDS (decimal) is when the line comes, counted from the start of the
 * child and never smaller than on the line before; RAW LINE is what claude-code
 * printed, one JSON object. The recording lasts about 20 s. */

/* The first argument of the child, found by main before anything else. */
#define DEMO_PLAYER "--demo-player"

/* The whole command. Returns the exit status. */
int demo_cmd(const struct options *o, int64_t start_ms);

/* The child's part, ARGV as main got it (agentrun --demo-player SPEED): writes
 * the raw lines to stdout, each at its time divided by SPEED (0: all at once).
 * Returns the exit status. */
int demo_player_main(int argc, char **argv);

/* The file, made by the build. */
extern const unsigned char demo_data[];
extern const unsigned long demo_data_len;

#endif

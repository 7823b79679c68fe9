#ifndef AGENTRUN_UI_PLAIN_H
#define AGENTRUN_UI_PLAIN_H

#include "base/strbuf.h"

/* plain: terminal descriptions without SGR sequences, for NO_COLOR.
 *
 * curses sends its own resets whatever the program draws, so it is given a copy
 * of the compiled entry in which no string ends in 'm'. */

/* Finds the entry of terminal NAME and appends its copy as a value for the
 * variable TERMINFO ("hex:..."). Returns 0, or -1 when there is none that can
 * be read. */
int plain_terminfo(const char *name, struct strbuf *out);

/* The same for the bytes of an entry; DATA is changed. */
int plain_strip(unsigned char *data, size_t len);

#endif

#ifndef AGENTRUN_UI_CRASH_H
#define AGENTRUN_UI_CRASH_H

#include <stddef.h>
#include <termios.h>

/* crash: gives the terminal back when the program dies. What the handler does
 * is async-signal-safe: write, tcsetattr, raise. */
#define CRASH_MAX 512

/* Arms it: RESTORE goes to FD, SAVED (may be NULL) is set on it. */
void crash_arm(
	int fd, const char *restore, size_t len, const struct termios *saved);
void crash_disarm(void);

/* The terminal back now, outside of a handler (die_hook). */
void crash_restore(void);

#endif

#ifndef AGENTRUN_BASE_CRASH_H
#define AGENTRUN_BASE_CRASH_H

#include <stddef.h>
#include <termios.h>

/* crash: what is still done when the program dies (SEGV, BUS, ABRT, FPE, ILL,
 * TRAP, SYS, QUIT): the terminal is given back, the runtime ended, and the
 * private folders are removed. Then the signal does what it does without us.
 *
 * The handler is async-signal-safe: write, tcsetattr, shutdown; the folders are
 * removed by another process (crash_remove_main), with a heap of its own. What
 * a SIGKILL leaves behind is base/private's. */
#define CRASH_MAX 512

/* RESTORE (at most CRASH_MAX bytes) goes to FD, SAVED (may be NULL) is set on
 * it. Nothing is done to the terminal of another job. */
void crash_terminal(
	int fd, const char *restore, size_t len, const struct termios *saved);
void crash_terminal_off(void);

/* The terminal back now, outside of a handler: before a last message. */
void crash_terminal_restore(void);

/* A socket whose end ends the runtime; -1: none. */
void crash_socket(int fd);

/* A folder of base/private; copied. A few at a time. */
void crash_folder(const char *path);
void crash_folder_off(const char *path);

/* All of it, then _exit. Async-signal-safe. */
void crash_leave(int status) __attribute__((noreturn));

/* The process that removes folders: agentrun CRASH_REMOVE PATH... */
#define CRASH_REMOVE "--remove-private"
int crash_remove_main(int argc, char **argv);

#endif

#ifndef AGENTRUN_UI_TTY_H
#define AGENTRUN_UI_TTY_H

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

/* tty: the terminal as a device. What is done to it never waits for it: it may
 * be one that takes nothing (frozen link, stopped output). */

/* Whether a job in the foreground may change it; one in the background must
 * not, and would be stopped (SIGTTOU). Also true where there are no jobs. */
bool tty_is_ours(int fd);

/* The modes of a full screen, made from those that were there: what curses sets
 * (keys at once, no echo, reading never waits, no newline to be translated, no
 * tab to be expanded), and no flow control: Ctrl-S is no reason to stop, and
 * one that came before is undone by this. */
void tty_full_screen(int fd, const struct termios *before);

/* Gives back the modes BEFORE. */
void tty_restore(int fd, const struct termios *before);

/* Throws away what the terminal has not read yet, so that there is room. */
void tty_flush(int fd);

/* Throws away what was typed and is not read: it was meant for us. */
void tty_forget_keys(int fd);

/* A file that holds what is written to it in memory. NULL with errno. */
FILE *tty_memory(void);

#endif

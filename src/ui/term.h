#ifndef AGENTRUN_UI_TERM_H
#define AGENTRUN_UI_TERM_H

#include "base/err.h"
#include "base/str.h"
#include "ui/grid.h"
#include "ui/theme.h"

#include <stdbool.h>
#include <stdint.h>

/* term: the terminal itself; the only file with curses. There is one terminal,
 * so its state is global here (the crash handler needs it, too).
 *
 * While it is open, the alternate screen is shown. SIGSEGV, SIGBUS, SIGABRT,
 * SIGFPE, SIGILL and SIGQUIT give the terminal back before they end the
 * program. Signal handlers for SIGTSTP and SIGWINCH must be there before. */

/* Takes the terminal of stdout. Returns 0, or -1 with ERR: it is none, or TERM
 * is not known or cannot move the cursor. */
int term_open(enum theme_choice choice, struct err *err);
void term_close(void);

/* Where keys come from (stdin, or the terminal of stdout); -1 if nowhere. */
int term_fd(void);

/* The next key: a code point or an enum ui_key. False when there is none yet. A
 * pasted one is marked: it must not act as a command. */
bool term_key(uint32_t *key, bool *pasted);

/* True when nobody is at the other end any more. */
bool term_is_gone(void);

/* The size as the kernel has it; curses is told. */
void term_size(int *rows, int *cols);

/* Brings G to the terminal, which gets only what changed. */
void term_show(const struct grid *g);

/* Shows styles so from now on; for tests (term_open finds out by itself). */
void term_theme(const struct theme *t);

/* The same without leave to draw it at once; for tests with a screen of their
 * own. */
void term_blit(const struct grid *g);

void term_repaint(void); /* the next term_show draws everything */
void term_mouse(bool on);
bool term_is_utf8(void);

/* Takes the terminal again after somebody else stopped and continued us: its
 * modes may be the shell's now. */
void term_retake(void);

/* SIGSTOP to ourselves between leaving and taking back the terminal. */
void term_suspend(void);

/* The text goes to the clipboard (OSC 52). False when it is too long. */
bool term_copy(struct str text);

#endif

#ifndef AGENTRUN_UI_TERM_H
#define AGENTRUN_UI_TERM_H

#include "base/err.h"
#include "base/outq.h"
#include "base/str.h"
#include "ui/grid.h"
#include "ui/input.h"
#include "ui/theme.h"

#include <stdbool.h>
#include <stdint.h>

/* term: the terminal itself; the only file with curses. There is one terminal,
 * so its state is global here (the crash handler needs it, too).
 *
 * Curses draws into memory; a queue brings that to the terminal, so that one
 * that takes nothing stops nobody. Who draws looks at the queue first: a frame
 * that is drawn while the last one waits would only wait, too.
 *
 * While it is open, the alternate screen is shown. A crash gives the terminal
 * back (base/crash). Signal handlers for SIGTSTP and SIGWINCH must be there
 * before. */

/* Takes the terminal of stdout, which OUT writes to (borrowed until
 * term_close). Returns 0, or -1 with ERR: it is none, or TERM is not known or
 * cannot move the cursor. */
int term_open(struct outq *out, enum theme_choice choice, struct err *err);
void term_close(void); /* with term_leave */

/* Gives the terminal back for a while, and takes it again; both only as far as
 * the queue is written. False: it is another job's at present. */
void term_leave(void);
bool term_take(void);

/* The terminal does not take what gives it back: all that waits, also in the
 * kernel, is thrown away for that. For after term_leave and term_close. */
void term_force_back(void);

/* Where keys come from (stdin, or the terminal of stdout); -1 if nowhere. */
int term_fd(void);

/* Reads what was typed; for when term_fd is readable. */
void term_read(void);

/* The next key of what was read, and how long its rest is waited for; see
 * ui/input.h. */
bool term_key(bool late, struct input_key *key);
int term_key_wait(void);

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

/* The text goes to the clipboard (OSC 52). False when it is too long. */
bool term_copy(struct str text);

#endif

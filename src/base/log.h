#ifndef AGENTRUN_BASE_LOG_H
#define AGENTRUN_BASE_LOG_H

#include "base/outq.h"

#include <stdbool.h>
#include <stddef.h>

/* log: everything that goes to file descriptor 2 passes here: forwarded stderr
 * of the runtime, [debug] lines, errors. Nothing else in src/ but main.c
 * prints to stderr, because stderr may be the terminal that the UI owns. */

/* Sends LEN bytes to fd 2 at once and unchanged, or to the hook. */
void diag_write(const char *data, size_t len);

/* From now on a reader of fd 2 that has stopped stops nothing here: its queue
 * is written in L. diag_try: what is queued is written now or lost.
 * diag_detach: does that, and then fd 2 is waited for again. */
void diag_attach(struct loop *l);
void diag_try(void);
void diag_detach(void);
struct outq *diag_queue(void);

/* Says that nobody reads NAME, and that what was still to be written is lost.
 */
void diag_lost(const char *name);

/* FN is called from the loop when the queue has become empty. NULL: nobody. */
void diag_on_drained(void (*fn)(void *arg), void *arg);

/* "agentrun: " MESSAGE "\n" through diag_write, controls in it made visible.
 * MESSAGE is translated by the caller. */
void diag_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The UI takes the bytes while it owns the terminal, at first those that are
 * queued; NULL gives fd 2 back. */
typedef void diag_fn(void *arg, const char *data, size_t len);
void diag_hook(diag_fn *fn, void *arg);

/* "[debug] ..." lines, only after log_enable(true). Never secrets: no value of
 * an environment variable but PATH, no prompt. */
void log_enable(bool on);
bool log_enabled(void);
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Ends the program: gives the terminal back, prints, aborts (base/crash). */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* An impossible state. Stays on in release builds; never tests outside data. */
#define ar_assert(cond)                                                   \
	((cond) ? (void)0                                                 \
		: die("%s:%d: assertion '%s' failed", __FILE__, __LINE__, \
			  #cond))

#endif

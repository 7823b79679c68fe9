#ifndef AGENTRUN_BASE_SIGNALS_H
#define AGENTRUN_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* signals: what each signal means to this program.
 *
 * A stop signal is any that would end the program and that is not a crash: HUP,
 * INT, TERM, but also what batch systems and limits send (USR1, USR2, XCPU,
 * ALRM, PWR, those of the real time, ...). PIPE and XFSZ are write errors
 * (EPIPE, EFBIG). A crash (SEGV, ABRT, QUIT, ...) is base/crash's.
 *
 * Whoever started us may have a signal ignored (nohup, a job in the
 * background): it stays ignored. Children get every signal as a fresh process
 * has it. */

/* The first thing that main does. SIGCHLD is never ignored, and no signal is
 * blocked: both would be somebody else's left-over. */
void signals_init(void);

/* From now on stop signals are kept for the loop; signals_release gives them
 * their default action back, which one that has come takes at once. */
void signals_hold(void);
void signals_release(void);

bool signals_is_stop(int signo);
bool signals_ignored(int signo);

/* Keeps SIGNO for the loop. Returns 0 with what there was before in OLD (may be
 * NULL), or -1: it is ignored, or cannot be had. */
int signals_catch(int signo, struct sigaction *old);

/* Whether SIGNO has come since it was last asked for. */
bool signals_take(int signo);

/* FD gets a byte for each signal that is kept; -1: none. */
void signals_wake(int fd);

/* fork(2); in the child everything is blocked, so that no handler of ours runs
 * there, until signals_reset. */
pid_t signals_fork(void);

/* Every disposition the default, nothing blocked. Async-signal-safe: for the
 * time between fork and exec. */
void signals_reset(void);

/* The default for all, but stop signals, the terminal's, PIPE and XFSZ are
 * ignored: for our own helper processes, which a signal to the whole job must
 *  * not end before their time. What is blocked stays so. */
void signals_ignore(void);
void signals_unblock(void);

#endif

#ifndef AGENTRUN_EVENT_STATUS_H
#define AGENTRUN_EVENT_STATUS_H

#include "base/strbuf.h"
#include "event/event.h"

/* status: the one judgement of a run (spec: end.status; interface 3). */

/* How the process ended. Not known for recorded output (view --from). */
struct exit_info {
	bool known;
	bool exited;            /* else killed by signo */
	int code;               /* when exited */
	int signo;              /* when killed */
	bool stopped;           /* agentrun ended it (stop signal or SIGKILL) */
	struct str stderr_tail; /* last 500 code points, "" if none */
};

/* What the stream says, by the runtime's own rule. */
struct runtime_verdict {
	bool success;       /* the positive sign was seen (decisions 5) */
	struct str message; /* the runtime's own error text, else null;
			       borrowed from the adapter */
	bool final;         /* it has given its final result */
	struct str remark;  /* for a run without a result: what there is to say
			       of its output otherwise; "" or null: nothing */
};

/* Why agentrun itself ended the run; the first that holds wins, from the top.
 */
struct stop_info {
	int signo; /* a stop signal (base/signals; SIGHUP is SIGTERM) or 0 */
	bool timeout;
	const char *timeout_text; /* N as the user wrote it */
	bool limit;
	struct str limit_text;     /* "--max-turns 3 reached: 4" */
	bool after_result;         /* the 10 s rule */
	struct str output_failure; /* a write failed: failed with this detail */
};

/* Fills STATUS and DETAIL (appended) for a run that was started, and adds to
 * WARN "exit_after_result:N" and "stopped_after_result" where they hold.
 * RUNTIME is its name, for the fixed sentences (decisions 5). */
struct strvec;
void status_judge(const char *runtime, const struct stop_info *stop,
	const struct exit_info *exit_info, const struct runtime_verdict *rv,
	enum end_status *status, struct strbuf *detail, struct strvec *warn);

/* "finished", "failed", ... */
const char *status_word(enum end_status status);
int status_from_word(struct str word, enum end_status *status); /* 0 or -1 */

/* The exit status of the table; for interrupted 128 and SIGNO (SIGHUP counts as
 * SIGTERM). */
int status_exit(enum end_status status, int signo);

/* The detail of a run that SIGNO interrupted: nothing for those of a person
 * (INT, TERM, HUP), else which it was. */
void status_signal(int signo, struct strbuf *detail);

#endif

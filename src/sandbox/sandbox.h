#ifndef AGENTRUN_SANDBOX_SANDBOX_H
#define AGENTRUN_SANDBOX_SANDBOX_H

#include "base/err.h"
#include "base/loop.h"
#include "base/strvec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* sandbox: starts the runtime inside a box (or with none) and ends everything
 * that belongs to it. One file per kind, one const table each. */
struct sandbox;

/* Everything is resolved by the caller (real absolute paths). Borrowed for
 * sandbox_ops.start only. */
struct sandbox_spec {
	const char *program; /* absolute real path of the runtime */
	char *const *argv;
	char *const *envp;
	const char *cwd;
	const char *home;      /* or NULL */
	const char *state_dir; /* writable private state folder, or NULL */
	const char *tmp_dir;   /* the run's temporary folder, readable inside
				  (images, patch files), or NULL */
	const struct strvec *path_dirs; /* directories of the runtime's PATH */
	const struct strvec *deny_read; /* absolute, existing or not */
	uint16_t proxy_port; /* inside: the port the proxy variables name */
	const uint16_t *loopback_ports; /* further ports to hand out */
	size_t loopback_count;
};

/* Calls from the loop. Exactly one of running and failed comes first. */
struct sandbox_events {
	/* The runtime was executed. PID: for messages, may be -1. */
	void (*running)(void *arg);
	/* It never ran: ERR says why and how to mend it; AR_ESANDBOX: the
	 * sandbox could not start, AR_ESTART: exec of the runtime failed. */
	void (*failed)(void *arg, const struct err *err);
	/* A listening socket of the inside (owned by the receiver) for PORT. */
	void (*listener)(void *arg, int fd, uint16_t port);
	/* The runtime ended with this wait status; everything else of the run
	 * is gone too, or is killed now. */
	void (*exited)(void *arg, int wait_status);
};

struct sandbox_ops {
	const char *name; /* start.sandbox: "bubblewrap", "seatbelt", "none" */
	bool enforces_network;

	/* The network inside is another one: listeners arrive through
	 * sandbox_events.listener. Else the proxy listens on our side. */
	bool own_network;

	/* Starts. Returns NULL with ERR when it fails at once. */
	struct sandbox *(*start)(struct loop *loop,
		const struct sandbox_spec *spec,
		const struct sandbox_events *events, void *arg,
		struct err *err);

	/* Appends the command that start would run (--dry-run). NULL: there
	 * is none. -1 with ERR as start. */
	int (*describe)(const struct sandbox_spec *spec, struct strvec *argv,
		struct err *err);

	/* Our ends of the runtime's pipes, non-blocking; the caller takes them
	 * over and closes them. */
	void (*pipes)(struct sandbox *s, int *in, int *out, int *errs);

	/* SIGNO to the runtime's process group. */
	void (*signal)(struct sandbox *s, int signo);

	/* SIGKILL to everything that is left of the run, descendants that left
	 * the process group included. May be called again. */
	void (*kill)(struct sandbox *s);

	/* kill, reap, free. */
	void (*free)(struct sandbox *s);
};

extern const struct sandbox_ops sandbox_none;
extern const struct sandbox_ops sandbox_bwrap;
#if defined(__APPLE__)
extern const struct sandbox_ops sandbox_seatbelt;
#endif

/* The default box of this system. */
const struct sandbox_ops *sandbox_default(void);

/* The process inside (agentrun --sandbox-init ...): ARGV as main got it. Never
 * returns to the caller's ordinary work: gives the exit status. */
int sandbox_init_main(int argc, char **argv);

/* --sandbox-connect HOST PORT: the ProxyCommand of git over ssh (an inner
 * helper: CONNECT through $HTTPS_PROXY, then bytes both ways). */
int sandbox_connect_main(int argc, char **argv);

/* The default deny list followed by EXTRA (made absolute against CWD, "~/"
 * expanded), minus what ALLOW drops. OTHER_STATE: state folders of the other
 * runtimes. Appends absolute paths to OUT. */
void denylist_build(struct strvec *out, const char *home, const char *cwd,
	const struct strvec *other_state, const struct strvec *extra,
	const struct strvec *allow);

#endif

#ifndef AGENTRUN_SANDBOX_CTL_H
#define AGENTRUN_SANDBOX_CTL_H

#include <stdint.h>
#include <sys/socket.h>

/* ctl: the control socket between agentrun and the process that watches the
 * runtime. One message is one fixed record, so that a stream socket will do
 * where the system has no SEQPACKET pairs. */
#if defined(__APPLE__)
#define CTL_SOCKET_TYPE SOCK_STREAM
#else
#define CTL_SOCKET_TYPE SOCK_SEQPACKET
#endif

enum ctl_kind {
	/* to agentrun */
	CTL_LISTENER = 'L', /* value: port; carries the listening socket */
	CTL_READY = 'Y',    /* all listeners were sent */
	CTL_BROKEN = 'B',   /* value: errno; the box could not be set up */
	CTL_NO_EXEC = 'E',  /* value: errno of the runtime's exec */
	CTL_RUNNING = 'R',  /* value: pid of the runtime, as seen there */
	CTL_STATUS = 'S',   /* value: wait status of the runtime */
	/* from agentrun */
	CTL_GO = 'G',     /* start the runtime */
	CTL_SIGNAL = 'K', /* value: signal for the runtime's group */
	CTL_KILL = 'X'    /* SIGKILL to all that is left */
};

struct ctl_msg {
	int32_t kind;
	int32_t value;
};

/* Sends one message, with the descriptor FD unless it is -1 (which stays the
 * caller's). Returns 0, or -1 with errno. */
int ctl_send(int sock, enum ctl_kind kind, int value, int fd);

/* Takes one message. *FD: the descriptor that came along (close-on-exec, now
 * the caller's) or -1. Returns 1, 0 at the end of the stream (a broken message
 * counts as that), or -1 with errno (EAGAIN on a non-blocking socket). */
int ctl_recv(int sock, struct ctl_msg *msg, int *fd);

#endif

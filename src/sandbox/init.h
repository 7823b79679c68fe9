#ifndef AGENTRUN_SANDBOX_INIT_H
#define AGENTRUN_SANDBOX_INIT_H

#include "base/strvec.h"
#include "sandbox/sandbox.h"

/* init: pid 1 of the box, this same program executed again inside. It opens
 * the listening sockets in the empty network there, hands them to agentrun,
 * and then watches the runtime. */
struct init_fds {
	int ctl;
	/* Files that hold NUL-ended strings: the runtime's environment, and
	 * the unix sockets that are to be covered. */
	int env;
	int sockets;
	int stdio[3];
};

/* Appends the arguments for sandbox_init_main, without argv[0]. */
void init_argv(struct strvec *out, const struct init_fds *fds,
	const struct sandbox_spec *spec);

#endif

#ifndef AGENTRUN_SANDBOX_WATCHER_H
#define AGENTRUN_SANDBOX_WATCHER_H

#include <stdbool.h>

/* watcher: the small process between agentrun and the runtime. It starts the
 * runtime, passes signals on, reports how it ended, and ends everything that
 * belongs to the run. As pid 1 of a pid namespace that is the kernel's work:
 * it only has to exit. Without one it is the subreaper of all descendants, so
 * that "no child is left" means "nothing is left", and no other child of
 * agentrun is ever touched.
 *
 * It is told by the control socket, and takes its end for agentrun's death. */
struct watcher_spec {
	int ctl;             /* control socket */
	const char *program; /* absolute path */
	char *const *argv;
	char *const *envp;
	const char *cwd;      /* or NULL: stay */
	int stdio[3];         /* become 0, 1, 2 of the runtime */
	bool pid_namespace;   /* this is pid 1 inside */
	int (*confine)(void); /* last step before exec, or NULL; -1 + errno */
};

/* Runs to the end of the run. Returns the exit status for _exit. */
int watcher_main(const struct watcher_spec *given);

/* Closes all descriptors from FIRST on. */
void watcher_close_from(int first);

/* Moves N descriptors (0 and 1 and 2 may be among them) to FIRST, FIRST + 1,
 * ... and closes the originals. -1 with errno. Close-on-exec is set. */
int watcher_place_fds(int *fds, int n, int first);

#endif

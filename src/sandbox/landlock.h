#ifndef AGENTRUN_SANDBOX_LANDLOCK_H
#define AGENTRUN_SANDBOX_LANDLOCK_H

/* Lets this process open for writing only what lies in a mount that is
 * writable. A read-only mount refuses that already, but not for FIFOs, and
 * those lead to processes of the host. Needs no_new_privs; does nothing where
 * the kernel has no Landlock. Returns 0, or -1 with errno. */
int landlock_confine(void);

#endif

#ifndef AGENTRUN_SANDBOX_SECCOMP_H
#define AGENTRUN_SANDBOX_SECCOMP_H

/* Installs the system call filter for what namespaces do not cover (design:
 * sandbox 6). The process must have no_new_privs. Returns 0, or -1 with errno.
 */
int seccomp_confine(void);

#endif

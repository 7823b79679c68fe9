#ifndef AGENTRUN_SANDBOX_CAPS_H
#define AGENTRUN_SANDBOX_CAPS_H

/* caps: the capabilities that init has in its namespaces for its first steps,
 * and how it gets rid of them. */

/* Gives up every capability for good, in every set. Returns 0 when none is
 * left, else -1 with errno. */
int caps_drop(void);

/* Cuts the mounts here off from those outside: what the host mounts later must
 * not appear inside, where it could be written to. Needs CAP_SYS_ADMIN in this
 * user namespace; without it nothing happens. */
void caps_seal_mounts(void);

/* Puts /dev/null in the place of PATH. Returns 0, or -1 with errno. */
int caps_cover(const char *path);

/* An empty network that belongs to this user namespace, loopback up: there a
 * port below 1024 can be bound. Needs CAP_SYS_ADMIN and CAP_NET_ADMIN. Returns
 * 0, or -1 with errno. */
int caps_own_network(void);

#endif

#ifndef AGENTRUN_TESTS_TERMINAL_H
#define AGENTRUN_TESTS_TERMINAL_H

/* terminal: a terminal that the test itself is, and outputs that take
 * nothing. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

/* Returns 0 or -1. */
static inline int terminal_open(int *master, int *slave)
{
	const char *name;

	*master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*master < 0 || grantpt(*master) < 0 || unlockpt(*master) < 0)
		return -1;
	name = ptsname(*master);
	*slave = name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
	return *slave < 0 ? -1 : 0;
}

/* Writes into FD until it takes no more: a pipe, a socket or a terminal that
 * is blocked from its first byte on. A terminal finds some more room a little
 * later. The flags of FD are as before. Returns 0 or -1. */
static inline int terminal_fill(int fd)
{
	struct pollfd p = {fd, POLLOUT, 0};
	char junk[4096];
	size_t part = sizeof(junk);

	memset(junk, '#', sizeof(junk));
	if (io_set_nonblock(fd, true) < 0)
		return -1;
	while (part > 0 || poll(&p, 1, 50) > 0) {
		ssize_t n = write(fd, junk, part ? part : 1);

		if (n < 0 && errno != EAGAIN)
			return -1;
		if (n < 0)
			part /= 2;
	}
	return io_set_nonblock(fd, false);
}

#endif

#include "config.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/loop.h"
#include "sandbox/proxy.h"

/* proxyd: the proxy alone, for tests and measurements.
 *
 *   proxyd [-f] [-u UPSTREAM] [-n NO_PROXY] HOST...
 *
 * Prints "port N", then "seen HOST PORT allowed|REASON" for what it sees. -f:
 * every public host. Ends when its stdin does. */
static void on_seen(void *arg, const char *host, uint16_t port, bool allowed,
	const char *reason)
{
	(void)arg;
	printf("seen %s %u %s\n", host, (unsigned)port,
		allowed ? "allowed" : reason);
	fflush(stdout);
}

static void on_stdin(void *arg, int fd, short revents)
{
	char buf[256];

	(void)revents;
	if (read(fd, buf, sizeof(buf)) <= 0)
		loop_stop(arg);
}

int main(int argc, char **argv)
{
	struct loop *loop = loop_new(NULL);
	const char *upstream = NULL;
	const char *no_proxy = NULL;
	struct err err = ERR_INIT;
	struct loop_fd *watch;
	struct netrules rules;
	struct proxy *p;
	uint16_t port;
	int c;

	(void)signal(SIGPIPE, SIG_IGN);
	netrules_init(&rules);
	while ((c = getopt(argc, argv, "fu:n:")) != -1) {
		if (c == 'f')
			rules.full = true;
		else if (c == 'u')
			upstream = optarg;
		else if (c == 'n')
			no_proxy = optarg;
	}
	for (; optind < argc; optind++)
		if (netrules_add(&rules, argv[optind], &err) < 0)
			goto fail;
	p = proxy_new(loop, &rules, upstream, no_proxy, on_seen, NULL, &err);
	if (!p)
		goto fail;
	port = proxy_listen_here(p, &err);
	printf("port %u\n", (unsigned)port);
	fflush(stdout);
	watch = loop_watch(loop, 0, POLLIN, on_stdin, loop);
	loop_run(loop);
	loop_unwatch(watch);
	proxy_free(p);
	netrules_release(&rules);
	loop_free(loop);
	return 0;
fail:
	fprintf(stderr, "%s\n", err.msg);
	netrules_release(&rules);
	loop_free(loop);
	return 2;
}

#include "config.h"

#include "sandbox/init.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "base/strbuf.h"
#include "base/strvec.h"
#include "sandbox/caps.h"
#include "sandbox/ctl.h"
#include "sandbox/landlock.h"
#include "sandbox/sandbox.h"
#include "sandbox/seccomp.h"
#include "sandbox/watcher.h"

/* Arguments behind --sandbox-init, all numbers, then "--" and the runtime's
 * command line with its path in front. */
enum init_arg {
	INIT_CTL,
	INIT_ENV,
	INIT_SOCKETS,
	INIT_STDIN,
	INIT_STDOUT,
	INIT_STDERR,
	INIT_PORTS, /* "61080,8080" */
	INIT_ARGS
};

void init_argv(struct strvec *out, const struct init_fds *fds,
	const struct sandbox_spec *spec)
{
	struct strbuf ports = STRBUF_INIT;
	size_t i;

	strvec_push(out, "--sandbox-init");
	strvec_pushf(out, "%d", fds->ctl);
	strvec_pushf(out, "%d", fds->env);
	strvec_pushf(out, "%d", fds->sockets);
	for (i = 0; i < 3; i++)
		strvec_pushf(out, "%d", fds->stdio[i]);
	if (spec->proxy_port)
		strbuf_addf(&ports, "%u", (unsigned)spec->proxy_port);
	for (i = 0; i < spec->loopback_count; i++)
		strbuf_addf(&ports, "%s%u", ports.len ? "," : "",
			(unsigned)spec->loopback_ports[i]);
	strvec_push(out, ports.buf);
	strvec_push(out, "--");
	strvec_push(out, spec->program);
	for (i = 0; spec->argv[i]; i++)
		strvec_push(out, spec->argv[i]);
	strbuf_release(&ports);
}

static int open_listener(const struct sockaddr *sa, socklen_t len)
{
	int fd = socket(sa->sa_family, SOCK_STREAM, 0);
	int on = 1;

	if (fd < 0)
		return -1;
	if (sa->sa_family == AF_INET6)
		(void)setsockopt(
			fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, sa, len) < 0 || listen(fd, SOMAXCONN) < 0) {
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

/* Hands the listeners of PORT to agentrun: 127.0.0.1 must be had, ::1 only
 * where there is IPv6. */
static int hand_over(int ctl, uint16_t port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
		.sin6_port = htons(port),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = open_listener((struct sockaddr *)&v4, sizeof(v4));

	if (fd < 0 || ctl_send(ctl, CTL_LISTENER, port, fd) < 0)
		return -1;
	close(fd);
	fd = open_listener((struct sockaddr *)&v6, sizeof(v6));
	if (fd < 0)
		return 0;
	if (ctl_send(ctl, CTL_LISTENER, port, fd) < 0)
		return -1;
	close(fd);
	return 0;
}

/* Those below 1024 need a network of our own. */
static bool has_low_port(const char *ports)
{
	while (*ports) {
		char *end;

		if (strtoul(ports, &end, 10) < 1024)
			return true;
		ports = *end ? end + 1 : end;
	}
	return false;
}

static int hand_over_all(int ctl, const char *ports)
{
	if (has_low_port(ports) && caps_own_network() < 0)
		return -1;
	while (*ports) {
		char *end;
		unsigned long port = strtoul(ports, &end, 10);

		if (end == ports || port == 0 || port > 65535) {
			errno = EINVAL;
			return -1;
		}
		if (hand_over(ctl, (uint16_t)port) < 0)
			return -1;
		ports = *end ? end + 1 : end;
	}
	return 0;
}

/* NUL-ended strings from the descriptor that ARG names; closes it. */
static int read_list(const char *arg, struct strvec *list)
{
	int fd = (int)strtol(arg, NULL, 10);
	struct strbuf all = STRBUF_INIT;
	struct strbuf *data = &all;
	const char *s;
	ssize_t n;

	while ((n = read(fd, strbuf_reserve(data, 65536), 65536)) > 0)
		strbuf_setlen(data, data->len + (size_t)n);
	for (s = data->buf; s < data->buf + data->len; s += strlen(s) + 1)
		strvec_push(list, s);
	strbuf_release(data);
	close(fd);
	return n < 0 ? -1 : 0;
}

/* What is gone by now needs no cover. */
static int cover_all(const struct strvec *paths)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		if (caps_cover(paths->v[i]) < 0 && errno != ENOENT &&
			errno != ENOTDIR && errno != EACCES)
			return -1;
	return 0;
}

/* Everything is in place there as well; or agentrun is gone. */
static bool wait_for_go(int ctl)
{
	struct ctl_msg m;
	int fd;

	while (ctl_recv(ctl, &m, &fd) > 0) {
		if (fd >= 0)
			close(fd);
		if (m.kind == CTL_GO)
			return true;
	}
	return false;
}

static int broken(int ctl)
{
	(void)ctl_send(ctl, CTL_BROKEN, errno, -1);
	return 1;
}

/* This process must be out of the runtime's reach: nobody traces it or opens
 * its descriptors. */
static void harden(void)
{
#if defined(__linux__)
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_DUMPABLE, 0);
#endif
}

/* Landlock first, which needs more calls than the runtime. */
static int confine(void)
{
	return landlock_confine() < 0 ? -1 : seccomp_confine();
}

int sandbox_init_main(int argc, char **argv)
{
	struct strvec env = STRVEC_INIT;
	struct strvec sockets = STRVEC_INIT;
	struct watcher_spec w = {.pid_namespace = getpid() == 1};
	char *empty[] = {NULL};
	char **args = argv + 2; /* behind our name and --sandbox-init */
	int i;

	if (argc < 2 + INIT_ARGS + 2 || strcmp(args[INIT_ARGS], "--") != 0)
		return 2;
	w.ctl = (int)strtol(args[INIT_CTL], NULL, 10);
	for (i = 0; i < 3; i++)
		w.stdio[i] = (int)strtol(args[INIT_STDIN + i], NULL, 10);
	w.program = args[INIT_ARGS + 1];
	w.argv = &args[INIT_ARGS + 2];
	w.confine = confine;
	harden();
	if (read_list(args[INIT_ENV], &env) < 0 ||
		read_list(args[INIT_SOCKETS], &sockets) < 0)
		return broken(w.ctl);
	w.envp = env.count ? env.v : empty;
	caps_seal_mounts();
	if (cover_all(&sockets) < 0 ||
		hand_over_all(w.ctl, args[INIT_PORTS]) < 0 || caps_drop() < 0)
		return broken(w.ctl);
	if (ctl_send(w.ctl, CTL_READY, 0, -1) < 0 || !wait_for_go(w.ctl))
		return 1;
	return watcher_main(&w);
}

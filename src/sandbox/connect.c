#include "config.h"

#include "sandbox/sandbox.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "sandbox/proxy-http.h"

/* The ProxyCommand of ssh inside the box: stdin and stdout through the proxy
 * that HTTPS_PROXY names. A small program of its own, so it may block. */

/* Connects to the proxy. Returns a socket or -1 with errno. */
static int connect_proxy(const char *url)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list;
	struct addrinfo *a;
	char host[256];
	char port[8];
	int fd = -1;

	if (!url || sscanf(url, "http://%255[^:/]:%7[0-9]", host, port) != 2 ||
		getaddrinfo(host, port, &hints, &list) != 0) {
		errno = EINVAL;
		return -1;
	}
	for (a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype, 0);
		if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) < 0) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	return fd;
}

/* Asks for HOST:PORT. Bytes that come behind the answer stay in REST. */
static int ask(int fd, const char *host, const char *port, struct strbuf *rest)
{
	struct strbuf out = STRBUF_INIT;
	size_t head = 0;
	int status;

	proxy_add_connect(&out, host, (uint16_t)strtoul(port, NULL, 10), NULL);
	if (io_write_all(fd, out.buf, out.len) < 0)
		head = (size_t)-1;
	strbuf_release(&out);
	while (head == 0 && rest->len <= PROXY_HEAD_MAX) {
		ssize_t n = read(fd, strbuf_reserve(rest, 4096), 4096);

		if (n <= 0)
			return -1;
		strbuf_setlen(rest, rest->len + (size_t)n);
		head = proxy_head_length(rest->buf, rest->len, 0);
	}
	if (head == 0 || head > rest->len)
		return -1;
	status = proxy_response_status(rest->buf, head);
	if (status < 200 || status > 299) {
		/* The one line of text behind the head says why. */
		diag_write(rest->buf + head, rest->len - head);
		return -1;
	}
	strbuf_drop(rest, head);
	return 0;
}

/* Copies what is there from FROM to TO. Returns false at the end. */
static bool copy_some(int from, int to)
{
	char buf[65536];
	ssize_t n = read(from, buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	return n > 0 && io_write_all(to, buf, (size_t)n) == 0;
}

static void copy_both_ways(int fd)
{
	struct pollfd p[2] = {{STDIN_FILENO, POLLIN, 0}, {fd, POLLIN, 0}};

	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return;
		if (p[0].revents && !copy_some(STDIN_FILENO, fd)) {
			(void)shutdown(fd, SHUT_WR);
			p[0].fd = -1;
		}
		if (p[1].revents && !copy_some(fd, STDOUT_FILENO))
			return;
		p[0].revents = p[1].revents = 0;
	}
}

int sandbox_connect_main(int argc, char **argv)
{
	struct strbuf rest = STRBUF_INIT;
	int ret = 1;
	int fd;

	if (argc != 4)
		return 2;
	fd = connect_proxy(getenv("HTTPS_PROXY"));
	if (fd < 0) {
		diag_error(_("cannot reach the proxy: %s"), err_str(errno));
		return 1;
	}
	if (ask(fd, argv[2], argv[3], &rest) == 0 &&
		io_write_all(STDOUT_FILENO, rest.buf, rest.len) == 0) {
		copy_both_ways(fd);
		ret = 0;
	}
	strbuf_release(&rest);
	close(fd);
	return ret;
}

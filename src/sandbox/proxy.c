#include "config.h"

#include "sandbox/proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "sandbox/proxy-conn.h"

#define CONNECTIONS_MAX 512
#define ACCEPTS_MAX 64 /* in one turn of the loop */
#define FILES_WANTED 2048
#define PAUSE_MS 100

struct proxy_listener {
	struct proxy *p;
	struct proxy_listener *next;
	int fd;
	struct loop_fd *watch;
	char *host; /* conn_forward; NULL: HTTP */
	uint16_t port;
};

/* --- what was seen --- */

void proxy_tell(
	struct proxy *p, const char *host, uint16_t port, const char *reason)
{
	if (p->seen_fn)
		p->seen_fn(p->seen_arg, host, port, reason == NULL, reason);
}

/* --- listening --- */

static void watch_listeners(struct proxy *p, bool on)
{
	struct proxy_listener *l;

	for (l = p->listeners; l; l = l->next)
		loop_watch_set(l->watch, on ? POLLIN : 0);
}

/* Full: the rest waits in the backlog. */
static void check_room(struct proxy *p)
{
	bool full = p->conn_count >= CONNECTIONS_MAX;

	if (full != p->full && !p->pause.armed) {
		p->full = full;
		watch_listeners(p, !full);
	}
}

void proxy_conn_gone(struct proxy *p)
{
	check_room(p);
}

static void on_pause_over(void *arg)
{
	struct proxy *p = arg;

	p->full = false;
	watch_listeners(p, true);
	check_room(p);
}

/* No descriptor left: poll would report the same connection for ever. */
static void pause_listeners(struct proxy *p)
{
	p->full = true;
	watch_listeners(p, false);
	loop_timer_set(p->loop, &p->pause, PAUSE_MS, on_pause_over, p);
}

static void on_accept(void *arg, int fd, short revents)
{
	struct proxy_listener *l = arg;
	struct proxy *p = l->p;
	int i;

	(void)revents;
	for (i = 0; i < ACCEPTS_MAX && p->conn_count < CONNECTIONS_MAX; i++) {
		int client = accept(fd, NULL, NULL);

		if (client < 0) {
			if (errno == EMFILE || errno == ENFILE ||
				errno == ENOBUFS || errno == ENOMEM)
				pause_listeners(p);
			break;
		}
		(void)fcntl(client, F_SETFD, FD_CLOEXEC);
		(void)io_set_nonblock(client, true);
		if (l->host)
			conn_forward(p, client, l->host, l->port);
		else
			conn_accept(p, client);
	}
	check_room(p);
}

static void add_listener(
	struct proxy *p, int fd, const char *host, uint16_t port)
{
	struct proxy_listener *l = xcalloc(1, sizeof(*l));

	(void)io_set_nonblock(fd, true);
	l->p = p;
	l->fd = fd;
	l->host = host ? xstrdup(host) : NULL;
	l->port = port;
	l->next = p->listeners;
	p->listeners = l;
	l->watch = loop_watch(p->loop, fd, p->full ? 0 : POLLIN, on_accept, l);
}

void proxy_listen(struct proxy *p, int fd)
{
	add_listener(p, fd, NULL, 0);
}

void proxy_forward(struct proxy *p, int fd, const char *host, uint16_t port)
{
	add_listener(p, fd, host, port);
}

uint16_t proxy_listen_here(struct proxy *p, struct err *err)
{
	struct sockaddr_in sa = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(sa);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ||
		bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 ||
		listen(fd, SOMAXCONN) < 0 ||
		getsockname(fd, (struct sockaddr *)&sa, &len) < 0) {
		err_set(err, AR_EIO, N_("cannot listen on 127.0.0.1: %s"),
			err_str(errno));
		if (fd >= 0)
			close(fd);
		return 0;
	}
	proxy_listen(p, fd);
	return ntohs(sa.sin_port);
}

/* --- the caller's own proxy --- */

static int bad_upstream(struct err *err)
{
	/* Not shown: it may hold a password. */
	return err_set(err, AR_EUSAGE,
		N_("the proxy that HTTPS_PROXY or HTTP_PROXY names cannot be "
		   "used: only http://HOST:PORT can; unset the variable or "
		   "change it"));
}

/* "[http://][user:password@]host[:port][/]" */
static int set_upstream(struct proxy *p, const char *url, struct err *err)
{
	static const char scheme[] = "http://";
	struct strbuf auth = STRBUF_INIT;
	struct str host;
	char normal[256];
	const char *colon;
	const char *at;
	size_t n;

	if (strncasecmp(url, scheme, sizeof(scheme) - 1) == 0)
		url += sizeof(scheme) - 1;
	else if (strstr(url, "://"))
		return bad_upstream(err);
	n = strcspn(url, "/");
	if (url[n] && url[n + 1])
		return bad_upstream(err);
	host.ptr = url;
	host.len = n;
	for (at = url + n; at > url && at[-1] != '@'; at--)
		;
	if (at > url) {
		proxy_add_base64(&auth, url, (size_t)(at - 1 - url));
		host.ptr = at;
		host.len = n - (size_t)(at - url);
	}
	p->upstream_port = 80;
	colon = memchr(host.ptr, ':', host.len);
	if (host.len && host.ptr[0] == '[') {
		colon = memchr(host.ptr, ']', host.len);
		colon = colon && colon + 1 < host.ptr + host.len ? colon + 1
								 : NULL;
	}
	if (colon) {
		char *end;
		long port = strtol(colon + 1, &end, 10);

		if (*colon != ':' || end != host.ptr + host.len || port < 1 ||
			port > 65535)
			goto bad;
		p->upstream_port = (uint16_t)port;
		host.len = (size_t)(colon - host.ptr);
	}
	if (netrule_normalise(host, normal) < 0)
		goto bad;
	p->upstream_host = xstrdup(normal);
	if (auth.len)
		p->upstream_auth = strbuf_detach(&auth);
	return 0;
bad:
	strbuf_release(&auth);
	return bad_upstream(err);
}

/* An entry of NO_PROXY: "*", "host", ".domain", each with or without a port. A
 * domain covers what lies below it. */
static bool no_proxy_matches(struct str entry, const char *host, uint16_t port)
{
	size_t n = strlen(host);
	const char *colon = memchr(entry.ptr, ':', entry.len);

	if (str_is(entry, "*"))
		return true;
	if (colon && !memchr(colon + 1, ':',
			     entry.len - (size_t)(colon + 1 - entry.ptr))) {
		if (strtol(colon + 1, NULL, 10) != port)
			return false;
		entry.len = (size_t)(colon - entry.ptr);
	}
	if (entry.len && entry.ptr[0] == '*') {
		entry.ptr++;
		entry.len--;
	}
	if (entry.len && entry.ptr[0] == '.') {
		entry.ptr++;
		entry.len--;
	}
	if (entry.len == 0 || entry.len > n ||
		strncasecmp(host + n - entry.len, entry.ptr, entry.len) != 0)
		return false;
	return entry.len == n || host[n - entry.len - 1] == '.';
}

bool proxy_uses_upstream(const struct proxy *p, const char *host, uint16_t port)
{
	const char *s = p->no_proxy;

	if (!p->upstream_host)
		return false;
	while (s && *s) {
		struct str entry;

		s += strspn(s, ", \t");
		entry.ptr = s;
		entry.len = strcspn(s, ", \t");
		if (entry.len && no_proxy_matches(entry, host, port))
			return false;
		s += entry.len;
	}
	return true;
}

/* --- life --- */

/* Two descriptors for each connection are more than the usual limit. */
static void raise_file_limit(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) < 0 || rl.rlim_cur >= FILES_WANTED)
		return;
	rl.rlim_cur = rl.rlim_max < FILES_WANTED ? rl.rlim_max : FILES_WANTED;
	(void)setrlimit(RLIMIT_NOFILE, &rl);
}

struct proxy *proxy_new(struct loop *loop, const struct netrules *rules,
	const char *upstream, const char *no_proxy, proxy_seen_fn *seen,
	void *arg, struct err *err)
{
	struct proxy *p = xcalloc(1, sizeof(*p));

	p->loop = loop;
	p->rules = rules;
	p->seen_fn = seen;
	p->seen_arg = arg;
	p->no_proxy = no_proxy ? xstrdup(no_proxy) : NULL;
	if (upstream && *upstream && set_upstream(p, upstream, err) < 0) {
		proxy_free(p);
		return NULL;
	}
	p->resolver = resolver_new(loop);
	if (!p->resolver) {
		err_set(err, AR_EIO, N_("cannot make a pipe: %s"),
			err_str(errno));
		proxy_free(p);
		return NULL;
	}
	raise_file_limit();
	return p;
}

void proxy_free(struct proxy *p)
{
	if (!p)
		return;
	loop_timer_clear(p->loop, &p->pause);
	while (p->listeners) {
		struct proxy_listener *l = p->listeners;

		p->listeners = l->next;
		loop_unwatch(l->watch);
		close(l->fd);
		free(l->host);
		free(l);
	}
	while (p->conns)
		conn_close(p->conns);
	resolver_free(p->resolver);
	free(p->upstream_host);
	free(p->upstream_auth);
	free(p->no_proxy);
	free(p);
}

#include "config.h"

#include "sandbox/proxy-conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/xalloc.h"

#define HEAD_MS 15000
#define CONNECT_MS 30000
#define CONNECT_NEXT_MS 5000 /* while there is another address to try */
#define ANSWER_MS 5000

static void on_client(void *arg, int fd, short revents);
static void on_server(void *arg, int fd, short revents);
static void connect_next(struct conn *c);

/* --- life --- */

void conn_watch(struct conn_side *side, short events)
{
	if (side->watch && side->events != events) {
		loop_watch_set(side->watch, events);
		side->events = events;
	}
}

static void side_open(
	struct conn *c, struct conn_side *side, int fd, short events)
{
	int on = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	side->fd = fd;
	side->events = events;
	side->watch = loop_watch(c->p->loop, fd, events,
		side == &c->client ? on_client : on_server, c);
}

static void side_close(struct conn_side *side)
{
	loop_unwatch(side->watch);
	side->watch = NULL;
	if (side->fd >= 0)
		close(side->fd);
	side->fd = -1;
	strbuf_release(&side->out);
}

static struct conn *conn_new(struct proxy *p, int fd)
{
	struct conn *c = xcalloc(1, sizeof(*c));

	c->p = p;
	c->client.fd = c->server.fd = -1;
	strbuf_init(&c->client.out);
	strbuf_init(&c->server.out);
	strbuf_init(&c->in.data);
	strbuf_init(&c->reply.data);
	strbuf_init(&c->rq.head);
	c->next = p->conns;
	if (c->next)
		c->next->prev = c;
	p->conns = c;
	p->conn_count++;
	side_open(c, &c->client, fd, 0);
	return c;
}

void conn_close(struct conn *c)
{
	struct proxy *p = c->p;

	resolver_cancel(c->query);
	loop_timer_clear(p->loop, &c->timer);
	side_close(&c->client);
	side_close(&c->server);
	strbuf_release(&c->in.data);
	strbuf_release(&c->reply.data);
	strbuf_release(&c->rq.head);
	if (c->prev)
		c->prev->next = c->next;
	else
		p->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	p->conn_count--;
	free(c);
	proxy_conn_gone(p);
}

static void on_close_limit(void *arg)
{
	conn_close(arg);
}

/* --- answers of our own --- */

static void go_on_answering(struct conn *c)
{
	if (conn_flush(&c->client) < 0)
		conn_close(c);
	else if (c->client.out.len == 0)
		conn_linger(c);
	else
		conn_watch(&c->client, POLLOUT);
}

static void answer(
	struct conn *c, int status, const char *reason, const char *text)
{
	if (c->forward) {
		conn_close(c); /* no HTTP is spoken here */
		return;
	}
	side_close(&c->server);
	c->state = CONN_ANSWER;
	proxy_add_answer(&c->client.out, status, reason, text);
	loop_timer_set(c->p->loop, &c->timer, ANSWER_MS, on_close_limit, c);
	go_on_answering(c);
}

static void refuse(struct conn *c, const char *reason)
{
	struct strbuf text = STRBUF_INIT;
	const char *host = c->rq.host;
	unsigned port = c->rq.port;
	bool plain = port == 80 || port == 443;
	bool v6 = strchr(host, ':') != NULL;

	proxy_tell(c->p, host, c->rq.port, reason);
	proxy_add_authority(&text, host, c->rq.port);
	if (strcmp(reason, "private_address") == 0)
		strbuf_addstr(&text,
			" is a private address; it can only be allowed as an "
			"address, with --allow-host ADDRESS");
	else
		strbuf_addf(&text,
			" is not allowed; allow it with "
			"--allow-host %s%s%s",
			v6 ? "[" : "", host, v6 ? "]" : "");
	if (strcmp(reason, "not_allowed") == 0 && !plain)
		strbuf_addf(&text, ":%u", port);
	answer(c, 403, reason, text.buf);
	strbuf_release(&text);
}

static void fail(struct conn *c, const char *why)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "cannot connect to ");
	proxy_add_authority(&text, c->rq.host, c->rq.port);
	strbuf_addf(&text, ": %s", why);
	answer(c, 502, NULL, text.buf);
	strbuf_release(&text);
}

/* --- connecting --- */

static void on_connect_limit(void *arg)
{
	struct conn *c = arg;

	c->last_error = ETIMEDOUT;
	side_close(&c->server);
	connect_next(c);
}

/* The bytes that came behind the request. */
static void pass_rest(struct conn *c)
{
	const struct strbuf *in = &c->in.data;
	size_t n = in->len - c->in.len;

	if (c->body_left != PROXY_BODY_UNTIL_EOF) {
		if ((int64_t)n > c->body_left)
			n = (size_t)c->body_left;
		c->body_left -= (int64_t)n;
	}
	strbuf_add(&c->server.out, in->buf + c->in.len, n);
}

static void ready(struct conn *c)
{
	const struct strbuf *reply = &c->reply.data;

	if (c->rq.connect && !c->forward)
		strbuf_addstr(&c->client.out,
			"HTTP/1.1 200 Connection established\r\n\r\n");
	strbuf_add(&c->client.out, reply->buf + c->reply.len,
		reply->len - c->reply.len);
	strbuf_add(&c->server.out, c->rq.head.buf, c->rq.head.len);
	pass_rest(c);
	conn_relay_start(c);
}

static void ask_upstream(struct conn *c)
{
	c->state = CONN_UPSTREAM;
	proxy_add_connect(
		&c->server.out, c->rq.host, c->rq.port, c->p->upstream_auth);
	conn_watch(&c->server, POLLOUT | POLLIN);
}

static void connected(struct conn *c)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(c->server.fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	if (error) {
		c->last_error = error;
		side_close(&c->server);
		connect_next(c);
	} else if (c->via_upstream) {
		ask_upstream(c);
	} else {
		ready(c);
	}
}

static int start_connect(struct conn *c, const struct resolver_address *a)
{
	int fd = socket(a->sa.ss_family, SOCK_STREAM, 0);

	if (fd < 0)
		return -1;
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (io_set_nonblock(fd, true) < 0 ||
		(connect(fd, (const struct sockaddr *)&a->sa, a->len) < 0 &&
			errno != EINPROGRESS)) {
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	side_open(c, &c->server, fd, POLLOUT);
	return 0;
}

/* Tries the checked addresses one after the other: nothing is looked up
 * again, so a name cannot turn into another address here. */
static void connect_next(struct conn *c)
{
	c->state = CONN_CONNECTING;
	while (c->at < c->count) {
		const struct resolver_address *a = &c->v[c->at++];

		if (start_connect(c, a) == 0) {
			loop_timer_set(c->p->loop, &c->timer,
				c->at < c->count ? CONNECT_NEXT_MS : CONNECT_MS,
				on_connect_limit, c);
			return;
		}
		c->last_error = errno;
	}
	fail(c, err_str(c->last_error));
}

/* --- rules --- */

static bool is_loopback(const struct sockaddr_storage *sa)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (sa->ss_family == AF_INET) {
		memcpy(&v4, sa, sizeof(v4));
		return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
	}
	memcpy(&v6, sa, sizeof(v6));
	return sa->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

/* Every address of the name must be fit, not only the one that is used. */
static bool addresses_are_fit(const struct conn *c)
{
	bool localhost = strcmp(c->rq.host, "localhost") == 0;
	size_t i;

	for (i = 0; i < c->count; i++) {
		if (c->consent && localhost && !is_loopback(&c->v[i].sa))
			return false;
		if (!c->consent &&
			netrule_private((const struct sockaddr *)&c->v[i].sa))
			return false;
	}
	return true;
}

static void on_addresses(void *arg, const struct resolver_address *v,
	size_t count, const char *why)
{
	struct conn *c = arg;

	c->query = NULL;
	if (count == 0) {
		if (!c->via_upstream)
			proxy_tell(c->p, c->rq.host, c->rq.port, NULL);
		fail(c, why);
		return;
	}
	memcpy(c->v, v, count * sizeof(*v));
	c->count = count;
	if (!c->via_upstream) {
		if (!addresses_are_fit(c)) {
			refuse(c, "private_address");
			return;
		}
		proxy_tell(c->p, c->rq.host, c->rq.port, NULL);
	}
	connect_next(c);
}

/* An address literal as the one address of C. False: HOST is a name. */
static bool add_literal(struct conn *c, const char *host, uint16_t port)
{
	struct resolver_address *a = &c->v[c->count];
	struct sockaddr_in v4 = {
		.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6, .sin6_port = htons(port)};

	if (inet_pton(AF_INET, host, &v4.sin_addr) == 1) {
		memcpy(&a->sa, &v4, sizeof(v4));
		a->len = sizeof(v4);
	} else if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1) {
		memcpy(&a->sa, &v6, sizeof(v6));
		a->len = sizeof(v6);
	} else {
		return false;
	}
	c->count++;
	return true;
}

static bool ends_in_localhost(const char *host)
{
	size_t n = strlen(host);

	return strcmp(host, "localhost") == 0 ||
	       (n > 10 && strcmp(host + n - 10, ".localhost") == 0);
}

/* Through the caller's own proxy: names are its affair, the rules ours. */
static void go_upstream(struct conn *c)
{
	const struct proxy *p = c->p;

	if ((add_literal(c, c->rq.host, c->rq.port) && !addresses_are_fit(c)) ||
		ends_in_localhost(c->rq.host)) {
		refuse(c, "private_address");
		return;
	}
	proxy_tell(c->p, c->rq.host, c->rq.port, NULL);
	c->count = 0;
	c->via_upstream = true;
	if (add_literal(c, p->upstream_host, p->upstream_port))
		connect_next(c);
	else
		c->query = resolver_lookup(p->resolver, p->upstream_host,
			p->upstream_port, on_addresses, c);
}

/* The request is complete: may it go, and where? */
static void route(struct conn *c)
{
	const struct proxy *p = c->p;
	const char *host = c->rq.host;
	uint16_t port = c->rq.port;

	c->state = CONN_RESOLVING;
	c->body_left = c->rq.body;
	loop_timer_clear(p->loop, &c->timer);
	conn_watch(&c->client, 0);
	/* The name first: what is refused is not even looked up. */
	if (!netrules_allow(p->rules, host, port)) {
		refuse(c, "not_allowed");
		return;
	}
	c->consent = netrules_consent(p->rules, host, port);
	if (!c->consent && proxy_uses_upstream(p, host, port)) {
		go_upstream(c);
		return;
	}
	if (!add_literal(c, host, port)) {
		c->query = resolver_lookup(
			p->resolver, host, port, on_addresses, c);
		return;
	}
	if (!addresses_are_fit(c)) {
		refuse(c, "private_address");
		return;
	}
	proxy_tell(c->p, host, port, NULL);
	connect_next(c);
}

/* --- reading --- */

static void on_head_limit(void *arg)
{
	answer(arg, 408, NULL, "the request took too long");
}

enum head_result {
	HEAD_MORE, /* not complete yet */
	HEAD_DONE,
	HEAD_CLOSED,
	HEAD_TOO_LONG
};

static enum head_result read_head(
	struct conn *c, struct conn_side *side, struct conn_head *h)
{
	ssize_t n = recv(side->fd, c->p->scratch, PROXY_BUFFER, 0);
	size_t len;

	if (n < 0 &&
		(errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return HEAD_MORE;
	if (n <= 0)
		return HEAD_CLOSED;
	strbuf_add(&h->data, c->p->scratch, (size_t)n);
	len = proxy_head_length(h->data.buf, h->data.len, h->len);
	if (len > PROXY_HEAD_MAX || (!len && h->data.len > PROXY_HEAD_MAX))
		return HEAD_TOO_LONG;
	h->len = len ? len : h->data.len;
	return len ? HEAD_DONE : HEAD_MORE;
}

static void read_request(struct conn *c)
{
	enum head_result result = read_head(c, &c->client, &c->in);
	const struct strbuf *in = &c->in.data;
	const char *why;
	int status;

	if (proxy_is_no_http(in->buf, in->len)) {
		answer(c, 400, NULL, "this is an HTTP/1.1 proxy");
		return;
	}
	switch (result) {
	case HEAD_MORE:
		break;
	case HEAD_DONE:
		status = proxy_parse(&c->rq, in->buf, c->in.len, &why);
		if (status)
			answer(c, status, NULL, why);
		else
			route(c);
		break;
	case HEAD_CLOSED:
		conn_close(c);
		break;
	case HEAD_TOO_LONG:
		answer(c, 431, NULL, "the request head is longer than 16 KiB");
		break;
	}
}

static void read_upstream(struct conn *c)
{
	enum head_result result = read_head(c, &c->server, &c->reply);
	int status = 0;

	if (result == HEAD_MORE)
		return;
	if (result == HEAD_DONE)
		status = proxy_response_status(c->reply.data.buf, c->reply.len);
	if (status >= 200 && status <= 299)
		ready(c);
	else
		fail(c, "the upstream proxy did not connect");
}

static void on_client(void *arg, int fd, short revents)
{
	struct conn *c = arg;

	(void)fd;
	switch (c->state) {
	case CONN_HEAD:
		read_request(c);
		break;
	case CONN_RESOLVING:
	case CONN_CONNECTING:
	case CONN_UPSTREAM:
		break; /* not watched */
	case CONN_RELAY:
		conn_relay(c, &c->client, revents);
		break;
	case CONN_ANSWER:
		go_on_answering(c);
		break;
	case CONN_LINGER:
		conn_discard(c);
		break;
	}
}

static void on_server(void *arg, int fd, short revents)
{
	struct conn *c = arg;

	(void)fd;
	switch (c->state) {
	case CONN_CONNECTING:
		connected(c);
		break;
	case CONN_UPSTREAM:
		if (conn_flush(&c->server) < 0) {
			fail(c, "the upstream proxy closed the connection");
			break;
		}
		conn_watch(&c->server,
			(short)(POLLIN | (c->server.out.len ? POLLOUT : 0)));
		if (revents & ~POLLOUT)
			read_upstream(c);
		break;
	case CONN_RELAY:
		conn_relay(c, &c->server, revents);
		break;
	case CONN_HEAD:
	case CONN_RESOLVING:
	case CONN_ANSWER:
	case CONN_LINGER:
		break; /* not there */
	}
}

void conn_accept(struct proxy *p, int fd)
{
	struct conn *c = conn_new(p, fd);

	c->state = CONN_HEAD;
	conn_watch(&c->client, POLLIN);
	loop_timer_set(p->loop, &c->timer, HEAD_MS, on_head_limit, c);
}

void conn_forward(struct proxy *p, int fd, const char *host, uint16_t port)
{
	struct conn *c = conn_new(p, fd);

	c->forward = true;
	c->consent = true;
	c->rq.connect = true;
	c->rq.port = port;
	c->body_left = PROXY_BODY_UNTIL_EOF;
	memcpy(c->rq.host, host, strlen(host) + 1);
	if (!add_literal(c, host, port)) {
		(void)add_literal(c, "127.0.0.1", port);
		(void)add_literal(c, "::1", port);
	}
	proxy_tell(p, host, port, NULL);
	connect_next(c);
}

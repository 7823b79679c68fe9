#include "config.h"

#include "sandbox/proxy-conn.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINGER_MS 1000
#define LINGER_BYTES ((size_t)65536)

static bool would_block(void)
{
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

int conn_flush(struct conn_side *side)
{
	ssize_t n;

	if (side->out.len == 0)
		return 0;
	n = send(side->fd, side->out.buf, side->out.len, MSG_NOSIGNAL);
	if (n < 0)
		return would_block() ? 0 : -1;
	strbuf_drop(&side->out, (size_t)n);
	if (side->out.len == 0)
		strbuf_release(&side->out);
	return 0;
}

/* Sends at once what the socket takes and keeps the rest. */
static int pass_on(struct conn_side *to, const char *data, size_t len)
{
	ssize_t n = 0;

	if (to->out.len == 0) {
		n = send(to->fd, data, len, MSG_NOSIGNAL);
		if (n < 0 && !would_block())
			return -1;
		if (n < 0)
			n = 0;
	}
	strbuf_add(&to->out, data + n, len - (size_t)n);
	return 0;
}

/* Bytes behind the end of a request: of no use to the server. A client that
 * sends them after the answer has begun takes the connection for a lasting one
 * and must learn better. */
static int take_extra(struct conn *c)
{
	return c->answered ? -1 : 0;
}

/* Reads once from FROM. Nothing is read while the other side has something
 * left to write, so one buffer for each way is all there is. */
static int pump(struct conn *c, struct conn_side *from, struct conn_side *to)
{
	bool request = from == &c->client;
	char *data = c->p->scratch;
	ssize_t n;

	if (from->eof || to->out.len > 0)
		return 0;
	n = recv(from->fd, data, PROXY_BUFFER, 0);
	if (n < 0)
		return would_block() ? 0 : -1;
	if (n == 0) {
		from->eof = true;
		return 0;
	}
	if (!request) {
		c->answered = true;
	} else if (c->body_left != PROXY_BODY_UNTIL_EOF) {
		if (c->body_left == 0)
			return take_extra(c);
		if (n > c->body_left)
			n = (ssize_t)c->body_left;
		c->body_left -= n;
	}
	return pass_on(to, data, (size_t)n);
}

/* Half-close: one side's end becomes the other side's, behind the last byte. */
static void pass_eof(struct conn_side *from, struct conn_side *to)
{
	if (!from->eof || to->shut || to->out.len > 0)
		return;
	(void)shutdown(to->fd, SHUT_WR);
	to->shut = true;
}

static void watch_both(struct conn *c)
{
	struct conn_side *a = &c->client;
	struct conn_side *b = &c->server;

	conn_watch(a, (short)((a->out.len ? POLLOUT : 0) |
			      (!a->eof && !b->out.len ? POLLIN : 0)));
	conn_watch(b, (short)((b->out.len ? POLLOUT : 0) |
			      (!b->eof && !a->out.len ? POLLIN : 0)));
}

static void settle(struct conn *c)
{
	pass_eof(&c->client, &c->server);
	if (!c->rq.connect && c->server.eof && c->client.out.len == 0) {
		conn_linger(c); /* the answer is complete */
		return;
	}
	pass_eof(&c->server, &c->client);
	if (c->client.shut && c->server.shut) {
		conn_close(c);
		return;
	}
	watch_both(c);
}

void conn_relay_start(struct conn *c)
{
	c->state = CONN_RELAY;
	loop_timer_clear(c->p->loop, &c->timer);
	strbuf_release(&c->in.data);
	strbuf_release(&c->reply.data);
	if (conn_flush(&c->client) < 0 || conn_flush(&c->server) < 0) {
		conn_close(c);
		return;
	}
	settle(c);
}

void conn_relay(struct conn *c, struct conn_side *side, short revents)
{
	struct conn_side *other = side == &c->client ? &c->server : &c->client;
	int ret = 0;

	if (revents & POLLOUT)
		ret = conn_flush(side);
	if (ret == 0 && (revents & (POLLIN | POLLHUP | POLLERR)))
		ret = pump(c, side, other);
	if (ret < 0)
		conn_close(c);
	else
		settle(c);
}

static void on_linger_limit(void *arg)
{
	conn_close(arg);
}

/* Closing at once would send a reset for what was not read, and the answer
 * could be lost with it. */
void conn_linger(struct conn *c)
{
	c->state = CONN_LINGER;
	(void)shutdown(c->client.fd, SHUT_WR);
	conn_watch(&c->client, POLLIN);
	conn_watch(&c->server, 0);
	loop_timer_set(c->p->loop, &c->timer, LINGER_MS, on_linger_limit, c);
}

void conn_discard(struct conn *c)
{
	ssize_t n = recv(c->client.fd, c->p->scratch, PROXY_BUFFER, 0);

	if (n < 0 && would_block())
		return;
	if (n > 0)
		c->discarded += (size_t)n;
	if (n <= 0 || c->discarded >= LINGER_BYTES)
		conn_close(c);
}

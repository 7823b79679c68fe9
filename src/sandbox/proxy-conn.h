#ifndef AGENTRUN_SANDBOX_PROXY_CONN_H
#define AGENTRUN_SANDBOX_PROXY_CONN_H

#include "base/loop.h"
#include "sandbox/netrule.h"
#include "sandbox/proxy-http.h"
#include "sandbox/proxy.h"
#include "sandbox/resolver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* proxy-conn: one connection of a client, from accept to close. Shared by
 * proxy.c (listeners, rules), proxy-conn.c (set-up) and proxy-relay.c (bytes).
 */
#define PROXY_BUFFER ((size_t)65536)

enum conn_state {
	CONN_HEAD,       /* reading the request */
	CONN_RESOLVING,  /* waiting for addresses */
	CONN_CONNECTING, /* to c->v[c->at] */
	CONN_UPSTREAM,   /* waiting for the upstream proxy's answer */
	CONN_RELAY,      /* bytes both ways */
	CONN_ANSWER,     /* an answer of our own is on its way */
	CONN_LINGER      /* reading what is left, so that it arrives */
};

struct conn_side {
	int fd;
	struct loop_fd *watch;
	short events;      /* what is watched now */
	struct strbuf out; /* to be written to fd */
	bool eof;          /* it sends no more */
	bool shut;         /* we send no more */
};

struct conn_head {
	struct strbuf data;
	size_t len; /* of the head once it is complete; till then: how much
		       was looked through */
};

struct conn {
	struct proxy *p;
	struct conn *prev;
	struct conn *next;
	enum conn_state state;
	struct conn_side client;
	struct conn_side server;
	struct loop_timer timer;

	struct conn_head in;    /* the request, and what came behind it */
	struct conn_head reply; /* the same of the upstream proxy */
	struct proxy_request rq;
	bool forward; /* no request: to the loopback outside */
	bool consent; /* private addresses are wanted */
	bool via_upstream;
	int64_t body_left; /* bytes the server still gets */
	bool answered;     /* the server has sent something */
	size_t discarded;

	struct resolver_query *query;
	struct resolver_address v[RESOLVER_ADDRESSES_MAX];
	size_t count;
	size_t at;
	int last_error; /* errno of the last connect */
};

struct proxy {
	struct loop *loop;
	const struct netrules *rules;
	struct resolver *resolver;
	proxy_seen_fn *seen_fn;
	void *seen_arg;
	struct proxy_listener *listeners;
	bool full; /* the listeners are paused */
	struct loop_timer pause;
	struct conn *conns;
	size_t conn_count;

	char *upstream_host; /* NULL: none */
	uint16_t upstream_port;
	char *upstream_auth; /* base64, or NULL */
	char *no_proxy;      /* or NULL */

	char scratch[PROXY_BUFFER];
};

/* Starts to serve FD, a client that was accepted (taken over, non-blocking). */
void conn_accept(struct proxy *p, int fd);

/* The same for a client that gets HOST:PORT of the outside without a request.
 */
void conn_forward(struct proxy *p, int fd, const char *host, uint16_t port);

/* Closes both sides and frees C. */
void conn_close(struct conn *c);

/* Watches SIDE for EVENTS only (0: nothing). */
void conn_watch(struct conn_side *side, short events);

/* proxy-relay.c: both sides are connected; what stands in out and in goes
 * first. */
void conn_relay_start(struct conn *c);

/* One turn of the relay after poll reported something for SIDE. */
void conn_relay(struct conn *c, struct conn_side *side, short revents);

/* Writes what it can of side->out. Returns 0, or -1: the connection is dead. */
int conn_flush(struct conn_side *side);

/* Ends writing to the client and reads what is left for a moment. */
void conn_linger(struct conn *c);

/* A turn of that. */
void conn_discard(struct conn *c);

/* proxy.c: tells of (HOST, PORT), the first time. REASON NULL: allowed. */
void proxy_tell(
	struct proxy *p, const char *host, uint16_t port, const char *reason);

/* True when HOST:PORT goes through the caller's own proxy. */
bool proxy_uses_upstream(
	const struct proxy *p, const char *host, uint16_t port);

/* A connection has gone: there is room for another one. */
void proxy_conn_gone(struct proxy *p);

#endif

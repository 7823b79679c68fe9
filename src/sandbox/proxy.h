#ifndef AGENTRUN_SANDBOX_PROXY_H
#define AGENTRUN_SANDBOX_PROXY_H

#include "base/loop.h"
#include "sandbox/netrule.h"

/* proxy: the HTTP filter in the poll loop (design: sandbox 7). */
struct proxy;

/* REASON: NULL when allowed, else "not_allowed" or "private_address". Called
 * for every connection: which of them are new is the listener's to know (the
 * aggregator gives an event for each host, port and decision once). */
typedef void proxy_seen_fn(void *arg, const char *host, uint16_t port,
	bool allowed, const char *reason);

/* RULES are borrowed for the proxy's life. UPSTREAM: "http://host:port" of the
 * caller's own proxy or NULL; NO_PROXY: the caller's list or NULL. NULL with
 * ERR when UPSTREAM cannot be used. */
struct proxy *proxy_new(struct loop *loop, const struct netrules *rules,
	const char *upstream, const char *no_proxy, proxy_seen_fn *seen,
	void *arg, struct err *err);
void proxy_free(struct proxy *p);

/* Serves HTTP proxy requests on a listening socket, which it takes over. */
void proxy_listen(struct proxy *p, int fd);

/* Hands every connection of the listening socket FD (taken over) to
 * HOST:PORT, a loopback model server of the outside. */
void proxy_forward(struct proxy *p, int fd, const char *host, uint16_t port);

/* Opens a listener on 127.0.0.1 of the host (no sandbox). Returns the port, or
 * 0 with ERR. */
uint16_t proxy_listen_here(struct proxy *p, struct err *err);

#endif

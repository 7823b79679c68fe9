#ifndef AGENTRUN_SANDBOX_RESOLVER_H
#define AGENTRUN_SANDBOX_RESOLVER_H

#include "base/loop.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* resolver: getaddrinfo() beside the loop. One detached thread for each lookup,
 * at most 16 at once; a name server that never answers delays nobody else. */
#define RESOLVER_ADDRESSES_MAX 16

struct resolver_address {
	struct sockaddr_storage sa;
	socklen_t len;
};

struct resolver;
struct resolver_query;

/* Called once from the loop. COUNT 0: WHY says what went wrong (English). The
 * query is gone then. */
typedef void resolver_fn(void *arg, const struct resolver_address *v,
	size_t count, const char *why);

struct resolver *resolver_new(struct loop *loop);

/* Queries that are open are forgotten, without a call. */
void resolver_free(struct resolver *r);

/* Never calls FN before it returns. Gives up after 10 s. */
struct resolver_query *resolver_lookup(struct resolver *r, const char *host,
	uint16_t port, resolver_fn *fn, void *arg);

/* Forgets the query. NULL is allowed. */
void resolver_cancel(struct resolver_query *q);

#endif

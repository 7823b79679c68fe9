#ifndef AGENTRUN_RUN_NETWORK_H
#define AGENTRUN_RUN_NETWORK_H

#include "base/err.h"
#include "base/loop.h"
#include "base/strvec.h"
#include "runtime/runtime.h"
#include "sandbox/netrule.h"
#include "sandbox/proxy.h"

#include <stddef.h>
#include <stdint.h>

/* network: the host filter of one run. The plan is made by the preflight and
 * needs no loop; the network is the running proxy. */

/* What the plan is made from; borrowed for the call. */
struct network_config {
	const struct runtime_ops *runtime;
	enum runtime_network mode;
	const struct strvec *allow_host; /* as given */
	const struct strvec *env;        /* KEY=VALUE the runtime gets: its base
					    URLs are read from it */
	const struct strvec *base_urls;  /* further ones, from the runtime's
					    own settings, or NULL */
	const char *upstream; /* the caller's HTTPS_PROXY or HTTP_PROXY */
	const char *no_proxy; /* and NO_PROXY; both may be NULL */
};

/* A server on the loopback of the outside that is reached from the inside at
 * the same port. */
struct network_loopback {
	char *host; /* as named: "127.0.0.1", "::1", "localhost" */
	uint16_t port;
};

struct network_plan {
	struct netrules rules;
	struct network_loopback *loopback;
	uint16_t *loopback_ports; /* the same ports, for sandbox_spec */
	size_t loopback_count;
	uint16_t proxy_port; /* inside */
	char *upstream;      /* or NULL */
	char *no_proxy;      /* or NULL */
};

/* Returns 0, or -1 with ERR (AR_EUSAGE): a bad --allow-host, say. Release the
 * plan in both cases. */
int network_plan_init(struct network_plan *p, const struct network_config *c,
	struct err *err);
void network_plan_release(struct network_plan *p);

/* Sets the proxy variables in ENV, replacing what stands there: for PORT of
 * 127.0.0.1 as the runtime sees it (inside: p->proxy_port). */
void network_env(struct strvec *env, uint16_t port);

/* Inside a box ssh has no way out but the proxy: sets GIT_SSH_COMMAND, when
 * port 22 of some host is allowed and the caller has not set it. */
void network_env_ssh(const struct network_plan *p, struct strvec *env);

/* The names that network_env sets, NULL at the end. */
extern const char *const network_env_names[];

struct network;

/* SEEN: see proxy.h. P is borrowed for the life of the network. NULL with
 * ERR. */
struct network *network_new(struct loop *loop, const struct network_plan *p,
	proxy_seen_fn *seen, void *arg, struct err *err);
void network_free(struct network *n);

/* sandbox_events.listener: takes FD over. */
void network_listener(struct network *n, int fd, uint16_t port);

/* Without a sandbox: listens on 127.0.0.1. Returns the port, or 0 with ERR. */
uint16_t network_listen_here(struct network *n, struct err *err);

#endif

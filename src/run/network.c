#include "config.h"

#include "run/network.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

#define PROXY_PORT 61080 /* inside: the network there is empty */

const char *const network_env_names[] = {"HTTP_PROXY", "HTTPS_PROXY",
	"ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "NO_PROXY",
	"no_proxy", "NODE_USE_ENV_PROXY", NULL};

struct network {
	const struct network_plan *plan;
	struct proxy *proxy;
};

void network_env(struct strvec *env, uint16_t port)
{
	struct strbuf url = STRBUF_INIT;
	size_t i;

	strbuf_addf(&url, "http://127.0.0.1:%u", (unsigned)port);
	for (i = 0; network_env_names[i]; i++) {
		const char *name = network_env_names[i];

		if (strncasecmp(name, "no_", 3) == 0)
			strvec_env_set(env, name, "localhost,127.0.0.1,::1");
		else if (strncmp(name, "NODE_", 5) == 0)
			strvec_env_set(env, name, "1");
		else
			strvec_env_set(env, name, url.buf);
	}
	strbuf_release(&url);
}

static bool allows_ssh(const struct netrules *r)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if (r->v[i].port == 22)
			return true;
	return r->full;
}

void network_env_ssh(const struct network_plan *p, struct strvec *env)
{
	char self[PATH_MAX];
	struct strbuf command = STRBUF_INIT;

	if (!allows_ssh(&p->rules) || strvec_env_get(env, "GIT_SSH_COMMAND") ||
		!realpath("/proc/self/exe", self) || strpbrk(self, "'\"% "))
		return;
	strbuf_addf(&command,
		"ssh -o ProxyCommand='%s --sandbox-connect %%h %%p'", self);
	strvec_env_set(env, "GIT_SSH_COMMAND", command.buf);
	strbuf_release(&command);
}

/* --- the plan --- */

/* Not a name that only begins so: 127.0.0.1.example.com. */
static bool is_loopback(const struct netrule *rule)
{
	return strcmp(rule->host, "localhost") == 0 ||
	       (rule->literal && (strcmp(rule->host, "::1") == 0 ||
					 strncmp(rule->host, "127.", 4) == 0));
}

static void add_loopback(
	struct network_plan *p, const char *host, uint16_t port)
{
	size_t n = p->loopback_count;
	size_t i;

	for (i = 0; i < n; i++)
		if (p->loopback[i].port == port)
			return; /* one server for each port */
	p->loopback = xreallocarray(p->loopback, n + 1, sizeof(*p->loopback));
	p->loopback_ports = xreallocarray(
		p->loopback_ports, n + 1, sizeof(*p->loopback_ports));
	p->loopback[n].host = xstrdup(host);
	p->loopback[n].port = port;
	p->loopback_ports[n] = port;
	p->loopback_count++;
}

/* Adds ENTRY to the rules; with an explicit port on a loopback address it is a
 * server of the outside that is shown inside, too. */
static int add_entry(struct network_plan *p, const char *entry, struct err *err)
{
	const struct netrule *rule;

	if (netrules_add(&p->rules, entry, err) < 0)
		return -1;
	rule = &p->rules.v[p->rules.count - 1];
	if (!rule->wildcard && rule->port && is_loopback(rule))
		add_loopback(p, rule->host, rule->port);
	return 0;
}

/* "http://host:port/path" as an entry, "host:port"; false: no URL. */
static bool url_entry(const char *url, struct strbuf *out)
{
	const char *port = ":443";
	const char *host;
	const char *at;
	size_t n;

	strbuf_reset(out);
	if (strncasecmp(url, "https://", 8) == 0) {
		url += 8;
	} else if (strncasecmp(url, "http://", 7) == 0) {
		url += 7;
		port = ":80";
	} else {
		return false;
	}
	n = strcspn(url, "/?#");
	host = url;
	for (at = url + n; at > url && at[-1] != '@'; at--)
		;
	n -= (size_t)(at - url);
	if (at > url)
		host = at;
	strbuf_add(out, host, n);
	at = strrchr(out->buf, ']');
	if (!strchr(at ? at : out->buf, ':'))
		strbuf_addstr(out, port);
	return n > 0;
}

static int add_url(struct network_plan *p, const char *name, const char *url,
	bool *added, struct err *err)
{
	struct strbuf entry = STRBUF_INIT;
	int ret = 0;

	if (!url_entry(url, &entry) || add_entry(p, entry.buf, NULL) < 0)
		ret = err_set(err, AR_EUSAGE,
			N_("the base URL in %s is not http://HOST[:PORT]/... "
			   "or https://...; correct it"),
			name);
	else
		*added = true;
	strbuf_release(&entry);
	return ret;
}

/* The hosts that a runtime cannot do without. A base URL takes the place of
 * the first. */
static int add_implied(
	struct network_plan *p, const struct network_config *c, struct err *err)
{
	const struct runtime_ops *rt = c->runtime;
	struct strbuf entry = STRBUF_INIT;
	bool replaced = false;
	size_t i;

	for (i = 0; rt->base_url_env && rt->base_url_env[i]; i++) {
		const char *name = rt->base_url_env[i];
		const char *url = strvec_env_get(c->env, name);

		if (url && *url && add_url(p, name, url, &replaced, err) < 0)
			return -1;
	}
	/* What stands in a file of settings is not the caller's to correct
	 * here; it is left away when it is no URL. */
	for (i = 0; c->base_urls && i < c->base_urls->count; i++)
		(void)add_url(
			p, "settings", c->base_urls->v[i], &replaced, NULL);
	for (i = replaced ? 1 : 0; rt->hosts && rt->hosts[i]; i++) {
		strbuf_reset(&entry);
		strbuf_addf(&entry, "%s:443", rt->hosts[i]);
		(void)netrules_add(&p->rules, entry.buf, NULL);
	}
	strbuf_release(&entry);
	return 0;
}

static void choose_port(struct network_plan *p)
{
	size_t i;

	p->proxy_port = PROXY_PORT;
	for (i = 0; i < p->loopback_count; i++)
		if (p->loopback[i].port == p->proxy_port) {
			p->proxy_port++;
			i = (size_t)-1; /* look again */
		}
}

int network_plan_init(
	struct network_plan *p, const struct network_config *c, struct err *err)
{
	size_t i;

	memset(p, 0, sizeof(*p));
	netrules_init(&p->rules);
	p->rules.full = c->mode == RUNTIME_NETWORK_FULL;
	if (c->upstream && *c->upstream)
		p->upstream = xstrdup(c->upstream);
	if (c->no_proxy)
		p->no_proxy = xstrdup(c->no_proxy);
	if (add_implied(p, c, err) < 0)
		return -1;
	for (i = 0; c->allow_host && i < c->allow_host->count; i++)
		if (add_entry(p, c->allow_host->v[i], err) < 0)
			return -1;
	choose_port(p);
	return 0;
}

void network_plan_release(struct network_plan *p)
{
	size_t i;

	netrules_release(&p->rules);
	for (i = 0; i < p->loopback_count; i++)
		free(p->loopback[i].host);
	free(p->loopback);
	free(p->loopback_ports);
	free(p->upstream);
	free(p->no_proxy);
	memset(p, 0, sizeof(*p));
}

/* --- the running network --- */

struct network *network_new(struct loop *loop, const struct network_plan *p,
	proxy_seen_fn *seen, void *arg, struct err *err)
{
	struct network *n = xcalloc(1, sizeof(*n));

	n->plan = p;
	n->proxy = proxy_new(
		loop, &p->rules, p->upstream, p->no_proxy, seen, arg, err);
	if (!n->proxy) {
		free(n);
		return NULL;
	}
	return n;
}

void network_free(struct network *n)
{
	if (!n)
		return;
	proxy_free(n->proxy);
	free(n);
}

void network_listener(struct network *n, int fd, uint16_t port)
{
	size_t i;

	for (i = 0; i < n->plan->loopback_count; i++) {
		const struct network_loopback *l = &n->plan->loopback[i];

		if (l->port == port) {
			proxy_forward(n->proxy, fd, l->host, port);
			return;
		}
	}
	proxy_listen(n->proxy, fd);
}

uint16_t network_listen_here(struct network *n, struct err *err)
{
	return proxy_listen_here(n->proxy, err);
}

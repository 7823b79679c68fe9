/* fuzz-proxy: the request head and the host rules. What is accepted is safe to
 * pass on: one request line, one Host, no field that is the proxy's own. */
#include "config.h"

#include "fuzz.h"

#include <string.h>
#include <strings.h>

#include "sandbox/netrule.h"
#include "sandbox/proxy-http.h"

static void check_host(const char *host)
{
	char again[256];

	ar_assert(host[0] && strlen(host) <= 253);
	ar_assert(!strpbrk(host, " \t\r\n@%/[]?#\\"));
	ar_assert(netrule_normalise(str_of(host), again) == 0);
	ar_assert(strcmp(host, again) == 0);
}

static void check_head(const struct proxy_request *rq)
{
	const char *line = rq->head.buf;
	size_t hosts = 0;

	ar_assert(strlen(line) == rq->head.len);
	ar_assert(rq->head.len >= 4);
	ar_assert(strcmp(line + rq->head.len - 4, "\r\n\r\n") == 0);
	ar_assert(strstr(line, "\r\n\r\n") == line + rq->head.len - 4);
	while ((line = strstr(line, "\r\n"))) {
		line += 2;
		ar_assert(*line != ' ' && *line != '\t');
		ar_assert(strncasecmp(line, "proxy-", 6) != 0);
		hosts += strncasecmp(line, "host:", 5) == 0;
	}
	ar_assert(hosts == 1);
}

static void check_request(const char *data, size_t len)
{
	struct proxy_request rq = {0};
	size_t head = proxy_head_length(data, len, 0);
	const char *why = NULL;
	int status;

	(void)proxy_is_no_http(data, len);
	(void)proxy_response_status(data, len);
	strbuf_init(&rq.head);
	status = proxy_parse(&rq, data, head ? head : len, &why);
	ar_assert(status == 0 || (status == 400 && why));
	if (status == 0) {
		check_host(rq.host);
		ar_assert(rq.port != 0 && rq.body >= 0);
		if (rq.connect)
			ar_assert(rq.head.len == 0);
		else
			check_head(&rq);
	}
	strbuf_release(&rq.head);
}

static void check_rule(const char *data, size_t len)
{
	struct netrules r;
	struct strbuf entry = STRBUF_INIT;
	char host[256];

	netrules_init(&r);
	strbuf_add(&entry, data, len < 300 ? len : 300);
	if (netrules_add(&r, entry.buf, NULL) == 0) {
		const struct netrule *rule = &r.v[0];
		uint16_t port = rule->port ? rule->port : 443;

		check_host(rule->host + rule->wildcard);
		ar_assert(
			rule->wildcard !=
			netrules_allow(&r, rule->host + rule->wildcard, port));
		ar_assert(!netrules_allow(&r, "other.invalid.", port));
	}
	if (netrule_normalise(strbuf_str(&entry), host) == 0)
		check_host(host);
	netrules_release(&r);
	strbuf_release(&entry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_request((const char *)data, size);
	check_rule((const char *)data, size);
	return 0;
}

/* fuzz-proxy: what clients, servers and users tell the proxy, as text. What is
 * accepted is safe to pass on: one request line, one Host, no field that is the
 * proxy's own; a host is one that a resolver reads as we do. */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "fuzz.h"
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

/* In pieces the end is found at the same place. */
static size_t head_length(const char *data, size_t len)
{
	struct fuzz_rand r = fuzz_choice(data, len);
	size_t whole = proxy_head_length(data, len, 0);
	size_t scanned = 0;
	size_t found = 0;

	for (size_t at = 0; at < len && !found;) {
		at += 1 + fuzz_below(&r, 40);
		at = at < len ? at : len;
		found = proxy_head_length(data, at, scanned);
		scanned = at;
	}
	ar_assert(found == whole);
	return whole;
}

static void play_request(const void *arg, const char *data, size_t len)
{
	struct proxy_request rq = {0};
	size_t head = head_length(data, len);
	const char *why = NULL;
	int status;

	(void)arg;
	strbuf_init(&rq.head);
	status = proxy_parse(&rq, data, head ? head : len, &why);
	ar_assert(status == 0 || (status == 400 && why));
	if (status == 0) {
		ar_assert(!proxy_is_no_http(data, len));
		check_host(rq.host);
		ar_assert(rq.port != 0 && rq.body >= 0);
		if (rq.connect)
			ar_assert(rq.head.len == 0);
		else
			check_head(&rq);
	}
	strbuf_release(&rq.head);
}

static void play_response(const void *arg, const char *data, size_t len)
{
	size_t head = head_length(data, len);
	int status = proxy_response_status(data, head);

	(void)arg;
	ar_assert(status >= 0 && status <= 999);
	if (!status)
		return;
	ar_assert(memcmp(data, "HTTP/1.", 7) == 0);
	/* Three digits, not the first three of more. */
	ar_assert(data[12] == ' ' || data[12] == '\r' || data[12] == '\n');
}

static void play_netrule(const void *arg, const char *data, size_t len)
{
	struct netrules r;
	struct err err = ERR_INIT;
	struct strbuf entry = STRBUF_INIT;
	char host[256];

	(void)arg;
	netrules_init(&r);
	strbuf_add(&entry, data, len);
	if (netrules_add(&r, entry.buf, &err) == 0) {
		const struct netrule *rule = &r.v[0];
		uint16_t port = rule->port ? rule->port : 443;

		check_host(rule->host + rule->wildcard);
		ar_assert(
			rule->wildcard !=
			netrules_allow(&r, rule->host + rule->wildcard, port));
		ar_assert(!netrules_allow(&r, "other.invalid.", port));
		ar_assert(!netrules_consent(&r, "other.invalid.", port));
	} else {
		ar_assert(err.code == AR_EUSAGE && err.msg[0]);
	}
	if (netrule_normalise(strbuf_str(&entry), host) == 0)
		check_host(host);
	netrules_release(&r);
	strbuf_release(&entry);
}

static const char *const request_words[] = {"GET ", "CONNECT ", "POST ",
	"http://", "HTTP/1.1\r\n", "HTTP/1.0\r\n", "\r\n", "\r\n\r\n",
	"Host: ", "Connection: ", "close", "keep-alive", "Proxy-",
	"Proxy-Authorization: ", "Transfer-Encoding: ", "chunked",
	"Content-Length: ", "TE: ", "Upgrade: ", ":443", ":80", "[::1]", "a.b",
	"127.0.0.1", "@", NULL};

static const char *const response_words[] = {
	"HTTP/1.1 200 OK", "HTTP/1.0 ", "407", "\r\n", "\r\n\r\n", NULL};

static const char *const rule_words[] = {"*.", "[", "]", "::", "::1", ":443",
	".", "localhost", "127.1", "0x7f.1", "xn--", "%lo", "a.b", NULL};

const struct fuzz_target fuzz_proxy_request = {
	.name = "proxy-request",
	.max = PROXY_HEAD_MAX,
	.play = play_request,
	.words = request_words,
};

const struct fuzz_target fuzz_proxy_response = {
	.name = "proxy-response",
	.max = 1024,
	.play = play_response,
	.words = response_words,
};

const struct fuzz_target fuzz_netrule = {
	.name = "netrule",
	.max = 300,
	.play = play_netrule,
	.words = rule_words,
};

#ifndef AGENTRUN_SANDBOX_PROXY_HTTP_H
#define AGENTRUN_SANDBOX_PROXY_HTTP_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* proxy-http: requests to the proxy as text; no sockets here. */
#define PROXY_HEAD_MAX ((size_t)16384)
#define PROXY_BODY_UNTIL_EOF INT64_MAX

struct proxy_request {
	bool connect;
	char host[256]; /* normalised */
	uint16_t port;
	struct strbuf head; /* what the server gets; empty for CONNECT */
	int64_t body;       /* bytes that follow the head, or UNTIL_EOF */
};

/* Length of the head at the start of DATA, its empty line included; 0: not
 * complete yet. The first SCANNED bytes are known to hold no end. */
size_t proxy_head_length(const char *data, size_t len, size_t scanned);

/* True when DATA cannot become a request whatever follows: TLS, SOCKS. */
bool proxy_is_no_http(const char *data, size_t len);

/* Reads a complete head. Returns 0, or the status to answer with (400); then
 * *WHY says what is wrong. RQ->head is initialised by the caller. */
int proxy_parse(struct proxy_request *rq, const char *head, size_t len,
	const char **why);

/* Appends HOST:PORT, with brackets around an IPv6 address. */
void proxy_add_authority(struct strbuf *out, const char *host, uint16_t port);

/* Appends a CONNECT request; AUTH (base64) may be NULL. */
void proxy_add_connect(
	struct strbuf *out, const char *host, uint16_t port, const char *auth);

/* Appends an answer of the proxy's own. REASON: the X-Agentrun-Reason, or NULL.
 * TEXT: one line. */
void proxy_add_answer(
	struct strbuf *out, int status, const char *reason, const char *text);

/* The status of a complete response head, or 0 when it is none. */
int proxy_response_status(const char *head, size_t len);

/* Appends S in base64. */
void proxy_add_base64(struct strbuf *out, const char *s, size_t len);

#endif

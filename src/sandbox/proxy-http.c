#include "config.h"

#include "sandbox/proxy-http.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/strset.h"
#include "sandbox/netrule.h"

size_t proxy_head_length(const char *data, size_t len, size_t scanned)
{
	size_t i;

	/* Also where the empty line is badly written: proxy_parse says so. */
	for (i = scanned > 1 ? scanned : 1; i < len; i++) {
		if (data[i] != '\n')
			continue;
		if (data[i - 1] == '\n')
			return i + 1;
		if (i >= 2 && data[i - 1] == '\r' && data[i - 2] == '\n')
			return i + 1;
	}
	return 0;
}

static bool is_token_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_token(struct str s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (!is_token_char(s.ptr[i]))
			return false;
	return s.len > 0;
}

bool proxy_is_no_http(const char *data, size_t len)
{
	return len > 0 && !is_token_char(data[0]);
}

/* Every line ends in CR LF, and neither nor NUL stands anywhere else. */
static bool lines_are_clean(const char *head, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (head[i] == '\0')
			return false;
		if (head[i] == '\n' && (i == 0 || head[i - 1] != '\r'))
			return false;
		if (head[i] == '\r' && (i + 1 == len || head[i + 1] != '\n'))
			return false;
	}
	return len >= 4 && memcmp(head + len - 4, "\r\n\r\n", 4) == 0;
}

/* Takes the next line off *REST, without its end. */
static struct str next_line(struct str *rest)
{
	const char *end = memchr(rest->ptr, '\r', rest->len);
	struct str line = {rest->ptr, (size_t)(end - rest->ptr)};

	rest->ptr = end + 2;
	rest->len -= line.len + 2;
	return line;
}

/* Takes what stands before the next C off *REST. */
static bool cut(struct str *rest, char c, struct str *part)
{
	const char *end = memchr(rest->ptr, c, rest->len);

	if (!end)
		return false;
	part->ptr = rest->ptr;
	part->len = (size_t)(end - rest->ptr);
	rest->ptr = end + 1;
	rest->len -= part->len + 1;
	return true;
}

static bool parse_number(struct str s, int64_t max, int64_t *out)
{
	int64_t n = 0;
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
		n = n * 10 + (s.ptr[i] - '0');
		if (n > max)
			return false;
	}
	*out = n;
	return s.len > 0;
}

/* HOST[:PORT]; *PORT keeps its value when there is none. */
static bool parse_authority(
	struct str s, struct proxy_request *rq, bool *has_port)
{
	struct str host = s;
	struct str port = {NULL, 0};
	int64_t n = 0;
	size_t i = 0;

	if (s.len > 0 && s.ptr[0] == '[') {
		while (i < s.len && s.ptr[i] != ']')
			i++;
		if (i == s.len)
			return false;
		i++;
	} else {
		while (i < s.len && s.ptr[i] != ':')
			i++;
	}
	host.len = i;
	*has_port = i < s.len;
	if (*has_port) {
		if (s.ptr[i] != ':')
			return false;
		port.ptr = s.ptr + i + 1;
		port.len = s.len - i - 1;
		if (port.len > 5 || !parse_number(port, 65535, &n) || n == 0)
			return false;
		rq->port = (uint16_t)n;
	}
	return netrule_normalise(host, rq->host) == 0;
}

void proxy_add_authority(struct strbuf *out, const char *host, uint16_t port)
{
	if (strchr(host, ':'))
		strbuf_addf(out, "[%s]:%u", host, (unsigned)port);
	else
		strbuf_addf(out, "%s:%u", host, (unsigned)port);
}

/* "http://host:port/path" in origin form into RQ->head. */
static bool parse_absolute(
	struct proxy_request *rq, struct str method, struct str uri)
{
	static const char scheme[] = "http://";
	struct str authority;
	bool has_port;
	size_t i = 0;

	if (uri.len < sizeof(scheme) - 1 ||
		strncasecmp(uri.ptr, scheme, sizeof(scheme) - 1) != 0)
		return false;
	uri.ptr += sizeof(scheme) - 1;
	uri.len -= sizeof(scheme) - 1;
	while (i < uri.len && !strchr("/?#", uri.ptr[i]))
		i++;
	authority.ptr = uri.ptr;
	authority.len = i;
	rq->port = 80;
	if (!parse_authority(authority, rq, &has_port))
		return false;
	uri.ptr += i;
	uri.len -= i;
	for (i = 0; i < uri.len; i++)
		if ((unsigned char)uri.ptr[i] <= ' ' || uri.ptr[i] == 0x7f ||
			uri.ptr[i] == '#')
			return false;
	strbuf_adds(&rq->head, method);
	strbuf_addch(&rq->head, ' ');
	if (uri.len == 0 || uri.ptr[0] != '/')
		strbuf_addch(&rq->head, '/');
	strbuf_adds(&rq->head, uri);
	strbuf_addstr(&rq->head, " HTTP/1.1\r\nHost: ");
	/* From the URI: the Host field of a client may name another one. */
	if (rq->port != 80)
		proxy_add_authority(&rq->head, rq->host, rq->port);
	else if (strchr(rq->host, ':'))
		strbuf_addf(&rq->head, "[%s]", rq->host);
	else
		strbuf_addstr(&rq->head, rq->host);
	strbuf_addstr(&rq->head, "\r\nConnection: close\r\n");
	return true;
}

static bool str_is_nocase(struct str s, const char *name)
{
	return s.len == strlen(name) && strncasecmp(s.ptr, name, s.len) == 0;
}

static struct str trim(struct str s)
{
	while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) {
		s.ptr++;
		s.len--;
	}
	while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* One field between its name and value; false: badly written. */
static bool split_field(struct str line, struct str *name, struct str *value)
{
	if (!cut(&line, ':', name) || !is_token(*name))
		return false;
	*value = trim(line);
	return true;
}

static struct str lower(struct strbuf *out, struct str s)
{
	strbuf_reset(out);
	for (size_t i = 0; i < s.len; i++)
		strbuf_addch(out, s.ptr[i] >= 'A' && s.ptr[i] <= 'Z'
					  ? (char)(s.ptr[i] - 'A' + 'a')
					  : s.ptr[i]);
	return strbuf_str(out);
}

/* The names that the Connection fields list, in lower case. */
static void find_listed(struct str fields, struct strset *listed)
{
	struct strbuf name = STRBUF_INIT;

	while (fields.len > 2) {
		struct str field;
		struct str list;

		if (!split_field(next_line(&fields), &field, &list) ||
			!str_is_nocase(field, "connection"))
			continue;
		while (list.len > 0) {
			struct str item = list;

			if (!cut(&list, ',', &item))
				list.len = 0;
			(void)strset_add(listed, lower(&name, trim(item)));
		}
	}
	strbuf_release(&name);
}

/* Fields that are meant for the proxy alone. */
static bool is_hop_by_hop(const struct strset *listed, struct str name)
{
	static const char *const names[] = {
		"host", "connection", "keep-alive", "te", "upgrade"};
	struct strbuf key = STRBUF_INIT;
	bool is_listed;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_is_nocase(name, names[i]))
			return true;
	if (name.len >= 6 && strncasecmp(name.ptr, "proxy-", 6) == 0)
		return true;
	is_listed = strset_has(listed, lower(&key, name));
	strbuf_release(&key);
	return is_listed;
}

/* How long the body is; two answers to that are how requests are smuggled. */
static bool frame_body(
	struct proxy_request *rq, struct str name, struct str value)
{
	int64_t n;

	if (str_is_nocase(name, "transfer-encoding")) {
		if (rq->body >= 0)
			return false;
		rq->body = PROXY_BODY_UNTIL_EOF;
	} else if (str_is_nocase(name, "content-length")) {
		if (!parse_number(value, INT64_MAX / 16, &n) ||
			(rq->body >= 0 && rq->body != n))
			return false;
		rq->body = n;
	}
	return true;
}

static bool is_framing(struct str name)
{
	return str_is_nocase(name, "transfer-encoding") ||
	       str_is_nocase(name, "content-length");
}

/* One field into RQ->head, or not. False: badly written. */
static bool parse_field(
	struct proxy_request *rq, const struct strset *listed, struct str line)
{
	struct str name;
	struct str value;

	/* A folded line starts with a blank: no token. */
	if (!split_field(line, &name, &value))
		return false;
	if (rq->connect)
		return true;
	if (!frame_body(rq, name, value))
		return false;
	if (is_framing(name) || !is_hop_by_hop(listed, name)) {
		strbuf_adds(&rq->head, line);
		strbuf_addstr(&rq->head, "\r\n");
	}
	return true;
}

static bool parse_fields(struct proxy_request *rq, struct str fields)
{
	struct strset listed;
	bool good = true;

	strset_init(&listed);
	if (!rq->connect)
		find_listed(fields, &listed);
	while (good && fields.len > 2)
		good = parse_field(rq, &listed, next_line(&fields));
	strset_release(&listed);
	return good;
}

int proxy_parse(struct proxy_request *rq, const char *head, size_t len,
	const char **why)
{
	struct str rest = {head, len};
	struct str line;
	struct str method;
	struct str uri;
	bool has_port;

	*why = "the request is badly written";
	rq->body = -1;
	strbuf_reset(&rq->head);
	if (!lines_are_clean(head, len))
		return 400;
	line = next_line(&rest);
	if (!cut(&line, ' ', &method) || !cut(&line, ' ', &uri) ||
		!is_token(method))
		return 400;
	if (!str_is(line, "HTTP/1.1") && !str_is(line, "HTTP/1.0"))
		return 400;
	rq->connect = str_is(method, "CONNECT");
	*why = rq->connect
		       ? "CONNECT needs a host and a port"
		       : "this is a proxy: give the whole URL, with http://";
	if (rq->connect) {
		if (!parse_authority(uri, rq, &has_port) || !has_port)
			return 400;
	} else if (!parse_absolute(rq, method, uri)) {
		return 400;
	}
	*why = "a header field is badly written";
	if (!parse_fields(rq, rest))
		return 400;
	if (!rq->connect)
		strbuf_addstr(&rq->head, "\r\n");
	if (rq->connect)
		rq->body = PROXY_BODY_UNTIL_EOF;
	else if (rq->body < 0)
		rq->body = 0;
	return 0;
}

void proxy_add_connect(
	struct strbuf *out, const char *host, uint16_t port, const char *auth)
{
	strbuf_addstr(out, "CONNECT ");
	proxy_add_authority(out, host, port);
	strbuf_addstr(out, " HTTP/1.1\r\nHost: ");
	proxy_add_authority(out, host, port);
	if (auth)
		strbuf_addf(out, "\r\nProxy-Authorization: Basic %s", auth);
	strbuf_addstr(out, "\r\n\r\n");
}

static const char *status_words(int status)
{
	switch (status) {
	case 400:
		return "Bad Request";
	case 403:
		return "Forbidden";
	case 408:
		return "Request Timeout";
	case 431:
		return "Request Header Fields Too Large";
	case 502:
		return "Bad Gateway";
	default:
		return "Error";
	}
}

void proxy_add_answer(
	struct strbuf *out, int status, const char *reason, const char *text)
{
	strbuf_addf(out, "HTTP/1.1 %d %s\r\n", status, status_words(status));
	if (reason)
		strbuf_addf(out, "X-Agentrun-Reason: %s\r\n", reason);
	strbuf_addf(out,
		"Content-Type: text/plain; charset=utf-8\r\n"
		"Content-Length: %zu\r\nConnection: close\r\n\r\n"
		"agentrun: %s\n",
		strlen(text) + strlen("agentrun: \n"), text);
}

int proxy_response_status(const char *head, size_t len)
{
	int64_t status;
	struct str digits;

	if (len < 13 || memcmp(head, "HTTP/1.", 7) != 0 || head[8] != ' ' ||
		!memchr(" \r\n", head[12], 3))
		return 0;
	digits.ptr = head + 9;
	digits.len = 3;
	return parse_number(digits, 999, &status) ? (int)status : 0;
}

void proxy_add_base64(struct strbuf *out, const char *s, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i;

	for (i = 0; i < len; i += 3) {
		uint32_t n = (uint32_t)(unsigned char)s[i] << 16;

		if (i + 1 < len)
			n |= (uint32_t)(unsigned char)s[i + 1] << 8;
		if (i + 2 < len)
			n |= (unsigned char)s[i + 2];
		strbuf_addch(out, digits[n >> 18]);
		strbuf_addch(out, digits[n >> 12 & 63]);
		strbuf_addch(out, i + 1 < len ? digits[n >> 6 & 63] : '=');
		strbuf_addch(out, i + 2 < len ? digits[n & 63] : '=');
	}
}

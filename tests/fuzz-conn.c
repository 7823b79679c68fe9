/* fuzz-conn: the proxy at work, on real sockets.
 *
 * proxy-client: what a client sends, in pieces; "@P" is the port of a server
 * that may be reached. The server gets the request as it was understood and so
 * much of what follows as belongs to it, nothing else; all others get one
 * answer. proxy-upstream: what the caller's own proxy answers. upstream: its
 * address and NO_PROXY. */
#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "fuzz.h"
#include "sandbox/proxy-conn.h"

#define TURNS 12
#define HEAD_OK "HTTP/1.1 200 Connection established\r\n\r\n"

struct play {
	struct loop *loop;
	struct proxy *p;
	struct netrules rules;
	int client; /* our end */
	int server; /* that was accepted, or -1 */
	struct strbuf to_client;
	struct strbuf to_server;
};

/* The server of all plays. */
static int listener = -1;
static unsigned listener_port;

static void open_listener(void)
{
	struct sockaddr_in sa = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(sa);

	if (listener >= 0)
		return;
	(void)signal(SIGPIPE, SIG_IGN);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ar_assert(bind(listener, (struct sockaddr *)&sa, sizeof(sa)) == 0);
	ar_assert(listen(listener, 8) == 0);
	ar_assert(getsockname(listener, (struct sockaddr *)&sa, &len) == 0);
	ar_assert(io_set_nonblock(listener, true) == 0);
	listener_port = ntohs(sa.sin_port);
}

/* Gone at once: no port is kept busy. */
static void close_hard(int fd)
{
	const struct linger hard = {1, 0};

	if (fd < 0)
		return;
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(fd);
}

static void drain(int fd, struct strbuf *out)
{
	ssize_t n = 1;

	while (fd >= 0 && n > 0) {
		n = recv(fd, strbuf_reserve(out, 4096), 4096, MSG_DONTWAIT);
		if (n > 0)
			strbuf_setlen(out, out->len + (size_t)n);
	}
}

static void turn(struct play *y)
{
	(void)loop_once(y->loop, 0);
	if (y->server < 0) {
		y->server = accept(listener, NULL, NULL);
		if (y->server >= 0)
			ar_assert(io_set_nonblock(y->server, true) == 0);
	}
	drain(y->client, &y->to_client);
	drain(y->server, &y->to_server);
}

static void begin(struct play *y, const char *upstream)
{
	struct err err = ERR_INIT;
	char entry[32];
	int pair[2];

	open_listener();
	memset(y, 0, sizeof(*y));
	strbuf_init(&y->to_client);
	strbuf_init(&y->to_server);
	y->server = -1;
	y->loop = loop_new(NULL);
	netrules_init(&y->rules);
	snprintf(entry, sizeof(entry), "127.0.0.1:%u", listener_port);
	ar_assert(netrules_add(&y->rules, entry, &err) == 0);
	y->rules.full = upstream;
	y->p = proxy_new(y->loop, &y->rules, upstream, NULL, NULL, NULL, &err);
	ar_assert(y->p);
	ar_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	ar_assert(io_set_nonblock(pair[0], true) == 0);
	ar_assert(io_set_nonblock(pair[1], true) == 0);
	y->client = pair[1];
	conn_accept(y->p, pair[0]);
}

static void end(struct play *y)
{
	close_hard(y->server);
	proxy_free(y->p);
	close(y->client);
	loop_free(y->loop);
	netrules_release(&y->rules);
	strbuf_release(&y->to_client);
	strbuf_release(&y->to_server);
}

static void send_pieces(
	struct play *y, int fd, struct str data, struct fuzz_rand *r)
{
	while (data.len) {
		size_t n = 1 + fuzz_below(r, fuzz_below(r, 4) ? 4096 : 40);

		n = n < data.len ? n : data.len;
		if (send(fd, data.ptr, n, MSG_NOSIGNAL | MSG_DONTWAIT) !=
			(ssize_t)n)
			break; /* it does not listen any more */
		turn(y);
		data.ptr += n;
		data.len -= n;
	}
}

/* Exactly one answer of the proxy's own. */
static void check_answer(struct str got)
{
	size_t head = proxy_head_length(got.ptr, got.len, 0);
	struct strbuf length = STRBUF_INIT;

	ar_assert(head > 0);
	ar_assert(proxy_response_status(got.ptr, head) >= 400);
	strbuf_addf(&length, "\r\nContent-Length: %zu\r\n", got.len - head);
	ar_assert(memmem(got.ptr, head, length.buf, length.len));
	fuzz_check_clean((struct str){got.ptr + head, got.len - head}, false);
	strbuf_release(&length);
}

/* DATA with the port in it. */
static void put_port(struct strbuf *out, struct str data)
{
	const char *at;

	while ((at = memmem(data.ptr, data.len, "@P", 2))) {
		size_t n = (size_t)(at - data.ptr);

		strbuf_add(out, data.ptr, n);
		strbuf_addf(out, "%u", listener_port);
		data.ptr += n + 2;
		data.len -= n + 2;
	}
	strbuf_adds(out, data);
}

/* What the server must get of SENT, and no more. */
static void check_relayed(const struct play *y, const struct strbuf *sent)
{
	struct proxy_request rq = {0};
	size_t head = proxy_head_length(sent->buf, sent->len, 0);
	const char *why;
	size_t body;

	strbuf_init(&rq.head);
	ar_assert(head > 0 && head <= PROXY_HEAD_MAX);
	ar_assert(proxy_parse(&rq, sent->buf, head, &why) == 0);
	ar_assert(netrules_allow(&y->rules, rq.host, rq.port));
	body = sent->len - head;
	if (rq.body != PROXY_BODY_UNTIL_EOF && (size_t)rq.body < body)
		body = (size_t)rq.body;
	ar_assert(y->to_server.len <= rq.head.len + body);
	strbuf_add(&rq.head, sent->buf + head, body);
	ar_assert(memcmp(y->to_server.buf, rq.head.buf, y->to_server.len) == 0);
	/* Our own word comes before the server's: it has said nothing. */
	ar_assert(y->to_client.len == 0 ||
		  (rq.connect && str_is(strbuf_str(&y->to_client), HEAD_OK)));
	strbuf_release(&rq.head);
}

static void play_client(const void *arg, const char *data, size_t len)
{
	struct fuzz_rand r = fuzz_choice(data, len);
	struct strbuf sent = STRBUF_INIT;
	struct play y;

	(void)arg;
	begin(&y, NULL);
	put_port(&sent, (struct str){data, len});
	send_pieces(&y, y.client, strbuf_str(&sent), &r);
	for (int i = 0; i < 2; i++)
		turn(&y);
	(void)shutdown(y.client, SHUT_WR);
	for (int i = 0; i < TURNS && y.p->conn_count; i++)
		turn(&y);
	if (y.server >= 0)
		check_relayed(&y, &sent);
	else if (y.to_client.len)
		check_answer(strbuf_str(&y.to_client));
	else
		ar_assert(y.p->conn_count == 0 || sent.len > 0);
	end(&y);
	strbuf_release(&sent);
}

static const char *const client_words[] = {
	"GET http://127.0.0.1:@P/ HTTP/1.1\r\n",
	"CONNECT 127.0.0.1:@P HTTP/1.1\r\n",
	"POST http://127.0.0.1:@P/ HTTP/1.1\r\n", "Content-Length: 3\r\n",
	"Transfer-Encoding: chunked\r\n", "Connection: close, x\r\n",
	"Host: a\r\n", "\r\n", "\r\n\r\n", "abc", "5\r\nhello\r\n0\r\n\r\n",
	"GET / HTTP/1.1\r\n", "[::1]", "localhost", "http://10.0.0.1/",
	"\x16\x03\x01", NULL};

const struct fuzz_target fuzz_proxy_client = {
	.name = "proxy-client",
	.play = play_client,
	.max = PROXY_HEAD_MAX + 1024,
	.words = client_words,
};

static void play_reply(const void *arg, const char *data, size_t len)
{
	static const char request[] =
		"CONNECT a.example:443 HTTP/1.1\r\n\r\nhello";
	static const char asked[] = "CONNECT a.example:443 HTTP/1.1\r\n"
				    "Host: a.example:443\r\n\r\n";
	struct fuzz_rand r = fuzz_choice(data, len);
	size_t head = proxy_head_length(data, len, 0);
	int status = proxy_response_status(data, head);
	struct strbuf want = STRBUF_INIT;
	char upstream[48];
	struct play y;
	bool ok = head && head <= PROXY_HEAD_MAX && status / 100 == 2;

	(void)arg;
	open_listener();
	snprintf(upstream, sizeof(upstream), "http://127.0.0.1:%u",
		listener_port);
	begin(&y, upstream);
	ar_assert(send(y.client, request, strlen(request), MSG_NOSIGNAL) ==
		  (ssize_t)strlen(request));
	for (int i = 0; i < TURNS && !y.to_server.len; i++)
		turn(&y);
	ar_assert(str_is(strbuf_str(&y.to_server), asked));
	send_pieces(&y, y.server, (struct str){data, len}, &r);
	(void)shutdown(y.server, SHUT_WR);
	(void)shutdown(y.client, SHUT_WR);
	for (int i = 0; i < TURNS; i++)
		turn(&y);
	if (ok) {
		strbuf_addstr(&want, HEAD_OK);
		strbuf_add(&want, data + head, len - head);
		ar_assert(str_eq(strbuf_str(&y.to_client), strbuf_str(&want)));
		strbuf_reset(&want);
		strbuf_addf(&want, "%shello", asked);
		ar_assert(str_eq(strbuf_str(&y.to_server), strbuf_str(&want)));
	} else {
		check_answer(strbuf_str(&y.to_client));
		ar_assert(str_is(strbuf_str(&y.to_server), asked));
	}
	end(&y);
	strbuf_release(&want);
}

static const char *const reply_words[] = {"HTTP/1.1 200 OK\r\n\r\n",
	"HTTP/1.0 200\r\n\r\n", "HTTP/1.1 407 x\r\n", "\r\n\r\n", "X: y\r\n",
	"\n\n", NULL};

const struct fuzz_target fuzz_proxy_upstream = {
	.name = "proxy-upstream",
	.play = play_reply,
	.max = 4096,
	.words = reply_words,
};

/* --- its address --- */

static void play_upstream(const void *arg, const char *data, size_t len)
{
	struct str rest = {data, len};
	struct strbuf url = STRBUF_INIT;
	struct strbuf no_proxy = STRBUF_INIT;
	struct loop *loop = loop_new(NULL);
	struct err err = ERR_INIT;
	struct netrules rules;
	struct proxy *p;
	char again[256];

	(void)arg;
	netrules_init(&rules);
	strbuf_adds(&url, fuzz_part(&rest));
	strbuf_adds(&no_proxy, rest);
	while (url.len && url.buf[url.len - 1] == '\n')
		strbuf_setlen(&url, url.len - 1);
	p = proxy_new(loop, &rules, url.buf, no_proxy.buf, NULL, NULL, &err);
	if (!p) {
		/* It may hold a password: nothing of it is shown. */
		ar_assert(err.code == AR_EUSAGE);
		ar_assert(strstr(err.msg, "http://HOST:PORT"));
	} else if (p->upstream_host) {
		ar_assert(netrule_normalise(str_of(p->upstream_host), again) ==
			  0);
		ar_assert(strcmp(p->upstream_host, again) == 0);
		ar_assert(p->upstream_port);
		ar_assert(!p->upstream_auth ||
			  !strpbrk(p->upstream_auth, "\r\n "));
		if (strstr(no_proxy.buf, "*"))
			(void)proxy_uses_upstream(p, "a.example", 443);
		else if (!strcasestr(no_proxy.buf, "e"))
			ar_assert(proxy_uses_upstream(p, "a.example", 443));
	}
	proxy_free(p);
	loop_free(loop);
	strbuf_release(&url);
	strbuf_release(&no_proxy);
}

static const char *const upstream_words[] = {"http://", "user:p%40ss@", "h",
	":3128", "[::1]", "/", "\n==\n", ".example", "a.example:443", "*", ",",
	"%", "127.0.0.1", NULL};

const struct fuzz_target fuzz_upstream = {
	.name = "upstream",
	.play = play_upstream,
	.max = 512,
	.words = upstream_words,
};

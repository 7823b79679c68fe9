#include "config.h"

#include "check-main.h"

#include <string.h>

#include "sandbox/proxy-http.h"

static struct proxy_request rq;
static const char *why;

static int parse_bytes(const char *head, size_t len)
{
	strbuf_release(&rq.head);
	memset(&rq, 0, sizeof(rq));
	strbuf_init(&rq.head);
	return proxy_parse(&rq, head, len, &why);
}

#define PARSE(s) parse_bytes(s, sizeof(s) - 1)

START_TEST(the_end_of_a_head)
{
	ck_assert_uint_eq(proxy_head_length("", 0, 0), 0);
	ck_assert_uint_eq(proxy_head_length("a\r\n\r", 4, 0), 0);
	ck_assert_uint_eq(proxy_head_length("a\r\n\r\nb", 6, 0), 5);
	ck_assert_uint_eq(proxy_head_length("a\r\n\r\nb", 6, 4), 5);
	/* badly written ones end as well */
	ck_assert_uint_eq(proxy_head_length("a\n\nb", 4, 0), 3);
	ck_assert_uint_eq(proxy_head_length("a\n\r\nb", 5, 0), 4);
}
END_TEST

/* Whatever the pieces, the end is found as soon as it is there. */
START_TEST(a_head_in_single_bytes)
{
	static const char head[] = "GET http://a/ HTTP/1.1\r\nA: b\r\n\r\n";
	size_t i;

	for (i = 1; i < sizeof(head) - 1; i++)
		ck_assert_uint_eq(proxy_head_length(head, i, i - 1), 0);
	ck_assert_uint_eq(proxy_head_length(head, i, i - 1), i);
}
END_TEST

START_TEST(what_is_no_http)
{
	ck_assert(proxy_is_no_http("\x16\x03\x01", 3));
	ck_assert(proxy_is_no_http("\x05\x01", 2));
	ck_assert(proxy_is_no_http("\r\n", 2));
	ck_assert(proxy_is_no_http("\0", 1));
	ck_assert(!proxy_is_no_http("", 0));
	ck_assert(!proxy_is_no_http("C", 1));
}
END_TEST

START_TEST(connect)
{
	ck_assert_int_eq(PARSE("CONNECT A.Example.:443 HTTP/1.1\r\n"
			       "Host: other\r\n\r\n"),
		0);
	ck_assert(rq.connect);
	ck_assert_str_eq(rq.host, "a.example");
	ck_assert_uint_eq(rq.port, 443);
	ck_assert_uint_eq(rq.head.len, 0);
	ck_assert_int_eq(rq.body, PROXY_BODY_UNTIL_EOF);
	ck_assert_int_eq(PARSE("CONNECT [::1]:22 HTTP/1.0\r\n\r\n"), 0);
	ck_assert_str_eq(rq.host, "::1");
	ck_assert_uint_eq(rq.port, 22);
}
END_TEST

START_TEST(absolute_form)
{
	ck_assert_int_eq(PARSE("GET http://Example.com/a?b=c HTTP/1.1\r\n"
			       "Host: evil.example\r\n"
			       "Accept: */*\r\n\r\n"),
		0);
	ck_assert(!rq.connect);
	ck_assert_str_eq(rq.host, "example.com");
	ck_assert_uint_eq(rq.port, 80);
	ck_assert_str_eq(rq.head.buf,
		"GET /a?b=c HTTP/1.1\r\nHost: example.com\r\n"
		"Connection: close\r\nAccept: */*\r\n\r\n");
	ck_assert_int_eq(rq.body, 0);
	ck_assert_int_eq(PARSE("GET http://a:8080 HTTP/1.0\r\n\r\n"), 0);
	ck_assert_str_eq(rq.head.buf, "GET / HTTP/1.1\r\nHost: a:8080\r\n"
				      "Connection: close\r\n\r\n");
	ck_assert_int_eq(PARSE("GET HTTP://[::1]?x HTTP/1.1\r\n\r\n"), 0);
	ck_assert_str_eq(rq.head.buf, "GET /?x HTTP/1.1\r\nHost: [::1]\r\n"
				      "Connection: close\r\n\r\n");
}
END_TEST

START_TEST(fields_of_this_hop_go)
{
	ck_assert_int_eq(PARSE("POST http://a/ HTTP/1.1\r\n"
			       "Connection: keep-alive, X-Mine\r\n"
			       "Keep-Alive: 5\r\n"
			       "X-Mine: 1\r\n"
			       "x-yours:2\r\n"
			       "Proxy-Authorization: Basic eA==\r\n"
			       "PROXY-Connection: x\r\n"
			       "proxy-: none\r\n"
			       "TE: trailers\r\n"
			       "Upgrade: h2c\r\n"
			       "Content-Length: 3\r\n\r\n"),
		0);
	ck_assert_str_eq(rq.head.buf,
		"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
		"x-yours:2\r\nContent-Length: 3\r\n\r\n");
	ck_assert_int_eq(rq.body, 3);
	/* names in several fields, in any case, with blanks and empty ones */
	ck_assert_int_eq(PARSE("GET http://a/ HTTP/1.1\r\n"
			       "c: 1\r\n"
			       "CONNECTION: ,\t A ,, b\r\n"
			       "a: 1\r\nAB: 1\r\n"
			       "connection: C\r\n"
			       "B: 1\r\n\r\n"),
		0);
	ck_assert_str_eq(rq.head.buf,
		"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
		"AB: 1\r\n\r\n");
	/* the length of the body cannot be taken out by a trick */
	ck_assert_int_eq(PARSE("POST http://a/ HTTP/1.1\r\n"
			       "Connection: content-length\r\n"
			       "Content-Length: 3\r\n\r\n"),
		0);
	ck_assert_ptr_nonnull(strstr(rq.head.buf, "Content-Length: 3\r\n"));
}
END_TEST

START_TEST(bodies)
{
	ck_assert_int_eq(PARSE("POST http://a/ HTTP/1.1\r\n"
			       "Transfer-Encoding: chunked\r\n\r\n"),
		0);
	ck_assert_int_eq(rq.body, PROXY_BODY_UNTIL_EOF);
	ck_assert_int_eq(PARSE("POST http://a/ HTTP/1.1\r\n"
			       "Content-Length: 3\r\n"
			       "Content-Length: 3\r\n\r\n"),
		0);
	/* two answers to one question */
	ck_assert_int_eq(PARSE("POST http://a/ HTTP/1.1\r\n"
			       "Content-Length: 3\r\n"
			       "Content-Length: 4\r\n\r\n"),
		400);
	ck_assert_int_eq(PARSE("POST http://a/ HTTP/1.1\r\n"
			       "Content-Length: 3\r\n"
			       "Transfer-Encoding: chunked\r\n\r\n"),
		400);
	ck_assert_int_eq(PARSE("POST http://a/ HTTP/1.1\r\n"
			       "Transfer-Encoding: chunked\r\n"
			       "Content-Length: 3\r\n\r\n"),
		400);
	ck_assert_int_eq(PARSE("POST http://a/ HTTP/1.1\r\n"
			       "Content-Length: -1\r\n\r\n"),
		400);
	ck_assert_int_eq(PARSE("POST http://a/ HTTP/1.1\r\n"
			       "Content-Length: +1\r\n\r\n"),
		400);
	ck_assert_int_eq(
		PARSE("POST http://a/ HTTP/1.1\r\n"
		      "Content-Length: 99999999999999999999999\r\n\r\n"),
		400);
	ck_assert_int_eq(PARSE("POST http://a/ HTTP/1.1\r\n"
			       "Content-Length:\r\n\r\n"),
		400);
}
END_TEST

START_TEST(bad_requests)
{
	static const char *const bad[] = {
		"GET / HTTP/1.1\r\n\r\n",
		"GET //a/ HTTP/1.1\r\n\r\n",
		"GET https://a/ HTTP/1.1\r\n\r\n",
		"GET ftp://a/ HTTP/1.1\r\n\r\n",
		"GET http:/a/ HTTP/1.1\r\n\r\n",
		"GET http:// HTTP/1.1\r\n\r\n",
		"GET http:///a HTTP/1.1\r\n\r\n",
		"GET http://u@a/ HTTP/1.1\r\n\r\n",
		"GET http://u:p@a/ HTTP/1.1\r\n\r\n",
		"GET http://a:/ HTTP/1.1\r\n\r\n",
		"GET http://a:0/ HTTP/1.1\r\n\r\n",
		"GET http://a:65536/ HTTP/1.1\r\n\r\n",
		"GET http://a:8 0/ HTTP/1.1\r\n\r\n",
		"GET http://a/#x HTTP/1.1\r\n\r\n",
		"GET http://a%00b/ HTTP/1.1\r\n\r\n",
		"GET http://a\\@b/ HTTP/1.1\r\n\r\n",
		"GET http://[::1/ HTTP/1.1\r\n\r\n",
		"GET http://[::1]x/ HTTP/1.1\r\n\r\n",
		"GET http://a/ HTTP/2.0\r\n\r\n",
		"GET http://a/ HTTP/1.1 \r\n\r\n",
		"GET http://a/ x HTTP/1.1\r\n\r\n",
		"GET  http://a/ HTTP/1.1\r\n\r\n",
		"GET http://a/\r\n\r\n",
		"GET\r\n\r\n",
		"G(T http://a/ HTTP/1.1\r\n\r\n",
		"CONNECT a HTTP/1.1\r\n\r\n",
		"CONNECT a: HTTP/1.1\r\n\r\n",
		"CONNECT a:443x HTTP/1.1\r\n\r\n",
		"CONNECT a:0443443 HTTP/1.1\r\n\r\n",
		"CONNECT :443 HTTP/1.1\r\n\r\n",
		"CONNECT http://a:443 HTTP/1.1\r\n\r\n",
		"CONNECT a:443/ HTTP/1.1\r\n\r\n",
		"CONNECT u@a:443 HTTP/1.1\r\n\r\n",
		"CONNECT ::1:443 HTTP/1.1\r\n\r\n",
		"CONNECT [fe80::1%lo]:443 HTTP/1.1\r\n\r\n",
		/* fields */
		"GET http://a/ HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
		"GET http://a/ HTTP/1.1\r\n A: b\r\n\r\n",
		"GET http://a/ HTTP/1.1\r\nA : b\r\n\r\n",
		"GET http://a/ HTTP/1.1\r\nA\r\n\r\n",
		"GET http://a/ HTTP/1.1\r\n: b\r\n\r\n",
		"CONNECT a:443 HTTP/1.1\r\nA b\r\n\r\n",
		/* line ends */
		"GET http://a/ HTTP/1.1\n\n",
		"GET http://a/ HTTP/1.1\r\nA: b\n\r\n",
		"GET http://a/ HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
		"GET http://a/ HTTP/1.1\n\r\n",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(parse_bytes(bad[i], strlen(bad[i])) == 400,
			"'%s' must be refused", bad[i]);
		ck_assert_ptr_nonnull(why);
	}
	ck_assert_int_eq(PARSE("GET http://a\0b/ HTTP/1.1\r\n\r\n"), 400);
	ck_assert_int_eq(PARSE("GET http://a/ HTTP/1.1\r\nA: \0\r\n\r\n"), 400);
	ck_assert_int_eq(PARSE("CONNECT a\0.b:443 HTTP/1.1\r\n\r\n"), 400);
}
END_TEST

START_TEST(answers)
{
	struct strbuf sb = STRBUF_INIT;

	proxy_add_answer(&sb, 403, "not_allowed", "no");
	ck_assert_str_eq(sb.buf,
		"HTTP/1.1 403 Forbidden\r\n"
		"X-Agentrun-Reason: not_allowed\r\n"
		"Content-Type: text/plain; charset=utf-8\r\n"
		"Content-Length: 13\r\nConnection: close\r\n\r\n"
		"agentrun: no\n");
	strbuf_release(&sb);
}
END_TEST

START_TEST(upstream_words)
{
	struct strbuf sb = STRBUF_INIT;

	proxy_add_connect(&sb, "::1", 443, "eDp5");
	ck_assert_str_eq(sb.buf,
		"CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n"
		"Proxy-Authorization: Basic eDp5\r\n\r\n");
	strbuf_reset(&sb);
	proxy_add_base64(&sb, "a", 1);
	proxy_add_base64(&sb, "ab", 2);
	proxy_add_base64(&sb, "abc", 3);
	proxy_add_base64(&sb, "\xff\xfe\xfd", 3);
	ck_assert_str_eq(sb.buf, "YQ==YWI=YWJj//79");
	strbuf_release(&sb);
	ck_assert_int_eq(
		proxy_response_status("HTTP/1.1 200 OK\r\n\r\n", 19), 200);
	ck_assert_int_eq(
		proxy_response_status("HTTP/1.0 407 X\r\n\r\n", 18), 407);
	ck_assert_int_eq(proxy_response_status("SSH-2.0-x 200\r\n", 15), 0);
	ck_assert_int_eq(proxy_response_status("HTTP/1.1 2x0 \r\n", 15), 0);
	ck_assert_int_eq(
		proxy_response_status("HTTP/1.1 2000 OK\r\n\r\n", 20), 0);
	ck_assert_int_eq(
		proxy_response_status("HTTP/1.1 200\0OK\r\n\r\n", 19), 0);
	ck_assert_int_eq(proxy_response_status("", 0), 0);
}
END_TEST

CHECK_MAIN("proxy-http", the_end_of_a_head, a_head_in_single_bytes,
	what_is_no_http, connect, absolute_form, fields_of_this_hop_go, bodies,
	bad_requests, answers, upstream_words)

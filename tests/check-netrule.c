#include "config.h"

#include "check-main.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "sandbox/netrule.h"

static bool is_private(const char *text)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

	if (strchr(text, ':')) {
		ck_assert_int_eq(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
		return netrule_private((struct sockaddr *)&v6);
	}
	ck_assert_int_eq(inet_pton(AF_INET, text, &v4.sin_addr), 1);
	return netrule_private((struct sockaddr *)&v4);
}

/* First and last address of every prefix. */
static const char *const private_addresses[] = {
	"0.0.0.0",
	"0.255.255.255",
	"10.0.0.0",
	"10.255.255.255",
	"100.64.0.0",
	"100.127.255.255",
	"127.0.0.0",
	"127.0.0.1",
	"127.255.255.255",
	"169.254.0.0",
	"169.254.169.254",
	"169.254.255.255",
	"172.16.0.0",
	"172.31.255.255",
	"192.0.0.0",
	"192.0.0.255",
	"192.0.2.0",
	"192.0.2.255",
	"192.88.99.0",
	"192.88.99.255",
	"192.168.0.0",
	"192.168.255.255",
	"198.18.0.0",
	"198.19.255.255",
	"198.51.100.0",
	"198.51.100.255",
	"203.0.113.0",
	"203.0.113.255",
	"224.0.0.0",
	"239.255.255.255",
	"240.0.0.0",
	"255.255.255.255",
	/* everything outside 2000::/3 */
	"::",
	"::1",
	"::7f00:1",
	"::1.1.1.1",
	"100::1",
	"64:ff9b:1::1",
	"1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	"4000::",
	"5f00::1",
	"fc00::",
	"fd12:3456::1",
	"fdff:ffff::1",
	"fe80::1",
	"febf::1",
	"fec0::1",
	"ff02::1",
	"ffff:ffff::1",
	/* Teredo, documentation */
	"2001::",
	"2001:0:ffff:ffff:ffff:ffff:ffff:ffff",
	"2001:db8::",
	"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
	/* IPv4 inside */
	"::ffff:127.0.0.1",
	"::ffff:10.0.0.1",
	"::ffff:7f00:1",
	"::ffff:169.254.169.254",
	"64:ff9b::7f00:1",
	"64:ff9b::10.1.2.3",
	"2002:7f00:1::",
	"2002:7f00:1::1",
	"2002:a00:1::",
	"2002:c0a8:101::",
};

/* Their neighbours. */
static const char *const public_addresses[] = {
	"1.0.0.0",
	"9.255.255.255",
	"11.0.0.0",
	"100.63.255.255",
	"100.128.0.0",
	"126.255.255.255",
	"128.0.0.0",
	"169.253.255.255",
	"169.255.0.0",
	"172.15.255.255",
	"172.32.0.0",
	"191.255.255.255",
	"192.0.1.0",
	"192.0.1.255",
	"192.0.3.0",
	"192.88.98.255",
	"192.88.100.0",
	"192.167.255.255",
	"192.169.0.0",
	"198.17.255.255",
	"198.20.0.0",
	"198.51.99.255",
	"198.51.101.0",
	"203.0.112.255",
	"203.0.114.0",
	"223.255.255.255",
	"93.184.216.34",
	"8.8.8.8",
	"2000::",
	"2001:1::",
	"2001:db7:ffff::",
	"2001:db9::",
	"2606:4700::1111",
	"3fff:ffff::1",
	"2003::1",
	"::ffff:93.184.216.34",
	"64:ff9b::8.8.8.8",
	"2002:5db8:d822::1",
};

START_TEST(addresses)
{
	size_t i;

	for (i = 0; i < sizeof(private_addresses) / sizeof(char *); i++)
		ck_assert_msg(is_private(private_addresses[i]),
			"%s must be private", private_addresses[i]);
	for (i = 0; i < sizeof(public_addresses) / sizeof(char *); i++)
		ck_assert_msg(!is_private(public_addresses[i]),
			"%s must be public", public_addresses[i]);
}
END_TEST

START_TEST(other_families_are_private)
{
	struct sockaddr sa = {.sa_family = AF_UNIX};

	ck_assert(netrule_private(&sa));
}
END_TEST

static const char *normal(const char *host, size_t len)
{
	static char out[256];
	struct str s = {host, len};

	return netrule_normalise(s, out) == 0 ? out : NULL;
}

#define NORMAL(s) normal(s, sizeof(s) - 1)

START_TEST(hosts_are_normalised)
{
	ck_assert_str_eq(NORMAL("A.B."), "a.b");
	ck_assert_str_eq(NORMAL("Example.COM"), "example.com");
	ck_assert_str_eq(
		NORMAL("xn--bcher-kva.example"), "xn--bcher-kva.example");
	ck_assert_str_eq(NORMAL("_x.b-c"), "_x.b-c");
	ck_assert_str_eq(NORMAL("127.0.0.1"), "127.0.0.1");
	ck_assert_str_eq(NORMAL("127.0.0.1."), "127.0.0.1");
	ck_assert_str_eq(NORMAL("[::1]"), "::1");
	ck_assert_str_eq(NORMAL("::1"), "::1");
	ck_assert_str_eq(NORMAL("[0:0::0:1]"), "::1");
	ck_assert_str_eq(NORMAL("[::FFFF:7f00:1]"), "::ffff:127.0.0.1");
}
END_TEST

START_TEST(what_is_no_host)
{
	char longest[300];

	ck_assert_ptr_null(NORMAL(""));
	ck_assert_ptr_null(NORMAL("."));
	ck_assert_ptr_null(NORMAL(".."));
	ck_assert_ptr_null(NORMAL("a..b"));
	ck_assert_ptr_null(NORMAL(".b"));
	ck_assert_ptr_null(NORMAL("a b"));
	ck_assert_ptr_null(NORMAL("a\0b"));
	ck_assert_ptr_null(NORMAL("user@host"));
	ck_assert_ptr_null(NORMAL("a%2eb"));
	ck_assert_ptr_null(NORMAL("b\xc3\xbc"));
	ck_assert_ptr_null(NORMAL("a/b"));
	ck_assert_ptr_null(NORMAL("[fe80::1%eth0]"));
	ck_assert_ptr_null(NORMAL("[::1"));
	ck_assert_ptr_null(NORMAL("[a]"));
	ck_assert_ptr_null(NORMAL("[127.0.0.1]"));
	ck_assert_ptr_null(NORMAL("[]"));
	ck_assert_ptr_null(NORMAL("1:2"));
	ck_assert_ptr_null(NORMAL("a\r\nb"));
	memset(longest, 'a', sizeof(longest));
	longest[60] = longest[120] = longest[180] = longest[240] = '.';
	ck_assert_ptr_nonnull(normal(longest, 253));
	ck_assert_ptr_null(normal(longest, 254));
	ck_assert_ptr_null(normal(longest, 300));
	memset(longest, 'a', sizeof(longest));
	ck_assert_ptr_nonnull(normal(longest, 63));
	ck_assert_ptr_null(normal(longest, 64));
}
END_TEST

static bool allows(const char *entry, const char *host, uint16_t port)
{
	struct netrules r;
	struct err err = ERR_INIT;
	char out[256];
	bool ok;

	netrules_init(&r);
	ck_assert_msg(
		netrules_add(&r, entry, &err) == 0, "%s: %s", entry, err.msg);
	ck_assert_int_eq(netrule_normalise(str_of(host), out), 0);
	ok = netrules_allow(&r, out, port);
	netrules_release(&r);
	return ok;
}

START_TEST(names_are_matched)
{
	ck_assert(allows("example.com", "example.com", 443));
	ck_assert(allows("example.com", "EXAMPLE.com.", 80));
	ck_assert(allows("Example.Com.", "example.com", 443));
	ck_assert(!allows("example.com", "example.com", 8443));
	ck_assert(!allows("example.com", "example.com", 22));
	ck_assert(allows("example.com:8443", "example.com", 8443));
	ck_assert(!allows("example.com:8443", "example.com", 443));
	ck_assert(!allows("example.com", "a.example.com", 443));
	ck_assert(!allows("example.com", "xexample.com", 443));
	ck_assert(!allows("example.com", "example.com.evil.org", 443));
}
END_TEST

START_TEST(wildcards_are_matched)
{
	ck_assert(!allows("*.b", "b", 443));
	ck_assert(!allows("*.b", "xb", 443));
	ck_assert(allows("*.b", "a.b", 443));
	ck_assert(allows("*.b", "a.c.b", 443));
	ck_assert(allows("*.B.", "A.b.", 80));
	ck_assert(!allows("*.b", "a.b", 8080));
	ck_assert(allows("*.b:8080", "a.b", 8080));
	ck_assert(!allows("*.b", "a.b.c", 443));
}
END_TEST

START_TEST(literals_are_matched)
{
	ck_assert(allows("93.184.216.34", "93.184.216.34", 443));
	ck_assert(!allows("93.184.216.34", "93.184.216.35", 443));
	ck_assert(allows("[2606:4700::1]", "[2606:4700:0::1]", 443));
	ck_assert(allows("[2606:4700::1]:8443", "2606:4700::1", 8443));
	ck_assert(!allows("127.0.0.1", "[::ffff:127.0.0.1]", 443));
	ck_assert(!allows("127.0.0.1", "127.1", 443));
}
END_TEST

/* Forms that a resolver takes for an address never match, in full mode
 * neither. */
START_TEST(odd_numbers_never_match)
{
	static const char *const odd[] = {"127.1", "2130706433", "0177.0.0.1",
		"0x7f.1", "0x7f000001", "0x7f.0.0.0x1", "127.0.0.01",
		"1.2.3.4.5", "256.1.1.1", "0", "example.0", "example.0x1"};
	struct netrules r;
	size_t i;

	netrules_init(&r);
	r.full = true;
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		ck_assert_msg(!netrules_allow(&r, odd[i], 443), "%s", odd[i]);
	ck_assert(netrules_allow(&r, "127.0.0.1", 443));
	ck_assert(netrules_allow(&r, "example.com", 22));
	ck_assert(netrules_allow(&r, "::1", 22));
	netrules_release(&r);
}
END_TEST

START_TEST(bad_entries_are_refused)
{
	static const char *const wrong[] = {"", "*", "*.", "*.*", "a.*", "a*.b",
		"*b", "*.1.2.3.4", "*.[::1]", "http://a.b", "a/b", "a.b/",
		"a b", " a", "a\tb",
		"b\xc3\xbc"
		"cher.example",
		"a:", "a:0", "a:65536", "a:-1", "a:+1", "a:x", "a:443x",
		"a:080000", ":443", "::1", "2001:db8::1", "[::1", "[::1]x",
		"[::1]:", "[a]", "[1.2.3.4]", "[fe80::1%eth0]", "127.1",
		"2130706433", "0x7f.1", "1.2.3.4.5", "a..b", ".a", "a@b",
		"a%20b", "a,b"};
	struct netrules r;
	size_t i;

	netrules_init(&r);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = ERR_INIT;

		ck_assert_msg(netrules_add(&r, wrong[i], &err) < 0,
			"'%s' must be refused", wrong[i]);
		ck_assert_int_eq(err.code, AR_EUSAGE);
		ck_assert_ptr_nonnull(strstr(err.msg, "--allow-host"));
	}
	ck_assert_uint_eq(r.count, 0);
	netrules_release(&r);
}
END_TEST

START_TEST(consent_is_for_literals_only)
{
	struct netrules r;

	netrules_init(&r);
	ck_assert_int_eq(netrules_add(&r, "10.1.2.3:8080", NULL), 0);
	ck_assert_int_eq(netrules_add(&r, "localhost", NULL), 0);
	ck_assert_int_eq(netrules_add(&r, "intern.example", NULL), 0);
	ck_assert_int_eq(netrules_add(&r, "*.localhost", NULL), 0);
	ck_assert(netrules_consent(&r, "10.1.2.3", 8080));
	ck_assert(!netrules_consent(&r, "10.1.2.3", 443));
	ck_assert(!netrules_consent(&r, "10.1.2.4", 8080));
	ck_assert(netrules_consent(&r, "localhost", 80));
	ck_assert(!netrules_consent(&r, "localhost", 8080));
	ck_assert(!netrules_consent(&r, "a.localhost", 80));
	ck_assert(!netrules_consent(&r, "intern.example", 443));
	netrules_release(&r);
}
END_TEST

CHECK_MAIN("netrule", addresses, other_families_are_private,
	hosts_are_normalised, what_is_no_host, names_are_matched,
	wildcards_are_matched, literals_are_matched, odd_numbers_never_match,
	bad_entries_are_refused, consent_is_for_literals_only)

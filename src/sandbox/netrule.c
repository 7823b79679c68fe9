#include "config.h"

#include "sandbox/netrule.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/xalloc.h"

#define HOST_MAX 253
#define LABEL_MAX 63

void netrules_init(struct netrules *r)
{
	memset(r, 0, sizeof(*r));
}

void netrules_release(struct netrules *r)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		free(r->v[i].host);
	free(r->v);
	netrules_init(r);
}

/* --- names --- */

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
	       c == '_' || c == '-';
}

/* Labels of 1..63 bytes. S is lower case and has no final dot. */
static bool is_name(const char *s)
{
	size_t label = 0;

	for (; *s; s++) {
		if (!is_name_char(*s))
			return false;
		if (*s != '.') {
			if (++label > LABEL_MAX)
				return false;
			continue;
		}
		if (label == 0)
			return false;
		label = 0;
	}
	return label > 0;
}

static bool is_v4(const char *s)
{
	struct in_addr a;

	return inet_pton(AF_INET, s, &a) == 1;
}

/* What resolvers would read as an address of some old form: 127.1, 2130706433,
 * 0177.0.0.1, 0x7f.1. */
static bool is_odd_number(const char *host)
{
	const char *label = strrchr(host, '.');

	label = label ? label + 1 : host;
	if (strncmp(label, "0x", 2) == 0)
		return true;
	if (!*label || label[strspn(label, "0123456789")])
		return false;
	return !is_v4(host);
}

static bool is_literal(const char *host)
{
	return strchr(host, ':') || is_v4(host);
}

/* The one way to write an IPv6 address, zones excluded. */
static bool normalise_v6(const char *s, char out[256])
{
	struct in6_addr a;

	return inet_pton(AF_INET6, s, &a) == 1 &&
	       inet_ntop(AF_INET6, &a, out, 256) != NULL;
}

int netrule_normalise(struct str host, char out[256])
{
	char low[HOST_MAX + 2];
	size_t i;

	if (host.len >= 2 && host.ptr[0] == '[') {
		if (host.ptr[host.len - 1] != ']')
			return -1;
		host.ptr++;
		host.len -= 2;
		if (!memchr(host.ptr, ':', host.len))
			return -1;
	}
	if (!host.ptr || host.len == 0 || host.len > HOST_MAX + 1)
		return -1;
	for (i = 0; i < host.len; i++) {
		if (!host.ptr[i])
			return -1;
		low[i] = host.ptr[i];
		if (low[i] >= 'A' && low[i] <= 'Z')
			low[i] = (char)(low[i] - 'A' + 'a');
	}
	low[i] = '\0';
	if (memchr(low, ':', i))
		return normalise_v6(low, out) ? 0 : -1;
	if (low[i - 1] == '.')
		low[--i] = '\0';
	if (i > HOST_MAX || !is_name(low))
		return -1;
	memcpy(out, low, i + 1);
	return 0;
}

/* --- entries --- */

enum fault {
	FAULT_EMPTY,
	FAULT_URL,
	FAULT_CHARACTER,
	FAULT_IDN,
	FAULT_WILDCARD,
	FAULT_PORT,
	FAULT_V6,
	FAULT_NUMBER,
	FAULT_HOST
};

static int refuse(struct err *err, const char *entry, enum fault fault)
{
	switch (fault) {
	case FAULT_EMPTY:
		return err_set(err, AR_EUSAGE,
			N_("--allow-host is empty; give it a host, as in "
			   "example.com or example.com:8443"));
	case FAULT_URL:
		return err_set(err, AR_EUSAGE,
			N_("--allow-host '%s' is a URL or a path; give the "
			   "host alone, as in example.com or "
			   "example.com:8443"),
			entry);
	case FAULT_CHARACTER:
		return err_set(err, AR_EUSAGE,
			N_("--allow-host '%s' holds a blank or another "
			   "character that no host has; give one host per "
			   "option"),
			entry);
	case FAULT_IDN:
		return err_set(err, AR_EUSAGE,
			N_("--allow-host '%s' is not ASCII; write the name in "
			   "its xn-- form"),
			entry);
	case FAULT_WILDCARD:
		return err_set(err, AR_EUSAGE,
			N_("--allow-host '%s': '*' only stands in front, as in "
			   "*.example.com; for every host use --network full"),
			entry);
	case FAULT_PORT:
		return err_set(err, AR_EUSAGE,
			N_("--allow-host '%s': the port is not a number from 1 "
			   "to 65535"),
			entry);
	case FAULT_V6:
		return err_set(err, AR_EUSAGE,
			N_("--allow-host '%s' is not an IPv6 address in "
			   "brackets, as in [2001:db8::1] or "
			   "[2001:db8::1]:443"),
			entry);
	case FAULT_NUMBER:
		return err_set(err, AR_EUSAGE,
			N_("--allow-host '%s' is not an IPv4 address; write "
			   "its four numbers"),
			entry);
	case FAULT_HOST:
		break;
	}
	return err_set(err, AR_EUSAGE,
		N_("--allow-host '%s' is not a host name; give HOST, "
		   "HOST:PORT, *.DOMAIN or an address"),
		entry);
}

/* Characters that cannot be right, whatever the form. Returns -1: fine. */
static int find_bad_character(const char *entry)
{
	const char *s;

	if (!*entry)
		return FAULT_EMPTY;
	if (strchr(entry, '/'))
		return FAULT_URL;
	for (s = entry; *s; s++) {
		if ((unsigned char)*s >= 0x80)
			return FAULT_IDN;
		if ((unsigned char)*s <= ' ' || *s == 0x7f)
			return FAULT_CHARACTER;
	}
	return -1;
}

static bool parse_port(const char *s, uint16_t *port)
{
	unsigned long n = 0;

	if (!*s || strlen(s) > 5 || s[strspn(s, "0123456789")])
		return false;
	n = strtoul(s, NULL, 10);
	*port = (uint16_t)n;
	return n >= 1 && n <= 65535;
}

/* Cuts ENTRY (a copy) into host and port. Returns -1: fine. */
static int split_entry(char *entry, char **host, uint16_t *port)
{
	char *end;

	*host = entry;
	*port = 0;
	if (entry[0] == '[') {
		end = strchr(entry, ']');
		if (!end)
			return FAULT_V6;
		if (end[1] && end[1] != ':')
			return FAULT_V6;
		if (end[1] && !parse_port(end + 2, port))
			return FAULT_PORT;
		end[1] = '\0';
		return -1;
	}
	end = strchr(entry, ':');
	if (!end)
		return -1;
	if (strchr(end + 1, ':'))
		return FAULT_V6;
	*end = '\0';
	return parse_port(end + 1, port) ? -1 : FAULT_PORT;
}

static int parse_host(char *host, struct netrule *rule)
{
	char normal[257];

	if (host[0] == '*') {
		if (host[1] != '.' || strchr(host + 1, '*'))
			return FAULT_WILDCARD;
		rule->wildcard = true;
		host += 2;
	} else if (strchr(host, '*')) {
		return FAULT_WILDCARD;
	}
	if (netrule_normalise(str_of(host), normal + 1) < 0)
		return host[0] == '[' ? FAULT_V6 : FAULT_HOST;
	if (!strchr(normal + 1, ':') && is_odd_number(normal + 1))
		return FAULT_NUMBER;
	rule->literal = is_literal(normal + 1);
	if (rule->literal && rule->wildcard)
		return FAULT_WILDCARD;
	normal[0] = '.';
	rule->host = xstrdup(rule->wildcard ? normal : normal + 1);
	return -1;
}

int netrules_add(struct netrules *r, const char *entry, struct err *err)
{
	struct netrule rule = {0};
	char *copy = xstrdup(entry);
	char *host = copy;
	int fault = find_bad_character(entry);

	if (fault < 0)
		fault = split_entry(copy, &host, &rule.port);
	if (fault < 0)
		fault = parse_host(host, &rule);
	free(copy);
	if (fault >= 0)
		return refuse(err, entry, (enum fault)fault);
	if (r->count == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 8;
		r->v = xreallocarray(r->v, r->cap, sizeof(*r->v));
	}
	r->v[r->count++] = rule;
	return 0;
}

/* --- checks --- */

static bool rule_matches(
	const struct netrule *rule, const char *host, uint16_t port)
{
	size_t n = strlen(host);
	size_t m = strlen(rule->host);

	if (rule->port ? port != rule->port : port != 80 && port != 443)
		return false;
	if (!rule->wildcard)
		return strcmp(host, rule->host) == 0;
	return n > m && strcmp(host + n - m, rule->host) == 0;
}

bool netrules_allow(const struct netrules *r, const char *host, uint16_t port)
{
	size_t i;

	if (!strchr(host, ':') && is_odd_number(host))
		return false;
	if (r->full)
		return true;
	for (i = 0; i < r->count; i++)
		if (rule_matches(&r->v[i], host, port))
			return true;
	return false;
}

bool netrules_consent(const struct netrules *r, const char *host, uint16_t port)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if ((r->v[i].literal ||
			    strcmp(r->v[i].host, "localhost") == 0) &&
			rule_matches(&r->v[i], host, port))
			return true;
	return false;
}

/* --- addresses --- */

struct prefix {
	uint32_t base;
	unsigned bits;
};

static const struct prefix private_v4[] = {
	{0x00000000, 8},  /* this network */
	{0x0a000000, 8},  /* private */
	{0x64400000, 10}, /* carrier NAT */
	{0x7f000000, 8},  /* loopback */
	{0xa9fe0000, 16}, /* link-local; cloud metadata */
	{0xac100000, 12}, /* private */
	{0xc0000000, 24}, /* IETF */
	{0xc0000200, 24}, /* documentation */
	{0xc0586300, 24}, /* 6to4 relays */
	{0xc0a80000, 16}, /* private */
	{0xc6120000, 15}, /* benchmarks */
	{0xc6336400, 24}, /* documentation */
	{0xcb007100, 24}, /* documentation */
	{0xe0000000, 4},  /* multicast */
	{0xf0000000, 4},  /* reserved, broadcast */
};

static bool is_private_v4(uint32_t a)
{
	size_t i;

	for (i = 0; i < sizeof(private_v4) / sizeof(private_v4[0]); i++)
		if ((a ^ private_v4[i].base) >> (32 - private_v4[i].bits) == 0)
			return true;
	return false;
}

static uint32_t word_at(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static bool is_private_v6(const unsigned char a[16])
{
	static const unsigned char mapped[12] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	static const unsigned char nat64[12] = {0, 0x64, 0xff, 0x9b};

	/* An IPv4 address in other clothes. */
	if (memcmp(a, mapped, 12) == 0 || memcmp(a, nat64, 12) == 0)
		return is_private_v4(word_at(a + 12));
	if (a[0] == 0x20 && a[1] == 0x02)
		return is_private_v4(word_at(a + 2));
	if ((a[0] & 0xe0) != 0x20)
		return true;
	/* Teredo and documentation. */
	return word_at(a) == 0x20010000 || word_at(a) == 0x20010db8;
}

bool netrule_private(const struct sockaddr *sa)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (sa->sa_family == AF_INET) {
		memcpy(&v4, sa, sizeof(v4));
		return is_private_v4(ntohl(v4.sin_addr.s_addr));
	}
	if (sa->sa_family == AF_INET6) {
		memcpy(&v6, sa, sizeof(v6));
		return is_private_v6(v6.sin6_addr.s6_addr);
	}
	return true;
}

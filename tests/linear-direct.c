#include "config.h"

#include "tests/linear.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "event/aggregate.h"
#include "sandbox/proxy-http.h"
#if WITH_UI
#include "ui/model.h"
#endif

static int64_t no_time(void *arg)
{
	(void)arg;
	return 0;
}

static const struct clock still = {no_time, no_time, NULL};

static void count_event(void *arg, const struct event *ev)
{
	(void)ev;
	++*(int *)arg;
}

/* One record of each of KINDS for a thing of that number, for N things; all of
 * one kind first. The things have different names, and each is in the one
 * before. */
static void put_records(const enum record_kind *kinds, int count, int n)
{
	struct event_start start = {.runtime = str_of("pi")};
	struct aggregate_end end = {.status = END_FINISHED};
	int events = 0;
	struct aggregate *a = aggregate_new(&still, 0, count_event, &events);

	aggregate_start(a, &start);
	for (int i = 0; i < count * n; i++) {
		struct token_counts one = {1, 1, 1, 1, (double)NAN};
		struct record r = {.kind = kinds[i / n], .adds = true};
		struct usage models;
		char parent[32];
		char name[32];

		snprintf(parent, sizeof(parent), "n%d", i % n - 1);
		snprintf(name, sizeof(name), "n%d", i % n);
		usage_init(&models);
		usage_add(&models, str_of(name), &one);
		r.totals = &models;
		r.id = r.host = r.name = r.model = r.text = str_of(name);
		r.parent = str_of(parent);
		r.counts = one;
		aggregate_record(a, &r);
		usage_release(&models);
	}
	aggregate_end(a, &end);
	aggregate_free(a);
}

#define RECORDS(name, ...)                                               \
	static void name(int n)                                          \
	{                                                                \
		static const enum record_kind kinds[] = {__VA_ARGS__};   \
                                                                         \
		put_records(kinds, sizeof(kinds) / sizeof(kinds[0]), n); \
	}

RECORDS(record_agents, RECORD_SUBAGENT_START, RECORD_TEXT, RECORD_SUBAGENT_END,
	RECORD_SUBAGENT_START)
RECORDS(record_open_agents, RECORD_SUBAGENT_START, RECORD_USAGE, RECORD_TASK)
RECORDS(record_tools, RECORD_TOOL_START, RECORD_REFUSED, RECORD_TOOL_END,
	RECORD_TOOL_START)
RECORDS(record_open_tools, RECORD_TOOL_START, RECORD_TASK)
RECORDS(record_calls, RECORD_CALL_START, RECORD_CALL_USAGE, RECORD_USAGE,
	RECORD_CALL_START)
RECORDS(record_open_calls, RECORD_CALL_USAGE)
RECORDS(record_network, RECORD_NETWORK, RECORD_NETWORK)
RECORDS(record_totals, RECORD_TOTALS)

#if WITH_UI
/* The model of the view: agents within agents, each with a call. */
static void model(int n)
{
	static const enum event_kind kinds[] = {EVENT_SUBAGENT_START,
		EVENT_TOOL_START, EVENT_TOOL, EVENT_SUBAGENT_END};
	const int count = sizeof(kinds) / sizeof(kinds[0]);
	struct model m;

	model_init(&m);
	for (int i = 0; i < count * n; i++) {
		struct event ev = {.kind = kinds[i / n]};
		char parent[32];
		char name[32];

		snprintf(parent, sizeof(parent), "n%d", i % n - 1);
		snprintf(name, sizeof(name), "n%d", i % n);
		if (ev.kind == EVENT_SUBAGENT_START) {
			ev.u.subagent_start.id = str_of(name);
			ev.u.subagent_start.parent = str_of(parent);
			ev.u.subagent_start.description = str_of("d");
		} else if (ev.kind == EVENT_SUBAGENT_END) {
			ev.u.subagent_end.id = str_of(name);
		} else {
			ev.u.tool.id = ev.u.tool.name = str_of(name);
			ev.u.tool.parent = str_of(name);
			ev.u.tool.summary = str_of("s");
		}
		model_event(&m, &ev, 0);
	}
	model_release(&m);
}
#endif

/* The head of a request with N fields, and as many names in Connection, in one
 * field or in N of them. */
static void parse_head(int n, bool one)
{
	struct strbuf head = STRBUF_INIT;
	struct proxy_request rq = {.head = STRBUF_INIT};
	const char *why;

	strbuf_addstr(&head, "GET http://a/ HTTP/1.1\r\nConnection: x");
	for (int i = 0; i < n; i++)
		strbuf_addf(&head, "%sN%d", one ? "," : "\r\nConnection: ", i);
	for (int i = 0; i < n; i++)
		strbuf_addf(&head, "\r\nm%d:", i);
	strbuf_addstr(&head, "\r\n\r\n");
	ar_assert(proxy_parse(&rq, head.buf, head.len, &why) == 0);
	strbuf_release(&head);
	strbuf_release(&rq.head);
}

static void head_list(int n)
{
	parse_head(n, true);
}

static void head_lists(int n)
{
	parse_head(n, false);
}

const struct linear_direct linear_direct[] = {
	{"record-agents", 1000, record_agents},
	{"record-open-agents", 1000, record_open_agents},
	{"record-tools", 1000, record_tools},
	{"record-open-tools", 1000, record_open_tools},
	{"record-calls", 1000, record_calls},
	{"record-open-calls", 1000, record_open_calls},
	{"record-network", 1000, record_network},
	{"record-totals", 1000, record_totals},
	{"head-list", 200, head_list},
	{"head-lists", 200, head_lists},
#if WITH_UI
	{"model", 1000, model},
#endif
	{NULL, 0, NULL},
};

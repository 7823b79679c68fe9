#include "config.h"

#include "view/convert.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "event/aggregate.h"
#include "event/status.h"
#include "runtime/feed.h"

#define NOTE_SANDBOX_OFF                                      \
	"sandbox not running (--sandbox off). agentrun does " \
	"not restrict what the agent writes or which hosts it reaches"

/* What is kept of a stream before its first line of FROM. */
#define EARLY_MAX ((size_t)1 << 20)

struct convert {
	const struct runtime_ops *from;
	const char *cwd;
	struct feed feed;
	struct adapter *adapter;
	struct aggregate *aggregate;
	const char *line; /* at hand */
	uint64_t offset;  /* of the line at hand */
	/* Objects of no runtime, or of others: each a raw_ref and its bytes.
	 * They are read when the first of FROM has come, as a run reads them.
	 */
	struct strbuf early;
	bool known; /* a line was one of FROM only */
	bool maybe; /* a line was one of FROM and of others */
	bool other; /* a line was one of another runtime only */
	bool started;
	bool finished;
};

static void start(struct convert *c, struct str cwd)
{
	const struct str note = str_of(NOTE_SANDBOX_OFF);
	struct event_start ev;

	if (c->started)
		return;
	c->started = true;
	memset(&ev, 0, sizeof(ev));
	ev.runtime = str_of(c->from->name);
	ev.sandbox = str_of("none");
	ev.network_mode = str_of("full");
	ev.cwd = str_is_null(cwd) ? str_of(c->cwd) : cwd;
	ev.notes.v = &note;
	ev.notes.count = 1;
	ev.has_notes = true;
	aggregate_start(c->aggregate, &ev);
}

static void take_record(void *arg, const struct record *r)
{
	struct convert *c = arg;

	/* What gives no event does not need the start yet. */
	if (record_gives_event(r->kind))
		start(c, str_null());
	aggregate_record(c->aggregate, r);
}

struct convert *convert_new(const struct runtime_ops *from, const char *cwd,
	const struct clock *clock, event_fn *emit, void *arg)
{
	struct convert *c = xcalloc(1, sizeof(*c));
	struct adapter_config config;

	memset(&config, 0, sizeof(config));
	config.cwd = cwd;
	config.prompt = str_null();
	config.baseline = token_counts_unknown();
	c->from = from;
	c->cwd = cwd;
	feed_init(&c->feed);
	strbuf_init(&c->early);
	c->adapter = from->adapter_new(&config);
	c->aggregate =
		aggregate_new(clock, clock->mono_ms(clock->arg), emit, arg);
	return c;
}

void convert_free(struct convert *c)
{
	if (!c)
		return;
	feed_release(&c->feed);
	strbuf_release(&c->early);
	c->from->adapter_free(c->adapter);
	aggregate_free(c->aggregate);
	free(c);
}

/* What several runtimes say, as an error, is ours when nothing speaks against
 * it. */
static bool is_ours(struct convert *c, const struct json *object)
{
	const struct runtime_ops *only = runtime_of_line(object);
	bool maybe = !only && runtime_has_line(c->from, object);

	c->known = only == c->from;
	c->maybe = c->maybe || maybe;
	c->other = c->other || (only && !c->known);
	return c->known || maybe;
}

static void read_object(struct convert *c, const struct json *object,
	struct raw_ref source, struct str cwd)
{
	const struct record_out out = {take_record, c};

	aggregate_source(c->aggregate, source);
	if (!str_is_null(cwd))
		start(c, cwd);
	c->from->line(c->adapter, object, &out);
	aggregate_source(c->aggregate, (struct raw_ref){0});
}

static void keep_early(struct convert *c, struct raw_ref source, const char *s)
{
	if (c->early.len + source.len > EARLY_MAX)
		return;
	strbuf_add(&c->early, (const char *)&source, sizeof(source));
	strbuf_add(&c->early, s, source.len);
}

static void read_early(struct convert *c, struct str cwd)
{
	struct strbuf early = c->early;
	struct raw_ref source;
	struct arena arena;

	strbuf_init(&c->early);
	arena_init(&arena);
	for (size_t i = 0; i < early.len; i += source.len) {
		memcpy(&source, early.buf + i, sizeof(source));
		i += sizeof(source);
		arena_reset(&arena);
		read_object(c, json_parse(&arena, early.buf + i, source.len),
			source, cwd);
	}
	arena_release(&arena);
	strbuf_release(&early);
}

static void take_object(
	void *arg, const struct json *object, size_t at, size_t len)
{
	struct convert *c = arg;
	const struct raw_ref source = {c->offset + at, (uint32_t)len};
	struct str cwd = json_str(object, "cwd");

	if (!c->known && !is_ours(c, object)) {
		keep_early(c, source, c->line + at);
		return;
	}
	if (c->early.len)
		read_early(c, cwd);
	read_object(c, object, source, cwd);
}

void convert_line(
	struct convert *c, uint64_t offset, const char *line, size_t len)
{
	c->line = line;
	c->offset = offset;
	feed_line(&c->feed, line, len, take_object, c);
}

bool convert_finish(struct convert *c, uint64_t lines_skipped, bool unfinished)
{
	const struct record_out out = {take_record, c};
	const struct stop_info stop = {0};
	const struct exit_info exit_info = {0};
	struct runtime_verdict rv = {0};
	struct strbuf remark = STRBUF_INIT;
	struct strbuf detail = STRBUF_INIT;
	struct strvec warnings = STRVEC_INIT;
	struct aggregate_end end;

	if (!c->known && (!c->maybe || c->other))
		return false;
	if (c->finished)
		return true;
	c->finished = true;
	start(c, str_null());
	c->from->finish(c->adapter, &out);
	c->from->verdict(c->adapter, &rv);
	feed_remark(&c->feed, unfinished, &remark);
	rv.remark = strbuf_str(&remark);
	memset(&end, 0, sizeof(end));
	status_judge(c->from->name, &stop, &exit_info, &rv, &end.status,
		&detail, &warnings);
	end.exit_code = EXIT_CODE_NULL;
	end.detail = strbuf_str(&detail);
	end.warnings = &warnings;
	end.cost_expected = c->from->warns_cost;
	end.last_line_cut = feed_is_cut(&c->feed, unfinished);
	end.lines_skipped = lines_skipped;
	aggregate_end(c->aggregate, &end);
	strbuf_release(&remark);
	strbuf_release(&detail);
	strvec_release(&warnings);
	return true;
}

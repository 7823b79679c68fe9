#include "config.h"

#include "view/match.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/split.h"
#include "base/strmap.h"
#include "base/xalloc.h"
#include "runtime/runtime.h"
#include "view/convert.h"

#define PIECE ((size_t)256 << 10)

/* One of the streams, read in pieces. */
struct side {
	const struct keep *from;
	uint64_t at;
	struct split split;
	struct arena arena;
};

/* An event of the saved stream that is to be found. */
struct wanted {
	enum event_kind kind;
	uint64_t hash; /* of what is compared */
	uint64_t offset;
};

/* An event of the raw output that is not paired yet. */
struct told {
	enum event_kind kind;
	uint64_t hash;
	struct raw_ref raw;
};

struct pair {
	uint64_t offset; /* of the saved event */
	struct raw_ref raw;
};

struct match {
	struct side events;
	struct side raw;
	const struct runtime_ops *from;
	struct convert *convert;
	char *cwd;
	enum match_state state;
	bool ended; /* the saved stream has its end */
	uint64_t seed[2];
	struct strbuf key;
	struct wanted *wanted; /* those not found yet */
	size_t wanted_at;
	size_t wanted_count;
	size_t wanted_cap;
	struct told *told;
	size_t told_at;
	size_t told_count;
	size_t told_cap;
	struct pair *pairs; /* in the order of the saved stream */
	size_t count;
	size_t cap;
	struct raw_ref last;
};

static void side_init(struct side *s, const struct keep *from)
{
	s->from = from;
	s->at = 0;
	split_init(&s->split, SPLIT_LINE_MAX);
	arena_init(&s->arena);
}

static void side_release(struct side *s)
{
	split_release(&s->split);
	arena_release(&s->arena);
}

/* Reads one more piece. False when there is none now. */
static bool side_read(struct side *s, split_fn *fn, void *arg)
{
	uint64_t start;
	uint64_t end;
	size_t avail;
	char *to;

	keep_range(s->from, &start, &end);
	if (s->at < start || s->at >= end)
		return false;
	to = split_space(&s->split, &avail);
	if (avail > PIECE)
		avail = PIECE;
	if (avail > end - s->at)
		avail = (size_t)(end - s->at);
	if (!keep_read(s->from, s->at, to, avail))
		return false;
	s->at += avail;
	split_commit(&s->split, avail, fn, arg);
	return true;
}

struct match *match_new(const struct keep *events, const struct keep *raw)
{
	struct match *m = xcalloc(1, sizeof(*m));

	side_init(&m->events, events);
	side_init(&m->raw, raw);
	strmap_seed(m->seed);
	strbuf_init(&m->key);
	return m;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	convert_free(m->convert);
	side_release(&m->events);
	side_release(&m->raw);
	strbuf_release(&m->key);
	free(m->cwd);
	free(m->wanted);
	free(m->told);
	free(m->pairs);
	free(m);
}

static void add_key(struct match *m, struct str s)
{
	uint64_t len = s.ptr ? s.len : UINT64_MAX;

	strbuf_add(&m->key, (const char *)&len, sizeof(len));
	strbuf_adds(&m->key, s.ptr ? s : str_of(""));
}

/* What two events must have in common, as one number. */
static uint64_t hash_of(struct match *m, const struct event *ev)
{
	strbuf_reset(&m->key);
	switch (ev->kind) {
	case EVENT_TOOL_START:
	case EVENT_TOOL:
		add_key(m, ev->u.tool.id);
		add_key(m, ev->u.tool.parent);
		add_key(m, ev->u.tool.name);
		break;
	case EVENT_TEXT:
		add_key(m, ev->u.text.parent);
		add_key(m, ev->u.text.text);
		break;
	case EVENT_USAGE:
		add_key(m, ev->u.usage.parent);
		break;
	case EVENT_SUBAGENT_START:
		add_key(m, ev->u.subagent_start.id);
		add_key(m, ev->u.subagent_start.parent);
		add_key(m, ev->u.subagent_start.description);
		break;
	case EVENT_SUBAGENT_END:
		add_key(m, ev->u.subagent_end.id);
		break;
	case EVENT_START:
	case EVENT_PROMPT:
	case EVENT_NETWORK:
	case EVENT_END:
	case EVENT_UNKNOWN:
		break;
	}
	return strmap_hash(m->seed, m->key.buf, m->key.len);
}

static bool is_compared(enum event_kind kind)
{
	return kind != EVENT_START && kind != EVENT_NETWORK &&
	       kind != EVENT_UNKNOWN;
}

static void add_pair(struct match *m, uint64_t offset, struct raw_ref raw)
{
	if (m->count == m->cap) {
		m->cap += m->cap / 2 + 256;
		m->pairs = xreallocarray(m->pairs, m->cap, sizeof(*m->pairs));
	}
	m->pairs[m->count++] = (struct pair){offset, raw};
}

static void take_start(struct match *m, const struct event_start *start)
{
	if (m->cwd)
		return;
	for (size_t i = 0; runtime_table[i] && !m->from; i++) {
		if (str_is(start->runtime, runtime_table[i]->name))
			m->from = runtime_table[i];
	}
	if (!m->from)
		m->state = MATCH_UNKNOWN;
	m->cwd = xstrndup(start->cwd.ptr, start->cwd.len);
}

static void want(struct match *m, const struct event *ev)
{
	struct wanted *w;

	if (m->wanted_count == m->wanted_cap) {
		m->wanted_cap += m->wanted_cap / 2 + 256;
		m->wanted = xreallocarray(
			m->wanted, m->wanted_cap, sizeof(*m->wanted));
	}
	w = &m->wanted[m->wanted_count++];
	w->kind = ev->kind;
	w->hash = hash_of(m, ev);
	w->offset = ev->source.offset;
	m->ended = ev->kind == EVENT_END;
}

/* One line of the saved stream. */
static void on_event(void *arg, const char *line, size_t len)
{
	struct match *m = arg;
	struct err err = ERR_INIT;
	struct event ev;

	if (m->ended)
		return; /* another stream stands behind this one */
	if (event_read(&ev, &m->events.arena, line, len, &err) == 0) {
		ev.source.offset = split_offset(&m->events.split, line);
		if (ev.kind == EVENT_START)
			take_start(m, &ev.u.start);
		else if (is_compared(ev.kind))
			want(m, &ev);
	}
	arena_reset(&m->events.arena);
}

/* The next event of the saved stream; NULL: there is none yet. */
static struct wanted *next_wanted(struct match *m)
{
	if (m->wanted_at == m->wanted_count) {
		m->wanted_at = 0;
		m->wanted_count = 0;
		while (!m->wanted_count && !m->ended &&
			side_read(&m->events, on_event, m))
			;
	}
	return m->wanted_count ? &m->wanted[m->wanted_at] : NULL;
}

/* An event that came out of the raw output. */
static void on_raw_event(void *arg, const struct event *ev)
{
	struct match *m = arg;

	if (!is_compared(ev->kind))
		return;
	m->last = ev->source;
	if (m->told_count == m->told_cap) {
		m->told_cap += m->told_cap / 2 + 64;
		m->told = xreallocarray(m->told, m->told_cap, sizeof(*m->told));
	}
	m->told[m->told_count++] =
		(struct told){ev->kind, hash_of(m, ev), ev->source};
}

/* Each event of the raw output with the next one of the saved stream; those it
 * does not have yet wait, for it may still be written. */
static void pair_up(struct match *m)
{
	for (; m->told_at < m->told_count; m->told_at++) {
		const struct told *t = &m->told[m->told_at];
		struct wanted *w = next_wanted(m);

		/* What agentrun sent and no runtime told: codex, dsh. */
		if (w && w->kind == EVENT_PROMPT && t->kind != EVENT_PROMPT) {
			m->wanted_at++;
			w = next_wanted(m);
		}
		if (!w && !m->ended)
			return;
		if (!w || w->kind != t->kind || w->hash != t->hash) {
			m->state = MATCH_FOREIGN;
			return;
		}
		add_pair(m, w->offset, t->raw);
		m->wanted_at++;
	}
	m->told_at = 0;
	m->told_count = 0;
}

static void on_raw_line(void *arg, const char *line, size_t len)
{
	struct match *m = arg;

	if (m->state != MATCH_OK)
		return;
	convert_line(m->convert, split_offset(&m->raw.split, line), line, len);
	pair_up(m);
}

/* The saved stream begins with the name of the runtime. */
static bool begin(struct match *m)
{
	(void)next_wanted(m);
	if (!m->from)
		return false;
	m->convert =
		convert_new(m->from, m->cwd, &clock_system, on_raw_event, m);
	return true;
}

/* Both streams are read. The end was made from the last line that gave
 * something. */
static void finish(struct match *m)
{
	struct wanted *w;

	if (m->raw.split.len)
		split_finish(&m->raw.split, on_raw_line, m);
	while (m->state == MATCH_OK && (w = next_wanted(m))) {
		if (w->kind == EVENT_END)
			add_pair(m, w->offset, m->last);
		m->wanted_at++;
	}
}

bool match_step(struct match *m)
{
	if (m->state != MATCH_OK || (!m->convert && !begin(m)))
		return false;
	pair_up(m); /* the saved stream may have grown */
	if (side_read(&m->raw, on_raw_line, m))
		return m->state == MATCH_OK;
	/* The raw output of a whole stream grows no more. */
	if (next_wanted(m) && m->ended)
		finish(m);
	return false;
}

enum match_state match_state(const struct match *m)
{
	return m->state;
}

const struct runtime_ops *match_runtime(const struct match *m)
{
	return m->from;
}

int match_percent(const struct match *m)
{
	uint64_t start;
	uint64_t end;

	keep_range(m->raw.from, &start, &end);
	return end ? (int)(m->raw.at * 100 / end) : 100;
}

struct raw_ref match_find(const struct match *m, uint64_t offset)
{
	size_t low = 0;
	size_t high = m->state == MATCH_OK ? m->count : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->pairs[mid].offset == offset)
			return m->pairs[mid].raw;
		if (m->pairs[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return (struct raw_ref){0};
}

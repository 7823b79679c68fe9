/* fuzz-source: a saved or growing stream, read through the loop in pieces of
 * any size. Each line is one event, given on byte for byte, or one bad line;
 * raw output keeps the rules of the stream. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/loop.h"
#include "fuzz-stream.h"
#include "fuzz.h"
#include "output/sink.h"
#include "view/view.h"

struct seen {
	struct sink sink; /* must be first */
	struct strbuf events;
	size_t count;
	size_t bad;
	uint64_t last_bad;
	enum view_state state;
	const char *data;
	size_t len;
};

static int take(
	struct sink *s, const struct event *ev, int *syserr, struct err *err)
{
	struct seen *seen = (struct seen *)s;

	(void)syserr;
	(void)err;
	event_write(&seen->events, ev);
	seen->count++;
	ar_assert(ev->source.offset + ev->source.len <= seen->len);
	if (ev->raw.ptr)
		ar_assert(ev->raw.len == ev->source.len &&
			  memcmp(seen->data + ev->source.offset, ev->raw.ptr,
				  ev->raw.len) == 0);
	return 0;
}

static void on_bad(void *arg, uint64_t number, const char *why)
{
	struct seen *seen = arg;

	ar_assert(number > seen->last_bad && why[0]);
	seen->last_bad = number;
	seen->bad++;
}

static void on_state(void *arg, enum view_state state, const struct err *err)
{
	struct seen *seen = arg;

	ar_assert((state == VIEW_FAILED) == (err != NULL));
	seen->state = state;
}

/* The events of DATA, without a loop. */
static void want_events(
	struct str data, struct strbuf *out, size_t *count, size_t *lines)
{
	struct arena a;
	struct str line;

	arena_init(&a);
	while (fuzz_line(&data, &line)) {
		struct err err = ERR_INIT;
		struct event ev;

		(*lines)++;
		if (event_read(&ev, &a, line.ptr, line.len, &err) == 0) {
			event_write(out, &ev);
			(*count)++;
		}
		arena_reset(&a);
	}
	arena_release(&a);
}

static void play(const void *arg, const char *data, size_t len)
{
	static const struct sink_ops ops = {.event = take};
	struct fuzz_rand r = fuzz_choice(data, len);
	struct strbuf path = STRBUF_INIT;
	struct strbuf want = STRBUF_INIT;
	struct seen seen = {.sink = {&ops}, .data = data, .len = len};
	struct view_source_config config = {.cwd = "/",
		.clock = &clock_system,
		.piece = 1 + fuzz_below(&r, 300)};
	struct view_source_events events = {
		.bad_line = on_bad, .state = on_state, .arg = &seen};
	struct loop *loop = loop_new(NULL);
	struct view_source *v;
	size_t count = 0;
	size_t lines = 0;

	(void)arg;
	strbuf_init(&seen.events);
	fuzz_write("stream", (struct str){data, len});
	strbuf_addf(&path, "%s/stream", fuzz_folder());
	config.path = path.buf;
	v = view_source_new(loop, &config, &seen.sink, &events);
	view_source_start(v);
	for (size_t i = 0; i < len + 64 && seen.state == VIEW_READING; i++)
		(void)loop_once(loop, 0);
	ar_assert(seen.state == VIEW_DONE || seen.state == VIEW_NO_END);
	want_events((struct str){data, len}, &want, &count, &lines);
	ar_assert(str_eq(strbuf_str(&seen.events), strbuf_str(&want)));
	ar_assert(seen.count == count && seen.count + seen.bad == lines);
	ar_assert(view_source_bad_lines(v) == seen.bad);
	view_source_free(v);
	loop_free(loop);
	strbuf_release(&path);
	strbuf_release(&want);
	strbuf_release(&seen.events);
}

const struct fuzz_target fuzz_source = {
	.name = "source",
	.seeds = "golden/*/*/out.jsonl",
	.play = play,
	.max = 8192,
	.json = true,
};

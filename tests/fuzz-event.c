/* fuzz-event: saved streams. A line that is read as an event is written byte
 * for byte; written from its parts it is an event again, with the fields of its
 * type in their order, and so on without a further change. */
#include "config.h"

#include "event/event.h"
#include "fuzz-stream.h"
#include "fuzz.h"

static void write_parts(struct strbuf *out, struct event *ev)
{
	ev->raw = str_null();
	strbuf_reset(out);
	event_write(out, ev);
	ar_assert(out->buf[out->len - 1] == '\n');
	strbuf_setlen(out, out->len - 1);
}

static void check_line(struct arena *a, struct str line)
{
	struct strbuf out = STRBUF_INIT;
	struct strbuf again = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct event ev;

	if (event_read(&ev, a, line.ptr, line.len, &err) < 0) {
		ar_assert(err.msg[0]);
		fuzz_check_clean(str_of(err.msg), false);
		return;
	}
	event_write(&out, &ev);
	ar_assert(out.len == line.len + 1);
	ar_assert(memcmp(out.buf, line.ptr, line.len) == 0);
	if (ev.kind != EVENT_UNKNOWN) {
		bool has_notes = ev.kind != EVENT_START || ev.u.start.has_notes;

		write_parts(&out, &ev);
		ar_assert(event_read(&ev, a, out.buf, out.len, &err) == 0);
		if (has_notes)
			fuzz_check_order(json_parse(a, out.buf, out.len));
		write_parts(&again, &ev);
		ar_assert(str_eq(strbuf_str(&out), strbuf_str(&again)));
	}
	strbuf_release(&out);
	strbuf_release(&again);
}

static void play(const void *arg, const char *data, size_t len)
{
	struct str rest = {data, len};
	struct arena a;
	struct str line;

	(void)arg;
	arena_init(&a);
	while (fuzz_line(&rest, &line)) {
		check_line(&a, line);
		arena_reset(&a);
	}
	arena_release(&a);
}

const struct fuzz_target fuzz_event = {
	.name = "event",
	.seeds = "golden/*/*/out.jsonl",
	.play = play,
	.json = true,
};

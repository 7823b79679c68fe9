/* fuzz-event: saved streams. A line that is read as an event is written byte
 * for byte; written from its parts it is an event again. */
#include "config.h"

#include "fuzz.h"

#include "event/event.h"

static void check_line(struct arena *a, const char *line, size_t len)
{
	struct strbuf out = STRBUF_INIT;
	struct strbuf parts = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct event ev;

	if (event_read(&ev, a, line, len, &err) < 0) {
		ar_assert(err.msg[0]);
		return;
	}
	event_write(&out, &ev);
	ar_assert(out.len == len + 1 && memcmp(out.buf, line, len) == 0);
	if (ev.kind != EVENT_UNKNOWN) {
		ev.raw = str_null();
		event_write(&parts, &ev);
		ar_assert(event_read(&ev, a, parts.buf, parts.len - 1, &err) ==
			  0);
	}
	strbuf_release(&out);
	strbuf_release(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *s = (const char *)data;
	struct arena a;

	arena_init(&a);
	while (size > 0) {
		const char *nl = memchr(s, '\n', size);
		size_t len = nl ? (size_t)(nl - s) : size;

		check_line(&a, s, len);
		arena_reset(&a);
		len += nl ? 1 : 0;
		s += len;
		size -= len;
	}
	arena_release(&a);
	return 0;
}

/* fuzz-json: bytes are split into lines, parsed and written again. What comes
 * out is valid, and the same when it is parsed once more. */
#include "config.h"

#include "fuzz.h"

#include "base/jsonw.h"
#include "base/split.h"
#include "base/utf8.h"

static void write_value(struct strbuf *out, const struct json *v)
{
	struct jsonw w;

	jsonw_init(&w, out);
	jsonw_value(&w, NULL, v);
}

static void on_line(void *arg, const char *line, size_t len)
{
	struct arena *a = arg;
	struct strbuf once = STRBUF_INIT;
	struct strbuf twice = STRBUF_INIT;
	const struct json *v;

	ar_assert(!memchr(line, '\n', len));
	v = json_parse(a, line, len);
	if (v) {
		write_value(&once, v);
		ar_assert(utf8_valid(once.buf, once.len));
		(void)json_int(v, "n", 0);
		(void)json_double(v, "n", 0);
		v = json_parse(a, once.buf, once.len);
		ar_assert(v);
		write_value(&twice, v);
		ar_assert(str_eq(strbuf_str(&once), strbuf_str(&twice)));
	}
	arena_reset(a);
	strbuf_release(&once);
	strbuf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct split s;
	size_t step = size > 0 ? data[0] % 64 + 1u : 1;
	size_t i;

	arena_init(&a);
	split_init(&s, 65536); /* beyond LONGSTR_LINE */
	for (i = 1; i < size; i += step)
		split_feed(&s, (const char *)data + i,
			size - i < step ? size - i : step, on_line, &a);
	split_finish(&s, on_line, &a);
	split_release(&s);
	arena_release(&a);
	return 0;
}

/* fuzz-utf8: repair, display and cutting. Nothing that leaves the cleaner can
 * act as a control on a terminal; every cut is at a character. */
#include "config.h"

#include "base/utf8.h"
#include "fuzz.h"

static void check_display(
	const char *s, size_t len, enum utf8_source source, int tab_width)
{
	struct strbuf once = STRBUF_INIT;
	struct strbuf twice = STRBUF_INIT;

	utf8_display(&once, s, len, source, tab_width);
	fuzz_check_clean(strbuf_str(&once), !tab_width);
	/* What is clean stays as it is. */
	utf8_display(&twice, once.buf, once.len, source, tab_width);
	ar_assert(str_eq(strbuf_str(&once), strbuf_str(&twice)));
	ar_assert(utf8_cols(once.buf, once.len) <=
		  2 * utf8_points(once.buf, once.len));
	strbuf_release(&once);
	strbuf_release(&twice);
}

static void check_cut(const char *s, size_t len)
{
	size_t last = 0;
	size_t points;

	for (points = 0; points < 40; points++) {
		size_t cut = utf8_cut(s, len, points);

		ar_assert(cut <= len && cut >= last);
		ar_assert(utf8_valid(s, cut));
		ar_assert(utf8_points(s, cut) <= points);
		last = cut;
	}
	ar_assert(utf8_cut(s, len, len) == len);
}

static void check_lines(const char *s, size_t len)
{
	struct str text = {s, len};
	struct str line;
	size_t total = 0;
	size_t pos = 0;

	while (utf8_next_line(text, &pos, &line)) {
		ar_assert(!memchr(line.ptr, '\n', line.len));
		ar_assert(!memchr(line.ptr, '\r', line.len));
		ar_assert(line.ptr >= s + total && pos <= len);
		total = (size_t)(line.ptr - s) + line.len;
	}
	ar_assert(pos == len);
}

static void play(const void *arg, const char *s, size_t size)
{
	struct strbuf good = STRBUF_INIT;
	struct strbuf json = STRBUF_INIT;
	struct strbuf again = STRBUF_INIT;

	(void)arg;
	utf8_repair(&good, s, size);
	ar_assert(utf8_valid(good.buf, good.len));
	ar_assert(!utf8_valid(s, size) ||
		  str_eq(strbuf_str(&good), (struct str){s, size}));
	if (utf8_repair_json(&json, s, size)) {
		ar_assert(utf8_valid(json.buf, json.len));
		ar_assert(!utf8_repair_json(&again, json.buf, json.len));
	}
	check_display(s, size, UTF8_AGENT, 4);
	check_display(s, size, UTF8_STDERR, 0);
	check_cut(good.buf, good.len);
	check_lines(s, size);
	(void)utf8_is_blank(s, size);
	strbuf_release(&good);
	strbuf_release(&json);
	strbuf_release(&again);
}

const struct fuzz_target fuzz_utf8 = {
	.name = "utf8",
	.max = 4096,
	.play = play,
};

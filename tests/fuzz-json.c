/* fuzz-json: bytes are split into lines, parsed and written again. Other pieces
 * give the same lines. What comes out is valid, and the same when it is parsed
 * once more. A long line is read in another way (base/longstr.h), which must
 * not show. */
#include "config.h"

#include "base/json.h"
#include "base/jsonw.h"
#include "base/longstr.h"
#include "base/split.h"
#include "base/utf8.h"
#include "fuzz.h"

#define LINE_MAX_HERE ((size_t)65536) /* beyond LONGSTR_LINE */

struct lines {
	struct arena arena;
	struct strbuf all; /* each with its length */
	bool parse;
	size_t count;
	size_t chosen; /* this line is also read as a long one */
};

static void write_value(struct strbuf *out, const struct json *v)
{
	struct jsonw w;

	jsonw_init(&w, out);
	jsonw_value(&w, NULL, v);
}

/* The same line behind so many blanks that it is a long one. */
static void check_long(
	struct arena *a, struct str line, const struct strbuf *want)
{
	struct strbuf text = STRBUF_INIT;
	struct strbuf got = STRBUF_INIT;
	const struct json *v;

	for (size_t i = 0; i < LONGSTR_LINE; i++)
		strbuf_addch(&text, ' ');
	strbuf_adds(&text, line);
	v = json_parse(a, text.buf, text.len);
	ar_assert(!v == !want->len);
	if (v)
		write_value(&got, v);
	ar_assert(str_eq(strbuf_str(&got), strbuf_str(want)));
	strbuf_release(&text);
	strbuf_release(&got);
}

static void check_values(const struct json *v)
{
	for (const struct json *m = v->first; m; m = m->next) {
		ar_assert(utf8_valid(m->key.ptr, m->key.len));
		ar_assert(utf8_valid(m->text.ptr, m->text.len));
		check_values(m);
	}
	(void)json_int(v, "n", 0);
	(void)json_double(v, "n", 0);
}

static void check_line(struct arena *a, struct str line, bool as_long)
{
	struct strbuf once = STRBUF_INIT;
	struct strbuf twice = STRBUF_INIT;
	const struct json *v = json_parse(a, line.ptr, line.len);

	if (v) {
		check_values(v);
		write_value(&once, v);
		ar_assert(utf8_valid(once.buf, once.len));
		v = json_parse(a, once.buf, once.len);
		ar_assert(v);
		write_value(&twice, v);
		ar_assert(str_eq(strbuf_str(&once), strbuf_str(&twice)));
	}
	if (as_long && line.len < LONGSTR_LINE)
		check_long(a, line, &once);
	strbuf_release(&once);
	strbuf_release(&twice);
}

static void on_line(void *arg, const char *line, size_t len)
{
	struct lines *l = arg;

	ar_assert(!memchr(line, '\n', len));
	ar_assert(len <= LINE_MAX_HERE);
	strbuf_addf(&l->all, "%zu ", len);
	strbuf_add(&l->all, line, len);
	if (l->parse)
		check_line(&l->arena, (struct str){line, len},
			l->count++ == l->chosen);
	arena_reset(&l->arena);
}

static void play(const void *arg, const char *data, size_t len)
{
	struct lines whole = {.parse = true};
	struct lines pieces = {.parse = false};
	struct fuzz_rand r = fuzz_choice(data, len);
	struct split s;

	(void)arg;
	whole.chosen = fuzz_below(&r, 8);
	arena_init(&whole.arena);
	arena_init(&pieces.arena);
	strbuf_init(&whole.all);
	strbuf_init(&pieces.all);
	split_init(&s, LINE_MAX_HERE);
	split_feed(&s, data, len, on_line, &whole);
	split_finish(&s, on_line, &whole);
	split_release(&s);
	for (size_t i = 0; i < len;) {
		size_t n = 1 + fuzz_below(&r, 64);

		n = n < len - i ? n : len - i;
		split_feed(&s, data + i, n, on_line, &pieces);
		i += n;
	}
	split_finish(&s, on_line, &pieces);
	split_release(&s);
	ar_assert(str_eq(strbuf_str(&whole.all), strbuf_str(&pieces.all)));
	strbuf_release(&whole.all);
	strbuf_release(&pieces.all);
	arena_release(&whole.arena);
	arena_release(&pieces.arena);
}

const struct fuzz_target fuzz_json = {
	.name = "json",
	.seeds = "golden/*/*/in.jsonl",
	.play = play,
	.json = true,
};

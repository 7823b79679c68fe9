/* fuzz-mutate: changes an input by bytes, pieces and lines. */
#include "config.h"

#include "fuzz.h"

#include <string.h>

/* What readers stumble over, whatever they read. */
static const struct str pieces[] = {
#define P(s)                     \
	{                        \
		s, sizeof(s) - 1 \
	}
	P("\0"), P("\n"), P("\r"), P("\r\n"), P("\t"), P("\x1b[2J"),
	P("\x1b]52;c;AA==\a"), P("\x1bP"), P("\x9b"), P("\xc2\x9b"), P("\x7f"),
	P("\xef\xbb\xbf"),            /* BOM */
	P("\xff\xfe"),                /* BOM of UTF-16 */
	P("\xc0\x80"),                /* overlong */
	P("\xed\xa0\x80"),            /* a surrogate */
	P("\xf4\x90\x80\x80"),        /* beyond Unicode */
	P("\xe2\x80\xae"),            /* right to left */
	P("\xe2\x80\xa8"),            /* line separator */
	P("\xc2\xa0"), P("\xcc\x81"), /* a mark */
	P("\xe4\xb8\xad"),            /* wide */
	P("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7"), P("\\ud800"),
	P("\\udc00"), P("\\u0000"), P("\\ud83d\\ude00"), P("\\"), P("\""),
	P("'"), P("{"), P("}"), P("["), P("]"), P("{}"), P("null"), P("true"),
	P("0"), P("-1"), P("9223372036854775808"), P("1e400"), P("0.1"), P("%"),
	P("%s%n"), P("../"), P("/"), P("<script>"), P("]]>"), P("```"), P(":"),
	P("="), P("#"), P(","), P("==\n")
#undef P
};

struct edit {
	char *data;
	size_t len;
	size_t max;
	struct fuzz_rand *r;
};

static void cut_out(struct edit *e, size_t at, size_t n)
{
	memmove(e->data + at, e->data + at + n, e->len - at - n);
	e->len -= n;
}

static void put_in(struct edit *e, size_t at, struct str s)
{
	if (s.len > e->max - e->len)
		return;
	memmove(e->data + at + s.len, e->data + at, e->len - at);
	memcpy(e->data + at, s.ptr, s.len);
	e->len += s.len;
}

static size_t somewhere(struct edit *e)
{
	return fuzz_below(e->r, e->len + 1);
}

/* A range that is mostly short. */
static size_t some_length(struct edit *e, size_t at)
{
	size_t most = fuzz_below(e->r, 4) ? 8 : 4096;

	if (most > e->len - at)
		most = e->len - at;
	return most ? 1 + fuzz_below(e->r, most) : 0;
}

/* A line with its '\n'. */
static struct str some_line(struct edit *e)
{
	size_t at = somewhere(e);
	size_t end = at;

	while (at > 0 && e->data[at - 1] != '\n')
		at--;
	while (end < e->len && e->data[end] != '\n')
		end++;
	end += end < e->len;
	return (struct str){e->data + at, end - at};
}

static void copy_to(struct edit *e, struct str from, size_t at)
{
	struct strbuf copy = STRBUF_INIT;

	strbuf_adds(&copy, from);
	put_in(e, at, strbuf_str(&copy));
	strbuf_release(&copy);
}

static void edit_lines(struct edit *e)
{
	struct str line = some_line(e);
	size_t at = (size_t)(line.ptr - e->data);
	struct str other;

	switch (fuzz_below(e->r, 4)) {
	case 0:
		cut_out(e, at, line.len);
		break;
	case 1:
		copy_to(e, line, at);
		break;
	case 2:
		other = some_line(e);
		copy_to(e, line, (size_t)(other.ptr - e->data));
		break;
	default: /* joined with the next one */
		if (line.len)
			cut_out(e, at + line.len - 1, 1);
		break;
	}
}

static void edit_bytes(struct edit *e)
{
	size_t at = somewhere(e);
	size_t n = some_length(e, at);

	switch (fuzz_below(e->r, 4)) {
	case 0:
		cut_out(e, at, n);
		break;
	case 1:
		copy_to(e, (struct str){e->data + at, n}, somewhere(e));
		break;
	case 2:
		if (at < e->len)
			e->data[at] ^= (char)(1 << fuzz_below(e->r, 8));
		break;
	default:
		if (at < e->len)
			e->data[at] = (char)fuzz_next(e->r);
		break;
	}
}

static void put_piece(struct edit *e, const char *const *words)
{
	size_t count = 0;

	while (words && words[count])
		count++;
	if (count && fuzz_below(e->r, 3))
		put_in(e, somewhere(e), str_of(words[fuzz_below(e->r, count)]));
	else
		put_in(e, somewhere(e),
			pieces[fuzz_below(
				e->r, sizeof(pieces) / sizeof(pieces[0]))]);
}

size_t fuzz_mutate(const struct fuzz_target *t, char *data, size_t len,
	size_t max, uint64_t seed)
{
	struct fuzz_rand r = {seed};
	struct edit e = {data, len, max, &r};
	struct strbuf tree = STRBUF_INIT;

	if (t->json && fuzz_below(&r, 4) &&
		fuzz_mutate_json(&tree, data, len, &r) && tree.len <= max) {
		len = tree.len;
		memcpy(data, tree.buf, len);
		strbuf_release(&tree);
		return len;
	}
	strbuf_release(&tree);
	switch (fuzz_below(&r, 8)) {
	case 0:
	case 1:
		edit_lines(&e);
		break;
	case 2:
	case 3:
		edit_bytes(&e);
		break;
	case 4: /* it breaks off */
		e.len = somewhere(&e);
		break;
	default:
		put_piece(&e, t->words);
		break;
	}
	return e.len;
}

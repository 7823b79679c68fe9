#include "config.h"

#include "event/linediff.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/strmap.h"
#include "base/xalloc.h"

#define NO_NEWLINE "\\ No newline at end of file\n"

struct line {
	struct str text; /* without its '\n' */
	uintptr_t id;    /* the same for the same line */
};

struct lines {
	struct line *v;
	size_t count;
	bool open; /* the last one has no '\n' */
};

/* Lines are compared very often, so each text gets a number. The last line of a
 * text that has no line end is another line than one that has. */
static uintptr_t number(struct strmap *ids, struct str text, bool open)
{
	uintptr_t id = (uintptr_t)strmap_get(ids, text);

	if (!id) {
		id = ids->count + 1;
		strmap_put(ids, text, (void *)id);
	}
	return id << 1 | open;
}

static struct lines cut(struct strmap *ids, struct str s)
{
	struct lines l = {NULL, 0, false};
	size_t cap = 0;
	size_t pos = 0;

	while (pos < s.len) {
		const char *nl = memchr(s.ptr + pos, '\n', s.len - pos);
		size_t end = nl ? (size_t)(nl - s.ptr) : s.len;

		if (l.count == cap) {
			cap += cap / 2 + 64;
			l.v = xreallocarray(l.v, cap, sizeof(*l.v));
		}
		l.open = !nl;
		l.v[l.count].text = (struct str){s.ptr + pos, end - pos};
		l.v[l.count].id = number(ids, l.v[l.count].text, l.open);
		l.count++;
		pos = end + 1;
	}
	return l;
}

static void put(struct strbuf *out, char sign, const struct lines *l, size_t i)
{
	strbuf_addch(out, sign);
	strbuf_adds(out, l->v[i].text);
	strbuf_addch(out, '\n');
	if (l->open && i + 1 == l->count)
		strbuf_addstr(out, NO_NEWLINE);
}

/* A part of both texts: lines FROM to END of each. */
struct range {
	size_t a, a_end;
	size_t b, b_end;
};

static void replace(struct strbuf *out, const struct lines *a,
	const struct lines *b, struct range r)
{
	for (; r.a < r.a_end; r.a++)
		put(out, '-', a, r.a);
	for (; r.b < r.b_end; r.b++)
		put(out, '+', b, r.b);
}

/* The longest common subsequence by its table: best[i][j] lines are common from
 * A's i and B's j on. */
static void compare(struct strbuf *out, const struct lines *a,
	const struct lines *b, struct range r)
{
	size_t rows = r.a_end - r.a;
	size_t cols = r.b_end - r.b;
	size_t width = cols + 1;
	uint32_t *best = xcalloc((rows + 1) * width, sizeof(*best));
	struct range gap = {r.a, r.a, r.b, r.b};

	for (size_t i = rows; i-- > 0;) {
		for (size_t j = cols; j-- > 0;) {
			uint32_t down = best[(i + 1) * width + j];
			uint32_t right = best[i * width + j + 1];

			if (a->v[r.a + i].id == b->v[r.b + j].id)
				best[i * width + j] =
					best[(i + 1) * width + j + 1] + 1;
			else
				best[i * width + j] =
					down > right ? down : right;
		}
	}
	for (size_t i = 0, j = 0; i < rows && j < cols;) {
		if (a->v[r.a + i].id == b->v[r.b + j].id) {
			replace(out, a, b, gap);
			put(out, ' ', a, r.a + i);
			gap.a = ++i + r.a;
			gap.b = ++j + r.b;
		} else if (best[(i + 1) * width + j] >=
			   best[i * width + j + 1]) {
			i++;
		} else {
			j++;
		}
		gap.a_end = r.a + i;
		gap.b_end = r.b + j;
	}
	gap.a_end = r.a_end;
	gap.b_end = r.b_end;
	replace(out, a, b, gap);
	free(best);
}

void linediff(struct strbuf *out, struct str from, struct str to)
{
	struct strmap ids;
	struct lines a;
	struct lines b;
	struct range r = {0};

	strmap_init(&ids);
	a = cut(&ids, from);
	b = cut(&ids, to);
	r.a_end = a.count;
	r.b_end = b.count;
	while (r.a < r.a_end && r.b < r.b_end && a.v[r.a].id == b.v[r.b].id) {
		put(out, ' ', &a, r.a);
		r.a++;
		r.b++;
	}
	while (r.a_end > r.a && r.b_end > r.b &&
		a.v[r.a_end - 1].id == b.v[r.b_end - 1].id) {
		r.a_end--;
		r.b_end--;
	}
	if ((r.a_end - r.a + 1) <= LINEDIFF_CELLS / (r.b_end - r.b + 1))
		compare(out, &a, &b, r);
	else
		replace(out, &a, &b, r);
	for (; r.a_end < a.count; r.a_end++)
		put(out, ' ', &a, r.a_end);
	strmap_release(&ids);
	free(a.v);
	free(b.v);
}

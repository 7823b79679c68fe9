#include "config.h"

#include "ui/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void search_release(struct search *s)
{
	find_release(&s->find);
	free(s->blocks);
	memset(s, 0, sizeof(*s));
}

void search_restart(struct search *s)
{
	s->item = 0;
	s->line = 0;
	s->total = 0;
}

void search_set(struct search *s, struct str needle)
{
	find_set(&s->find, needle);
	search_restart(s);
}

/* Whether LINE of item I is one that can be found. */
static bool is_searched(const struct lens *l, size_t i, size_t line)
{
	const struct item *it = &l->m->items[i];

	if (!lens_selects(l, i))
		return false;
	if (find_is_set(&l->match))
		return rows_of(&l->rows, line);
	return !(it->flags & ITEM_CUT_LINE) ||
	       line + 1 < model_item_end(l->m, i);
}

static void count_line(struct search *s, size_t line, bool match)
{
	size_t block = line / ROWS_BLOCK;

	if (block >= s->cap) {
		s->cap = block + block / 2 + 16;
		s->blocks =
			xreallocarray(s->blocks, s->cap, sizeof(*s->blocks));
	}
	if (line % ROWS_BLOCK == 0)
		s->blocks[block] = 0;
	s->blocks[block] = (uint16_t)(s->blocks[block] + match);
	s->total += match;
}

bool search_count(struct search *s, const struct lens *l, size_t budget)
{
	const struct doc *d = &l->m->doc;
	bool any = false;
	size_t at;

	if (!find_is_set(&s->find) || s->line >= d->count)
		return false;
	at = doc_offset(d, s->line);
	for (; s->item < l->next; s->item++) {
		size_t end = model_item_end(l->m, s->item);

		for (; s->line < end; s->line++) {
			struct str text = {d->buf + at, doc_len(d, s->line)};

			size_t cost = text.len + 16;

			/* One line at least, however long it is. */
			if (any && budget < cost)
				return true;
			any = true;
			budget -= budget < cost ? budget : cost;
			at += text.len;
			count_line(s, s->line,
				is_searched(l, s->item, s->line) &&
					find_in(&s->find, text, 0) >= 0);
		}
	}
	return false;
}

/* A walk over the lines, with the item and the bytes of the present one. */
struct walk {
	size_t line;
	size_t item;
	size_t at;
};

static void walk_to(struct walk *w, const struct model *m, size_t line)
{
	if (line == w->line + 1)
		w->at += doc_len(&m->doc, w->line);
	else if (line + 1 == w->line)
		w->at -= doc_len(&m->doc, line);
	else if (line != w->line)
		w->at = doc_offset(&m->doc, line);
	w->line = line;
	while (m->items[w->item].line > line)
		w->item--;
	while (w->item + 1 < m->item_count &&
		m->items[w->item + 1].line <= line)
		w->item++;
}

static bool matches(
	const struct search *s, const struct lens *l, const struct walk *w)
{
	struct str text = {l->m->doc.buf + w->at, doc_len(&l->m->doc, w->line)};

	return is_searched(l, w->item, w->line) &&
	       find_in(&s->find, text, 0) >= 0;
}

/* Whether the block of LINE is known to hold nothing. */
static bool is_empty_block(const struct search *s, size_t line)
{
	size_t block = line / ROWS_BLOCK;

	return (block + 1) * ROWS_BLOCK <= s->line && !s->blocks[block];
}

size_t search_next(const struct search *s, const struct lens *l, size_t line,
	int dir, bool *wrapped)
{
	size_t count = l->rows.count;
	size_t left = count;
	struct walk w;

	*wrapped = false;
	if (!find_is_set(&s->find) || !count)
		return ROWS_NONE;
	if (line == ROWS_NONE || line >= count)
		line = dir > 0 ? count - 1 : 0;
	w.line = line;
	w.item = model_item_of(l->m, line);
	w.at = doc_offset(&l->m->doc, line);
	while (left--) {
		if (dir > 0 && ++line == count) {
			line = 0;
			*wrapped = true;
		} else if (dir < 0 && line-- == 0) {
			line = count - 1;
			*wrapped = true;
		}
		if (is_empty_block(s, line)) {
			size_t in = line % ROWS_BLOCK;
			size_t skip = dir > 0 ? ROWS_BLOCK - 1 - in : in;

			line = dir > 0 ? line + skip : line - skip;
			left = left > skip ? left - skip : 0;
			continue;
		}
		walk_to(&w, l->m, line);
		if (matches(s, l, &w))
			return line;
	}
	return ROWS_NONE;
}

uint64_t search_index(const struct search *s, const struct lens *l, size_t line)
{
	size_t block = line / ROWS_BLOCK;
	struct walk w = {.line = block * ROWS_BLOCK};
	uint64_t n = 0;
	size_t i;

	if (line >= s->line)
		return 0;
	for (i = 0; i < block; i++)
		n += s->blocks[i];
	w.item = model_item_of(l->m, w.line);
	w.at = doc_offset(&l->m->doc, w.line);
	for (i = w.line; i <= line; i++) {
		walk_to(&w, l->m, i);
		n += matches(s, l, &w);
	}
	return n;
}

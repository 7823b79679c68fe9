#include "config.h"

#include "ui/lens.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum fold {
	FOLD_NONE, /* all lines are always shown */
	FOLD_HEAD,
	FOLD_PREVIEW,
	FOLD_FULL
};

void lens_init(struct lens *l, struct model *m, uint32_t agent)
{
	memset(l, 0, sizeof(*l));
	l->m = m;
	l->agent = agent;
	l->only = UINT32_MAX;
	l->width = 80;
	l->keep = RECENT_TEXTS;
}

void lens_release(struct lens *l)
{
	rows_release(&l->rows);
	find_release(&l->match);
	free(l->member);
}

bool lens_is_filtered(const struct lens *l)
{
	return l->kinds || l->only != UINT32_MAX || find_is_set(&l->match);
}

/* Who is the agent of this lens or below it; new agents are judged by their
 * parent, which comes before them. */
static void update_members(struct lens *l)
{
	const struct agents *a = &l->m->agents;

	if (l->members == a->count)
		return;
	l->member = xreallocarray(l->member, a->cap, sizeof(*l->member));
	for (; l->members < a->count; l->members++) {
		size_t i = l->members;

		l->member[i] =
			i == l->agent || (i && l->member[a->v[i].parent]);
	}
}

static bool is_kind(const struct item *it, unsigned kinds)
{
	bool text = it->kind == ITEM_TEXT || it->kind == ITEM_RESULT;

	return ((kinds & LENS_TOOLS) && it->kind == ITEM_TOOL) ||
	       ((kinds & LENS_TEXTS) && text) ||
	       ((kinds & LENS_ERRORS) && (it->flags & ITEM_FAILED)) ||
	       ((kinds & LENS_DENIALS) && (it->flags & ITEM_DENIED));
}

bool lens_selects(const struct lens *l, size_t i)
{
	const struct item *it = &l->m->items[i];

	if (l->agent != AGENT_MAIN) {
		/* Its start has the label of who started it. */
		uint32_t of =
			it->kind == ITEM_AGENT_START ? it->aux : it->agent;

		if (of >= l->members || !l->member[of])
			return false;
	}
	if (l->only != UINT32_MAX && it->agent != l->only)
		return false;
	return !l->kinds || is_kind(it, l->kinds);
}

static enum fold fold_of(const struct lens *l, size_t i)
{
	const struct item *it = &l->m->items[i];
	size_t from = l->recent_count -
		      (l->keep < l->recent_count ? l->keep : l->recent_count);

	if (it->kind != ITEM_TEXT && it->kind != ITEM_PROMPT)
		return FOLD_NONE;
	if (l->unfolded || (it->flags & ITEM_FULL))
		return FOLD_FULL;
	for (; from < l->recent_count; from++)
		if (l->recent[from] == i)
			return FOLD_PREVIEW;
	return FOLD_HEAD;
}

struct wrap lens_wrap(const struct lens *l, size_t line)
{
	const struct doc_entry *e = &l->m->doc.lines[line];
	struct wrap w = wrap_for(l->width, e->indent, e->ascii);

	w.chop = l->chop;
	return w;
}

/* The rows of a line, found without a look at its text. */
static uint32_t guess(const struct lens *l, size_t line)
{
	struct wrap w = lens_wrap(l, line);
	bool exact;
	uint32_t n = wrap_guess(doc_len(&l->m->doc, line), &w, &exact);

	return exact ? n : n | ROWS_ROUGH;
}

static uint32_t exact(const struct lens *l, size_t line, struct str text)
{
	struct wrap w = lens_wrap(l, line);

	return wrap_rows(text, &w);
}

/* Lays out item I, whose bytes begin at AT, as FOLD says. With DRY nothing is
 * stored, but the rows are counted exactly and returned. */
static uint64_t lay(
	struct lens *l, size_t i, size_t at, enum fold fold, bool dry)
{
	const struct item *it = &l->m->items[i];
	const struct doc *d = &l->m->doc;
	size_t end = model_item_end(l->m, i);
	size_t line = it->line;
	bool selected = lens_selects(l, i);
	bool matching = find_is_set(&l->match);
	uint64_t total = 0;
	int shown = 0;

	for (; line < end; line++) {
		struct str s = {d->buf + at, doc_len(d, line)};
		bool cut = (it->flags & ITEM_CUT_LINE) && line + 1 == end;
		bool show = selected;

		at += s.len;
		if (matching)
			show = show && !cut && find_in(&l->match, s, 0) >= 0;
		else if (fold == FOLD_HEAD)
			show = show && line == it->line;
		else if (fold == FOLD_PREVIEW)
			show = show &&
			       (cut || (s.len && shown < TEXT_PREVIEW_LINES));
		else
			show = show && !cut;
		shown += show;
		if (dry)
			total += show ? exact(l, line, s) : 0;
		else
			rows_put(&l->rows, line, show ? guess(l, line) : 0);
	}
	return total;
}

static size_t offset_of(const struct lens *l, size_t i)
{
	const struct doc *d = &l->m->doc;
	size_t line = l->m->items[i].line;

	return line < d->count ? doc_offset(d, line) : d->len;
}

void lens_relay(struct lens *l, size_t i)
{
	if (i < l->next)
		lay(l, i, offset_of(l, i), fold_of(l, i), false);
}

/* Takes a text into the recent ones; the oldest folds. */
static void push_recent(struct lens *l, size_t i)
{
	size_t old;

	if (l->recent_count < RECENT_TEXTS) {
		l->recent[l->recent_count++] = i;
		return;
	}
	old = l->recent[0];
	memmove(l->recent, l->recent + 1,
		(RECENT_TEXTS - 1) * sizeof(l->recent[0]));
	l->recent[RECENT_TEXTS - 1] = i;
	lens_relay(l, old);
}

static void lay_new(struct lens *l)
{
	size_t at;

	update_members(l);
	if (l->next == l->m->item_count)
		return;
	at = offset_of(l, l->next);
	for (; l->next < l->m->item_count; l->next++) {
		if (l->m->items[l->next].kind == ITEM_TEXT &&
			lens_selects(l, l->next))
			push_recent(l, l->next);
		lay(l, l->next, at, fold_of(l, l->next), false);
		for (size_t line = l->m->items[l->next].line;
			line < model_item_end(l->m, l->next); line++)
			at += doc_len(&l->m->doc, line);
	}
}

/* Keeps as many previews as fit into ROWS, the newest first. */
static void fit_previews(struct lens *l, int rows)
{
	uint64_t sum = 0;
	size_t keep = 0;
	size_t i;

	if (l->fitted_next == l->next && l->fitted_rows == rows)
		return;
	l->fitted_next = l->next;
	l->fitted_rows = rows;
	while (keep < l->recent_count) {
		i = l->recent[l->recent_count - 1 - keep];
		sum += lay(l, i, offset_of(l, i), FOLD_PREVIEW, true);
		if (sum > (uint64_t)rows)
			break;
		keep++;
	}
	if (keep == l->recent_count)
		keep = RECENT_TEXTS;
	if (keep == l->keep)
		return;
	l->keep = keep;
	for (i = 0; i < l->recent_count; i++)
		lens_relay(l, l->recent[i]);
}

void lens_relayout(struct lens *l)
{
	rows_clear(&l->rows);
	l->next = 0;
	l->recent_count = 0;
	l->fitted_rows = -1;
}

/* What is shown stays so; only its rows are others. */
static void rewrap(struct lens *l)
{
	size_t line;

	for (line = 0; line < l->rows.count; line++)
		if (rows_of(&l->rows, line))
			rows_put(&l->rows, line, guess(l, line));
	l->fitted_rows = -1;
}

void lens_settle(struct lens *l, size_t line, uint64_t above, uint64_t below)
{
	const struct doc *d = &l->m->doc;
	struct rows *r = &l->rows;
	size_t i = line;

	while (above && i) {
		i = rows_prev(r, i - 1);
		if (i == ROWS_NONE)
			break;
		if (rows_is_rough(r, i))
			rows_put(r, i, exact(l, i, doc_line(d, i)));
		above -= above < rows_of(r, i) ? above : rows_of(r, i);
	}
	for (i = rows_next(r, line); below && i != ROWS_NONE;
		i = rows_next(r, i + 1)) {
		if (rows_is_rough(r, i))
			rows_put(r, i, exact(l, i, doc_line(d, i)));
		below -= below < rows_of(r, i) ? below : rows_of(r, i);
	}
}

size_t lens_hidden(const struct lens *l, size_t i)
{
	const struct item *it = &l->m->items[i];
	size_t end = model_item_end(l->m, i);
	size_t hidden = 0;
	size_t line;

	if (find_is_set(&l->match) || fold_of(l, i) != FOLD_HEAD)
		return 0;
	if (it->flags & ITEM_CUT_LINE)
		end--;
	for (line = it->line + 1; line < end; line++)
		hidden += doc_len(&l->m->doc, line) != 0;
	return hidden;
}

void lens_sync(struct lens *l, int rows, int width)
{
	if (width < 1)
		width = 1;
	if (width != l->width || l->chop != l->chopped) {
		l->width = width;
		l->chopped = l->chop;
		rewrap(l);
	}
	lay_new(l);
	fit_previews(l, rows);
}

#include "config.h"

#include "ui/render.h"

#include <limits.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "ui/grid.h"
#include "ui/wrap.h"

#define GAP " │ "
#define GAP_COLS 3
#define CELL_MIN 6 /* columns that a cell needs to be wrapped */
#define PAD_MAX 64 /* bytes made of each byte, or nothing is aligned */
#define PAD_FREE 65536

void render_table_release(struct render_table *t)
{
	render_piece_release(&t->piece);
	free(t->cells);
	t->cells = NULL;
	t->count = t->cap = 0;
}

struct layout {
	const struct render_table *t;
	void (*line)(void *arg, const struct render_piece *p);
	void *arg;
	int *widths;
	size_t columns;
	struct render_piece out;
};

static struct str cell_text(const struct render_table *t, size_t i)
{
	const struct render_cell *c = &t->cells[i];

	return (struct str){t->piece.text.buf + c->from, c->to - c->from};
}

static size_t count_columns(const struct render_table *t)
{
	size_t most = 0;
	size_t n = 0;
	size_t i;

	for (i = 0; i < t->count; i++) {
		n++;
		most = n > most ? n : most;
		if (t->cells[i].last)
			n = 0;
	}
	return most;
}

static void measure(struct layout *l)
{
	size_t column = 0;
	size_t i;

	for (i = 0; i < l->t->count; i++) {
		int w = grid_width(cell_text(l->t, i));

		if (w > l->widths[column])
			l->widths[column] = w;
		column = l->t->cells[i].last ? 0 : column + 1;
	}
}

/* The columns of the whole table when no cell is wider than CAP. */
static int total(const struct layout *l, int cap)
{
	int64_t sum = (int64_t)(l->columns - 1) * GAP_COLS;
	size_t i;

	for (i = 0; i < l->columns; i++)
		sum += l->widths[i] < cap ? l->widths[i] : cap;
	return sum < INT_MAX / 2 ? (int)sum : INT_MAX / 2;
}

/* Makes the widest columns narrower until the table fits into COLS. False when
 * they would be too narrow then. */
static bool shrink(struct layout *l, int cols)
{
	int low = CELL_MIN;
	int high = cols;
	size_t i;

	if (total(l, CELL_MIN) > cols)
		return false;
	while (low < high) {
		int mid = low + (high - low + 1) / 2;

		if (total(l, mid) <= cols)
			low = mid;
		else
			high = mid - 1;
	}
	for (i = 0; i < l->columns; i++)
		if (l->widths[i] > low)
			l->widths[i] = low;
	return true;
}

static void pad(struct render_piece *p, int n)
{
	while (n-- > 0)
		render_piece_add(p, str_of(" "), 0);
}

static void emit(struct layout *l)
{
	struct strbuf *sb = &l->out.text;

	while (sb->len && sb->buf[sb->len - 1] == ' ')
		strbuf_setlen(sb, sb->len - 1);
	while (l->out.count && l->out.spans[l->out.count - 1].from >= sb->len)
		l->out.count--;
	if (l->out.count && l->out.spans[l->out.count - 1].to > sb->len)
		l->out.spans[l->out.count - 1].to = (uint32_t)sb->len;
	l->line(l->arg, &l->out);
	render_piece_reset(&l->out);
}

/* Where a cell of a row has come to. */
struct progress {
	size_t pos;
	size_t span;
};

/* The next part of cell I, as wide as its column. */
static void add_part(
	struct layout *l, size_t i, size_t column, struct progress *done)
{
	const struct render_cell *c = &l->t->cells[i];
	struct str s = cell_text(l->t, i);
	struct wrap w = wrap_for(l->widths[column], 0, false);
	size_t next = done->pos < s.len ? wrap_next(s, done->pos, &w) : s.len;
	struct str part = {s.ptr + done->pos, next - done->pos};
	int left;

	while (part.len && part.ptr[part.len - 1] == ' ')
		part.len--;
	left = l->widths[column] - grid_width(part);
	pad(&l->out, c->align == MARKDOWN_RIGHT    ? left
		     : c->align == MARKDOWN_CENTER ? left / 2
						   : 0);
	render_piece_copy(&l->out, &l->t->piece, c->from + done->pos,
		c->from + done->pos + part.len, &done->span);
	pad(&l->out, c->align == MARKDOWN_RIGHT    ? 0
		     : c->align == MARKDOWN_CENTER ? left - left / 2
						   : left);
	done->pos = next;
}

/* The row of cells FROM..END-1, in as many lines as its tallest cell takes. */
static void add_row(struct layout *l, size_t from, size_t end)
{
	size_t n = end - from;
	struct progress *done = xcalloc(n, sizeof(*done));
	bool more = true;
	size_t i;

	for (i = 0; i < n; i++)
		done[i].span = l->t->cells[from + i].span;
	while (more) {
		more = false;
		for (i = 0; i < n; i++) {
			if (i)
				render_piece_add(
					&l->out, str_of(GAP), STYLE_DIM);
			add_part(l, from + i, i, &done[i]);
			more = more ||
			       done[i].pos < cell_text(l->t, from + i).len;
		}
		emit(l);
	}
	free(done);
}

static void add_rule(struct layout *l)
{
	size_t i;
	int n;

	for (i = 0; i < l->columns; i++) {
		if (i)
			render_piece_add(&l->out, str_of("─┼─"), STYLE_DIM);
		for (n = l->widths[i]; n > 0; n--)
			render_piece_add(&l->out, str_of("─"), STYLE_DIM);
	}
	emit(l);
}

/* The cell in full, on a line that the pane wraps. */
static void add_whole(struct layout *l, size_t i)
{
	const struct render_cell *c = &l->t->cells[i];
	size_t span = c->span;

	render_piece_copy(&l->out, &l->t->piece, c->from, c->to, &span);
}

/* Rows as records, a line for each cell: "head: cell". */
static void add_record(struct layout *l, size_t from, size_t end)
{
	size_t i;

	for (i = from; i < end; i++) {
		size_t head = i - from;

		if (!cell_text(l->t, i).len)
			continue;
		if (head < l->t->count && cell_text(l->t, head).len) {
			add_whole(l, head);
			render_piece_add(&l->out, str_of(": "), STYLE_DIM);
		}
		add_whole(l, i);
		emit(l);
	}
	if (end < l->t->count)
		emit(l);
}

/* Cells behind one another. */
static void add_plain(struct layout *l, size_t from, size_t end)
{
	size_t i;

	for (i = from; i < end; i++) {
		if (i > from)
			render_piece_add(&l->out, str_of(GAP), STYLE_DIM);
		add_whole(l, i);
	}
	emit(l);
}

enum shape {
	ALIGNED,
	RECORDS,
	PLAIN
};

/* What is made of a table stays in proportion to it, however uneven it is. */
static enum shape shape_of(struct layout *l, int cols)
{
	const struct render_table *t = l->t;
	size_t rows = t->count / l->columns + 1;
	size_t most = PAD_FREE + t->piece.text.len * PAD_MAX;
	size_t head = 0;
	bool narrow = total(l, INT_MAX) > cols && !shrink(l, cols);
	size_t i;

	for (i = 0; i < t->count && t->cells[i].head; i++)
		head += cell_text(t, i).len;
	if (narrow)
		return head * rows > most || t->cells[t->count - 1].head
			       ? PLAIN
			       : RECORDS;
	return rows * (size_t)total(l, INT_MAX) > most ? PLAIN : ALIGNED;
}

static void add_rows(struct layout *l, enum shape shape)
{
	const struct render_table *t = l->t;
	size_t from = 0;
	size_t i;

	for (i = 0; i < t->count; i++) {
		bool head = t->cells[from].head;

		if (!t->cells[i].last && i + 1 < t->count)
			continue;
		if (shape == ALIGNED)
			add_row(l, from, i + 1);
		else if (shape == PLAIN)
			add_plain(l, from, i + 1);
		else if (!head)
			add_record(l, from, i + 1);
		if (shape == ALIGNED && head)
			add_rule(l);
		from = i + 1;
	}
}

int render_table(const struct render_table *t, int cols,
	void (*line)(void *arg, const struct render_piece *p), void *arg)
{
	struct layout l = {.t = t, .line = line, .arg = arg};
	int wanted;

	l.columns = count_columns(t);
	if (!l.columns)
		return 0;
	l.widths = xcalloc(l.columns, sizeof(*l.widths));
	strbuf_init(&l.out.text);
	measure(&l);
	wanted = total(&l, INT_MAX);
	add_rows(&l, shape_of(&l, cols));
	render_piece_release(&l.out);
	free(l.widths);
	return wanted;
}

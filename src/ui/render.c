#include "config.h"

#include "ui/render.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "ui/grid.h"

#define STYLES_MAX (2 * MARKDOWN_DEPTH + 8)
#define CONTAINERS_MAX (2 * MARKDOWN_DEPTH)
#define CODE_INDENT "    "
#define BAR "│ "
#define RULE "────────────────────────"

/* A quote, a list or an item that text is in. */
struct container {
	enum markdown_kind kind;
	bool loose;
	int number;   /* of a list: of its next item */
	bool pending; /* the mark of this item is still to come */
	char mark[24];
};

struct render {
	render_fn *fn;
	void *arg;
	int cols;
	int wanted;
	struct render_piece line;
	bool open; /* a line is begun */
	bool any;  /* one was given */
	bool gap;  /* a blank line is due before the next block */
	struct container containers[CONTAINERS_MAX];
	int depth;
	uint32_t styles[STYLES_MAX];
	int style;
	struct strbuf target; /* of links and images, one behind the other */
	struct strbuf shown;  /* their text */
	size_t targets[STYLES_MAX];
	size_t showns[STYLES_MAX];
	int links;
	bool in_code;
	bool is_diff;
	struct strbuf code;
	bool in_cell;
	struct render_table table;
};

/* --- pieces --- */

static void add_span(struct render_piece *p, size_t from, uint32_t style)
{
	struct span *last = p->count ? &p->spans[p->count - 1] : NULL;

	if (!style || from == p->text.len)
		return;
	if (last && last->to == from && last->style == style) {
		last->to = (uint32_t)p->text.len;
		return;
	}
	if (p->count == p->cap) {
		p->cap += p->cap / 2 + 8;
		p->spans = xreallocarray(p->spans, p->cap, sizeof(*p->spans));
	}
	p->spans[p->count++] =
		(struct span){(uint32_t)from, (uint32_t)p->text.len, style};
}

void render_piece_add(struct render_piece *p, struct str s, uint32_t style)
{
	size_t from = p->text.len;

	strbuf_adds(&p->text, s);
	add_span(p, from, style);
}

void render_piece_reset(struct render_piece *p)
{
	strbuf_reset(&p->text);
	p->count = 0;
}

void render_piece_release(struct render_piece *p)
{
	strbuf_release(&p->text);
	free(p->spans);
	p->spans = NULL;
	p->count = p->cap = 0;
}

void render_piece_copy(struct render_piece *p, const struct render_piece *other,
	size_t from, size_t to, size_t *span)
{
	const char *s = other->text.buf;

	while (from < to) {
		const struct span *next =
			*span < other->count ? &other->spans[*span] : NULL;
		size_t end = to;
		uint32_t style = 0;

		if (next && next->to <= from) {
			++*span;
			continue;
		}
		if (next && next->from <= from) {
			style = next->style;
			end = next->to < to ? next->to : to;
		} else if (next && next->from < to) {
			end = next->from;
		}
		render_piece_add(p, (struct str){s + from, end - from}, style);
		from = end;
	}
}

/* --- lines --- */

static uint32_t style_now(const struct render *r)
{
	return r->styles[r->style < STYLES_MAX ? r->style : STYLES_MAX - 1];
}

/* Adds FLAGS and, if it is one, ROLE to the present style. */
static void push_style(struct render *r, uint32_t flags, enum style_role role)
{
	uint32_t s = style_now(r) | flags;

	if (role)
		s = (s & 0xffff) | style_role(role);
	r->style++;
	if (r->style < STYLES_MAX)
		r->styles[r->style] = s;
}

static void pop_style(struct render *r)
{
	r->style--;
}

/* What stands before each line here; with MARKS also those of items whose text
 * begins. */
static void add_prefix(struct render *r, bool marks)
{
	int i;

	for (i = 0; i < r->depth; i++) {
		struct container *c = &r->containers[i];

		if (c->kind == MARKDOWN_QUOTE) {
			render_piece_add(
				&r->line, str_of(BAR), style_role(ROLE_QUOTE));
		} else if (c->kind == MARKDOWN_ITEM && marks && c->pending) {
			render_piece_add(&r->line, str_of(c->mark), STYLE_DIM);
			c->pending = false;
		} else if (c->kind == MARKDOWN_ITEM) {
			int n = grid_width(str_of(c->mark));

			while (n--)
				render_piece_add(&r->line, str_of(" "), 0);
		}
	}
}

static void give(struct render *r, int indent, bool verbatim)
{
	struct render_line l = {strbuf_str(&r->line.text), indent,
		r->line.spans, r->line.count, verbatim};

	r->fn(r->arg, &l);
	render_piece_reset(&r->line);
	r->any = true;
}

static void begin_line(struct render *r)
{
	if (r->open)
		return;
	add_prefix(r, true);
	r->open = true;
}

/* Columns of the prefix. */
static int prefix_cols(const struct render *r)
{
	int cols = 0;
	int i;

	for (i = 0; i < r->depth; i++) {
		const struct container *c = &r->containers[i];

		if (c->kind == MARKDOWN_QUOTE)
			cols += 2;
		else if (c->kind == MARKDOWN_ITEM)
			cols += grid_width(str_of(c->mark));
	}
	return cols;
}

static void end_line(struct render *r)
{
	if (!r->open)
		return;
	r->open = false;
	give(r, prefix_cols(r), false);
}

/* The blank line between blocks. */
static void flush_gap(struct render *r)
{
	end_line(r);
	if (!r->gap)
		return;
	r->gap = false;
	if (!r->any)
		return;
	add_prefix(r, false);
	while (r->line.text.len &&
		r->line.text.buf[r->line.text.len - 1] == ' ')
		strbuf_setlen(&r->line.text, r->line.text.len - 1);
	while (r->line.count &&
		r->line.spans[r->line.count - 1].to > r->line.text.len)
		r->line.spans[r->line.count - 1].to =
			(uint32_t)r->line.text.len;
	give(r, 0, false);
}

static bool in_tight_item(const struct render *r)
{
	return r->depth && r->containers[r->depth - 1].kind == MARKDOWN_ITEM &&
	       !r->containers[r->depth - 1].loose;
}

static void end_block(struct render *r)
{
	end_line(r);
	r->gap = !in_tight_item(r);
}

/* Text of a paragraph, item, heading or cell. */
static void add_text(struct render *r, struct str s, uint32_t style)
{
	if (r->in_cell) {
		render_piece_add(&r->table.piece, s, style);
		return;
	}
	for (;;) {
		const char *nl = s.len ? memchr(s.ptr, '\n', s.len) : NULL;
		size_t n = nl ? (size_t)(nl - s.ptr) : s.len;

		if (n || nl)
			begin_line(r);
		render_piece_add(&r->line, (struct str){s.ptr, n}, style);
		if (!nl)
			return;
		end_line(r);
		s.ptr += n + 1;
		s.len -= n + 1;
	}
}

/* --- containers --- */

static void push(struct render *r, const struct markdown_node *n)
{
	struct container *c;

	if (r->depth == CONTAINERS_MAX)
		return; /* the walker does not go so deep */
	c = &r->containers[r->depth++];
	memset(c, 0, sizeof(*c));
	c->kind = n->kind;
	c->number = n->number;
	c->loose = n->loose;
}

static void enter_item(struct render *r, const struct markdown_node *n)
{
	struct container *list = r->depth ? &r->containers[r->depth - 1] : NULL;
	struct container *c;
	const char *task = n->task == MARKDOWN_DONE   ? "[x] "
			   : n->task == MARKDOWN_OPEN ? "[ ] "
						      : "";

	end_line(r);
	if (!list || list->kind != MARKDOWN_LIST)
		return;
	if (list->loose)
		flush_gap(r);
	r->gap = false;
	push(r, n);
	c = &r->containers[r->depth - 1];
	c->loose = list->loose;
	c->pending = true;
	if (list->number < 0)
		snprintf(c->mark, sizeof(c->mark), "%s", *task ? task : "• ");
	else
		snprintf(c->mark, sizeof(c->mark), "%d. %s", list->number++,
			task);
}

static void leave_item(struct render *r)
{
	struct container *c = r->depth ? &r->containers[r->depth - 1] : NULL;

	if (!c || c->kind != MARKDOWN_ITEM)
		return;
	if (c->pending)
		begin_line(r);
	end_line(r);
	r->gap = c->loose;
	r->depth--;
}

static void leave_container(struct render *r)
{
	end_line(r);
	if (r->depth)
		r->depth--;
	end_block(r);
}

/* --- blocks --- */

static void code_line(struct render *r, struct str line)
{
	uint32_t style = style_role(ROLE_CODE);
	int blanks = 0;

	if (r->is_diff && line.len) {
		if (str_starts(line, "+++") || str_starts(line, "---") ||
			str_starts(line, "diff "))
			style = STYLE_BOLD;
		else if (*line.ptr == '+')
			style = style_role(ROLE_ADDED);
		else if (*line.ptr == '-')
			style = style_role(ROLE_REMOVED);
		else if (str_starts(line, "@@"))
			style = style_role(ROLE_HUNK);
		else
			style = 0;
	}
	while ((size_t)blanks < line.len && line.ptr[blanks] == ' ')
		blanks++;
	add_prefix(r, true);
	if (line.len) {
		render_piece_add(&r->line, str_of(CODE_INDENT), 0);
		render_piece_add(&r->line, line, style);
	}
	give(r, prefix_cols(r) + (int)strlen(CODE_INDENT) + blanks, true);
}

static void leave_code(struct render *r)
{
	struct str rest = strbuf_str(&r->code);

	r->in_code = false;
	if (rest.len && rest.ptr[rest.len - 1] == '\n')
		rest.len--;
	for (;;) {
		const char *nl =
			rest.len ? memchr(rest.ptr, '\n', rest.len) : NULL;
		size_t n = nl ? (size_t)(nl - rest.ptr) : rest.len;

		code_line(r, (struct str){rest.ptr, n});
		if (!nl)
			break;
		rest.ptr += n + 1;
		rest.len -= n + 1;
	}
	end_block(r);
}

static void table_line(void *arg, const struct render_piece *p)
{
	struct render *r = arg;
	size_t span = 0;

	add_prefix(r, true);
	render_piece_copy(&r->line, p, 0, p->text.len, &span);
	give(r, prefix_cols(r), true);
}

static void leave_table(struct render *r)
{
	int prefix = prefix_cols(r);
	int wanted = prefix +
		     render_table(&r->table, r->cols - prefix, table_line, r);

	r->wanted = wanted > r->wanted ? wanted : r->wanted;
	r->table.count = 0;
	render_piece_reset(&r->table.piece);
	end_block(r);
}

static void enter_cell(struct render *r, const struct markdown_node *n)
{
	struct render_table *t = &r->table;

	if (t->count == t->cap) {
		t->cap += t->cap / 2 + 16;
		t->cells = xreallocarray(t->cells, t->cap, sizeof(*t->cells));
	}
	t->cells[t->count++] = (struct render_cell){
		t->piece.text.len, 0, t->piece.count, n->align, n->head, false};
	r->in_cell = true;
	push_style(r, n->head ? STYLE_BOLD : 0, ROLE_NONE);
}

static void leave_cell(struct render *r)
{
	r->in_cell = false;
	r->table.cells[r->table.count - 1].to = r->table.piece.text.len;
	pop_style(r);
}

/* --- spans --- */

static void enter_link(struct render *r, const struct markdown_node *n)
{
	push_style(r, 0, ROLE_LINK);
	ar_assert(r->links < STYLES_MAX);
	r->targets[r->links] = r->target.len;
	r->showns[r->links] = r->shown.len;
	strbuf_adds(&r->target, n->text);
	r->links++;
}

/* Whether TEXT says where TARGET leads; links that the parser found by
 * themselves have a scheme added. */
static bool says(struct str text, struct str target)
{
	static const char *const schemes[] = {"", "mailto:", "http://"};
	size_t i;

	for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t n = strlen(schemes[i]);

		if (str_starts(target, schemes[i]) &&
			str_eq(text,
				(struct str){target.ptr + n, target.len - n}))
			return true;
	}
	return false;
}

/* Behind the text stands the target, if that is not the same. */
static void leave_link(struct render *r)
{
	struct str target;
	struct str shown;
	uint32_t style = style_now(r) | STYLE_DIM;

	r->links--;
	target = (struct str){r->target.buf + r->targets[r->links],
		r->target.len - r->targets[r->links]};
	shown = (struct str){r->shown.buf + r->showns[r->links],
		r->shown.len - r->showns[r->links]};
	if (!shown.len) {
		add_text(r, target, style_now(r));
	} else if (target.len && !says(shown, target)) {
		add_text(r, str_of(" ("), STYLE_DIM);
		add_text(r, target, style);
		add_text(r, str_of(")"), STYLE_DIM);
	}
	strbuf_setlen(&r->target, r->targets[r->links]);
	if (!r->links)
		strbuf_reset(&r->shown);
	pop_style(r);
}

/* --- the walker's calls --- */

static void enter_block(struct render *r, const struct markdown_node *n)
{
	flush_gap(r);
	switch (n->kind) {
	case MARKDOWN_HEADING:
		push_style(
			r, n->number == 1 ? STYLE_UNDERLINE : 0, ROLE_HEADING);
		break;
	case MARKDOWN_QUOTE:
		push(r, n);
		push_style(r, 0, ROLE_QUOTE);
		break;
	case MARKDOWN_LIST:
		push(r, n);
		break;
	case MARKDOWN_CODE:
		r->in_code = true;
		r->is_diff =
			str_is(n->text, "diff") || str_is(n->text, "patch");
		strbuf_reset(&r->code);
		break;
	case MARKDOWN_RULE:
		add_prefix(r, true);
		render_piece_add(&r->line, str_of(RULE), STYLE_DIM);
		give(r, 0, true);
		break;
	case MARKDOWN_PARA:
	case MARKDOWN_ITEM:
	case MARKDOWN_TABLE:
	case MARKDOWN_ROW:
	case MARKDOWN_CELL:
	case MARKDOWN_EM:
	case MARKDOWN_STRONG:
	case MARKDOWN_STRIKE:
	case MARKDOWN_VERBATIM:
	case MARKDOWN_LINK:
	case MARKDOWN_IMAGE:
		break;
	}
}

static void on_enter(void *arg, const struct markdown_node *n)
{
	struct render *r = arg;

	switch (n->kind) {
	case MARKDOWN_PARA:
	case MARKDOWN_HEADING:
	case MARKDOWN_QUOTE:
	case MARKDOWN_LIST:
	case MARKDOWN_CODE:
	case MARKDOWN_RULE:
	case MARKDOWN_TABLE:
		enter_block(r, n);
		break;
	case MARKDOWN_ITEM:
		enter_item(r, n);
		break;
	case MARKDOWN_ROW:
		break;
	case MARKDOWN_CELL:
		enter_cell(r, n);
		break;
	case MARKDOWN_EM:
		push_style(r, STYLE_ITALIC, ROLE_NONE);
		break;
	case MARKDOWN_STRONG:
		push_style(r, STYLE_BOLD, ROLE_NONE);
		break;
	case MARKDOWN_STRIKE:
		/* Terminals that strike through are few. */
		push_style(r, STYLE_DIM, ROLE_NONE);
		add_text(r, str_of("~~"), STYLE_DIM);
		break;
	case MARKDOWN_VERBATIM:
		push_style(r, 0, ROLE_CODE);
		break;
	case MARKDOWN_LINK:
	case MARKDOWN_IMAGE:
		enter_link(r, n);
		break;
	}
}

static void on_leave(void *arg, enum markdown_kind kind)
{
	struct render *r = arg;

	switch (kind) {
	case MARKDOWN_HEADING:
		pop_style(r);
		end_line(r);
		r->gap = false;
		break;
	case MARKDOWN_QUOTE:
		pop_style(r);
		leave_container(r);
		break;
	case MARKDOWN_LIST:
		leave_container(r);
		break;
	case MARKDOWN_ITEM:
		leave_item(r);
		break;
	case MARKDOWN_CODE:
		leave_code(r);
		break;
	case MARKDOWN_TABLE:
		leave_table(r);
		break;
	case MARKDOWN_ROW:
		if (r->table.count)
			r->table.cells[r->table.count - 1].last = true;
		break;
	case MARKDOWN_CELL:
		leave_cell(r);
		break;
	case MARKDOWN_PARA:
	case MARKDOWN_RULE:
		end_block(r);
		break;
	case MARKDOWN_STRIKE:
		add_text(r, str_of("~~"), STYLE_DIM);
		pop_style(r);
		break;
	case MARKDOWN_EM:
	case MARKDOWN_STRONG:
	case MARKDOWN_VERBATIM:
		pop_style(r);
		break;
	case MARKDOWN_LINK:
	case MARKDOWN_IMAGE:
		leave_link(r);
		break;
	}
}

static void on_text(void *arg, struct str s)
{
	struct render *r = arg;

	if (r->in_code) {
		strbuf_adds(&r->code, s);
		return;
	}
	if (r->links)
		strbuf_adds(&r->shown, s);
	add_text(r, s, style_now(r));
}

int render_markdown(struct str text, int cols, render_fn *fn, void *arg)
{
	static const struct markdown_ops ops = {on_enter, on_leave, on_text};
	struct render r = {.fn = fn, .arg = arg, .cols = cols};

	strbuf_init(&r.line.text);
	strbuf_init(&r.target);
	strbuf_init(&r.shown);
	strbuf_init(&r.code);
	strbuf_init(&r.table.piece.text);
	markdown_walk(text, &ops, &r);
	end_line(&r);
	render_piece_release(&r.line);
	strbuf_release(&r.target);
	strbuf_release(&r.shown);
	strbuf_release(&r.code);
	render_table_release(&r.table);
	return r.wanted;
}

void render_source(struct str text, render_fn *fn, void *arg)
{
	size_t pos = 0;
	struct str line;

	while (utf8_next_line(text, &pos, &line)) {
		struct render_line l = {.text = line};

		while ((size_t)l.indent < line.len && line.ptr[l.indent] == ' ')
			l.indent++;
		fn(arg, &l);
	}
}

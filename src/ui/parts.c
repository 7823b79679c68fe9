#include "config.h"

#include "ui/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/jsonw.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "ui/render.h"
#include "ui/style.h"

void parts_init(struct parts *p, struct model *m, const struct content *c)
{
	memset(p, 0, sizeof(*p));
	p->m = m;
	p->c = c;
	strbuf_init(&p->made);
	strbuf_init(&p->line);
}

void parts_release(struct parts *p)
{
	strbuf_release(&p->made);
	strbuf_release(&p->line);
	free(p->spans);
	memset(p, 0, sizeof(*p));
}

/* --- lines --- */

static void add_span(struct parts *p, size_t from, uint32_t style)
{
	if (!style || p->line.len == from)
		return;
	if (p->span_count == p->span_cap) {
		p->span_cap += p->span_cap / 2 + 16;
		p->spans =
			xreallocarray(p->spans, p->span_cap, sizeof(*p->spans));
	}
	p->spans[p->span_count++] =
		(struct span){(uint32_t)from, (uint32_t)p->line.len, style};
}

/* Our own words. */
static void add_words(struct parts *p, const char *s, uint32_t style)
{
	size_t from = p->line.len;

	strbuf_addstr(&p->line, s);
	add_span(p, from, style);
}

/* Outside text, cleaned. A line break in it (a lone CR) becomes a blank. */
static void add_clean(struct parts *p, struct str s, uint32_t style)
{
	size_t from = p->line.len;

	utf8_display(&p->line, s.ptr, s.len, UTF8_AGENT, 0);
	for (size_t i = from; i < p->line.len; i++) {
		if (p->line.buf[i] == '\n')
			p->line.buf[i] = ' ';
	}
	add_span(p, from, style);
}

static void end_line(struct parts *p, int indent)
{
	doc_add_styled(&p->m->doc, strbuf_str(&p->line), indent, p->spans,
		p->span_count);
	strbuf_reset(&p->line);
	p->span_count = 0;
}

/* --- the head of a part --- */

static const char *kind_name(enum part_kind kind)
{
	switch (kind) {
	case PART_PATH:
		return _("path");
	case PART_IMAGE:
		return _("image");
	case PART_COMMAND:
	case PART_TEXT:
	case PART_PLAIN:
	case PART_OUTPUT:
	case PART_FILE:
	case PART_DIFF:
	case PART_JSON:
	case PART_FIELD:
	case PART_NOTE:
		break;
	}
	return NULL;
}

/* Input and result stand apart. */
static void begin_result(struct parts *p)
{
	p->said_result = true;
	model_part(p->m, (uint32_t)p->at, 0);
	if (p->m->doc.count)
		end_line(p, 0);
	add_words(p, _("result"), style_role(ROLE_TITLE));
	end_line(p, 0);
}

/* "title name"; true when something was written. */
static bool add_title(struct parts *p, const struct part *part, uint32_t style)
{
	const char *title = part->title ? _(part->title) : NULL;

	if (!title)
		title = kind_name(part->kind);
	if (title)
		add_words(p, title, style);
	if (title && part->name.len)
		add_words(p, " ", 0);
	if (part->name.len)
		add_clean(p, part->name, style);
	return title || part->name.len;
}

static void image_line(struct parts *p, const struct part *part)
{
	char buf[96];

	add_clean(p, part->text, 0);
	snprintf(buf, sizeof(buf),
		ngettext(", %lld byte", ", %lld bytes",
			(unsigned long)part->size),
		(long long)part->size);
	add_words(p, buf, 0);
	if (!part->width)
		return;
	snprintf(buf, sizeof(buf), ", %lld \xc3\x97 %lld",
		(long long)part->width, (long long)part->height);
	add_words(p, buf, 0);
}

/* A part that is one line. */
static void short_part(struct parts *p, const struct part *part)
{
	if (part->kind == PART_NOTE) {
		char *text = xstrndup(part->text.ptr, part->text.len);

		/* a sentence of ours, or one that is translated already */
		add_clean(
			p, str_of(*text ? _(text) : ""), style_role(ROLE_NOTE));
		free(text);
	} else {
		if (add_title(p, part, STYLE_DIM))
			add_words(p, "  ", 0);
		if (part->kind == PART_IMAGE)
			image_line(p, part);
		else
			add_clean(p, part->text, 0);
	}
	end_line(p, 4);
}

static bool is_short(enum part_kind kind)
{
	return kind == PART_PATH || kind == PART_FIELD || kind == PART_NOTE ||
	       kind == PART_IMAGE;
}

static int digits(int64_t n)
{
	int count = 1;

	for (; n >= 10; n /= 10)
		count++;
	return count;
}

static size_t count_lines(struct str s)
{
	size_t n = 0;
	size_t pos = 0;

	while (pos < s.len) {
		const char *nl = memchr(s.ptr + pos, '\n', s.len - pos);

		n++;
		pos = nl ? (size_t)(nl - s.ptr) + 1 : s.len;
	}
	return n;
}

static struct str text_of(const struct parts *p, const struct part *part)
{
	return part->kind == PART_TEXT && p->begun ? strbuf_str(&p->made)
						   : part->text;
}

static void begin_part(struct parts *p, const struct part *part)
{
	p->begun = true;
	p->pos = 0;
	p->look = (struct sgr)SGR_INIT;
	p->number = part->first;
	strbuf_reset(&p->made);
	if (part->kind == PART_JSON)
		json_lines_init(&p->json, part->value);
	if (part->kind == PART_TEXT)
		utf8_display(&p->made, part->text.ptr, part->text.len,
			UTF8_AGENT, 0);
	if (part->kind == PART_FILE)
		p->gutter =
			digits(part->first + (int64_t)count_lines(part->text));
	if (part->result && !p->said_result)
		begin_result(p);
	model_part(p->m, (uint32_t)p->at, ITEM_PART);
	if (is_short(part->kind)) {
		short_part(p, part);
		p->pos = SIZE_MAX;
	} else if (add_title(p, part, style_role(ROLE_HEADING))) {
		end_line(p, 4);
	}
}

/* --- its lines --- */

static void sgr_piece(void *arg, struct str piece, const struct sgr *look)
{
	static const struct {
		unsigned attr;
		uint32_t style;
	} attrs[] = {{SGR_BOLD, STYLE_BOLD}, {SGR_DIM, STYLE_DIM},
		{SGR_ITALIC, STYLE_ITALIC}, {SGR_UNDERLINE, STYLE_UNDERLINE},
		{SGR_REVERSE, STYLE_REVERSE}};
	uint32_t style = 0;

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		if (look->attrs & attrs[i].attr)
			style |= attrs[i].style;
	}
	if (look->fg >= 0)
		style |= style_fg((uint8_t)look->fg);
	if (look->bg >= 0)
		style |= style_bg((uint8_t)look->bg);
	add_clean(arg, piece, style);
}

static uint32_t diff_style(struct str line)
{
	if (!line.len)
		return 0;
	switch (line.ptr[0]) {
	case '+':
		return style_role(ROLE_ADDED);
	case '-':
		return style_role(ROLE_REMOVED);
	case '@':
	case '\\':
		return style_role(ROLE_HUNK);
	default:
		return 0;
	}
}

static void file_line(struct parts *p, struct str line)
{
	char number[32];

	snprintf(number, sizeof(number), "%*lld  ", p->gutter,
		(long long)p->number++);
	add_words(p, number, STYLE_DIM);
	add_clean(p, line, 0);
	end_line(p, p->gutter + 2);
}

static void one_line(struct parts *p, const struct part *part, struct str line)
{
	while (part->kind != PART_OUTPUT && line.len &&
		line.ptr[line.len - 1] == '\r')
		line.len--;
	switch (part->kind) {
	case PART_COMMAND:
		add_words(p, p->pos ? "  " : "$ ", STYLE_DIM);
		add_clean(p, line, STYLE_BOLD);
		end_line(p, 4);
		break;
	case PART_OUTPUT:
		sgr_line(&p->look, line, sgr_piece, p);
		end_line(p, 0);
		break;
	case PART_FILE:
		file_line(p, line);
		break;
	case PART_DIFF:
		add_clean(p, line, diff_style(line));
		end_line(p, 1);
		break;
	case PART_JSON: {
		size_t blanks = 0;

		while (blanks < line.len && line.ptr[blanks] == ' ')
			blanks++;
		add_clean(p, line, 0);
		end_line(p, (int)(blanks < 60 ? blanks : 60) + 4);
		break;
	}
	case PART_TEXT:
	case PART_PLAIN:
	case PART_PATH:
	case PART_IMAGE:
	case PART_FIELD:
	case PART_NOTE:
		add_clean(p, line, 0);
		end_line(p, 0);
		break;
	}
}

static void markdown_line(void *arg, const struct render_line *l)
{
	struct parts *p = arg;

	doc_add_styled(&p->m->doc, l->text, l->indent, l->spans, l->span_count);
}

/* As many parts of a Markdown text as BUDGET bytes take. */
static size_t feed_markdown(struct parts *p, struct str s, size_t budget)
{
	size_t start = p->pos;

	while (p->pos < s.len && p->pos - start < budget) {
		size_t end = markdown_part(s, p->pos);
		struct str part = {s.ptr + p->pos, end - p->pos};
		int wanted = 0;

		if (p->m->show_source)
			render_source(part, markdown_line, p);
		else
			wanted = render_markdown(
				part, p->m->cols, markdown_line, p);
		p->wanted = wanted > p->wanted ? wanted : p->wanted;
		p->pos = end;
		if (p->pos < s.len && !p->m->show_source)
			end_line(p, 0);
	}
	return p->pos - start;
}

/* Lines of a tree for BUDGET bytes; at its end pos is SIZE_MAX. */
static size_t feed_tree(struct parts *p, const struct part *part, size_t budget)
{
	size_t used = 0;

	while (used < budget) {
		strbuf_reset(&p->made);
		if (!json_lines_next(&p->json, &p->made)) {
			p->pos = SIZE_MAX;
			break;
		}
		used += p->made.len + 1;
		one_line(p, part, strbuf_str(&p->made));
	}
	return used;
}

/* Lines of the part for BUDGET bytes; returns how many were used. */
static size_t feed_part(struct parts *p, const struct part *part, size_t budget)
{
	struct str s = text_of(p, part);
	size_t start = p->pos;

	if (part->kind == PART_TEXT)
		return feed_markdown(p, s, budget);
	if (part->kind == PART_JSON)
		return feed_tree(p, part, budget);
	while (p->pos < s.len && p->pos - start < budget) {
		const char *nl = memchr(s.ptr + p->pos, '\n', s.len - p->pos);
		size_t end = nl ? (size_t)(nl - s.ptr) : s.len;

		one_line(p, part, (struct str){s.ptr + p->pos, end - p->pos});
		p->pos = end + 1;
	}
	return p->pos - start;
}

/* Nothing of the part is left. */
static bool is_done(const struct parts *p, const struct part *part)
{
	return p->pos == SIZE_MAX ||
	       (part->kind != PART_JSON && p->pos >= text_of(p, part).len);
}

bool parts_feed(struct parts *p, size_t budget)
{
	while (p->at < p->c->count) {
		const struct part *part = &p->c->v[p->at];
		size_t used;

		if (!p->begun)
			begin_part(p, part);
		else
			model_part(p->m, (uint32_t)p->at, 0);
		if (p->pos == SIZE_MAX)
			used = part->text.len;
		else
			used = feed_part(p, part, budget);
		if (is_done(p, part)) {
			p->at++;
			p->begun = false;
		}
		used += 64; /* no part is for nothing */
		if (used >= budget)
			return p->at < p->c->count;
		budget -= used;
	}
	return false;
}

void parts_text(const struct part *part, struct strbuf *out)
{
	if (part->kind == PART_JSON) {
		jsonw_indent(out, part->value);
		strbuf_addch(out, '\n');
		return;
	}
	strbuf_adds(out, part->text);
	if (part->text.len && part->text.ptr[part->text.len - 1] != '\n' &&
		!is_short(part->kind))
		strbuf_addch(out, '\n');
}

#include "config.h"

#include "ui/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "ui/render.h"
#include "ui/style.h"

#define BODY "    " /* before all lines but the head, as in the text format */

/* Lines of a text on their way into the doc. */
struct putting {
	struct model *m;
	const struct item *it;
	const struct model_text *t;
	bool began;
	size_t blanks; /* lines that stay if anything follows */
	size_t count;  /* lines that are not blank */
	struct render_piece line;
};

static struct str kept(const struct model *m, size_t from, size_t to)
{
	return (struct str){m->kept.buf + from, to - from};
}

static void put_piece(struct putting *p, int indent)
{
	doc_add_styled(&p->m->doc, strbuf_str(&p->line.text), indent,
		p->line.spans, p->line.count);
	render_piece_reset(&p->line);
	p->count++;
}

static void add_line(struct putting *p, const struct render_line *l)
{
	const struct render_piece whole = {
		{(char *)l->text.ptr, l->text.len, 0}, (struct span *)l->spans,
		l->span_count, 0};
	size_t span = 0;

	render_piece_copy(&p->line, &whole, 0, l->text.len, &span);
}

/* "[main] text " and the first line; what begins a row by itself stands below.
 */
static void put_head(struct putting *p, const struct render_line *l)
{
	struct str head = kept(p->m, p->t->at, p->t->at + p->t->head);
	const char *word = p->it->kind == ITEM_PROMPT ? " prompt " : " text ";
	size_t label = head.len - strlen(word);
	int indent = (int)utf8_cols(head.ptr, head.len);
	struct strbuf images = STRBUF_INIT;

	render_piece_add(&p->line, (struct str){head.ptr, label},
		style_tag(p->it->agent));
	render_piece_add(&p->line,
		(struct str){
			head.ptr + label, strlen(word) - (l->verbatim ? 1 : 0)},
		0);
	if (!l->verbatim)
		add_line(p, l);
	if (p->t->images) {
		strbuf_addf(&images, " (+%u image%s)", p->t->images,
			p->t->images == 1 ? "" : "s");
		render_piece_add(&p->line, strbuf_str(&images), STYLE_DIM);
	}
	strbuf_release(&images);
	put_piece(p, indent + (l->verbatim ? 0 : l->indent));
}

static void put_line(void *arg, const struct render_line *l)
{
	struct putting *p = arg;
	bool result = p->it->kind == ITEM_RESULT;
	bool head = !p->began && !result;

	if (utf8_is_blank(l->text.ptr, l->text.len)) {
		p->blanks += p->began;
		return;
	}
	p->began = true;
	for (; p->blanks; p->blanks--)
		doc_add(&p->m->doc, "", 0);
	if (head) {
		put_head(p, l);
		if (!l->verbatim)
			return;
	}
	render_piece_add(&p->line, str_of(result ? "" : BODY), 0);
	add_line(p, l);
	put_piece(p, l->indent + (result ? 0 : (int)strlen(BODY)));
}

static void put_extra(struct putting *p)
{
	struct str extra = kept(p->m, p->t->extra, p->t->end);
	struct str line;
	size_t pos = 0;

	while (utf8_next_line(extra, &pos, &line)) {
		const struct render_line l = {line, 0, NULL, 0, true};

		put_line(p, &l);
	}
}

/* The line that says how much more there is, when the text is folded to its
 * preview. */
static void put_cut(struct putting *p, struct item *it)
{
	struct strbuf sb = STRBUF_INIT;
	size_t more = p->count - TEXT_PREVIEW_LINES;

	it->flags &= (uint8_t)~ITEM_CUT_LINE;
	if (it->kind != ITEM_TEXT || p->count <= TEXT_PREVIEW_LINES)
		return;
	it->flags |= ITEM_CUT_LINE;
	strbuf_addf(&sb, BODY "… (+%zu line%s)", more, more == 1 ? "" : "s");
	render_piece_add(&p->line, strbuf_str(&sb), STYLE_DIM);
	put_piece(p, 0);
	strbuf_release(&sb);
}

/* Appends the lines of IT, which is the last item that has some. */
static void put_text(struct model *m, struct item *it)
{
	struct model_text *t = &m->texts[it->aux];
	struct str source = kept(m, t->source, t->extra);
	const struct render_line none = {{"", 0}, 0, NULL, 0, false};
	struct putting p = {.m = m, .it = it, .t = t};

	strbuf_init(&p.line.text);
	if (it->kind == ITEM_RESULT)
		doc_add(&m->doc, "[result]", strlen("[result]"));
	if (m->show_source)
		render_source(source, put_line, &p);
	else
		t->wanted = render_markdown(source, m->cols, put_line, &p);
	if (!p.began && it->kind != ITEM_RESULT)
		put_head(&p, &none);
	p.began = true;
	put_extra(&p);
	put_cut(&p, it);
	render_piece_release(&p.line);
}

void model_add_text(struct model *m, const struct model_new_text *n)
{
	struct item *it = model_add_item(m, n->kind);
	struct model_text *t;

	if (m->text_count == m->text_cap) {
		m->text_cap += m->text_cap / 2 + 16;
		m->texts =
			xreallocarray(m->texts, m->text_cap, sizeof(*m->texts));
	}
	it->aux = (uint32_t)m->text_count;
	it->agent = n->agent;
	t = &m->texts[m->text_count++];
	memset(t, 0, sizeof(*t));
	t->head = (uint32_t)n->head;
	t->images = (uint32_t)n->images;
	t->at = m->kept.len;
	strbuf_adds(&m->kept, n->lines);
	t->source = m->kept.len;
	if (n->raw.len)
		utf8_display(&m->kept, n->raw.ptr, n->raw.len, UTF8_AGENT, 0);
	t->extra = m->kept.len;
	if (n->extra.len)
		strbuf_adds(&m->kept, n->extra);
	t->end = m->kept.len;
	put_text(m, it);
}

static const struct model_text *text_of(const struct model *m, size_t i)
{
	const struct item *it = &m->items[i];
	bool has = it->kind == ITEM_PROMPT || it->kind == ITEM_TEXT ||
		   it->kind == ITEM_RESULT;

	return has ? &m->texts[it->aux] : NULL;
}

struct str model_source(const struct model *m, size_t i)
{
	const struct model_text *t = text_of(m, i);

	return t ? kept(m, t->source, t->extra) : str_null();
}

struct str model_extra(const struct model *m, size_t i)
{
	const struct model_text *t = text_of(m, i);

	return t ? kept(m, t->extra, t->end) : str_null();
}

/* Whether a table looks otherwise in COLS columns than in those of now. */
static bool fits_otherwise(const struct model *m, int cols)
{
	int least = cols < m->cols ? cols : m->cols;
	size_t i;

	if (cols == m->cols || m->show_source)
		return false;
	for (i = 0; i < m->text_count; i++)
		if (m->texts[i].wanted > least)
			return true;
	return false;
}

bool model_show(struct model *m, int cols, bool source)
{
	struct doc old = m->doc;
	bool other = fits_otherwise(m, cols) || source != m->show_source;
	size_t i;

	m->cols = cols;
	m->show_source = source;
	if (!other)
		return false;
	memset(&m->doc, 0, sizeof(m->doc));
	for (i = 0; i < m->item_count; i++) {
		struct item *it = &m->items[i];
		size_t from = it->line;
		size_t end = i + 1 < m->item_count ? it[1].line : old.count;

		it->line = (uint32_t)m->doc.count;
		if (text_of(m, i))
			put_text(m, it);
		else
			doc_copy(&m->doc, &old, from, end);
	}
	doc_release(&old);
	return true;
}

void model_transcript(const struct model *m, size_t i, struct strbuf *out)
{
	const struct model_text *t = text_of(m, i);
	size_t end = model_item_end(m, i);
	size_t line;

	if (t) {
		strbuf_adds(out, kept(m, t->at, t->source));
		return;
	}
	for (line = m->items[i].line; line < end; line++) {
		strbuf_adds(out, doc_line(&m->doc, line));
		strbuf_addch(out, '\n');
	}
}

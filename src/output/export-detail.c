#include "config.h"

#include "output/export-doc.h"

#include "base/jsonw.h"
#include "base/sgr.h"

/* What a part is called where it has no title of its own. */
static const char *const kind_names[] = {
	[PART_COMMAND] = "command",
	[PART_PATH] = "path",
	[PART_TEXT] = "text",
	[PART_PLAIN] = "text",
	[PART_OUTPUT] = "output",
	[PART_FILE] = "file",
	[PART_DIFF] = "change",
	[PART_JSON] = "further",
	[PART_IMAGE] = "image",
	[PART_FIELD] = "value",
	[PART_NOTE] = "note",
};

/* Stands on one line with its name. */
static bool is_short(enum part_kind kind)
{
	return kind == PART_IMAGE || kind == PART_FIELD || kind == PART_PATH ||
	       kind == PART_NOTE;
}

static bool get(
	struct doc_out *o, const struct detail_ask *ask, struct content *c)
{
	if (!o->detail)
		return false;
	o->detail->ops->content(o->detail, ask, c);
	return c->count > 0;
}

bool doc_detail_tool(
	struct doc_out *o, const struct doc_item *item, struct content *c)
{
	const struct detail_ask ask = {.is_tool = true,
		.id = item->id,
		.name = item->name,
		.first = item->first,
		.last = item->last};

	return get(o, &ask, c);
}

bool doc_detail_agent(
	struct doc_out *o, const struct doc_agent *agent, struct content *c)
{
	const struct detail_ask ask = {.is_agent = true,
		.id = agent->id,
		.first = agent->first_line,
		.last = agent->last_line};

	return get(o, &ask, c);
}

/* The text of a part, no longer than what may be shown; *CUT: bytes of it that
 * are left out. SB holds what has to be made. */
static struct str part_text(
	struct doc_out *o, const struct part *p, struct strbuf *sb, size_t *cut)
{
	struct str s = p->text;
	size_t most =
		o->detail_left < DOC_PART_MAX ? o->detail_left : DOC_PART_MAX;
	size_t n;

	if (p->kind == PART_JSON) {
		jsonw_indent(sb, p->value);
		s = strbuf_str(sb);
	}
	*cut = 0;
	if (s.len > most) {
		for (n = most; n > 0 && s.ptr[n - 1] != '\n'; n--)
			;
		if (n < most / 2)
			for (n = most; n > 0 && (s.ptr[n] & 0xc0) == 0x80; n--)
				;
		*cut = s.len - n;
		s.len = n;
	}
	o->detail_left -= s.len;
	return s;
}

static void image_words(struct strbuf *out, const struct part *p)
{
	strbuf_addf(out, "%lld bytes", (long long)p->size);
	if (p->width)
		strbuf_addf(out, ", %lld \xc3\x97 %lld", (long long)p->width,
			(long long)p->height);
}

/* --- Markdown --- */

static const char *language(enum part_kind kind)
{
	if (kind == PART_COMMAND)
		return "sh";
	if (kind == PART_DIFF)
		return "diff";
	return kind == PART_JSON ? "json" : "text";
}

static void add_piece(void *arg, struct str piece, const struct sgr *look)
{
	(void)look;
	strbuf_adds(arg, piece);
}

/* Terminal output without its escape sequences. */
static struct str without_sgr(struct strbuf *sb, struct str s)
{
	struct sgr look = SGR_INIT;
	size_t pos = 0;

	while (pos < s.len) {
		const char *nl = memchr(s.ptr + pos, '\n', s.len - pos);
		size_t end = nl ? (size_t)(nl - s.ptr) : s.len;
		struct str line = {s.ptr + pos, end - pos};

		sgr_line(&look, line, add_piece, sb);
		strbuf_addch(sb, '\n');
		pos = end + 1;
	}
	return strbuf_str(sb);
}

static void md_heading(struct strbuf *out, const struct part *p)
{
	strbuf_addf(out, "- %s %s", p->result ? "result" : "input",
		p->title ? p->title : kind_names[p->kind]);
	if (p->name.len) {
		strbuf_addch(out, ' ');
		doc_md_span(out, p->name, false);
	}
	if (p->kind == PART_FILE && p->first != 1)
		strbuf_addf(out, " from line %lld", (long long)p->first);
}

static void md_part(struct doc_out *o, const struct part *p)
{
	struct strbuf *out = &o->sb;
	struct strbuf made = STRBUF_INIT;
	struct strbuf plain = STRBUF_INIT;
	size_t cut;
	struct str s;

	md_heading(out, p);
	strbuf_addstr(out, is_short(p->kind) ? ": " : ":");
	if (p->kind == PART_IMAGE) {
		doc_md_span(out, p->text, false);
		strbuf_addstr(out, ", ");
		image_words(out, p);
	} else if (is_short(p->kind))
		doc_md_span(out, p->text, false);
	strbuf_addstr(out, "\n\n");
	if (is_short(p->kind))
		return;
	s = part_text(o, p, &made, &cut);
	if (p->kind == PART_OUTPUT)
		s = without_sgr(&plain, s);
	doc_md_fence(out, s, language(p->kind));
	if (cut)
		strbuf_addf(out, "%zu more bytes are left out.\n\n", cut);
	strbuf_release(&made);
	strbuf_release(&plain);
}

void doc_detail_md(struct doc_out *o, const struct content *c, bool result)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->v[i].result == result)
			md_part(o, &c->v[i]);
		doc_flush(o, false);
	}
}

/* --- HTML --- */

/* One class for each attribute and the nearest basic colour: what is readable
 * on light and dark is the style sheet's affair. */
static void html_piece(void *arg, struct str piece, const struct sgr *look)
{
	struct strbuf *out = arg;
	bool plain = !look->attrs && look->fg < 0;

	if (!plain)
		strbuf_addstr(out, "<span class=\"");
	for (unsigned bit = 1; bit <= SGR_UNDERLINE; bit <<= 1) {
		if (look->attrs & bit)
			strbuf_addf(out, "s%u ", bit);
	}
	if (look->fg >= 0)
		strbuf_addf(out, "f%d", sgr_basic(look->fg));
	if (!plain)
		strbuf_addstr(out, "\">");
	doc_html_text(out, piece, true);
	if (!plain)
		strbuf_addstr(out, "</span>");
}

static void diff_line(struct strbuf *out, struct str line)
{
	const char *class = NULL;

	if (line.len && line.ptr[0] == '-')
		class = "del";
	else if (line.len && line.ptr[0] == '+')
		class = "add";
	else if (line.len && (line.ptr[0] == '@' || line.ptr[0] == '\\'))
		class = "at";
	if (class)
		strbuf_addf(out, "<span class=\"%s\">", class);
	doc_html_text(out, line, true);
	if (class)
		strbuf_addstr(out, "</span>");
}

/* Lines of a diff, or with LOOK of a terminal. */
static void html_lines(struct strbuf *out, struct str s, struct sgr *look)
{
	size_t pos = 0;

	while (pos < s.len) {
		const char *nl = memchr(s.ptr + pos, '\n', s.len - pos);
		size_t end = nl ? (size_t)(nl - s.ptr) : s.len;
		struct str line = {s.ptr + pos, end - pos};

		if (look)
			sgr_line(look, line, html_piece, out);
		else
			diff_line(out, line);
		strbuf_addch(out, '\n');
		pos = end + 1;
	}
}

void doc_html_diff(struct strbuf *out, struct str lines)
{
	html_lines(out, lines, NULL);
}

static void html_text(struct strbuf *out, enum part_kind kind, struct str s)
{
	struct sgr look = SGR_INIT;

	if (kind == PART_TEXT) {
		strbuf_addstr(out, "<div class=\"md\" dir=\"auto\">");
		doc_html_markdown(out, s);
		strbuf_addstr(out, "</div>");
		return;
	}
	strbuf_addstr(out, "<pre dir=\"auto\">");
	if (kind == PART_DIFF)
		doc_html_diff(out, s);
	else if (kind == PART_OUTPUT)
		html_lines(out, s, &look);
	else
		doc_html_text(out, s, false);
	strbuf_addstr(out, "</pre>");
}

static void html_short(struct strbuf *out, const struct part *p)
{
	strbuf_addstr(out, " <code><bdi>");
	doc_html_text(out, p->text, true);
	strbuf_addstr(out, "</bdi></code>");
	if (p->kind != PART_IMAGE)
		return;
	strbuf_addch(out, ' ');
	image_words(out, p);
}

static void html_part(struct doc_out *o, const struct part *p)
{
	struct strbuf *out = &o->sb;
	struct strbuf made = STRBUF_INIT;
	size_t cut = 0;
	struct str s;

	strbuf_addf(out, "<div class=\"part\"><b>%s %s</b>",
		p->result ? "result" : "input",
		p->title ? p->title : kind_names[p->kind]);
	if (p->name.len) {
		strbuf_addstr(out, " <code><bdi>");
		doc_html_text(out, p->name, true);
		strbuf_addstr(out, "</bdi></code>");
	}
	if (p->kind == PART_FILE && p->first != 1)
		strbuf_addf(out, " from line %lld", (long long)p->first);
	if (is_short(p->kind)) {
		html_short(out, p);
		strbuf_addstr(out, "</div>\n");
		return;
	}
	s = part_text(o, p, &made, &cut);
	html_text(out, p->kind, s);
	if (cut)
		strbuf_addf(out,
			"<p class=\"note\">%zu more bytes are left "
			"out.</p>",
			cut);
	strbuf_addstr(out, "</div>\n");
	strbuf_release(&made);
}

void doc_detail_html(struct doc_out *o, const struct content *c, bool result)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->v[i].result == result)
			html_part(o, &c->v[i]);
		doc_flush(o, false);
	}
}

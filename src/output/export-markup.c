#include "config.h"

#include "output/export-doc.h"

#include <strings.h>

#include "base/log.h"
#include "output/markdown.h"

/* Texts in the HTML document: Markdown as elements. White space is kept there
 * (.md), so nothing but text holds any. */
struct markup {
	struct strbuf *out;
	struct strbuf targets; /* of open links and images */
	size_t starts[MARKDOWN_DEPTH];
	size_t shown[MARKDOWN_DEPTH]; /* where their text begins in OUT */
	bool linked[MARKDOWN_DEPTH];
	int open;
	int heading; /* level of the open one */
	bool head;   /* in the head of a table */
	bool ordered[MARKDOWN_DEPTH];
	int lists;
	bool in_body; /* of a table */
	bool is_diff;
	bool in_code;
	struct strbuf code;
};

/* Only these lead anywhere; others are shown. */
static bool may_link(struct str target)
{
	static const char *const schemes[] = {"http://", "https://", "mailto:"};
	size_t i;

	for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t n = strlen(schemes[i]);

		if (target.len > n &&
			strncasecmp(target.ptr, schemes[i], n) == 0)
			return true;
	}
	return false;
}

static bool in_link(const struct markup *m)
{
	int i;

	for (i = 0; i < m->open; i++)
		if (m->linked[i])
			return true;
	return false;
}

static void enter_link(struct markup *m, struct str target)
{
	bool linked = may_link(target) && !in_link(m);

	ar_assert(m->open < MARKDOWN_DEPTH);
	m->starts[m->open] = m->targets.len;
	strbuf_adds(&m->targets, target);
	if (linked) {
		strbuf_addstr(m->out, "<a rel=\"noreferrer\" href=\"");
		doc_html_text(m->out, target, true);
		strbuf_addstr(m->out, "\">");
	}
	m->linked[m->open] = linked;
	m->shown[m->open++] = m->out->len;
}

static void leave_link(struct markup *m)
{
	size_t from = m->starts[--m->open];
	struct str target = {m->targets.buf + from, m->targets.len - from};
	bool empty = m->out->len == m->shown[m->open];
	bool linked = m->linked[m->open];

	if (empty) {
		doc_html_text(m->out, target, true);
	} else if (!linked && target.len && !in_link(m)) {
		strbuf_addstr(m->out, " (");
		doc_html_text(m->out, target, true);
		strbuf_addch(m->out, ')');
	}
	if (linked)
		strbuf_addstr(m->out, "</a>");
	strbuf_setlen(&m->targets, from);
}

static void enter_cell(struct markup *m, const struct markdown_node *n)
{
	static const char *const classes[] = {[MARKDOWN_LEFT] = "",
		[MARKDOWN_CENTER] = " class=\"center\"",
		[MARKDOWN_RIGHT] = " class=\"right\""};

	strbuf_addf(m->out, "<%s%s>", n->head ? "th scope=\"col\"" : "td",
		classes[n->align]);
}

static void enter_list(struct markup *m, int number)
{
	ar_assert(m->lists < MARKDOWN_DEPTH);
	m->ordered[m->lists++] = number >= 0;
	if (number < 0)
		strbuf_addstr(m->out, "<ul>");
	else
		strbuf_addf(m->out, "<ol start=\"%d\">", number);
}

static void enter_row(struct markup *m, bool head)
{
	if (!head && !m->in_body) {
		strbuf_addstr(m->out, "<tbody>");
		m->in_body = true;
	}
	strbuf_addstr(m->out, head ? "<thead><tr>" : "<tr>");
}

static void on_enter(void *arg, const struct markdown_node *n)
{
	struct markup *m = arg;

	switch (n->kind) {
	case MARKDOWN_PARA:
		strbuf_addstr(m->out, "<p>");
		break;
	case MARKDOWN_HEADING:
		m->heading = n->number + 2 < 6 ? n->number + 2 : 6;
		strbuf_addf(m->out, "<h%d>", m->heading);
		break;
	case MARKDOWN_QUOTE:
		strbuf_addstr(m->out, "<blockquote>");
		break;
	case MARKDOWN_LIST:
		enter_list(m, n->number);
		break;
	case MARKDOWN_ITEM:
		strbuf_addstr(m->out, n->task == MARKDOWN_OPEN   ? "<li>[ ] "
				      : n->task == MARKDOWN_DONE ? "<li>[x] "
								 : "<li>");
		break;
	case MARKDOWN_CODE:
		m->in_code = true;
		m->is_diff =
			str_is(n->text, "diff") || str_is(n->text, "patch");
		strbuf_reset(&m->code);
		break;
	case MARKDOWN_RULE:
		strbuf_addstr(m->out, "<div class=\"rule\">");
		break;
	case MARKDOWN_TABLE:
		m->in_body = false;
		strbuf_addstr(m->out, "<div class=\"scroll\"><table>");
		break;
	case MARKDOWN_ROW:
		enter_row(m, n->head);
		m->head = n->head;
		break;
	case MARKDOWN_CELL:
		enter_cell(m, n);
		break;
	case MARKDOWN_EM:
		strbuf_addstr(m->out, "<em>");
		break;
	case MARKDOWN_STRONG:
		strbuf_addstr(m->out, "<strong>");
		break;
	case MARKDOWN_STRIKE:
		strbuf_addstr(m->out, "<del>");
		break;
	case MARKDOWN_VERBATIM:
		strbuf_addstr(m->out, "<code>");
		break;
	case MARKDOWN_LINK:
	case MARKDOWN_IMAGE:
		enter_link(m, n->text);
		break;
	}
}

static void leave_code(struct markup *m)
{
	struct str s = strbuf_str(&m->code);

	m->in_code = false;
	strbuf_addstr(m->out, "<pre><code>");
	if (m->is_diff)
		doc_html_diff(m->out, s);
	else
		doc_html_text(m->out, s, false);
	strbuf_addstr(m->out, "</code></pre>");
}

static void on_leave(void *arg, enum markdown_kind kind)
{
	struct markup *m = arg;

	switch (kind) {
	case MARKDOWN_PARA:
		strbuf_addstr(m->out, "</p>");
		break;
	case MARKDOWN_HEADING:
		strbuf_addf(m->out, "</h%d>", m->heading);
		break;
	case MARKDOWN_QUOTE:
		strbuf_addstr(m->out, "</blockquote>");
		break;
	case MARKDOWN_LIST:
		strbuf_addstr(
			m->out, m->ordered[--m->lists] ? "</ol>" : "</ul>");
		break;
	case MARKDOWN_ITEM:
		strbuf_addstr(m->out, "</li>");
		break;
	case MARKDOWN_CODE:
		leave_code(m);
		break;
	case MARKDOWN_RULE:
		strbuf_addstr(m->out, "</div>");
		break;
	case MARKDOWN_TABLE:
		strbuf_addstr(m->out, m->in_body ? "</tbody></table></div>"
						 : "</table></div>");
		break;
	case MARKDOWN_ROW:
		strbuf_addstr(m->out, m->head ? "</tr></thead>" : "</tr>");
		break;
	case MARKDOWN_CELL:
		strbuf_addstr(m->out, m->head ? "</th>" : "</td>");
		break;
	case MARKDOWN_EM:
		strbuf_addstr(m->out, "</em>");
		break;
	case MARKDOWN_STRONG:
		strbuf_addstr(m->out, "</strong>");
		break;
	case MARKDOWN_STRIKE:
		strbuf_addstr(m->out, "</del>");
		break;
	case MARKDOWN_VERBATIM:
		strbuf_addstr(m->out, "</code>");
		break;
	case MARKDOWN_LINK:
	case MARKDOWN_IMAGE:
		leave_link(m);
		break;
	}
}

static void on_text(void *arg, struct str s)
{
	struct markup *m = arg;

	if (m->in_code)
		strbuf_adds(&m->code, s);
	else
		doc_html_text(m->out, s, false);
}

void doc_html_markdown(struct strbuf *out, struct str text)
{
	static const struct markdown_ops ops = {on_enter, on_leave, on_text};
	struct markup m = {.out = out};
	struct strbuf clean = STRBUF_INIT;

	strbuf_init(&m.targets);
	strbuf_init(&m.code);
	doc_clean(&clean, text, false);
	markdown_walk(strbuf_str(&clean), &ops, &m);
	strbuf_release(&clean);
	strbuf_release(&m.targets);
	strbuf_release(&m.code);
}

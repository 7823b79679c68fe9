#include "config.h"

#include <stdlib.h>

#include "base/i18n.h"
#include "base/xalloc.h"
#include "ui/state.h"
#include "ui/text.h"

struct page *page_new(const char *title, bool is_help)
{
	struct page *p = xcalloc(1, sizeof(*p));

	model_init(&p->model);
	pane_init(&p->pane, &p->model, AGENT_MAIN);
	p->pane.follow = false;
	p->pane.quiet = is_help;
	p->pane.cursor = 0;
	p->pane.margin = 2;
	p->pane.seen = SIZE_MAX; /* nothing is new in it */
	p->title = xstrdup(title);
	p->is_help = is_help;
	return p;
}

void page_free(struct page *p)
{
	if (!p)
		return;
	pane_release(&p->pane);
	model_release(&p->model);
	free(p->title);
	free(p);
}

void page_add(struct page *p, struct str line)
{
	model_plain(&p->model, line);
}

static void add_lines(struct page *p, struct str s)
{
	size_t pos = 0;

	while (pos <= s.len) {
		const char *nl =
			pos < s.len ? memchr(s.ptr + pos, '\n', s.len - pos)
				    : NULL;
		size_t end = nl ? (size_t)(nl - s.ptr) : s.len;

		page_add(p, (struct str){s.ptr + pos, end - pos});
		pos = end + 1;
	}
}

/* The keys in front of the help, as wide as the widest. */
#define KEYS_COLS 14

static void help_row(void *arg, const char *keys, const char *help)
{
	struct page *p = arg;
	struct strbuf sb = STRBUF_INIT;

	if (!keys) {
		if (p->model.doc.count)
			page_add(p, str_of(""));
		page_add(p, str_of(help));
		return;
	}
	if (keys[0] == '1' && keys[1] == ' ')
		keys = "1 ... 9";
	strbuf_addf(&sb, "  %-*s  %s", KEYS_COLS, keys, help);
	page_add(p, strbuf_str(&sb));
	strbuf_release(&sb);
}

struct page *help_page(void)
{
	struct page *p = page_new(_("Keys (q or Esc goes back)"), true);

	keys_each(help_row, p);
	return p;
}

/* The head line without its label and word: "[main] text Hello" -> "Hello". */
static struct str bare_head(const struct model *m, const struct item *it)
{
	struct str s = doc_line(&m->doc, it->line);
	size_t skip = strlen(m->agents.v[it->agent].label) + 3;
	const char *word = "";

	switch ((enum item_kind)it->kind) {
	case ITEM_TEXT:
		word = "text ";
		break;
	case ITEM_PROMPT:
		word = "prompt ";
		break;
	case ITEM_TOOL:
		word = "tool ";
		break;
	case ITEM_NOTE:
	case ITEM_AGENT_START:
	case ITEM_AGENT_END:
	case ITEM_NET:
	case ITEM_RESULT:
	case ITEM_END:
	case ITEM_STDERR:
	case ITEM_PLAIN:
		return s;
	}
	skip += strlen(word);
	if (skip > s.len)
		skip = s.len;
	s.ptr += skip;
	s.len -= skip;
	return s;
}

void item_text(const struct model *m, size_t item, struct strbuf *out)
{
	const struct item *it = &m->items[item];
	size_t end = model_item_end(m, item);
	size_t line;

	if (it->flags & ITEM_CUT_LINE)
		end--;
	for (line = it->line; line < end; line++) {
		struct str s = doc_line(&m->doc, line);
		bool body = it->kind == ITEM_TEXT || it->kind == ITEM_PROMPT;

		if (line == it->line) {
			if (it->kind == ITEM_RESULT)
				continue; /* "[result]" */
			s = bare_head(m, it);
		} else if (body && s.len >= 4) {
			s.ptr += 4;
			s.len -= 4;
		}
		if (out->len)
			strbuf_addch(out, '\n');
		strbuf_adds(out, s);
	}
}

static void add_field(struct page *p, const char *name, struct str value)
{
	struct strbuf sb = STRBUF_INIT;
	int pad = 10 - grid_width(str_of(name));

	strbuf_addf(&sb, "%s%*s", name, pad > 1 ? pad : 1, "");
	strbuf_adds(&sb, value);
	page_add(p, strbuf_str(&sb));
	strbuf_release(&sb);
}

static const char *outcome(const struct item *it)
{
	if (it->flags & ITEM_DENIED)
		return _("denied: it was not run");
	if (it->flags & ITEM_FAILED)
		return _("error");
	if (it->flags & ITEM_UNKNOWN)
		return _("not reported");
	return _("ok");
}

static void tool_fields(
	struct page *p, const struct model *m, const struct item *it)
{
	struct strbuf sb = STRBUF_INIT;
	char when[TEXT_TIME_SIZE];
	struct str summary = bare_head(m, it);
	const char *mark = it->flags & ITEM_DENIED   ? " (denied)"
			   : it->flags & ITEM_FAILED ? " (error)"
						     : "";

	if (summary.len >= strlen(mark))
		summary.len -= strlen(mark);
	if (it->name < m->name_count)
		add_field(p, _("tool"), str_of(m->names[it->name]));
	add_field(p, _("summary"), summary);
	add_field(p, _("outcome"), str_of(outcome(it)));
	text_time(when, m->first_ms + it->time - it->aux);
	add_field(p, _("start"), str_of(when));
	textfmt_duration(&sb, it->aux);
	add_field(p, _("duration"), strbuf_str(&sb));
	strbuf_release(&sb);
}

/* What the page of an item is called. */
static const char *kind_title(const struct item *it)
{
	switch ((enum item_kind)it->kind) {
	case ITEM_TEXT:
		return _("text");
	case ITEM_PROMPT:
		return _("prompt");
	case ITEM_TOOL:
		return _("tool call");
	case ITEM_RESULT:
		return _("result");
	case ITEM_END:
		return _("end");
	case ITEM_STDERR:
		return _("standard error");
	case ITEM_AGENT_START:
	case ITEM_AGENT_END:
		return _("subagent");
	case ITEM_NOTE:
	case ITEM_NET:
	case ITEM_PLAIN:
		break;
	}
	return _("line");
}

struct page *item_page(const struct model *m, size_t item)
{
	const struct item *it = &m->items[item];
	struct strbuf sb = STRBUF_INIT;
	char when[TEXT_TIME_SIZE];
	struct page *p;

	text_time(when, m->first_ms + it->time);
	strbuf_addf(&sb, "%s  %s  %s", m->agents.v[it->agent].label,
		kind_title(it), when);
	p = page_new(sb.buf, false);
	strbuf_reset(&sb);
	if (it->kind == ITEM_TOOL) {
		add_field(p, _("agent"), str_of(m->agents.v[it->agent].label));
		tool_fields(p, m, it);
	} else {
		item_text(m, item, &sb);
		add_lines(p, strbuf_str(&sb));
	}
	strbuf_release(&sb);
	return p;
}

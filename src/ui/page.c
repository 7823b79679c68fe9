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

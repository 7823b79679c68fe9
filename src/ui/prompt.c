#include "config.h"

#include <unistr.h>

#include "base/i18n.h"
#include "ui/state.h"

void prompt_open(struct ui *ui, enum prompt_kind kind)
{
	ui->prompt.kind = kind;
	strbuf_reset(&ui->prompt.text);
}

static void search(struct ui *ui)
{
	struct pane *p = ui_pane(ui);
	bool wrapped;

	if (!p)
		return;
	if (p == &ui->inspect.pane)
		inspect_finish(&ui->inspect);
	if (ui->prompt.text.len) {
		strbuf_reset(&ui->last_search);
		strbuf_adds(&ui->last_search, strbuf_str(&ui->prompt.text));
	}
	search_set(&p->search, strbuf_str(&ui->last_search));
	if (!find_is_set(&p->search.find))
		return;
	if (!pane_search(p, 1, &wrapped))
		ui_message(ui, _("'%s' is not here"), ui->last_search.buf);
}

/* The agent with this label; UINT32_MAX if there is none. */
static uint32_t labelled(const struct model *m, struct str label)
{
	uint32_t i;

	for (i = 0; i < m->agents.count; i++)
		if (str_is(label, m->agents.v[i].label))
			return i;
	return UINT32_MAX;
}

static unsigned kind_of(struct str word)
{
	static const struct {
		const char *word;
		unsigned kind;
	} kinds[] = {
		{":tools", LENS_TOOLS},
		{":errors", LENS_ERRORS},
		{":denials", LENS_DENIALS},
		{":texts", LENS_TEXTS},
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (word.len > 1 && word.len <= strlen(kinds[i].word) &&
			memcmp(word.ptr, kinds[i].word, word.len) == 0)
			return kinds[i].kind;
	return 0;
}

/* ":errors @explore#1 text to find": the words that choose, then the text. */
static void filter(struct ui *ui, struct pane *p)
{
	struct lens *l = &p->lens;
	struct str s = strbuf_str(&ui->prompt.text);

	l->kinds = 0;
	l->only = UINT32_MAX;
	while (s.len && (*s.ptr == ':' || *s.ptr == '@' || *s.ptr == ' ')) {
		const char *blank = memchr(s.ptr, ' ', s.len);
		size_t n = blank ? (size_t)(blank - s.ptr) : s.len;
		struct str word = {s.ptr, n};
		struct str label = {s.ptr + 1, n ? n - 1 : 0};

		if (n && *s.ptr == ':' && kind_of(word))
			l->kinds |= kind_of(word);
		else if (n && *s.ptr == '@' &&
			 labelled(l->m, label) != UINT32_MAX)
			l->only = labelled(l->m, label);
		else if (n)
			break;
		s.ptr += n + (n < s.len);
		s.len -= n + (n < s.len);
	}
	find_set(&l->match, s);
	pane_relayout(p);
	if (lens_is_filtered(l) && !l->rows.total)
		ui_message(ui, _("nothing matches"));
}

static void accept(struct ui *ui)
{
	enum prompt_kind kind = ui->prompt.kind;

	ui->prompt.kind = PROMPT_NONE;
	if (kind == PROMPT_SEARCH)
		search(ui);
	else if (kind == PROMPT_WRITE || kind == PROMPT_PIPE)
		request_accept(ui, kind, strbuf_str(&ui->prompt.text));
	else if (kind == PROMPT_FILTER && ui_pane(ui))
		filter(ui, ui->page ? ui_pane(ui) : ui_run_pane(ui));
	else if (kind == PROMPT_FILTER)
		find_set(&ui->list.match, strbuf_str(&ui->prompt.text));
}

static void erase_char(struct strbuf *sb)
{
	size_t n = sb->len;

	while (n && ((unsigned char)sb->buf[n - 1] & 0xc0) == 0x80)
		n--;
	strbuf_setlen(sb, n ? n - 1 : 0);
}

static void erase_word(struct strbuf *sb)
{
	size_t n = sb->len;

	while (n && sb->buf[n - 1] == ' ')
		n--;
	while (n && sb->buf[n - 1] != ' ')
		n--;
	strbuf_setlen(sb, n);
}

static void insert(struct strbuf *sb, uint32_t key)
{
	uint8_t buf[8];
	int n;

	if (key < 0x20 || (key >= 0x7f && key < 0xa0) ||
		key >= KEY_FIRST_SPECIAL)
		return;
	n = u8_uctomb(buf, key, sizeof(buf));
	if (n > 0)
		strbuf_add(sb, (const char *)buf, (size_t)n);
}

static void leave_key(struct ui *ui, uint32_t key)
{
	const struct ui_requests *q = &ui->config.requests;

	ui->prompt.kind = PROMPT_NONE;
	if (key == 'd') {
		ui_detach(ui);
		if (q->detach)
			q->detach(q->arg);
	} else if (key == 's' && q->stop) {
		q->stop(q->arg);
	}
}

void prompt_key(struct ui *ui, uint32_t key)
{
	struct strbuf *sb = &ui->prompt.text;

	if (ui->prompt.kind == PROMPT_LEAVE) {
		leave_key(ui, key);
		return;
	}
	switch (key) {
	case UIKEY_ENTER:
		accept(ui);
		break;
	case UIKEY_ESC:
	case 'C' - '@':
	case 'G' - '@':
		ui->prompt.kind = PROMPT_NONE;
		break;
	case UIKEY_BACKSPACE:
		if (!sb->len)
			ui->prompt.kind = PROMPT_NONE;
		erase_char(sb);
		break;
	case 'U' - '@':
		strbuf_reset(sb);
		break;
	case 'W' - '@':
		erase_word(sb);
		break;
	case UIKEY_UP:
		if (ui->prompt.kind == PROMPT_SEARCH) {
			strbuf_reset(sb);
			strbuf_adds(sb, strbuf_str(&ui->last_search));
		}
		break;
	default:
		insert(sb, key);
		break;
	}
}

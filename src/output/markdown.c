#include "config.h"

#include "output/markdown.h"

#include <md4c.h>
#include <unistr.h>

#include "base/strbuf.h"
#include "base/utf8.h"

#define PIECE_MIN ((size_t)8 << 10)  /* longer texts are cut where they can */
#define PIECE_MAX ((size_t)32 << 10) /* longer pieces are not parsed */
#define NODES_MIN 1000 /* so many and two for each byte are believed */
#define BYTES_MIN 65536
#define BYTES_PER_BYTE 16

#define FLAGS                                                         \
	(MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | \
		MD_FLAG_PERMISSIVEAUTOLINKS | MD_FLAG_NOHTML)

struct walk {
	const struct markdown_ops *ops; /* NULL: only count */
	void *arg;
	size_t nodes; /* that may still come */
	size_t bytes;
	enum markdown_kind spans[MARKDOWN_DEPTH]; /* that are open */
	int span_count;
	int spans_skipped;
	int depth;          /* containers that were entered */
	int skipped;        /* deeper ones that are open and were not */
	bool head;          /* in the head of a table */
	bool one_line;      /* in a cell or heading */
	struct strbuf text; /* scratch */
};

/* Named entities that people and models write. */
static const struct {
	const char *name;
	const char *text;
} entities[] = {
	{"amp", "&"},
	{"lt", "<"},
	{"gt", ">"},
	{"quot", "\""},
	{"apos", "'"},
	{"nbsp", " "},
	{"ensp", " "},
	{"emsp", " "},
	{"thinsp", " "},
	{"shy", ""},
	{"copy", "©"},
	{"reg", "®"},
	{"trade", "™"},
	{"sect", "§"},
	{"para", "¶"},
	{"middot", "·"},
	{"bull", "•"},
	{"hellip", "…"},
	{"ndash", "–"},
	{"mdash", "—"},
	{"lsquo", "‘"},
	{"rsquo", "’"},
	{"ldquo", "“"},
	{"rdquo", "”"},
	{"laquo", "«"},
	{"raquo", "»"},
	{"deg", "°"},
	{"plusmn", "±"},
	{"times", "×"},
	{"divide", "÷"},
	{"minus", "−"},
	{"ne", "≠"},
	{"le", "≤"},
	{"ge", "≥"},
	{"asymp", "≈"},
	{"infin", "∞"},
	{"micro", "µ"},
	{"euro", "€"},
	{"pound", "£"},
	{"yen", "¥"},
	{"cent", "¢"},
	{"larr", "←"},
	{"uarr", "↑"},
	{"rarr", "→"},
	{"darr", "↓"},
	{"harr", "↔"},
	{"lArr", "⇐"},
	{"rArr", "⇒"},
	{"check", "✓"},
	{"cross", "✗"},
	{"lbrack", "["},
	{"rbrack", "]"},
	{"lbrace", "{"},
	{"rbrace", "}"},
	{"vert", "|"},
	{"verbar", "|"},
	{"bsol", "\\"},
	{"sol", "/"},
	{"ast", "*"},
	{"lowbar", "_"},
	{"grave", "`"},
	{"num", "#"},
	{"colon", ":"},
	{"comma", ","},
	{"period", "."},
	{"lpar", "("},
	{"rpar", ")"},
	{"Tab", " "},
	{"NewLine", " "},
};

/* "#123;" or "#x1f;" behind the '&'. */
static uint32_t numeric(struct str s)
{
	bool hex = s.len > 1 && (s.ptr[1] == 'x' || s.ptr[1] == 'X');
	uint32_t n = 0;
	size_t i;

	for (i = hex ? 2 : 1; i < s.len && s.ptr[i] != ';'; i++) {
		char c = s.ptr[i];
		uint32_t digit = c <= '9'   ? (uint32_t)(c - '0')
				 : c <= 'F' ? (uint32_t)(c - 'A' + 10)
					    : (uint32_t)(c - 'a' + 10);

		n = n * (hex ? 16 : 10) + digit;
		if (n > 0x10ffff)
			return 0xfffd;
	}
	return n && (n < 0xd800 || n > 0xdfff) ? n : 0xfffd;
}

/* Adds the characters of ENTITY ("&amp;"). What it hides is outside text, too:
 * it is cleaned, and breaks no line. */
static void add_entity(struct strbuf *out, struct str entity)
{
	struct str name = {entity.ptr + 1, entity.len - 2};
	uint8_t utf8[8];
	size_t i;
	int n;

	if (entity.len > 2 && name.ptr[0] == '#') {
		uint32_t uc = numeric(name);

		if (uc == '\t' || uc == '\n' || uc == '\r' || uc == 0xa0)
			uc = ' ';
		n = u8_uctomb(utf8, uc, sizeof(utf8));
		utf8_display(out, (const char *)utf8, n > 0 ? (size_t)n : 0,
			UTF8_AGENT, 1);
		return;
	}
	for (i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		if (!str_is(name, entities[i].name))
			continue;
		strbuf_addstr(out, entities[i].text);
		return;
	}
	strbuf_adds(out, entity);
}

/* Whether LEN more bytes may be said. */
static bool may_say(struct walk *w, size_t len)
{
	if (w->bytes < len)
		return false;
	w->bytes -= len;
	return true;
}

static bool may_enter(struct walk *w)
{
	return w->nodes && w->nodes--;
}

/* An attribute with its entities decoded; borrowed from W. False when it is too
 * much. */
static bool attribute(struct walk *w, const MD_ATTRIBUTE *a, struct str *out)
{
	size_t i;

	strbuf_reset(&w->text);
	*out = str_of("");
	if (!a->text || !a->size)
		return true;
	if (!may_say(w, a->size))
		return false;
	if (!w->ops)
		return true;
	for (i = 0; a->substr_offsets[i] < a->size; i++) {
		size_t from = a->substr_offsets[i];
		struct str s = {
			a->text + from, a->substr_offsets[i + 1] - from};

		if (a->substr_types[i] == MD_TEXT_ENTITY)
			add_entity(&w->text, s);
		else if (a->substr_types[i] == MD_TEXT_NULLCHAR)
			strbuf_addstr(&w->text, "\xef\xbf\xbd");
		else
			strbuf_adds(&w->text, s);
	}
	*out = strbuf_str(&w->text);
	return true;
}

/* Blocks nest: an item goes with its list, the others that count are deep at
 * most by MARKDOWN_DEPTH. */
static int enter(struct walk *w, const struct markdown_node *n)
{
	if (!may_enter(w))
		return -1;
	if (n->kind == MARKDOWN_QUOTE || n->kind == MARKDOWN_LIST) {
		if (w->skipped || w->depth == MARKDOWN_DEPTH) {
			w->skipped++;
			return 0;
		}
		w->depth++;
	} else if (n->kind == MARKDOWN_ITEM && w->skipped) {
		if (w->ops)
			w->ops->text(w->arg, str_of("\n"));
		return 0;
	}
	if (n->kind == MARKDOWN_CELL || n->kind == MARKDOWN_HEADING)
		w->one_line = true;
	if (w->ops)
		w->ops->enter(w->arg, n);
	return 0;
}

/* Leaves open spans until COUNT of them are left. */
static void close_spans(struct walk *w, int count)
{
	while (w->span_count > count) {
		w->span_count--;
		if (w->ops)
			w->ops->leave(w->arg, w->spans[w->span_count]);
	}
}

static int leave(struct walk *w, enum markdown_kind kind)
{
	close_spans(w, 0);
	w->spans_skipped = 0;
	if (kind == MARKDOWN_QUOTE || kind == MARKDOWN_LIST) {
		if (w->skipped) {
			w->skipped--;
			return 0;
		}
		w->depth--;
	} else if (kind == MARKDOWN_ITEM && w->skipped) {
		return 0;
	}
	if (kind == MARKDOWN_CELL || kind == MARKDOWN_HEADING)
		w->one_line = false;
	if (w->ops)
		w->ops->leave(w->arg, kind);
	return 0;
}

static int open_span(struct walk *w, const struct markdown_node *n)
{
	if (!may_enter(w))
		return -1;
	if (w->span_count == MARKDOWN_DEPTH) {
		w->spans_skipped++;
		return 0;
	}
	w->spans[w->span_count++] = n->kind;
	if (w->ops)
		w->ops->enter(w->arg, n);
	return 0;
}

/* The parser's spans are not always balanced (md4c 0.4.8, an image that begins
 * in the target of another one): what was not entered is not left, and what
 * stands inside is left before. */
static int close_span(struct walk *w, enum markdown_kind kind)
{
	int i = w->span_count;

	if (w->spans_skipped) {
		w->spans_skipped--;
		return 0;
	}
	while (i && w->spans[i - 1] != kind)
		i--;
	if (i)
		close_spans(w, i - 1);
	return 0;
}

static enum markdown_align align_of(MD_ALIGN a)
{
	return a == MD_ALIGN_CENTER  ? MARKDOWN_CENTER
	       : a == MD_ALIGN_RIGHT ? MARKDOWN_RIGHT
				     : MARKDOWN_LEFT;
}

/* The kind of a block; false for what is none of ours. */
static bool block_kind(MD_BLOCKTYPE type, enum markdown_kind *kind)
{
	switch (type) {
	case MD_BLOCK_QUOTE:
		*kind = MARKDOWN_QUOTE;
		return true;
	case MD_BLOCK_UL:
	case MD_BLOCK_OL:
		*kind = MARKDOWN_LIST;
		return true;
	case MD_BLOCK_LI:
		*kind = MARKDOWN_ITEM;
		return true;
	case MD_BLOCK_HR:
		*kind = MARKDOWN_RULE;
		return true;
	case MD_BLOCK_H:
		*kind = MARKDOWN_HEADING;
		return true;
	case MD_BLOCK_CODE:
		*kind = MARKDOWN_CODE;
		return true;
	case MD_BLOCK_P:
		*kind = MARKDOWN_PARA;
		return true;
	case MD_BLOCK_TABLE:
		*kind = MARKDOWN_TABLE;
		return true;
	case MD_BLOCK_TR:
		*kind = MARKDOWN_ROW;
		return true;
	case MD_BLOCK_TH:
	case MD_BLOCK_TD:
		*kind = MARKDOWN_CELL;
		return true;
	case MD_BLOCK_DOC:
	case MD_BLOCK_HTML:
	case MD_BLOCK_THEAD:
	case MD_BLOCK_TBODY:
		break;
	}
	return false;
}

static bool describe_block(struct walk *w, MD_BLOCKTYPE type, void *detail,
	struct markdown_node *n)
{
	if (type == MD_BLOCK_UL) {
		n->number = -1;
		n->loose = !((MD_BLOCK_UL_DETAIL *)detail)->is_tight;
	} else if (type == MD_BLOCK_OL) {
		const MD_BLOCK_OL_DETAIL *ol = detail;

		n->number = ol->start < 1000000000 ? (int)ol->start : 1;
		n->loose = !ol->is_tight;
	} else if (type == MD_BLOCK_LI) {
		const MD_BLOCK_LI_DETAIL *li = detail;

		n->task = !li->is_task           ? MARKDOWN_NO_TASK
			  : li->task_mark == ' ' ? MARKDOWN_OPEN
						 : MARKDOWN_DONE;
	} else if (type == MD_BLOCK_H) {
		n->number = (int)((MD_BLOCK_H_DETAIL *)detail)->level;
	} else if (type == MD_BLOCK_CODE) {
		return attribute(
			w, &((MD_BLOCK_CODE_DETAIL *)detail)->lang, &n->text);
	} else if (type == MD_BLOCK_TABLE) {
		n->number = (int)((MD_BLOCK_TABLE_DETAIL *)detail)->col_count;
	} else if (type == MD_BLOCK_TH || type == MD_BLOCK_TD) {
		n->align = align_of(((MD_BLOCK_TD_DETAIL *)detail)->align);
	}
	return true;
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
	struct walk *w = arg;
	struct markdown_node n = {.head = w->head};

	if (type == MD_BLOCK_THEAD)
		w->head = true;
	if (!block_kind(type, &n.kind))
		return 0;
	if (!describe_block(w, type, detail, &n))
		return -1;
	return enter(w, &n);
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
	struct walk *w = arg;
	enum markdown_kind kind;

	(void)detail;
	if (type == MD_BLOCK_THEAD)
		w->head = false;
	return block_kind(type, &kind) ? leave(w, kind) : 0;
}

static bool span_kind(MD_SPANTYPE type, enum markdown_kind *kind)
{
	switch (type) {
	case MD_SPAN_EM:
		*kind = MARKDOWN_EM;
		return true;
	case MD_SPAN_STRONG:
		*kind = MARKDOWN_STRONG;
		return true;
	case MD_SPAN_DEL:
		*kind = MARKDOWN_STRIKE;
		return true;
	case MD_SPAN_CODE:
		*kind = MARKDOWN_VERBATIM;
		return true;
	case MD_SPAN_A:
		*kind = MARKDOWN_LINK;
		return true;
	case MD_SPAN_IMG:
		*kind = MARKDOWN_IMAGE;
		return true;
	case MD_SPAN_LATEXMATH:
	case MD_SPAN_LATEXMATH_DISPLAY:
	case MD_SPAN_WIKILINK:
	case MD_SPAN_U:
		break;
	}
	return false;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *arg)
{
	struct walk *w = arg;
	struct markdown_node n = {.head = w->head};
	bool good = true;

	if (!span_kind(type, &n.kind))
		return 0;
	if (type == MD_SPAN_A)
		good = attribute(
			w, &((MD_SPAN_A_DETAIL *)detail)->href, &n.text);
	else if (type == MD_SPAN_IMG)
		good = attribute(
			w, &((MD_SPAN_IMG_DETAIL *)detail)->src, &n.text);
	return good ? open_span(w, &n) : -1;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *arg)
{
	enum markdown_kind kind;

	(void)detail;
	return span_kind(type, &kind) ? close_span(arg, kind) : 0;
}

static int take_text(
	MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE size, void *arg)
{
	struct walk *w = arg;
	struct str text = {s, size};

	if (!may_say(w, size + 1))
		return -1;
	if (!w->ops)
		return 0;
	switch (type) {
	case MD_TEXT_BR:
	case MD_TEXT_SOFTBR:
		text = str_of(w->one_line ? " " : "\n");
		break;
	case MD_TEXT_NULLCHAR:
		text = str_of("\xef\xbf\xbd");
		break;
	case MD_TEXT_ENTITY:
		strbuf_reset(&w->text);
		add_entity(&w->text, text);
		text = strbuf_str(&w->text);
		break;
	case MD_TEXT_NORMAL:
	case MD_TEXT_CODE:
	case MD_TEXT_HTML:
	case MD_TEXT_LATEXMATH:
		break;
	}
	if (text.len)
		w->ops->text(w->arg, text);
	return 0;
}

/* Parses; with OPS NULL only finds out whether it stays within bounds. */
static bool parse(struct str s, const struct markdown_ops *ops, void *arg)
{
	const MD_PARSER parser = {
		.flags = FLAGS,
		.enter_block = enter_block,
		.leave_block = leave_block,
		.enter_span = enter_span,
		.leave_span = leave_span,
		.text = take_text,
	};
	struct walk w = {
		.ops = ops,
		.arg = arg,
		.nodes = NODES_MIN + 2 * s.len,
		.bytes = BYTES_MIN + BYTES_PER_BYTE * s.len,
	};
	bool good;

	strbuf_init(&w.text);
	good = md_parse(s.ptr, (MD_SIZE)s.len, &parser, &w) == 0;
	strbuf_release(&w.text);
	return good;
}

/* One paragraph as it is. */
static void walk_plain(struct str s, const struct markdown_ops *ops, void *arg)
{
	const struct markdown_node n = {.kind = MARKDOWN_PARA};

	while (s.len && s.ptr[s.len - 1] == '\n')
		s.len--;
	ops->enter(arg, &n);
	if (s.len)
		ops->text(arg, s);
	ops->leave(arg, MARKDOWN_PARA);
}

static void walk_piece(struct str s, const struct markdown_ops *ops, void *arg)
{
	if (!s.len)
		return;
	if (s.len <= PIECE_MAX && parse(s, NULL, NULL))
		parse(s, ops, arg);
	else
		walk_plain(s, ops, arg);
}

/* The run of '`' or '~' that opens or ends a fenced block; 0 if LINE has none.
 */
static size_t fence_of(struct str line, char *mark)
{
	size_t at = 0;
	size_t n = 0;

	while (at < line.len && at < 3 && line.ptr[at] == ' ')
		at++;
	if (at == line.len || (line.ptr[at] != '`' && line.ptr[at] != '~'))
		return 0;
	*mark = line.ptr[at];
	while (at + n < line.len && line.ptr[at + n] == *mark)
		n++;
	return n < 3 ? 0 : n;
}

/* Long texts end behind a blank line outside of fences, before a line that is
 * not indented. */
size_t markdown_part(struct str text, size_t from)
{
	size_t pos = from;
	size_t fence = 0;
	char mark = 0;
	bool blank = false;

	if (text.len - from <= PIECE_MAX)
		return text.len;
	while (pos < text.len) {
		const char *nl = memchr(text.ptr + pos, '\n', text.len - pos);
		size_t end = nl ? (size_t)(nl - text.ptr) : text.len;
		struct str line = {text.ptr + pos, end - pos};
		char m = 0;
		size_t n = fence_of(line, &m);

		if (blank && !fence && line.len && *line.ptr != ' ' &&
			*line.ptr != '\t' && pos - from >= PIECE_MIN)
			return pos;
		blank = utf8_is_blank(line.ptr, line.len);
		if (!fence && n) {
			fence = n;
			mark = m;
		} else if (fence && m == mark && n >= fence) {
			fence = 0;
		}
		pos = end + (end < text.len);
	}
	return text.len;
}

void markdown_walk(struct str text, const struct markdown_ops *ops, void *arg)
{
	size_t pos = 0;

	while (pos < text.len) {
		size_t end = markdown_part(text, pos);

		walk_piece((struct str){text.ptr + pos, end - pos}, ops, arg);
		pos = end;
	}
}

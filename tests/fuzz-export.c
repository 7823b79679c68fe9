/* fuzz-export: saved streams as documents. HTML: only our own elements and
 * attributes, all closed, links to anchors of the document, http(s) and mailto.
 * Markdown: what is from outside stands in code spans and fences, or as
 * references. Neither holds a control or bidi control. */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "event/event.h"
#include "fuzz.h"
#include "output/export.h"
#include "output/sink.h"
#include "view/convert.h"
#include "view/detail.h"
#include "view/match.h"

#define NESTING_MAX 256
#define NAME "``|<b>&[x](javascript:y) \x1b[31m.jsonl"

static int add_piece(void *arg, const char *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

/* --- HTML --- */

static const char *const elements[] = {"a", "article", "b", "bdi", "blockquote",
	"body", "code", "dd", "del", "details", "div", "dl", "dt", "em",
	"footer", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "html",
	"li", "main", "ol", "p", "pre", "span", "strong", "style", "summary",
	"table", "tbody", "td", "tfoot", "th", "thead", "time", "title", "tr",
	"ul", NULL};

static const char *const attributes[] = {"class", "dir", "id", "lang", "scope",
	"charset", "http-equiv", "content", "name", "rel", "start", NULL};

static const char *const references[] = {
	"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", NULL};

struct html {
	const char *at;
	const char *end;
	struct str open[NESTING_MAX];
	size_t depth;
};

static bool is_one_of(struct str s, const char *const *list)
{
	for (; *list; list++)
		if (str_is(s, *list))
			return true;
	return false;
}

static struct str word(struct html *h)
{
	struct str w = {h->at, 0};

	while (h->at < h->end &&
		strchr("abcdefghijklmnopqrstuvwxyz-0123456789", *h->at) &&
		*h->at)
		h->at++;
	w.len = (size_t)(h->at - w.ptr);
	return w;
}

static void skip(struct html *h, const char *s)
{
	size_t n = strlen(s);

	ar_assert((size_t)(h->end - h->at) >= n);
	ar_assert(memcmp(h->at, s, n) == 0);
	h->at += n;
}

static void check_attribute(struct str name, struct str value)
{
	static const char lane[] = "marginleftwidth-:;.%0123456789";

	ar_assert(!memchr(value.ptr, '<', value.len));
	if (str_is(name, "href")) {
		ar_assert(str_starts(value, "#run") ||
			  strncasecmp(value.ptr, "http://", 7) == 0 ||
			  strncasecmp(value.ptr, "https://", 8) == 0 ||
			  strncasecmp(value.ptr, "mailto:", 7) == 0);
		return;
	}
	if (!str_is(name, "style")) {
		ar_assert(is_one_of(name, attributes));
		return;
	}
	for (size_t i = 0; i < value.len; i++)
		ar_assert(value.ptr[i] && strchr(lane, value.ptr[i]));
}

static void open_tag(struct html *h)
{
	struct str name = word(h);
	bool is_meta = str_is(name, "meta");

	ar_assert(is_meta || is_one_of(name, elements));
	while (*h->at == ' ') {
		struct str attribute;
		struct str value;

		skip(h, " ");
		attribute = word(h);
		skip(h, "=\"");
		value.ptr = h->at;
		h->at = memchr(h->at, '"', (size_t)(h->end - h->at));
		ar_assert(h->at);
		value.len = (size_t)(h->at - value.ptr);
		skip(h, "\"");
		check_attribute(attribute, value);
	}
	skip(h, ">");
	if (is_meta)
		return;
	ar_assert(h->depth < NESTING_MAX);
	h->open[h->depth++] = name;
	if (str_is(name, "style")) /* ours; the CSP lets no other one be */
		h->at = memmem(h->at, (size_t)(h->end - h->at), "</style>", 8);
	ar_assert(h->at);
}

static void close_tag(struct html *h)
{
	struct str name = word(h);

	skip(h, ">");
	ar_assert(h->depth > 0 && str_eq(h->open[--h->depth], name));
}

static void reference(struct html *h)
{
	struct str rest = {h->at, (size_t)(h->end - h->at)};

	for (size_t i = 0; references[i]; i++) {
		if (!str_starts(rest, references[i]))
			continue;
		skip(h, references[i]);
		return;
	}
	ar_assert(!"a reference of ours");
}

static void check_html(struct str doc)
{
	struct html h = {doc.ptr, doc.ptr + doc.len, {{NULL, 0}}, 0};

	skip(&h, "<!DOCTYPE html>\n");
	while (h.at < h.end) {
		if (*h.at == '&') {
			reference(&h);
		} else if (*h.at != '<') {
			ar_assert(*h.at != '>');
			h.at++;
		} else if (h.end - h.at > 1 && h.at[1] == '/') {
			skip(&h, "</");
			close_tag(&h);
		} else {
			skip(&h, "<");
			open_tag(&h);
		}
	}
	ar_assert(h.depth == 0);
}

/* --- Markdown --- */

static size_t ticks_at(struct str line, size_t at)
{
	size_t n = 0;

	while (at + n < line.len && line.ptr[at + n] == '`')
		n++;
	return n;
}

/* The offset behind the code span at AT. */
static size_t span_end(struct str line, size_t at, bool in_table)
{
	size_t n = ticks_at(line, at);
	size_t i = at + n;

	while (i < line.len) {
		size_t m = ticks_at(line, i);

		if (m == n)
			return i + m;
		if (line.ptr[i] == '|' && in_table)
			ar_assert(line.ptr[i - 1] == '\\');
		i += m ? m : 1;
	}
	ar_assert(!"a code span is closed");
	return i;
}

/* What may stand outside of spans and fences: our own words and numbers. */
static void check_own(struct str line)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    " .,:$%()|*#-";
	bool in_table = line.len && line.ptr[0] == '|';
	size_t i = 0;

	while (i < line.len) {
		if (line.ptr[i] == '`') {
			i = span_end(line, i, in_table);
			continue;
		}
		ar_assert((unsigned char)line.ptr[i] >= 0x80 ||
			  (line.ptr[i] && strchr(plain, line.ptr[i])));
		i++;
	}
}

/* "<summary>" TEXT "</summary>", parts of it in "<b>" and "</b>": letters,
 * digits, blanks and references from outside, and numbers and words of ours. */
static void check_summary(struct str line)
{
	static const char head[] = "<summary>";
	static const char tail[] = "</summary>";
	bool bold = false;

	ar_assert(line.len >= strlen(head) + strlen(tail));
	ar_assert(memcmp(line.ptr + line.len - strlen(tail), tail,
			  strlen(tail)) == 0);
	line.ptr += strlen(head);
	line.len -= strlen(head) + strlen(tail);
	while (line.len) {
		size_t n = 1;

		if (*line.ptr == '<') {
			ar_assert(str_starts(line, bold ? "</b>" : "<b>"));
			n = bold ? 4 : 3;
			bold = !bold;
		} else if (*line.ptr == '&') {
			ar_assert(str_starts(line, "&#"));
		} else {
			ar_assert(!strchr("`[]!*_~\\>\"'", *line.ptr));
		}
		line.ptr += n;
		line.len -= n;
	}
	ar_assert(!bold);
}

static const char *const languages[] = {"text", "sh", "diff", "json", NULL};

static void check_md(struct str doc)
{
	size_t fence = 0;
	size_t details = 0;
	struct str line;

	while (fuzz_line(&doc, &line)) {
		size_t ticks = ticks_at(line, 0);

		if (fence) {
			ar_assert(ticks <= fence);
			if (ticks == fence) {
				ar_assert(line.len == ticks);
				fence = 0;
			}
		} else if (ticks >= 3 &&
			   is_one_of((struct str){line.ptr + ticks,
					     line.len - ticks},
				   languages)) {
			fence = ticks;
		} else if (str_is(line, "<details>")) {
			details++;
		} else if (str_is(line, "</details>")) {
			ar_assert(details-- > 0);
		} else if (str_starts(line, "<summary>")) {
			check_summary(line);
		} else {
			check_own(line);
		}
	}
	ar_assert(!fence && !details);
}

/* --- both --- */

/* Right-to-left overrides and the like show a text in another order. */
static void check_no_bidi(struct str s)
{
	for (size_t i = 0; i + 2 < s.len; i++) {
		const unsigned char *p = (const unsigned char *)s.ptr + i;

		ar_assert(p[0] != 0xd8 || p[1] != 0x9c);
		if (p[0] != 0xe2)
			continue;
		ar_assert(p[1] != 0x80 || p[2] < 0x8e || p[2] > 0x8f);
		ar_assert(p[1] != 0x80 || p[2] < 0xa8 || p[2] > 0xae);
		ar_assert(p[1] != 0x81 || p[2] < 0xa6 || p[2] > 0xa9);
	}
}

static void check_documents(struct sink *sink, struct detail *detail)
{
	struct strbuf html = STRBUF_INIT;
	struct strbuf md = STRBUF_INIT;
	struct export_form form = {EXPORT_HTML, NAME, detail};

	ar_assert(!export_write(sink, &form, add_piece, &html));
	form.kind = EXPORT_MD;
	ar_assert(!export_write(sink, &form, add_piece, &md));
	fuzz_check_clean(strbuf_str(&html), true);
	fuzz_check_clean(strbuf_str(&md), true);
	check_no_bidi(strbuf_str(&html));
	check_no_bidi(strbuf_str(&md));
	check_html(strbuf_str(&html));
	check_md(strbuf_str(&md));
	strbuf_release(&html);
	strbuf_release(&md);
}

static void play(const void *arg, const char *data, size_t len)
{
	struct sink *sink = export_new();
	struct str rest = {data, len};
	struct arena a;
	struct str line;
	uint64_t bad = 0;

	(void)arg;
	arena_init(&a);
	while (fuzz_line(&rest, &line)) {
		struct err err = ERR_INIT;
		struct event ev;
		int syserr;

		if (event_read(&ev, &a, line.ptr, line.len, &err) == 0)
			(void)sink->ops->event(sink, &ev, &syserr, &err);
		else
			bad++;
		arena_reset(&a);
	}
	arena_release(&a);
	export_bad_lines(sink, bad);
	check_documents(sink, NULL);
	sink->ops->free(sink);
}

const struct fuzz_target fuzz_export = {
	.name = "export",
	.seeds = "golden/*/*/out.jsonl",
	.play = play,
	.json = true,
};

/* --- with what calls were given and gave back --- */

#define EVENTS_MAX 256

struct raw_run {
	struct sink *sink;
	struct keep *events; /* the stream as it would be saved */
	uint64_t end;        /* of it */
	size_t count;
	struct {
		uint64_t offset;
		struct raw_ref source;
		bool compared;
	} v[EVENTS_MAX];
};

static int64_t no_time(void *arg)
{
	(void)arg;
	return 0;
}

static void on_raw_event(void *arg, const struct event *ev)
{
	struct raw_run *r = arg;
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;
	int syserr;

	(void)r->sink->ops->event(r->sink, ev, &syserr, &err);
	event_write(&line, ev);
	keep_add(r->events, line.buf, line.len);
	if (r->count < EVENTS_MAX) {
		r->v[r->count].offset = r->end;
		r->v[r->count].source = ev->source;
		r->v[r->count].compared =
			ev->kind != EVENT_START && ev->kind != EVENT_END;
		r->count++;
	}
	r->end += line.len;
	strbuf_release(&line);
}

/* From the saved stream alone each event finds its line again. */
static void check_match(const struct raw_run *r, const struct keep *raw)
{
	struct match *m = match_new(r->events, raw);

	while (match_step(m))
		ar_assert(match_percent(m) >= 0 && match_percent(m) <= 100);
	ar_assert(match_state(m) == MATCH_OK);
	for (size_t i = 0; i < r->count; i++) {
		struct raw_ref found = match_find(m, r->v[i].offset);

		if (!r->v[i].compared)
			continue;
		ar_assert(found.len == r->v[i].source.len);
		ar_assert(!found.len || found.offset == r->v[i].source.offset);
	}
	match_free(m);
}

static void play_details(const void *arg, const char *data, size_t len)
{
	static const struct clock still = {no_time, no_time, NULL};
	const struct runtime_ops *ops = arg;
	struct raw_run r = {
		.sink = export_new(), .events = keep_new((uint64_t)64 << 20)};
	struct keep *raw = keep_new((uint64_t)64 << 20);
	struct convert *c = convert_new(ops, "/work", &still, on_raw_event, &r);
	struct detail *detail = view_detail_raw(ops, raw, NULL);
	struct str rest = {data, len};
	struct str line;
	int percent;

	keep_add(raw, data, len);
	while (fuzz_line(&rest, &line))
		convert_line(
			c, (uint64_t)(line.ptr - data), line.ptr, line.len);
	convert_finish(c, 0, len && data[len - 1] != '\n');
	while (detail->ops->prepare(detail, &percent))
		;
	check_documents(r.sink, detail);
	check_match(&r, raw);
	detail_free(detail);
	convert_free(c);
	keep_free(raw);
	keep_free(r.events);
	r.sink->ops->free(r.sink);
}

const struct fuzz_target fuzz_details_claude_code = {
	.name = "details-claude-code",
	.seeds = "golden/claude-code/*/in.jsonl",
	.play = play_details,
	.arg = &runtime_claude_code,
	.json = true,
};

const struct fuzz_target fuzz_details_codex = {
	.name = "details-codex",
	.seeds = "golden/codex/*/in.jsonl",
	.play = play_details,
	.arg = &runtime_codex,
	.json = true,
};

const struct fuzz_target fuzz_details_pi = {
	.name = "details-pi",
	.seeds = "golden/pi/*/in.jsonl",
	.play = play_details,
	.arg = &runtime_pi,
	.json = true,
};

const struct fuzz_target fuzz_details_dsh = {
	.name = "details-dsh",
	.seeds = "golden/dsh/*/in.jsonl",
	.play = play_details,
	.arg = &runtime_dsh,
	.json = true,
};

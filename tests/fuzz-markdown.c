/* fuzz-markdown: texts of agents as lines with styles. No byte of a line acts
 * on a terminal, whatever entities hide; spans lie in order inside of their
 * line; what is made of a text stays in proportion to it; and no letter or
 * digit of the text is lost but those that mean something in Markdown. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "ui/grid.h"
#include "ui/render.h"

struct seen {
	size_t bytes;
	size_t lines;
	size_t letters;
};

static size_t letters(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += isalpha((unsigned char)s.ptr[i]) != 0;
	return n;
}

static void take(void *arg, const struct render_line *l)
{
	struct seen *seen = arg;
	size_t end = 0;

	fuzz_check_clean(l->text, true);
	ar_assert(!memchr(l->text.ptr, '\n', l->text.len));
	ar_assert(l->indent >= 0);
	for (size_t i = 0; i < l->span_count; i++) {
		ar_assert(l->spans[i].from >= end);
		ar_assert(l->spans[i].from < l->spans[i].to);
		ar_assert(l->spans[i].to <= l->text.len);
		end = l->spans[i].to;
	}
	seen->bytes += l->text.len;
	seen->lines++;
	seen->letters += letters(l->text);
}

/* Without a sign that hides letters (links, entities, fences, tasks), each of
 * them is shown. */
static bool hides(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (strchr("&[]`~|", s.ptr[i]) && s.ptr[i])
			return true;
	return false;
}

static void play(const void *arg, const char *data, size_t len)
{
	struct fuzz_rand r = fuzz_choice(data, len);
	int cols = 1 + (int)fuzz_below(&r, 120);
	struct strbuf text = STRBUF_INIT;
	struct seen seen = {0};
	struct seen source = {0};
	int wanted;

	(void)arg;
	utf8_display(&text, data, len, UTF8_AGENT, 0);
	wanted = render_markdown(strbuf_str(&text), cols, take, &seen);
	ar_assert(wanted >= 0);
	ar_assert(seen.bytes <= 100 * text.len + (1 << 20));
	ar_assert(seen.lines <= 20 * text.len + 100);
	if (!hides(strbuf_str(&text)))
		ar_assert(seen.letters >= letters(strbuf_str(&text)));
	render_source(strbuf_str(&text), take, &source);
	ar_assert(source.letters == letters(strbuf_str(&text)));
	strbuf_release(&text);
}

static const char *const words[] = {"**", "*", "_", "`", "```\n", "~~~\n", "> ",
	"- ", "1. ", "- [ ] ", "# ", "---\n", "| a | b |\n", "|---|---|\n",
	"|:--|--:|\n", "|", "[x](http://y.z)", "[x]: http://y\n", "[x]", "![",
	"](", "<http://a.b>", "http://a.b/c", "www.a.b", "a@b.c", "&amp;",
	"&#27;", "&#x202e;", "&#10;", "\n\n", "    ", "\t", "\\", "~~",
	"```diff\n", "<b>", "<!-- ", "中文", NULL};

const struct fuzz_target fuzz_markdown = {
	.name = "markdown",
	.seeds = "markdown/*.md",
	.play = play,
	.words = words,
};

#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/io.h"
#include "base/utf8.h"
#include "tests/check-main.h"
#include "ui/render.h"
#include "ui/style.h"
#include "ui/wrap.h"

/* Markdown as lines: tests/markdown/NAME.md at some widths, compared with
 * NAME-WIDTH.txt. UPDATE_MARKDOWN=1 writes them anew; look at the difference.
 *
 * Below a line with styles stands a letter for each column: a role (h)eading,
 * (c)ode, (l)ink, (q)uote, + added, - removed, @ hunk, or (b)old, (d)im,
 * (i)talic, (u)nderlined. */
static char letter_of(uint32_t style)
{
	static const struct {
		uint32_t role;
		char letter;
	} roles[] = {{ROLE_HEADING, 'h'}, {ROLE_CODE, 'c'}, {ROLE_LINK, 'l'},
		{ROLE_QUOTE, 'q'}, {ROLE_ADDED, '+'}, {ROLE_REMOVED, '-'},
		{ROLE_HUNK, '@'}};
	size_t i;

	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (style >> 16 == roles[i].role)
			return roles[i].letter;
	return style & STYLE_BOLD        ? 'b'
	       : style & STYLE_ITALIC    ? 'i'
	       : style & STYLE_UNDERLINE ? 'u'
	       : style & STYLE_DIM       ? 'd'
					 : ' ';
}

static void add_styles(struct strbuf *out, const struct render_line *l)
{
	size_t pos = 0;
	size_t span = 0;

	while (pos < l->text.len) {
		uint32_t ch;
		size_t at = pos;
		int w = wrap_char(l->text, pos, &pos, &ch);
		char letter = ' ';

		while (span < l->span_count && l->spans[span].to <= at)
			span++;
		if (span < l->span_count && l->spans[span].from <= at)
			letter = letter_of(l->spans[span].style);
		while (w--)
			strbuf_addch(out, letter);
	}
	while (out->buf[out->len - 1] == ' ')
		strbuf_setlen(out, out->len - 1);
}

struct dump {
	struct strbuf out;
	size_t bytes;
	size_t lines;
	int widest;
};

static void check_line(const struct render_line *l)
{
	size_t i;
	size_t end = 0;

	ck_assert(utf8_valid(l->text.ptr, l->text.len));
	ck_assert(!memchr(l->text.ptr, '\n', l->text.len));
	ck_assert_int_ge(l->indent, 0);
	for (i = 0; i < l->span_count; i++) {
		ck_assert_uint_ge(l->spans[i].from, end);
		ck_assert_uint_gt(l->spans[i].to, l->spans[i].from);
		ck_assert_uint_le(l->spans[i].to, l->text.len);
		end = l->spans[i].to;
	}
}

static void take(void *arg, const struct render_line *l)
{
	struct dump *d = arg;

	check_line(l);
	strbuf_addf(&d->out, "%d%c", l->indent, l->verbatim ? '!' : ' ');
	strbuf_adds(&d->out, l->text);
	strbuf_addch(&d->out, '\n');
	if (l->span_count) {
		strbuf_addstr(&d->out, l->indent < 10 ? "~ " : "~  ");
		add_styles(&d->out, l);
		strbuf_addch(&d->out, '\n');
	}
}

static void compare(const char *path, const struct strbuf *got)
{
	struct strbuf want = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (getenv("UPDATE_MARKDOWN")) {
		FILE *f = fopen(path, "w");

		ck_assert_ptr_nonnull(f);
		fwrite(got->buf, 1, got->len, f);
		fclose(f);
		return;
	}
	if (io_read_file(path, 1 << 20, &want, &err) != 0)
		ck_abort_msg("%s", err.msg);
	if (strcmp(want.buf, got->buf) != 0)
		ck_abort_msg("%s differs, it is now:\n%s", path, got->buf);
	strbuf_release(&want);
}

static void render_file(const char *folder, const char *name)
{
	static const int widths[] = {80, 40};
	struct strbuf path = STRBUF_INIT;
	struct strbuf md = STRBUF_INIT;
	struct strbuf clean = STRBUF_INIT;
	struct err err = ERR_INIT;
	size_t i;

	strbuf_addf(&path, "%s/%s.md", folder, name);
	if (io_read_file(path.buf, 1 << 20, &md, &err) != 0)
		ck_abort_msg("%s", err.msg);
	utf8_display(&clean, md.buf, md.len, UTF8_AGENT, 0);
	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct dump d = {.out = STRBUF_INIT};

		render_markdown(strbuf_str(&clean), widths[i], take, &d);
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s-%d.txt", folder, name, widths[i]);
		compare(path.buf, &d.out);
		strbuf_release(&d.out);
	}
	strbuf_release(&path);
	strbuf_release(&md);
	strbuf_release(&clean);
}

START_TEST(files)
{
	const char *src = getenv("top_srcdir");
	struct strbuf folder = STRBUF_INIT;
	struct dirent *e;
	size_t n = 0;
	DIR *dir;

	strbuf_addf(&folder, "%s/tests/markdown", src ? src : ".");
	dir = opendir(folder.buf);
	ck_assert_ptr_nonnull(dir);
	while ((e = readdir(dir))) {
		char name[256];
		size_t len = strlen(e->d_name);

		if (len < 4 || strcmp(e->d_name + len - 3, ".md") != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)len - 3, e->d_name);
		render_file(folder.buf, name);
		n++;
	}
	closedir(dir);
	ck_assert_uint_ge(n, 5);
	strbuf_release(&folder);
}
END_TEST

static void count(void *arg, const struct render_line *l)
{
	struct dump *d = arg;

	check_line(l);
	d->bytes += l->text.len;
	d->lines++;
}

/* Whatever it is made of, a text costs little and gives little. */
static void bounded(const char *name, struct strbuf *md)
{
	struct dump d = {.out = STRBUF_INIT};
	struct timespec from;
	struct timespec to;
	double s;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	render_markdown(strbuf_str(md), 80, count, &d);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	s = (double)(to.tv_sec - from.tv_sec) +
	    (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	if (getenv("CK_VERBOSE_TIMES"))
		printf("# %-12.12s %6.3f s %8zu bytes %7zu lines\n", name, s,
			d.bytes, d.lines);
	if (d.bytes > 80 * md->len + (1 << 20))
		ck_abort_msg("%s: %zu bytes", name, d.bytes);
	if (s > 10)
		ck_abort_msg("%s: %.1f s", name, s);
	strbuf_release(md);
}

static void repeat(struct strbuf *sb, const char *s, size_t n)
{
	while (n--)
		strbuf_addstr(sb, s);
}

#define MUCH ((size_t)200 << 10)

START_TEST(repetitions)
{
	static const char *const patterns[] = {"[", "![", "[a](", "*a_ ",
		"**a *b ", "~~a ", "`a``", "<a", "&amp;", "&#27;", "[a]: b\n",
		"> ", "- ", "1. ", "* a\n ", "|a", "|a|b|\n|---|---|\n", "***",
		"[a][", "\\", "```\n", "> a\n", "http://a.", "www.a", "a@b.c ",
		"a.b@c_", ">a\n-", "   * a\n", "http://a.b(",
		"[a\n]:", "* * * * ", "\t- ", "[![", "| | |\n", "x"};
	size_t i;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct strbuf md = STRBUF_INIT;

		/* Short enough to be parsed. */
		while (md.len < MUCH) {
			repeat(&md, patterns[i], 30000 / strlen(patterns[i]));
			strbuf_addstr(&md, "\n\nnext\n\n");
		}
		bounded(patterns[i], &md);
		repeat(&md, patterns[i], MUCH / strlen(patterns[i]));
		bounded(patterns[i], &md);
	}
}
END_TEST

START_TEST(amplifiers)
{
	struct strbuf md = STRBUF_INIT;

	/* Rows without cells in a table of very many columns. */
	repeat(&md, "|a", 10000);
	strbuf_addch(&md, '\n');
	repeat(&md, "|---", 10000);
	strbuf_addch(&md, '\n');
	repeat(&md, "|\n", 10000);
	bounded("columns", &md);
	/* A long target, often. */
	strbuf_addstr(&md, "[a]: <");
	repeat(&md, "x", 30000);
	strbuf_addstr(&md, ">\n\n");
	repeat(&md, "[a] ", 8000);
	bounded("references", &md);
	/* One wide cell, many short rows. */
	strbuf_addstr(&md, "|a|b|\n|---|---|\n|");
	repeat(&md, "wide ", 1000);
	strbuf_addstr(&md, "|\n");
	repeat(&md, "|a|b|\n", 9000);
	bounded("wide cell", &md);
	/* Long heads in front of many records. */
	repeat(&md, "|a long name of a column", 200);
	strbuf_addch(&md, '\n');
	repeat(&md, "|---", 200);
	strbuf_addch(&md, '\n');
	repeat(&md, "|a|b|c|d|e|f|g\n", 3000);
	bounded("records", &md);
	/* Deep nesting before each line. */
	while (md.len < MUCH) {
		repeat(&md, ">", 10000);
		strbuf_addstr(&md, "a\n");
	}
	bounded("quotes", &md);
	repeat(&md, "- ", 5000);
	strbuf_addch(&md, '\n');
	repeat(&md, "b\n\n", 20000);
	bounded("lists", &md);
}
END_TEST

struct words {
	struct strbuf all;
};

static void collect(void *arg, const struct render_line *l)
{
	struct words *w = arg;

	strbuf_adds(&w->all, l->text);
	strbuf_addch(&w->all, ' ');
}

/* However narrow, no word of a table is lost. */
START_TEST(tables_lose_nothing)
{
	static const char md[] =
		"| alpha | beta gamma | delta |\n|---|---|---|\n"
		"| one two three | four five | six |\n"
		"| seven | eight nine ten eleven | twelve thirteen |\n";
	static const char *const words[] = {"alpha", "beta", "gamma", "delta",
		"one", "two", "three", "four", "five", "six", "seven", "eight",
		"nine", "ten", "eleven", "twelve", "thirteen"};
	int cols;
	size_t i;

	for (cols = 1; cols < 100; cols++) {
		struct words w = {STRBUF_INIT};
		int wanted = render_markdown(str_of(md), cols, collect, &w);

		ck_assert_int_eq(wanted, 13 + 3 + 21 + 3 + 15);
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			/* Words longer than a cell are cut. */
			if (strlen(words[i]) <= 6 || cols < 24 || cols > 60)
				ck_assert_msg(strstr(w.all.buf, words[i]),
					"%s, %d columns: %s", words[i], cols,
					w.all.buf);
		}
		strbuf_release(&w.all);
	}
}
END_TEST

START_TEST(sources_stay)
{
	struct dump d = {.out = STRBUF_INIT};

	render_source(str_of("# a\n\n  - **b**"), take, &d);
	ck_assert_str_eq(d.out.buf, "0 # a\n0 \n2   - **b**\n");
	strbuf_release(&d.out);
}
END_TEST

CHECK_MAIN("render", files, repetitions, amplifiers, tables_lose_nothing,
	sources_stay)

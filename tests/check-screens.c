#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "base/i18n.h"
#include "base/io.h"
#include "event/event.h"
#include "tests/check-main.h"
#include "ui/state.h"
#include "ui/term.h"

/* Every layout rule as a screen in tests/screens/, drawn through curses on
 * /dev/null. UPDATE_SCREENS=1 writes them anew; look at the difference.
 *
 * Below the screen stand its attributes: row, columns, d(im) or r(everse). */
struct screen {
	const char *name;
	int events;       /* of run.jsonl; 0: none */
	const char *keys; /* pressed after the first drawing */
	int rows;
	int cols;
	int quiet_s; /* how long ago the last event came */
	int runs;    /* how many runs, each some events further */
};

static const struct screen screens[] = {
	{"empty", 0, "", 24, 80, 0, 1},
	{"empty", 0, "", 1, 1, 0, 1},
	{"one", 5, "", 24, 80, 2, 1},
	{"one", 5, "", 10, 40, 2, 1},
	{"one", 5, "", 5, 20, 2, 1},
	{"one", 5, "", 3, 10, 2, 1},
	{"one", 5, "", 1, 1, 2, 1},
	{"quiet", 5, "", 24, 80, 130, 1},
	{"two", 19, "", 24, 80, 7, 1},
	{"two", 19, "", 40, 120, 7, 1},
	{"two", 19, "t", 40, 120, 7, 1},
	{"five", 25, "", 24, 80, 7, 1},
	{"five", 25, "", 40, 120, 7, 1},
	{"five", 25, "", 10, 40, 7, 1},
	{"five", 25, "", 5, 20, 7, 1},
	{"five", 25, "", 3, 10, 7, 1},
	{"five", 25, "", 1, 1, 7, 1},
	{"five", 25, "", 2, 2, 7, 1},
	{"five-sorted", 25, "ssS\t", 24, 80, 7, 1},
	{"nested", 33, "a\tjj", 24, 80, 3, 1},
	{"nested", 33, "a\tjj", 40, 120, 3, 1},
	{"transcript", 25, "2", 24, 80, 7, 1},
	{"transcript", 25, "2", 10, 40, 7, 1},
	{"transcript-past", 43, "]", 24, 80, 0, 1},
	{"transcript-nested", 43, "]]]", 24, 80, 0, 1},
	{"transcript-enter", 43, "\t\n", 24, 80, 0, 1},
	{"folded", 43, "g", 24, 80, 0, 1},
	{"unfolded", 43, "gZ", 40, 120, 0, 1},
	{"unfolded-one", 43, "g}}}}}}z", 24, 80, 0, 1},
	{"item-tool", 19, "{\n", 24, 80, 7, 1},
	{"item-text", 19, "g}}}}}}\n", 24, 80, 7, 1},
	{"item-prompt", 19, "g\n", 24, 80, 7, 1},
	{"help", 19, "?", 24, 80, 7, 1},
	{"help", 19, "?", 40, 120, 7, 1},
	{"help", 19, "?", 5, 20, 7, 1},
	{"search-prompt", 19, "/pars", 24, 80, 7, 1},
	{"search", 19, "/parse\nn", 24, 80, 7, 1},
	{"search-none", 19, "/no such\n", 24, 80, 7, 1},
	{"search-folded", 43, "g/CONF.C\b\b\b\b\b\bconf.c:41\n", 24, 80, 0, 1},
	{"item-call", 43, "g}}}}}\n", 24, 80, 0, 1},
	{"search-long", 43, "/a\nnnN", 24, 80, 0, 1},
	{"filter-prompt", 19, "&", 24, 80, 7, 1},
	{"filter-tools", 43, "&:tools\n", 24, 80, 0, 1},
	{"filter-errors", 43, "&:errors :denials\n", 24, 80, 0, 1},
	{"filter-agent", 43, "&@explore#1 parse\n", 24, 80, 0, 1},
	{"error-jump", 43, "ee", 24, 80, 0, 1},
	{"error-back", 43, "EE", 24, 80, 0, 1},
	{"dialog", 19, "q", 24, 80, 7, 1},
	{"dialog", 19, "q", 10, 40, 7, 1},
	{"no-key", 19, "x", 24, 80, 7, 1},
	{"reading", 19, "kk*", 24, 80, 0, 1},
	{"end", 43, "", 24, 80, 0, 1},
	{"end", 43, "", 40, 120, 0, 1},
	{"end", 43, "", 10, 40, 0, 1},
	{"end", 43, "", 5, 20, 0, 1},
	{"runs", 4, "", 24, 80, 3, 11},
	{"runs", 4, "", 40, 120, 3, 11},
	{"runs", 4, "", 10, 40, 3, 11},
	{"runs", 4, "", 3, 10, 3, 11},
	{"runs-sorted", 4, "ss", 24, 80, 3, 11},
	{"runs-filtered", 4, "/finished\n", 24, 80, 3, 11},
	{"runs-open", 4, "jjj\n", 24, 80, 3, 11},
	{"runs-back", 4, "jjj\n\033", 24, 80, 3, 11},
};

static const struct screen chinese[] = {
	{"zh", 25, "a", 24, 80, 40, 1},
	{"zh", 25, "a", 10, 40, 7, 1},
	{"zh-help", 19, "?", 40, 120, 7, 1},
	{"zh-dialog", 19, "q", 24, 80, 7, 1},
	{"zh-filter", 19, "&", 24, 80, 7, 1},
	{"zh-item", 19, "{\n", 24, 80, 7, 1},
	{"zh-transcript", 43, "]", 24, 80, 0, 1},
	{"zh-runs", 4, "", 24, 80, 3, 11},
};

static struct strbuf data;

static void read_data(void)
{
	struct strbuf path = STRBUF_INIT;
	struct err err = ERR_INIT;
	const char *src = getenv("top_srcdir");

	strbuf_addf(&path, "%s/tests/screens/run.jsonl", src ? src : ".");
	strbuf_init(&data);
	if (io_read_file(path.buf, 1 << 20, &data, &err) != 0)
		ck_abort_msg("%s", err.msg);
	strbuf_release(&path);
}

/* Feeds the events FROM..TO-1. */
static void feed(struct ui_run *run, int from, int to, int64_t *mono)
{
	struct arena arena;
	size_t at = 0;
	int i;

	arena_init(&arena);
	for (i = 0; i < to; i++) {
		const char *nl = memchr(data.buf + at, '\n', data.len - at);
		struct event ev;
		struct err err = ERR_INIT;

		ck_assert_ptr_nonnull(nl);
		if (event_read(&ev, &arena, data.buf + at,
			    (size_t)(nl - data.buf) - at, &err) != 0)
			ck_abort_msg("%s", err.msg);
		at = (size_t)(nl - data.buf) + 1;
		if (i < from)
			continue;
		*mono = ev.time_ms % 1000000;
		model_event(&run->model, &ev, *mono);
	}
	arena_release(&arena);
}

static uint32_t key_of(char c)
{
	switch (c) {
	case '\n':
		return UIKEY_ENTER;
	case '\t':
		return UIKEY_TAB;
	case '\033':
		return UIKEY_ESC;
	case '\b':
		return UIKEY_BACKSPACE;
	default:
		return (uint32_t)c;
	}
}

static void dump_row(struct strbuf *out, int y, int cols)
{
	int x;

	for (x = 0; x < cols; x++) {
		cchar_t cc;
		wchar_t wch[CCHARW_MAX + 1];
		attr_t attr;
		short pair;
		int i;

		if (mvwin_wch(curscr, y, x, &cc) != OK ||
			getcchar(&cc, wch, &attr, &pair, NULL) != OK)
			continue;
		if (attr & A_ALTCHARSET)
			wch[0] = L'─';
		for (i = 0; wch[i]; i++) {
			char buf[16];
			int n = wctomb(buf, wch[i]);

			ck_assert_int_gt(n, 0);
			strbuf_add(out, buf, (size_t)n);
		}
		/* The second half of a wide character. */
		if (wcwidth(wch[0]) == 2)
			x++;
	}
	while (out->len && out->buf[out->len - 1] == ' ')
		strbuf_setlen(out, out->len - 1);
	strbuf_addch(out, '\n');
}

static char attr_at(int y, int x)
{
	attr_t attr = mvwinch(curscr, y, x) & A_ATTRIBUTES;

	if (attr & A_REVERSE)
		return attr & A_DIM ? 'b' : 'r';
	return attr & A_DIM ? 'd' : ' ';
}

static void dump_attrs(struct strbuf *out, int y, int cols)
{
	int x = 0;

	while (x < cols) {
		char a = attr_at(y, x);
		int from = x;

		while (x < cols && attr_at(y, x) == a)
			x++;
		if (a != ' ')
			strbuf_addf(out, "%d:%d-%d %c\n", y, from, x - 1, a);
	}
}

static void dump(struct strbuf *out, int rows, int cols)
{
	int y;

	for (y = 0; y < rows; y++)
		dump_row(out, y, cols);
	strbuf_addstr(out, "--\n");
	for (y = 0; y < rows; y++)
		dump_attrs(out, y, cols);
}

static struct ui *build(const struct screen *s)
{
	struct ui_config config = {.live = s->runs == 1};
	struct ui *ui = ui_create(NULL, &config);
	int64_t mono = 0;
	int i;

	for (i = 0; i < s->runs; i++) {
		char name[32];
		int n = s->events + i * 4;

		snprintf(name, sizeof(name), "run-%d.jsonl", i + 1);
		feed(ui_run_add(ui, name), 0, n > 43 ? 43 : n, &mono);
	}
	ui->now = mono + s->quiet_s * 1000;
	/* 2026-10-04T13:05:00Z */
	ui->wall = INT64_C(1791119100000);
	ui_draw(ui, s->rows, s->cols);
	for (i = 0; s->keys[i]; i++) {
		if (s->keys[i] == '*' && ui->prompt.kind == PROMPT_NONE)
			feed(ui->runs[0], s->events, s->events + 9, &mono);
		else
			ui_key(ui, key_of(s->keys[i]), false);
		ui_draw(ui, s->rows, s->cols);
	}
	while (ui_pane(ui) &&
		search_count(&ui_pane(ui)->search, &ui_pane(ui)->lens, 1 << 20))
		continue;
	ui_draw(ui, s->rows, s->cols);
	return ui;
}

static void compare(const struct screen *s, const struct strbuf *got)
{
	const char *src = getenv("top_srcdir");
	struct strbuf path = STRBUF_INIT;
	struct strbuf want = STRBUF_INIT;
	struct err err = ERR_INIT;

	strbuf_addf(&path, "%s/tests/screens/%s%s-%dx%d.txt", src ? src : ".",
		s->name, strcmp(s->keys, "t") == 0 ? "-times" : "", s->cols,
		s->rows);
	if (getenv("UPDATE_SCREENS")) {
		FILE *f = fopen(path.buf, "w");

		ck_assert_ptr_nonnull(f);
		fwrite(got->buf, 1, got->len, f);
		fclose(f);
	} else if (io_read_file(path.buf, 1 << 20, &want, &err) != 0) {
		ck_abort_msg("%s", err.msg);
	} else if (want.len != got->len || strcmp(want.buf, got->buf) != 0) {
		ck_abort_msg("screen %s %dx%d differs, it is now:\n%s", s->name,
			s->cols, s->rows, got->buf);
	}
	strbuf_release(&path);
	strbuf_release(&want);
}

/* Draws all of LIST on one curses screen, sizes changing in between: what an
 * older screen left must not show. */
static void draw_all(const struct screen *list, size_t count)
{
	FILE *null_out = fopen("/dev/null", "w");
	FILE *null_in = fopen("/dev/null", "r");
	SCREEN *screen;
	size_t i;

	setenv("TZ", "UTC", 1);
	read_data();
	screen = newterm("xterm-256color", null_out, null_in);
	if (!screen)
		ck_abort_msg("no terminfo entry for xterm-256color");
	for (i = 0; i < count; i++) {
		struct strbuf got = STRBUF_INIT;
		struct ui *ui = build(&list[i]);

		resize_term(list[i].rows, list[i].cols);
		term_blit(&ui->grid);
		dump(&got, list[i].rows, list[i].cols);
		compare(&list[i], &got);
		strbuf_release(&got);
		ui_free(ui);
	}
	endwin();
	delscreen(screen);
	fclose(null_out);
	fclose(null_in);
	strbuf_release(&data);
}

START_TEST(layouts)
{
	draw_all(screens, sizeof(screens) / sizeof(screens[0]));
}
END_TEST

/* The catalogue of the build, under a folder as gettext wants it. */
static bool use_chinese(char *dir)
{
	struct strbuf path = STRBUF_INIT;
	const char *tops[] = {getenv("top_builddir"), getenv("top_srcdir")};
	char mo[4096] = "";
	size_t i;
	bool ok;

	for (i = 0; i < 2; i++) {
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/po/zh_CN.gmo", tops[i] ? tops[i] : ".");
		if (!mo[0] && access(path.buf, R_OK) == 0 &&
			!realpath(path.buf, mo))
			mo[0] = '\0';
	}
	strbuf_reset(&path);
	strbuf_addf(&path, "%s/zh_CN/LC_MESSAGES", dir);
	ok = mo[0] && io_mkdirs(path.buf, 0700) == 0;
	strbuf_addstr(&path, "/" PACKAGE ".mo");
	ok = ok && symlink(mo, path.buf) == 0;
	strbuf_release(&path);
	setenv("LANGUAGE", "zh_CN", 1);
	bindtextdomain(PACKAGE, dir);
	bind_textdomain_codeset(PACKAGE, "UTF-8");
	textdomain(PACKAGE);
	return ok;
}

START_TEST(chinese_labels)
{
	char dir[] = "/tmp/agentrun-screens-XXXXXX";
	bool ok;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ok = use_chinese(dir);
	if (ok)
		draw_all(chinese, sizeof(chinese) / sizeof(chinese[0]));
	io_remove_tree(dir);
	ck_assert_msg(ok, "no po/zh_CN.gmo");
}
END_TEST

CHECK_MAIN("screens", layouts, chinese_labels)

#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "base/io.h"
#include "event/event.h"
#include "tests/check-main.h"
#include "tests/chinese.h"
#include "ui/state.h"
#include "ui/term.h"

/* Every layout rule as a screen in tests/screens/, drawn through curses on
 * /dev/null. UPDATE_SCREENS=1 writes them anew; look at the difference.
 *
 * Below the screen stand its styles: row, columns, then b(old), d(im),
 * i(talic), u(nderlined), r(eversed), fN: colour N, gN: background N. */
struct screen {
	const char *name;
	int events;       /* of run.jsonl; 0: none */
	const char *keys; /* pressed after the first drawing */
	int rows;
	int cols;
	int quiet_s; /* how long ago the last event came */
	int runs;    /* how many runs, each some events further */
	struct theme theme;
};

#define L "\001" /* the key Left */
#define R "\002"

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
	{"unfolded", 43, "gO", 40, 120, 0, 1},
	{"unfolded-one", 43, "g}}}}}}o", 24, 80, 0, 1},
	{"item-tool", 19, "{\n", 24, 80, 7, 1},
	{"item-text", 19, "g}}}}}}\n", 24, 80, 7, 1},
	{"item-prompt", 19, "g\n", 24, 80, 7, 1},
	{"item-net", 43, "g/net denied\n\n", 24, 80, 0, 1},
	{"page-agent", 43, "g\n3", 10, 40, 0, 1},
	{"page-list", 43, "?\tj", 24, 80, 0, 1},
	{"page-help", 43, "g\n?", 5, 20, 0, 1},
	{"page-help-back", 43, "g\n??", 5, 20, 0, 1},
	{"help", 19, "?", 24, 80, 7, 1},
	{"help", 19, "?", 40, 120, 7, 1},
	{"help", 19, "?", 5, 20, 7, 1},
	{"list-past", 43, "\tj", 24, 80, 0, 1},
	{"list-ends", 34, "\t*j", 24, 80, 0, 1},
	{"list-off", 43, "\taj", 24, 80, 0, 1},
	{"list-no-room", 43, "\tj\n", 5, 20, 0, 1},
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
	{"stopping", 19, "", 24, 80, 7, 1},
	{"stopping", 19, "", 10, 40, 7, 1},
	{"stopping", 19, "", 5, 20, 7, 1},
	{"no-key", 19, "J", 24, 80, 7, 1},
	{"reading", 19, "kk*", 24, 80, 0, 1},
	{"end", 43, "", 24, 80, 0, 1},
	{"end", 43, "", 40, 120, 0, 1},
	{"end", 43, "", 10, 40, 0, 1},
	{"end", 43, "", 5, 20, 0, 1},
	{"chopped", 43, "OZ", 24, 80, 0, 1},
	{"chopped-right", 43, "gZ" R, 12, 40, 0, 1},
	{"chopped-left", 43, "gZ" R R R L, 12, 40, 0, 1},
	{"runs", 4, "", 24, 80, 3, 11},
	{"runs", 4, "", 40, 120, 3, 11},
	{"runs", 4, "", 10, 40, 3, 11},
	{"runs", 4, "", 5, 20, 3, 11},
	{"runs", 4, "", 3, 10, 3, 11},
	{"runs-sorted", 4, "ss", 24, 80, 3, 11},
	{"runs-filtered", 4, "/finished\n", 24, 80, 3, 11},
	{"runs-agent", 4, "", 10, 80, 3, 2},
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

#define COLOURS_8                      \
	{                              \
		8, THEME_UNKNOWN, true \
	}
#define COLOURS_16                   \
	{                            \
		16, THEME_DARK, true \
	}
#define COLOURS_DARK                   \
	{                              \
		256, THEME_DARK, false \
	}
#define COLOURS_LIGHT                   \
	{                               \
		256, THEME_LIGHT, false \
	}

static const struct screen coloured[] = {
	{"colour-8", 43, "g", 12, 40, 0, 1, COLOURS_8},
	{"colour-8", 43, "g/parse\n", 24, 80, 0, 1, COLOURS_8},
	{"colour-16", 43, "E", 24, 80, 0, 1, COLOURS_16},
	{"colour-dark", 43, "", 40, 120, 0, 1, COLOURS_DARK},
	{"colour-light", 43, "", 40, 120, 0, 1, COLOURS_LIGHT},
	{"colour-light", 43, "g/parse\n", 24, 80, 0, 1, COLOURS_LIGHT},
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
	case '\001':
		return UIKEY_LEFT;
	case '\002':
		return UIKEY_RIGHT;
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

/* "br f1 g3": attributes, colour and background. */
static void add_look(struct strbuf *out, int y, int x)
{
	static const struct {
		attr_t attr;
		char letter;
	} letters[] = {{A_BOLD, 'b'}, {A_DIM, 'd'}, {A_ITALIC, 'i'},
		{A_UNDERLINE, 'u'}, {A_REVERSE, 'r'}};
	cchar_t cc;
	wchar_t wch[CCHARW_MAX + 1];
	attr_t attr = 0;
	short small;
	int pair = 0;
	int fg = -1;
	int bg = -1;
	size_t i;

	mvwin_wch(curscr, y, x, &cc);
	getcchar(&cc, wch, &attr, &small, &pair);
	if (pair)
		extended_pair_content(pair, &fg, &bg);
	for (i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (attr & letters[i].attr)
			strbuf_addch(out, letters[i].letter);
	if (fg >= 0)
		strbuf_addf(out, " f%d", fg);
	if (bg >= 0)
		strbuf_addf(out, " g%d", bg);
}

static void dump_attrs(struct strbuf *out, int y, int cols)
{
	struct strbuf was = STRBUF_INIT;
	struct strbuf is = STRBUF_INIT;
	int from = 0;
	int x;

	for (x = 0; x <= cols; x++) {
		strbuf_reset(&is);
		if (x < cols)
			add_look(&is, y, x);
		if (x && x < cols && strcmp(was.buf, is.buf) == 0)
			continue;
		if (was.len)
			strbuf_addf(out, "%d:%d-%d %s\n", y, from, x - 1,
				was.buf[0] == ' ' ? was.buf + 1 : was.buf);
		strbuf_reset(&was);
		strbuf_adds(&was, strbuf_str(&is));
		from = x;
	}
	strbuf_release(&was);
	strbuf_release(&is);
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

static bool stops(void *arg, int64_t *ms)
{
	(void)arg;
	*ms = 4200;
	return true;
}

static struct ui *build(const struct screen *s)
{
	struct ui_config config = {.live = s->runs == 1};
	struct ui *ui;
	int64_t mono = 0;
	int i;

	if (strcmp(s->name, "stopping") == 0)
		config.requests.stopping = stops;
	ui = ui_create(NULL, &config);
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
	/* cppcheck-suppress incompatibleFileOpen ; of no matter there */
	FILE *null_in = fopen("/dev/null", "r");
	SCREEN *screen;
	size_t i;

	setenv("TZ", "UTC", 1);
	read_data();
	screen = newterm("xterm-256color", null_out, null_in);
	if (!screen) {
		puts("# SKIP: no terminfo entry for xterm-256color");
		return;
	}
	for (i = 0; i < count; i++) {
		struct strbuf got = STRBUF_INIT;
		struct ui *ui = build(&list[i]);

		resize_term(list[i].rows, list[i].cols);
		term_theme(&list[i].theme);
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

START_TEST(colours)
{
	draw_all(coloured, sizeof(coloured) / sizeof(coloured[0]));
}
END_TEST

START_TEST(chinese_labels)
{
	char dir[] = "/tmp/agentrun-screens-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert(chinese_begin(dir));
	draw_all(chinese, sizeof(chinese) / sizeof(chinese[0]));
	io_remove_tree(dir);
}
END_TEST

static unsigned seed;

static unsigned random_below(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

static uint32_t random_key(void)
{
	static const uint32_t special[] = {UIKEY_UP, UIKEY_DOWN, UIKEY_PGUP,
		UIKEY_PGDN, UIKEY_HOME, UIKEY_END, UIKEY_ENTER, UIKEY_ENTER,
		UIKEY_ESC, UIKEY_TAB, UIKEY_BACKSPACE, UIKEY_WHEEL_UP,
		UIKEY_WHEEL_DOWN, UIKEY_OTHER, 0x4e2d};
	uint32_t key;

	if (random_below(3) == 0)
		return special[random_below(
			sizeof(special) / sizeof(special[0]))];
	do
		key = random_below(127);
	while (key == 'C' - '@' || key == '\\' - '@'); /* signals */
	return key;
}

/* What must hold for every screen. (No ck_assert per cell: each one writes.) */
static const char *grid_fault(const struct grid *g)
{
	const struct cell *last = &g->cells[g->rows * g->cols - 1];
	int y;
	int x;

	if (g->cols > 3 && (last->ch != ' ' || last->style))
		return "the last cell of the last row is taken";
	for (y = 0; y < g->rows; y++) {
		const struct cell *row = &g->cells[y * g->cols];

		for (x = 0; x < g->cols; x++) {
			if (row[x].ch < 0x20)
				return "a control character";
			if (row[x].width == 2 &&
				(x + 1 == g->cols || row[x + 1].width != 0))
				return "half a wide character";
			if (row[x].width == 0 &&
				(x == 0 || row[x - 1].width != 2))
				return "the other half of a wide character";
		}
	}
	return NULL;
}

static bool same_grid(const struct grid *a, const struct grid *b)
{
	int i;

	for (i = 0; i < a->rows * a->cols; i++)
		if (a->cells[i].ch != b->cells[i].ch ||
			a->cells[i].style != b->cells[i].style)
			return false;
	return true;
}

/* Random keys, sizes and events; then a screen that follows is the one that is
 * drawn for the first time. */
static void storm(unsigned runs)
{
	struct ui_config config = {.live = runs == 1};
	struct ui *ui = ui_create(NULL, &config);
	struct ui *fresh = ui_create(NULL, &config);
	int64_t mono = 0;
	int fed[3] = {0, 0, 0};
	unsigned i;

	for (i = 0; i < runs; i++) {
		ui_run_add(ui, "storm");
		ui_run_add(fresh, "storm");
	}
	for (i = 0; i < 2500; i++) {
		unsigned r = random_below(runs);

		if (random_below(12) == 0 && fed[r] < 400) {
			int n = fed[r] % 43;

			feed(ui->runs[r], n, n + 1, &mono);
			feed(fresh->runs[r], n, n + 1, &mono);
			fed[r]++;
		}
		ui->now = fresh->now = mono + i * 10;
		ui_key(ui, random_key(), random_below(20) == 0);
		ui->detached = ui->done = false;
		if (random_below(3) == 0) {
			ui_draw(ui, 1 + (int)random_below(60),
				1 + (int)random_below(200));
			if (grid_fault(&ui->grid))
				ck_abort_msg("%s", grid_fault(&ui->grid));
		}
	}
	/* Back to the start: everything of the first run, followed. */
	ui->prompt.kind = PROMPT_NONE;
	page_free(ui->page);
	ui->page = NULL;
	ui->times = false;
	strbuf_reset(&ui->message);
	inspect_close(&ui->inspect);
	ui_open_run(ui, ui->runs[0]);
	ui_open_run(fresh, fresh->runs[0]);
	ui_open_agent(ui, AGENT_MAIN);
	for (i = 0; i < ui->run->model.item_count; i++)
		ui->run->model.items[i].flags &= (uint8_t)~ITEM_FULL;
	ui_view(ui->run)->all.lens.unfolded = false;
	pane_chop(&ui_view(ui->run)->all, false);
	ui_show(ui->run, 80, false);
	ui_view(ui->run)->all.lens.kinds = 0;
	ui_view(ui->run)->all.lens.only = UINT32_MAX;
	find_set(&ui_view(ui->run)->all.lens.match, str_of(""));
	search_set(&ui_view(ui->run)->all.search, str_of(""));
	pane_relayout(&ui_view(ui->run)->all);
	pane_follow(&ui_view(ui->run)->all);
	memset(&ui_view(fresh->run)->list, 0, sizeof(struct list));
	list_release(&ui_view(ui->run)->list);
	ui_draw(ui, 24, 80);
	ui_draw(fresh, 24, 80);
	ck_assert(same_grid(&ui->grid, &fresh->grid));
	ui_free(ui);
	ui_free(fresh);
}

START_TEST(storms)
{
	setenv("TZ", "UTC", 1);
	read_data();
	for (seed = 1; seed < 1000000; seed = seed * 7 + 1) {
		unsigned kept = seed;

		storm(1);
		storm(3);
		seed = kept;
	}
	strbuf_release(&data);
}
END_TEST

CHECK_MAIN("screens", layouts, colours, chinese_labels, storms)

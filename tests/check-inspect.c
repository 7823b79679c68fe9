#include "config.h"

#include "ui/inspect.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

#include "base/io.h"
#include "base/split.h"
#include "ui/state.h"
#include "view/convert.h"
#include "view/detail.h"

#include "check-main.h"

/* The details of every item of every recorded run, drawn into a grid, and some
 * of them as screens in tests/screens/ (UPDATE_SCREENS=1 writes them anew). */

struct feed {
	struct ui *ui;
	struct ui_run *run;
	struct split split;
	struct convert *convert;
	int64_t mono;
};

static int64_t no_time(void *arg)
{
	struct feed *f = arg;

	return f->mono += 100;
}

static void on_event(void *arg, const struct event *ev)
{
	struct feed *f = arg;

	model_event(&f->run->model, ev, f->mono);
}

static void on_line(void *arg, const char *line, size_t len)
{
	struct feed *f = arg;

	convert_line(f->convert, split_offset(&f->split, line), line, len);
}

/* Paths are shown: they are the same everywhere from here. */
static void go_to_top(void)
{
	const char *dir = getenv("top_srcdir");

	ck_assert_int_eq(chdir(dir ? dir : "."), 0);
}

/* A view of the raw output PATH of RT. */
static struct ui *open_run(const struct runtime_ops *rt, const char *path)
{
	struct ui_config config = {.stay = 1};
	struct feed f = {.mono = 1700000000000};
	const struct clock clock = {no_time, no_time, &f};
	struct strbuf raw = STRBUF_INIT;
	struct err err = ERR_INIT;

	setenv("TZ", "UTC", 1);
	ck_assert_msg(
		io_read_file(path, SIZE_MAX, &raw, &err) == 0, "%s", err.msg);
	f.ui = ui_create(NULL, &config);
	f.ui->utf8 = true;
	f.run = ui_run_add(f.ui, "run");
	ui_run_set_detail(f.run, view_detail_raw(rt, NULL, path));
	split_init(&f.split, SPLIT_LINE_MAX);
	f.convert = convert_new(rt, "/", &clock, on_event, &f);
	split_feed(&f.split, raw.buf, raw.len, on_line, &f);
	split_finish(&f.split, on_line, &f);
	convert_finish(f.convert, 0, false);
	f.ui->now = f.mono;
	convert_free(f.convert);
	split_release(&f.split);
	strbuf_release(&raw);
	return f.ui;
}

/* Without the transcript on stdout. */
static void close_run(struct ui *ui)
{
	ui->runs[0]->printed = ui->runs[0]->model.item_count;
	ui_free(ui);
}

static void draw(struct ui *ui, int rows, int cols)
{
	ui_draw(ui, rows, cols);
	while (inspect_busy(&ui->inspect)) {
		inspect_work(&ui->inspect, 1 << 20);
		ui_draw(ui, rows, cols);
	}
}

static bool has_control(const struct grid *g)
{
	for (int i = 0; i < g->rows * g->cols; i++) {
		if (g->cells[i].ch < 0x20 ||
			(g->cells[i].ch >= 0x7f && g->cells[i].ch < 0xa0))
			return true;
	}
	return false;
}

/* Lines of the details hold no byte that acts. */
static void check_lines(const struct inspect *in, const char *where)
{
	const struct doc *d = &in->model.doc;

	ck_assert_msg(
		d->count > 0, "%s: item %zu shows nothing", where, in->item);
	for (size_t i = 0; i < d->count; i++) {
		struct str s = doc_line(d, i);

		for (size_t b = 0; b < s.len; b++)
			ck_assert_msg((unsigned char)s.ptr[b] >= 0x20 ||
					      s.ptr[b] == '\t',
				"%s: control byte in line %zu of item %zu",
				where, i, in->item);
	}
}

static size_t inspect_all(
	const struct runtime_ops *rt, const char *path, int rows, int cols)
{
	struct ui *ui = open_run(rt, path);
	struct model *m = &ui->run->model;
	size_t count = 0;

	draw(ui, rows, cols);
	ui_key(ui, 'g', false);
	draw(ui, rows, cols);
	ui_key(ui, UIKEY_ENTER, false);
	for (size_t i = 0; i < m->item_count; i++) {
		size_t line = m->items[i].line;

		pane_goto(&ui_view(ui->run)->all, line);
		ui_view(ui->run)->all.cursor = line;
		draw(ui, rows, cols);
		if (ui->inspect.item != i)
			continue; /* a blank line of its own */
		count++;
		check_lines(&ui->inspect, path);
		ck_assert_msg(!has_control(&ui->grid), "%s: item %zu", path, i);
		ui_key(ui, 'R', false);
		draw(ui, rows, cols);
		check_lines(&ui->inspect, path);
		ck_assert_msg(!has_control(&ui->grid), "%s: item %zu", path, i);
		ui_key(ui, 'R', false);
	}
	close_run(ui);
	return count;
}

static void each_run(const char *name, size_t at_least)
{
	const struct runtime_ops *rt = runtime_find(name);
	static const int sizes[][2] = {{24, 80}, {40, 120}, {12, 40}};
	struct strbuf dir = STRBUF_INIT;
	struct strbuf path = STRBUF_INIT;
	struct dirent *e;
	size_t count = 0;
	size_t n = 0;
	DIR *d;

	go_to_top();
	strbuf_addf(&dir, "tests/golden/%s", name);
	d = opendir(dir.buf);
	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s/in.jsonl", dir.buf, e->d_name);
		count += inspect_all(
			rt, path.buf, sizes[n % 3][0], sizes[n % 3][1]);
		n++;
	}
	closedir(d);
	ck_assert_uint_ge(count, at_least);
	strbuf_release(&dir);
	strbuf_release(&path);
}

START_TEST(every_item_of_claude_code)
{
	each_run("claude-code", 400);
}
END_TEST

START_TEST(every_item_of_codex)
{
	each_run("codex", 200);
}
END_TEST

START_TEST(every_item_of_pi)
{
	each_run("pi", 150);
}
END_TEST

START_TEST(every_item_of_dsh)
{
	each_run("dsh", 150);
}
END_TEST

/* --- screens --- */

struct screen {
	const char *name;
	const char *runtime;
	const char *run;
	const char *keys;
	int rows;
	int cols;
};

static const struct screen screens[] = {
	{"inspect-command", "claude-code", "40-edits", "ge\n", 24, 80},
	{"inspect-command", "claude-code", "40-edits", "ge\n", 40, 120},
	{"inspect-command", "claude-code", "40-edits", "ge\n", 12, 40},
	{"inspect-colours", "claude-code", "40-edits", "ge{{\n", 24, 80},
	{"inspect-diff", "claude-code", "40-edits", "g}}}}}\n", 24, 80},
	{"inspect-diff", "claude-code", "40-edits", "g}}}}}\n", 40, 120},
	{"inspect-diff", "claude-code", "40-edits", "g}}}}}\n", 12, 40},
	{"inspect-file", "claude-code", "40-edits", "g/long\n\nz", 24, 80},
	{"inspect-image", "claude-code", "40-edits", "g/pic\n\n", 24, 80},
	{"inspect-part", "claude-code", "40-edits", "ge\n\t}}", 24, 80},
	{"inspect-raw", "claude-code", "40-edits", "ge\nR", 24, 80},
	{"inspect-whole", "claude-code", "40-edits", "ge\nz", 24, 80},
	{"inspect-side", "claude-code", "40-edits", "ge\nx", 24, 80},
	{"inspect-side", "claude-code", "40-edits", "ge\nx", 40, 120},
	{"inspect-search", "claude-code", "40-edits", "ge\n\t/out\nn", 24, 80},
	{"inspect-along", "claude-code", "40-edits", "g\njjjjj", 24, 80},
	{"inspect-closed", "claude-code", "40-edits", "ge\n\tq", 24, 80},
	{"inspect-agent", "claude-code", "05-subagent-foreground",
		"g/agent start\n\n", 24, 80},
	{"inspect-agent-in", "claude-code", "05-subagent-foreground",
		"g/agent start\n\n\n", 24, 80},
	{"inspect-denied", "claude-code", "04-denied-rule", "ge\n", 24, 80},
	{"inspect-end", "claude-code", "08-sigint-tool", "\n", 24, 80},
	{"inspect-end", "claude-code", "08-sigint-tool", "\n", 40, 120},
	{"inspect-patch", "codex", "05-patch-ok", "g/patch\n\n", 24, 80},
	{"inspect-mcp", "codex", "07-mcp", "g/mcp\n\n", 24, 80},
	{"inspect-pi-edit", "pi", "40-edits", "g/edit:\n\n", 24, 80},
	{"inspect-dsh-read", "dsh", "04-parallel-tools", "g/read\n\n", 24, 80},
	{"inspect-prompt", "pi", "40-edits", "g/prompt\n\n", 24, 80},
};

static uint32_t key_of(char c)
{
	if (c == '\n')
		return UIKEY_ENTER;
	return c == '\t' ? UIKEY_TAB : (uint32_t)(unsigned char)c;
}

static void add_char(struct strbuf *out, uint32_t ch)
{
	char buf[8];
	mbstate_t st = {0};
	size_t n = wcrtomb(buf, (wchar_t)ch, &st);

	ck_assert_uint_ne(n, (size_t)-1);
	strbuf_add(out, buf, n);
}

/* The cells, and below them every style that is not plain. */
static void dump(struct strbuf *out, const struct grid *g)
{
	for (int y = 0; y < g->rows; y++) {
		for (int x = 0; x < g->cols; x++) {
			if (g->cells[y * g->cols + x].width)
				add_char(out, g->cells[y * g->cols + x].ch);
		}
		while (out->len && out->buf[out->len - 1] == ' ')
			strbuf_setlen(out, out->len - 1);
		strbuf_addch(out, '\n');
	}
	strbuf_addstr(out, "--\n");
	for (int y = 0; y < g->rows; y++) {
		const struct cell *row = &g->cells[y * g->cols];
		int from = 0;

		for (int x = 1; x <= g->cols; x++) {
			if (x < g->cols && row[x].style == row[from].style)
				continue;
			if (row[from].style)
				strbuf_addf(out, "%d:%d-%d %x\n", y, from,
					x - 1, row[from].style);
			from = x;
		}
	}
}

static void check_screen(const struct screen *s)
{
	struct strbuf path = STRBUF_INIT;
	struct strbuf got = STRBUF_INIT;
	struct strbuf want = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct ui *ui;

	strbuf_addf(&path, "tests/golden/%s/%s/in.jsonl", s->runtime, s->run);
	ui = open_run(runtime_find(s->runtime), path.buf);
	draw(ui, s->rows, s->cols);
	for (const char *k = s->keys; *k; k++) {
		ui_key(ui, key_of(*k), false);
		draw(ui, s->rows, s->cols);
	}
	dump(&got, &ui->grid);
	strbuf_reset(&path);
	strbuf_addf(
		&path, "tests/screens/%s-%dx%d.txt", s->name, s->cols, s->rows);
	if (getenv("UPDATE_SCREENS"))
		ck_assert_int_eq(
			io_replace_file(path.buf, got.buf, got.len, 0644, &err),
			0);
	ck_assert_msg(io_read_file(path.buf, SIZE_MAX, &want, &err) == 0, "%s",
		err.msg);
	ck_assert_msg(strcmp(got.buf, want.buf) == 0,
		"screen %s %dx%d differs, it is now:\n%s", s->name, s->cols,
		s->rows, got.buf);
	close_run(ui);
	strbuf_release(&path);
	strbuf_release(&got);
	strbuf_release(&want);
}

START_TEST(layouts)
{
	go_to_top();
	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++)
		check_screen(&screens[i]);
}
END_TEST

CHECK_MAIN("inspect", every_item_of_claude_code, every_item_of_codex,
	every_item_of_pi, every_item_of_dsh, layouts)

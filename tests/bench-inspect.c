/* bench-inspect: how long it takes to open the details of a call whose result
 * is 10 MB, until the first frame is drawn, and what the turns of the loop take
 * in which the rest is made. No terminal is needed. */
#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/jsonw.h"
#include "base/split.h"
#include "ui/state.h"
#include "view/convert.h"
#include "view/detail.h"

#define SIZE ((size_t)10 << 20)

struct feed {
	struct ui_run *run;
	struct split split;
	struct convert *convert;
};

static int64_t no_time(void *arg)
{
	(void)arg;
	return 0;
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void on_event(void *arg, const struct event *ev)
{
	struct feed *f = arg;

	model_event(&f->run->model, ev, 0);
}

static void on_line(void *arg, const char *line, size_t len)
{
	struct feed *f = arg;

	convert_line(f->convert, split_offset(&f->split, line), line, len);
}

/* What the command printed. */
static void fill(struct strbuf *out, int kind)
{
	for (int i = 0; out->len < SIZE; i++) {
		if (kind == 0)
			strbuf_addf(out, "src/file%d.c:%d: a line of words\n",
				i % 100, i);
		else if (kind == 1)
			strbuf_addf(out, "\033[3%dm%d\033[0m in colours\n",
				i % 8, i);
		else
			strbuf_addf(out, "one line %d ", i);
	}
}

static void write_raw(const char *path, int kind)
{
	struct strbuf text = STRBUF_INIT;
	struct strbuf line = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct jsonw w;

	fill(&text, kind);
	strbuf_addstr(&line, "{\"type\":\"session\",\"id\":\"s\"}\n"
			     "{\"type\":\"tool_execution_start\","
			     "\"toolCallId\":\"t\",\"toolName\":\"bash\","
			     "\"args\":{\"command\":\"make\"}}\n"
			     "{\"type\":\"tool_execution_end\","
			     "\"toolCallId\":\"t\",\"result\":{\"content\":"
			     "[{\"type\":\"text\",\"text\":");
	jsonw_init(&w, &line);
	jsonw_str(&w, NULL, strbuf_str(&text));
	strbuf_addstr(&line, "}]}}\n");
	if (io_replace_file(path, line.buf, line.len, 0600, &err) != 0) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	strbuf_release(&text);
	strbuf_release(&line);
}

static struct ui *open_run(const char *path)
{
	const struct runtime_ops *rt = runtime_find("pi");
	const struct clock clock = {no_time, no_time, NULL};
	const struct ui_config config = {.stay = 1};
	struct ui *ui = ui_create(NULL, &config);
	struct strbuf raw = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct feed f;

	f.run = ui_run_add(ui, "bench");
	ui_run_set_detail(f.run, view_detail_raw(rt, NULL, path));
	f.convert = convert_new(rt, "/", &clock, on_event, &f);
	split_init(&f.split, SPLIT_LINE_MAX);
	if (io_read_file(path, SIZE_MAX, &raw, &err) != 0)
		exit(1);
	split_feed(&f.split, raw.buf, raw.len, on_line, &f);
	split_release(&f.split);
	convert_free(f.convert);
	strbuf_release(&raw);
	return ui;
}

static void report(const char *what, const char *path, int kind)
{
	struct ui *ui;
	int64_t worst = 0;
	int64_t first;
	int64_t t;

	write_raw(path, kind);
	ui = open_run(path);
	ui_draw(ui, 24, 80);
	t = now_us();
	ui_key(ui, UIKEY_ENTER, false);
	ui_draw(ui, 24, 80);
	first = now_us() - t;
	while (inspect_busy(&ui->inspect)) {
		t = now_us();
		inspect_work(&ui->inspect, (size_t)1 << 20);
		ui_draw(ui, 24, 80);
		t = now_us() - t;
		worst = t > worst ? t : worst;
	}
	printf("  %-28s %8.2f ms, then at most %6.2f ms a turn\n", what,
		(double)first / 1000, (double)worst / 1000);
	ui->run->printed = ui->run->model.item_count;
	ui_free(ui);
}

int main(void)
{
	static const char *const kinds[] = {
		"lines", "coloured lines", "one line"};
	char path[] = "/tmp/agentrun-bench-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	setlocale(LC_CTYPE, "C.UTF-8");
	printf("Details of a result of %zu MB, first frame\n", SIZE >> 20);
	for (int i = 0; i < 3; i++)
		report(kinds[i], path, i);
	(void)unlink(path);
	return 0;
}

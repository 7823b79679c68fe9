/* bench-ui: how long the view takes for a million lines: to lay them out anew
 * for another width, and to move about in them. No terminal is needed. */
#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <time.h>

#include "ui/pane.h"

#define LINES 1000000

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Lines of all lengths to about 240 bytes; one in four is Chinese. */
static void fill(struct model *m)
{
	static const char *const words[] = {
		"parse ", "the configuration-file ", "src/ui/pane.c:42 ", "a "};
	static const char *const chinese[] = {
		"解析配置文件,", "测试通过。", "在第 42 行 ", "补"};
	struct strbuf sb = STRBUF_INIT;
	unsigned seed = 1;
	size_t i;

	for (i = 0; i < LINES; i++) {
		const char *const *from = i % 4 ? words : chinese;
		unsigned n;

		seed = seed * 1103515245u + 12345u;
		strbuf_reset(&sb);
		for (n = seed >> 16 & 15; n; n--) {
			seed = seed * 1103515245u + 12345u;
			strbuf_addstr(&sb, from[seed >> 20 & 3]);
		}
		strbuf_addch(&sb, '\n');
		model_stderr(m, sb.buf, sb.len);
	}
	strbuf_release(&sb);
}

static void report(const char *what, int64_t us)
{
	printf("  %-40s %8.2f ms\n", what, (double)us / 1000);
}

static int64_t worst_reflow(struct pane *p, struct grid *g)
{
	static const int widths[] = {120, 40, 200, 10, 81, 1, 80};
	int64_t worst = 0;
	size_t i;

	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		int64_t t = now_us();

		pane_sync(p, 24, widths[i]);
		grid_reset(g, 24, widths[i]);
		pane_draw(p, g, 0);
		t = now_us() - t;
		worst = t > worst ? t : worst;
	}
	return worst;
}

int main(void)
{
	struct model m;
	struct pane p;
	struct grid g = {0};
	int64_t t;
	int i;

	setlocale(LC_CTYPE, "C.UTF-8");
	model_init(&m);
	fill(&m);
	printf("View, %d lines, %zu MB\n", LINES, m.doc.len >> 20);
	pane_init(&p, &m, AGENT_MAIN);
	t = now_us();
	pane_sync(&p, 24, 80);
	report("lay out", now_us() - t);
	report("another width, at the end (worst of 7)", worst_reflow(&p, &g));
	pane_home(&p);
	pane_scroll(&p, 500000);
	report("another width, in the middle (worst)", worst_reflow(&p, &g));
	t = now_us();
	for (i = 0; i < 1000; i++) {
		pane_scroll(&p, -20);
		grid_reset(&g, 24, 80);
		pane_draw(&p, &g, 0);
	}
	report("1000 pages back", now_us() - t);
	pane_release(&p);
	model_release(&m);
	grid_release(&g);
	return 0;
}

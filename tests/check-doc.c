#include "config.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "event/event.h"
#include "tests/check-main.h"
#include "ui/doc.h"
#include "ui/find.h"
#include "ui/grid.h"
#include "ui/lens.h"
#include "ui/model.h"
#include "ui/pane.h"
#include "ui/rows.h"
#include "ui/table.h"
#include "ui/wrap.h"

/* The UI's model, without a terminal. */

START_TEST(lines_are_found)
{
	struct doc d = {0};
	char buf[32];
	int i;

	for (i = 0; i < 2000; i++) {
		int n = snprintf(buf, sizeof(buf), "line %d", i);

		doc_add(&d, buf, (size_t)n);
	}
	doc_add(&d, "", 0);
	doc_add(&d, "é", 2);
	doc_add(&d, "a\tb", 3);
	ck_assert_uint_eq(d.count, 2003);
	ck_assert_is(doc_line(&d, 0), "line 0");
	ck_assert_is(doc_line(&d, 255), "line 255");
	ck_assert_is(doc_line(&d, 256), "line 256");
	ck_assert_is(doc_line(&d, 1999), "line 1999");
	ck_assert_uint_eq(doc_line(&d, 2000).len, 0);
	ck_assert_is(doc_line(&d, 2001), "é");
	ck_assert(doc_is_ascii(&d, 1999));
	ck_assert(!doc_is_ascii(&d, 2001));
	ck_assert(!doc_is_ascii(&d, 2002));
	doc_release(&d);
}
END_TEST

START_TEST(rows_add_up)
{
	struct rows r = {0};
	uint32_t in;
	size_t i;

	for (i = 0; i < 1000; i++)
		rows_put(&r, i, i % 3);
	ck_assert_uint_eq(r.total, 999);
	ck_assert_uint_eq(rows_find(&r, 0, &in), 1);
	ck_assert_uint_eq(rows_find(&r, 2, &in), 2);
	ck_assert_uint_eq(in, 1);
	ck_assert_uint_eq(rows_find(&r, 998, &in), 998);
	ck_assert_uint_eq(in, 1);
	for (i = 0; i <= 1000; i += 37)
		ck_assert_uint_eq(
			rows_before(&r, i), i / 3 * 3 + (i % 3 == 2 ? 1 : 0));
	for (i = 100; i < 900; i++)
		rows_put(&r, i, 0);
	ck_assert_uint_eq(rows_next(&r, 99), 901);
	ck_assert_uint_eq(rows_prev(&r, 899), 98);
	ck_assert_uint_eq(rows_prev(&r, 0), ROWS_NONE);
	ck_assert_uint_eq(rows_next(&r, 1000), ROWS_NONE);
	rows_release(&r);
}
END_TEST

START_TEST(literal_smart_case)
{
	struct find f = {0};

	find_set(&f, str_of("abc"));
	ck_assert_int_eq(find_in(&f, str_of("xxABCabc"), 0), 2);
	ck_assert_int_eq(find_in(&f, str_of("xxABCabc"), 3), 5);
	ck_assert_int_eq(find_in(&f, str_of("ab"), 0), -1);
	ck_assert_int_eq(find_in(&f, str_of(""), 0), -1);
	find_set(&f, str_of("aBc"));
	ck_assert_int_eq(find_in(&f, str_of("abcaBc"), 0), 3);
	find_set(&f, str_of("测试"));
	ck_assert_int_eq(find_in(&f, str_of("补测试"), 0), 3);
	find_set(&f, str_of("a.*"));
	ck_assert_int_eq(find_in(&f, str_of("aaaa"), 0), -1);
	ck_assert_int_eq(find_in(&f, str_of("xa.*"), 0), 1);
	find_set(&f, str_of(""));
	ck_assert(!find_is_set(&f));
	find_release(&f);
}
END_TEST

START_TEST(cells_stay_in_their_row)
{
	struct grid g = {0};

	grid_reset(&g, 2, 5);
	ck_assert_int_eq(grid_text(&g, 0, 0, 5, str_of("ab中文"), 0), 4);
	ck_assert_uint_eq(g.cells[2].ch, 0x4e2d);
	ck_assert_uint_eq(g.cells[3].width, 0);
	ck_assert_uint_eq(g.cells[4].ch, ' ');
	/* Half of a wide character does not stay. */
	grid_text(&g, 0, 3, 4, str_of("x"), 0);
	ck_assert_uint_eq(g.cells[2].ch, ' ');
	ck_assert_uint_eq(g.cells[3].ch, 'x');
	grid_text(&g, 0, 0, 5, str_of("中文"), 0);
	grid_text(&g, 0, 0, 1, str_of(">"), 0);
	ck_assert_uint_eq(g.cells[0].ch, '>');
	ck_assert_uint_eq(g.cells[1].width, 1);
	/* Controls never become cells. */
	grid_text(&g, 1, 0, 5, str_of("\033[2J\302\233"), 0);
	ck_assert_uint_eq(g.cells[5].ch, 0xfffd);
	ck_assert_uint_eq(g.cells[9].ch, 0xfffd);
	/* Outside nothing happens. */
	grid_text(&g, 2, 0, 5, str_of("x"), 0);
	grid_text(&g, -1, 0, 5, str_of("x"), 0);
	grid_mark(&g, 7, 0, 5, STYLE_DIM);
	ck_assert_int_eq(grid_cut(&g, 1, 0, 3, str_of("abcd"), 0), 3);
	ck_assert_uint_eq(g.cells[7].ch, '~');
	grid_release(&g);
}
END_TEST

START_TEST(columns_share_a_row)
{
	struct column c[] = {{.width = 10},
		{.width = 20, .min = 6, .cut = 1, .drop = 2},
		{.width = 20, .min = 8, .cut = 2, .drop = 1}};
	struct column d[3];

	memcpy(d, c, sizeof(c));
	table_fit(d, 3, 60);
	ck_assert_int_eq(d[1].width, 20);
	memcpy(d, c, sizeof(c));
	table_fit(d, 3, 40);
	ck_assert_int_eq(d[1].width, 6);
	ck_assert_int_eq(d[2].width, 20);
	memcpy(d, c, sizeof(c));
	table_fit(d, 3, 30);
	ck_assert_int_eq(d[1].width, 6);
	ck_assert_int_eq(d[2].width, 10);
	memcpy(d, c, sizeof(c));
	table_fit(d, 3, 24);
	ck_assert_int_eq(d[1].width, 12);
	ck_assert_int_eq(d[2].width, 0);
	memcpy(d, c, sizeof(c));
	table_fit(d, 3, 5);
	ck_assert_int_eq(d[0].width, 10);
	ck_assert_int_eq(d[1].width + d[2].width, 0);
}
END_TEST

/* --- the model --- */

static void feed(struct model *m, struct textfmt *fmt, struct strbuf *want,
	const char *data, size_t len)
{
	struct arena arena;
	size_t at = 0;

	arena_init(&arena);
	while (at < len) {
		const char *nl = memchr(data + at, '\n', len - at);
		size_t end = nl ? (size_t)(nl - data) : len;
		struct event ev;
		struct err err = ERR_INIT;

		if (event_read(&ev, &arena, data + at, end - at, &err) == 0) {
			model_event(m, &ev, 0);
			textfmt_event(fmt, &ev, want);
		}
		arena_reset(&arena);
		at = end + 1;
	}
	arena_release(&arena);
}

static void same_as_text(const char *data, size_t len, const char *name)
{
	struct textfmt *fmt = textfmt_new(true);
	struct strbuf want = STRBUF_INIT;
	struct strbuf got = STRBUF_INIT;
	struct model m;
	size_t i;

	model_init(&m);
	feed(&m, fmt, &want, data, len);
	for (i = 0; i < m.item_count; i++)
		model_transcript(&m, i, &got);
	if (want.len != got.len || memcmp(want.buf, got.buf, got.len) != 0)
		ck_abort_msg(
			"%s: want:\n%s\ngot:\n%s", name, want.buf, got.buf);
	model_release(&m);
	textfmt_free(fmt);
	strbuf_release(&want);
	strbuf_release(&got);
}

/* The transcript is the text format, byte for byte. */
START_TEST(transcript_is_the_text_format)
{
	struct strbuf pattern = STRBUF_INIT;
	const char *top = getenv("top_srcdir");
	glob_t found;
	size_t i;

	strbuf_addf(&pattern, "%s/tests/golden/*/*/out.jsonl", top ? top : ".");
	ck_assert_int_eq(glob(pattern.buf, 0, NULL, &found), 0);
	ck_assert_uint_gt(found.gl_pathc, 50);
	for (i = 0; i < found.gl_pathc; i++) {
		struct strbuf data = STRBUF_INIT;
		struct err err = ERR_INIT;

		ck_assert_int_eq(
			io_read_file(found.gl_pathv[i], 1 << 26, &data, &err),
			0);
		same_as_text(data.buf, data.len, found.gl_pathv[i]);
		strbuf_release(&data);
	}
	globfree(&found);
	strbuf_release(&pattern);
}
END_TEST

/* Pieces that texts are made of; every run of them is a text. */
static const char *const pieces[] = {"a", "\\n", "\\r\\n", "\\r", "  ", "\\t",
	"\\u001b[31m", "\\u001b]0;x\\u0007", "\\u0000", "中", "\\u200d",
	"\\u202e", "\\u0085", "e\\u0301", "\\u3000", "\\u001b[", "\\u2028",
	"b\\nc\\nd\\ne"};

START_TEST(odd_texts)
{
	unsigned seed = 1;
	int i;
	int k;

	for (i = 0; i < 3000; i++) {
		struct strbuf sb = STRBUF_INIT;
		struct strbuf text = STRBUF_INIT;

		for (k = 0; k < 12; k++) {
			seed = seed * 1103515245u + 12345u;
			strbuf_addstr(&text,
				pieces[(seed >> 16) %
					(sizeof(pieces) / sizeof(pieces[0]))]);
		}
		strbuf_addf(&sb,
			"{\"schema\":1,\"type\":\"prompt\",\"text\":\"%s\","
			"\"images\":[]}\n"
			"{\"schema\":1,\"type\":\"text\",\"parent\":null,"
			"\"text\":\"%s\"}\n"
			"{\"schema\":1,\"type\":\"end\",\"status\":\"failed\","
			"\"exit_code\":1,\"detail\":\"%s\",\"duration_ms\":1,"
			"\"usage\":{\"input_tokens\":null,\"output_tokens\":"
			"null,\"cache_read_tokens\":null,\"cache_write_tokens\""
			":null,\"cost_usd\":null,\"by_model\":{}},\"result\":"
			"\"%s\",\"session_id\":null,\"warnings\":[]}\n",
			text.buf, text.buf, text.buf, text.buf);
		same_as_text(sb.buf, sb.len, text.buf);
		strbuf_release(&sb);
		strbuf_release(&text);
	}
}
END_TEST

static void add_text(struct model *m, const char *parent, const char *text)
{
	struct event ev = {.kind = EVENT_TEXT, .time_ms = 1};

	ev.u.text.parent = str_of(parent);
	ev.u.text.text = str_of(text);
	model_event(m, &ev, 0);
}

static void add_agent(
	struct model *m, const char *id, const char *parent, int number)
{
	struct event ev = {.kind = EVENT_SUBAGENT_START, .time_ms = 1};

	ev.u.subagent_start.id = str_of(id);
	ev.u.subagent_start.parent = str_of(parent);
	ev.u.subagent_start.number = number;
	ev.u.subagent_start.kind = str_of("K");
	ev.u.subagent_start.description = str_of("d");
	model_event(m, &ev, 0);
}

START_TEST(texts_fold)
{
	struct model m;
	struct pane p;
	int i;

	model_init(&m);
	pane_init(&p, &m, AGENT_MAIN);
	for (i = 0; i < 3; i++)
		add_text(&m, NULL, "1\n2\n3\n4\n5");
	pane_sync(&p, 20, 80);
	ck_assert_uint_eq(p.lens.rows.total, 12);
	add_text(&m, NULL, "1\n2\n3\n4\n5");
	pane_sync(&p, 20, 80);
	ck_assert_uint_eq(p.lens.rows.total, 13);
	/* What does not fit folds, the oldest first, and comes back. */
	pane_sync(&p, 9, 80);
	ck_assert_uint_eq(p.lens.rows.total, 10);
	pane_sync(&p, 3, 80);
	ck_assert_uint_eq(p.lens.rows.total, 4);
	pane_sync(&p, 20, 80);
	ck_assert_uint_eq(p.lens.rows.total, 13);
	/* One in full, and back. */
	pane_home(&p);
	pane_fold(&p);
	ck_assert_uint_eq(p.lens.rows.total, 17);
	pane_fold(&p);
	ck_assert_uint_eq(p.lens.rows.total, 13);
	pane_release(&p);
	model_release(&m);
}
END_TEST

START_TEST(a_reader_keeps_the_place)
{
	struct model m;
	struct pane p;
	size_t line;
	int i;

	model_init(&m);
	pane_init(&p, &m, AGENT_MAIN);
	for (i = 0; i < 100; i++)
		add_text(&m, NULL,
			"a text that is longer than a narrow screen, much");
	pane_sync(&p, 10, 80);
	ck_assert(p.follow);
	ck_assert_uint_eq(p.top_line, 90);
	pane_scroll(&p, -30);
	line = p.top_line;
	ck_assert_uint_eq(line, 60);
	ck_assert(!p.follow);
	for (i = 0; i < 100; i++)
		add_text(&m, NULL, "more");
	pane_sync(&p, 10, 80);
	ck_assert_uint_eq(p.top_line, line);
	ck_assert_uint_eq(pane_new_lines(&p), 100);
	pane_sync(&p, 5, 20);
	ck_assert_uint_eq(p.top_line, line);
	pane_sync(&p, 1, 1);
	ck_assert_uint_eq(p.top_line, line);
	pane_sync(&p, 10, 80);
	ck_assert_uint_eq(p.top_line, line);
	/* Down beyond the end follows again. */
	for (i = 0; i < 200; i++)
		pane_move(&p, 1);
	ck_assert(p.follow);
	pane_release(&p);
	model_release(&m);
}
END_TEST

START_TEST(transcripts_hold_what_is_below)
{
	struct model m;
	struct lens l;

	model_init(&m);
	add_agent(&m, "a", NULL, 1);
	add_agent(&m, "b", "a", 2);
	add_agent(&m, "c", NULL, 3);
	add_text(&m, "a", "of a");
	add_text(&m, "b", "of b");
	add_text(&m, "c", "of c");
	add_text(&m, NULL, "of main");
	lens_init(&l, &m, 1);
	lens_sync(&l, 20, 80);
	/* Its own start and that of b, and two texts. */
	ck_assert_uint_eq(l.rows.total, 4);
	add_agent(&m, "d", "b", 4);
	add_text(&m, "d", "of d");
	lens_sync(&l, 20, 80);
	ck_assert_uint_eq(l.rows.total, 6);
	lens_release(&l);
	model_release(&m);
}
END_TEST

START_TEST(parents_make_no_cycle)
{
	struct model m;

	model_init(&m);
	add_agent(&m, "a", "b", 1);
	add_agent(&m, "b", "a", 2);
	add_agent(&m, "a", "b", 3);
	ck_assert_uint_eq(m.agents.count, 3);
	ck_assert_uint_eq(m.agents.v[1].parent, AGENT_MAIN);
	ck_assert_uint_eq(m.agents.v[2].parent, 1);
	ck_assert_uint_eq(m.agents.v[2].depth, 2);
	model_release(&m);
}
END_TEST

static void add_call(struct model *m, enum event_kind kind, const char *id)
{
	struct event ev = {.kind = kind, .time_ms = 1};

	ev.u.tool.id = str_of(id);
	ev.u.tool.name = str_of("T");
	ev.u.tool.summary = str_of(id);
	model_event(m, &ev, 0);
}

START_TEST(the_newest_call_is_shown)
{
	struct model m;

	model_init(&m);
	add_call(&m, EVENT_TOOL_START, "one");
	add_call(&m, EVENT_TOOL_START, "two");
	add_call(&m, EVENT_TOOL_START, "three");
	ck_assert_str_eq(agents_tool(&m.agents, AGENT_MAIN), "three");
	add_call(&m, EVENT_TOOL, "two");
	ck_assert_str_eq(agents_tool(&m.agents, AGENT_MAIN), "three");
	add_call(&m, EVENT_TOOL, "three");
	ck_assert_str_eq(agents_tool(&m.agents, AGENT_MAIN), "one");
	add_call(&m, EVENT_TOOL_START, "one");
	add_call(&m, EVENT_TOOL, "nobody");
	add_call(&m, EVENT_TOOL, "one");
	ck_assert_str_eq(agents_tool(&m.agents, AGENT_MAIN), "");
	add_call(&m, EVENT_TOOL_START, "left open");
	model_release(&m);
}
END_TEST

START_TEST(standard_error_by_line)
{
	struct model m;

	model_init(&m);
	model_stderr(&m, "one\ntw", 6);
	ck_assert_uint_eq(m.doc.count, 1);
	model_stderr(&m, "o\n\n10%\r20%\rdone\npart", 20);
	ck_assert_uint_eq(m.doc.count, 4);
	ck_assert_is(doc_line(&m.doc, 1), "two");
	ck_assert_is(doc_line(&m.doc, 3), "done");
	model_stderr_finish(&m);
	ck_assert_is(doc_line(&m.doc, 4), "part");
	model_release(&m);
}
END_TEST

START_TEST(matches_are_counted)
{
	struct model m;
	struct pane p;
	bool wrapped;
	int i;

	model_init(&m);
	pane_init(&p, &m, AGENT_MAIN);
	for (i = 0; i < 1000; i++)
		add_text(&m, NULL, i % 100 ? "hay" : "1\n2\n3\n4\nneedle\n5");
	pane_sync(&p, 10, 80);
	search_set(&p.search, str_of("needle"));
	while (search_count(&p.search, &p.lens, 4000))
		continue;
	ck_assert_uint_eq(p.search.total, 10);
	pane_home(&p);
	ck_assert(pane_search(&p, 1, &wrapped));
	ck_assert_uint_eq(search_index(&p.search, &p.lens, p.cursor), 1);
	for (i = 2; i <= 10; i++) {
		ck_assert(pane_search(&p, 1, &wrapped));
		ck_assert(!wrapped);
		ck_assert_uint_eq(search_index(&p.search, &p.lens, p.cursor),
			(unsigned)i);
	}
	ck_assert(pane_search(&p, 1, &wrapped));
	ck_assert(wrapped);
	ck_assert(pane_search(&p, -1, &wrapped));
	ck_assert(wrapped);
	ck_assert_uint_eq(search_index(&p.search, &p.lens, p.cursor), 10);
	/* New lines count as they come. */
	add_text(&m, NULL, "needle");
	pane_sync(&p, 10, 80);
	while (search_count(&p.search, &p.lens, 4000))
		continue;
	ck_assert_uint_eq(p.search.total, 11);
	pane_release(&p);
	model_release(&m);
}
END_TEST

CHECK_MAIN("doc", lines_are_found, rows_add_up, literal_smart_case,
	cells_stay_in_their_row, columns_share_a_row,
	transcript_is_the_text_format, odd_texts, texts_fold,
	a_reader_keeps_the_place, transcripts_hold_what_is_below,
	parents_make_no_cycle, the_newest_call_is_shown, standard_error_by_line,
	matches_are_counted)

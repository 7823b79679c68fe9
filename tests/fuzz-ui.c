/* fuzz-ui: outside text on its way to the screen.
 *
 * screen: cleaned, cut into rows, counted and drawn. view: a stream of events
 * as the full-screen view has it; view-RUNTIME: raw output, with the details of
 * its calls. Behind '=' stand keys that are pressed there, behind '!' what came
 * on stderr. After each step every
 * cell of the screen is one that a terminal can show; and what the view leaves
 * behind is what the text format prints. */
#include "config.h"

#include <string.h>
#include <wchar.h>

#include <unistr.h>

#include "base/utf8.h"
#include "event/event.h"
#include "fuzz.h"
#include "ui/doc.h"
#include "ui/grid.h"
#include "ui/input.h"
#include "ui/plain.h"
#include "ui/rows.h"
#include "ui/state.h"
#include "ui/wrap.h"
#include "view/convert.h"
#include "view/detail.h"

static bool is_control(uint32_t ch)
{
	return ch < 0x20 || (ch >= 0x7f && ch < 0xa0);
}

static void check_grid(const struct grid *g)
{
	for (int y = 0; y < g->rows; y++) {
		const struct cell *row = &g->cells[(size_t)y * (size_t)g->cols];

		for (int x = 0; x < g->cols; x++) {
			const struct cell *c = &row[x];

			ar_assert(c->width <= 2);
			ar_assert(!is_control(c->ch));
			for (int i = 0; i < GRID_MARKS && c->marks[i]; i++)
				ar_assert(!is_control(c->marks[i]));
			if (c->width == 2) {
				ar_assert(x + 1 < g->cols);
				ar_assert(c[1].width == 0);
			}
			if (c->width == 0)
				ar_assert(x > 0 && c[-1].width == 2);
		}
	}
}

/* --- screen --- */

static int cols_of(struct str s)
{
	size_t cols = 0;
	size_t pos = 0;

	while (pos < s.len) {
		uint32_t ch;
		int w = wrap_char(s, pos, &pos, &ch);

		ar_assert(w >= 0 && w <= WRAP_TAB);
		ar_assert(ch == '\t' || !is_control(ch));
		cols += (size_t)w;
	}
	return (int)cols;
}

/* Rows lie behind one another; but for the blanks at its end, none is wider
 * than there is room. */
static uint32_t check_wrap(struct str line, const struct wrap *w)
{
	uint32_t rows = wrap_rows(line, w);
	size_t pos = 0;

	for (uint32_t i = 0; i < rows; i++) {
		size_t next = wrap_next(line, pos, w);
		struct str row = {line.ptr + pos, next - pos};
		int room = i ? w->width - w->indent : w->width;

		ar_assert(pos == wrap_seek(line, w, i));
		ar_assert(next > pos || line.len == 0);
		while (row.len && (row.ptr[row.len - 1] == ' ' ||
					  row.ptr[row.len - 1] == '\t'))
			row.len--;
		ar_assert(cols_of(row) <= room || room < WRAP_TAB);
		ar_assert(utf8_valid(row.ptr, row.len));
		pos = next;
	}
	ar_assert(pos == line.len);
	ar_assert(wrap_seek(line, w, rows) == line.len);
	return rows;
}

static void check_rows(const struct rows *r)
{
	uint64_t before = 0;
	size_t next = ROWS_NONE;

	for (size_t i = 0; i < r->count; i++) {
		uint32_t in;

		ar_assert(rows_before(r, i) == before);
		if (r->v[i]) {
			ar_assert(rows_find(r, before, &in) == i && in == 0);
			before += r->v[i];
			ar_assert(rows_find(r, before - 1, &in) == i);
			ar_assert(in == r->v[i] - 1);
			ar_assert(rows_next(r, i) == i && rows_prev(r, i) == i);
		}
	}
	ar_assert(before == r->total);
	for (size_t i = r->count; i-- > 0;) {
		next = r->v[i] ? i : next;
		ar_assert(rows_next(r, i) == next);
	}
	next = ROWS_NONE;
	for (size_t i = 0; i < r->count; i++) {
		next = r->v[i] ? i : next;
		ar_assert(rows_prev(r, i) == next);
	}
}

static void play_screen(const void *arg, const char *data, size_t len)
{
	struct fuzz_rand r = fuzz_choice(data, len);
	int width = 1 + (int)fuzz_below(&r, 40);
	int indent = (int)fuzz_below(&r, 20);
	struct strbuf text = STRBUF_INIT;
	struct doc doc = {0};
	struct rows rows = {0};
	struct grid grid = {0};
	struct str rest;
	struct str line;

	(void)arg;
	utf8_display(&text, data, len, UTF8_AGENT, 0);
	fuzz_check_clean(strbuf_str(&text), true);
	rest = strbuf_str(&text);
	while (fuzz_line(&rest, &line))
		doc_add(&doc, line.ptr, line.len);
	for (size_t i = 0; i < doc.count; i++) {
		bool ascii = doc_is_ascii(&doc, i);
		bool hidden = fuzz_below(&r, 4) == 0;
		struct wrap w = wrap_for(width, indent, ascii);
		uint32_t n;

		line = doc_line(&doc, i);
		n = check_wrap(line, &w);
		w.ascii = false;
		ar_assert(n == check_wrap(line, &w));
		rows_put(&rows, i, hidden ? 0 : n);
		grid_reset(&grid, 3, width);
		(void)grid_text(&grid, 1, 0, width, line, 0);
		(void)grid_cut(&grid, 2, (int)fuzz_below(&r, 8),
			(int)fuzz_below(&r, 50), line, 0);
		(void)grid_text(&grid, 1, (int)fuzz_below(&r, 8), width, line,
			0); /* over what stands there */
		check_grid(&grid);
	}
	for (size_t i = 0; i < doc.count; i += 1 + fuzz_below(&r, 8))
		rows_put(&rows, i, (uint32_t)fuzz_below(&r, 3));
	check_rows(&rows);
	grid_release(&grid);
	rows_release(&rows);
	doc_release(&doc);
	strbuf_release(&text);
}

const struct fuzz_target fuzz_screen = {
	.name = "screen",
	.play = play_screen,
	.max = 1024,
};

/* --- view --- */

static int64_t no_time(void *arg)
{
	(void)arg;
	return 0;
}

struct viewed {
	struct ui *ui;
	struct fuzz_rand r;
	int rows;
	int cols;
	struct textfmt *fmt;
	struct strbuf text; /* the text format of the first run */
	struct arena arena;
	const char *data;
	struct convert *convert; /* of raw output, else NULL */
	struct keep *raw;
};

static void draw(struct viewed *v)
{
	const struct pane *p;

	ui_draw(v->ui, v->rows, v->cols);
	if (inspect_busy(&v->ui->inspect))
		inspect_work(&v->ui->inspect, 1 + fuzz_below(&v->r, 9999));
	ar_assert(v->ui->grid.rows == v->rows && v->ui->grid.cols == v->cols);
	check_grid(&v->ui->grid);
	p = ui_pane(v->ui);
	if (!p || !p->lens.rows.count)
		return; /* not laid out: there is no room */
	ar_assert(!p->lens.rows.total ||
		  (p->top_line < p->lens.rows.count &&
			  p->top_row < p->lens.rows.v[p->top_line]));
	if (p->cursor != ROWS_NONE) {
		ar_assert(!p->follow);
		ar_assert(p->cursor < p->lens.rows.count);
		ar_assert(p->lens.rows.v[p->cursor]);
	}
}

static uint32_t key_of(uint32_t ch)
{
	switch (ch) {
	case '\t':
		return UIKEY_TAB;
	case '\r':
		return UIKEY_ENTER;
	case 0x1b:
		return UIKEY_ESC;
	case '\b':
		return UIKEY_BACKSPACE;
	default:
		break;
	}
	/* Without a character of their own. */
	if (ch >= 0xe000 && ch < 0xe000 + UIKEY_OTHER - UIKEY_UP)
		return UIKEY_UP + (ch - 0xe000);
	return ch;
}

static bool ends_the_program(uint32_t key)
{
	enum ui_request req = keys_request(key);

	return req == REQ_INTERRUPT || req == REQ_SUSPEND || req == REQ_ABORT;
}

static void press(struct viewed *v, struct str keys)
{
	size_t pos = 0;
	int left = 64;

	while (pos < keys.len && left--) {
		ucs4_t ch;
		uint32_t key;
		int n = u8_mbtouc(
			&ch, (const uint8_t *)keys.ptr + pos, keys.len - pos);

		pos += (size_t)n;
		key = key_of(ch);
		if (v->ui->prompt.kind == PROMPT_NONE && ends_the_program(key))
			continue;
		v->ui->now += (int64_t)fuzz_below(&v->r, 100);
		ui_key(v->ui, key, fuzz_below(&v->r, 16) == 0);
		if (fuzz_below(&v->r, 4) == 0) {
			v->rows = 1 + (int)fuzz_below(&v->r, 30);
			v->cols = 1 + (int)fuzz_below(&v->r, 100);
		}
		if (fuzz_below(&v->r, 3) == 0) /* keys are faster than frames */
			draw(v);
	}
}

static void take_event(void *arg, const struct event *ev)
{
	struct viewed *v = arg;
	struct ui_run *run = v->ui->runs[fuzz_below(&v->r, v->ui->run_count)];

	/* Each run gets its own share; of the first one all. */
	model_event(&run->model, ev, v->ui->now);
	if (run == v->ui->runs[0])
		textfmt_event(v->fmt, ev, &v->text);
}

static void take_stderr(struct viewed *v, struct str line)
{
	struct model *m = &v->ui->runs[0]->model;

	model_stderr(m, line.ptr, line.len);
	if (fuzz_below(&v->r, 2))
		model_stderr(m, "\n", 1);
}

static void take(struct viewed *v, struct str line)
{
	struct str rest = {line.ptr + 1, line.len - 1};
	struct err err = ERR_INIT;
	struct event ev;

	if (line.len && *line.ptr == '!')
		take_stderr(v, rest);
	else if (line.len && *line.ptr == '=')
		press(v, rest);
	else if (v->convert)
		convert_line(v->convert, (uint64_t)(line.ptr - v->data),
			line.ptr, line.len);
	else if (event_read(&ev, &v->arena, line.ptr, line.len, &err) == 0)
		take_event(v, &ev);
	arena_reset(&v->arena);
}

/* What is left on the terminal. */
static void check_transcript(struct viewed *v)
{
	const struct model *m = &v->ui->runs[0]->model;
	struct strbuf left = STRBUF_INIT;

	for (size_t i = 0; i < m->item_count; i++)
		if (m->items[i].kind != ITEM_STDERR)
			model_transcript(m, i, &left);
	ar_assert(str_eq(strbuf_str(&left), strbuf_str(&v->text)));
	strbuf_release(&left);
	for (size_t i = 0; i < m->doc.count; i++)
		fuzz_check_clean(doc_line(&m->doc, i), true);
	for (size_t i = 0; i < m->item_count; i++) {
		ar_assert(m->items[i].line <= model_item_end(m, i));
		ar_assert(m->items[i].agent < m->agents.count);
	}
}

/* The raw output of RT is what details come from. */
static void open_raw(struct viewed *v, const struct runtime_ops *rt, size_t len)
{
	static const struct clock still = {no_time, no_time, NULL};

	v->raw = keep_new((uint64_t)64 << 20);
	keep_add(v->raw, v->data, len);
	v->convert = convert_new(rt, "/work", &still, take_event, v);
	for (size_t i = 0; i < v->ui->run_count; i++)
		ui_run_set_detail(
			v->ui->runs[i], view_detail_raw(rt, v->raw, NULL));
}

static void close_view(struct viewed *v)
{
	for (size_t i = 0; i < v->ui->run_count; i++) {
		struct ui_run *run = v->ui->runs[i];

		model_stderr_finish(&run->model);
		run->printed = run->model.item_count; /* nothing is printed */
	}
	ui_free(v->ui);
	convert_free(v->convert);
	keep_free(v->raw);
	textfmt_free(v->fmt);
	strbuf_release(&v->text);
	arena_release(&v->arena);
}

static void play_view(const void *arg, const char *data, size_t len)
{
	struct viewed v = {.r = fuzz_choice(data, len), .data = data};
	struct ui_config config = {.live = fuzz_below(&v.r, 2)};
	size_t runs = fuzz_below(&v.r, 4) ? 1 : 1 + fuzz_below(&v.r, 3);
	struct str rest = {data, len};
	struct str line;

	arena_init(&v.arena);
	strbuf_init(&v.text);
	v.fmt = textfmt_new(true);
	v.rows = 1 + (int)fuzz_below(&v.r, 30);
	v.cols = 1 + (int)fuzz_below(&v.r, 100);
	v.ui = ui_create(NULL, &config);
	for (size_t i = 0; i < runs; i++)
		(void)ui_run_add(v.ui, "run.jsonl");
	if (arg)
		open_raw(&v, arg, len);
	draw(&v);
	while (fuzz_line(&rest, &line)) {
		take(&v, line);
		if (fuzz_below(&v.r, 8) == 0)
			draw(&v);
	}
	if (v.convert)
		convert_finish(v.convert, 0, len && data[len - 1] != '\n');
	press(&v, str_of("g}\rjjO"));
	draw(&v);
	model_stderr_finish(&v.ui->runs[0]->model);
	check_transcript(&v);
	draw(&v);
	close_view(&v);
}

static const char *const key_words[] = {"\n=\r\n", "\n=}\r\rjj\n", "\n=\rO\n",
	"\n=\r|x\n", "\n=i\n", "\n=jjkk\n", "\n=g\n", "\n=G\n", "\n=/a\r\n",
	"\n=/e\rnN\n", "\n=&:tools\r\n", "\n=&:errors :denials\r\n",
	"\n=&@explore#1\r\n", "\n=\tjj\r\n", "\n=1\n", "\n=2\n", "\n=0\n",
	"\n=]\n", "\n=[\n", "\n=z\n", "\n=Z\n", "\n={\r\n", "\n=}\r\n",
	"\n=e\n", "\n=E\n", "\n=t\n", "\n=q\n", "\n=\x1b\n", "\n=?\n", "\n=s\n",
	"\n=S\n", "\n=a\n", "\n=b\n", "\n=d\n", "\n=u\n", "\n!warning: \n",
	"\n=y\n", "\n=f\n", NULL};

const struct fuzz_target fuzz_view = {
	.name = "view",
	.seeds = "golden/*/*/out.jsonl",
	.play = play_view,
	.max = 8192,
	.json = true,
	.words = key_words,
};

const struct fuzz_target fuzz_view_claude_code = {
	.name = "view-claude-code",
	.seeds = "golden/claude-code/*/in.jsonl",
	.play = play_view,
	.arg = &runtime_claude_code,
	.max = 8192,
	.json = true,
	.words = key_words,
};

const struct fuzz_target fuzz_view_codex = {
	.name = "view-codex",
	.seeds = "golden/codex/*/in.jsonl",
	.play = play_view,
	.arg = &runtime_codex,
	.max = 8192,
	.json = true,
	.words = key_words,
};

const struct fuzz_target fuzz_view_pi = {
	.name = "view-pi",
	.seeds = "golden/pi/*/in.jsonl",
	.play = play_view,
	.arg = &runtime_pi,
	.max = 8192,
	.json = true,
	.words = key_words,
};

const struct fuzz_target fuzz_view_dsh = {
	.name = "view-dsh",
	.seeds = "golden/dsh/*/in.jsonl",
	.play = play_view,
	.arg = &runtime_dsh,
	.max = 8192,
	.json = true,
	.words = key_words,
};

/* --- keys: what comes from a terminal --- */

/* Takes what is ready; KEYS gets it. */
static void take_keys(struct input *in, bool late, struct strbuf *keys)
{
	struct input_key k;

	while (input_next(in, late, &k)) {
		ar_assert(k.key <= UIKEY_OTHER);
		ar_assert(k.x >= 0 && k.y >= 0);
		strbuf_addf(keys, "%x %d %d %d\n", k.key, k.pasted, k.x, k.y);
	}
}

static void play_keys(const void *arg, const char *data, size_t len)
{
	struct fuzz_rand r = fuzz_choice(data, len);
	struct strbuf whole = STRBUF_INIT;
	struct strbuf pieces = STRBUF_INIT;
	struct input in;

	(void)arg;
	for (int i = 0; i < 2; i++) {
		struct strbuf *keys = i ? &pieces : &whole;

		input_init(&in, true);
		input_define(&in, "\x1bOq", UIKEY_DOWN);
		for (size_t at = 0; at < len;) {
			size_t n = i ? 1 + fuzz_below(&r, 9) : len;

			n = n < len - at ? n : len - at;
			input_add(&in, data + at, n);
			take_keys(&in, false, keys);
			at += n;
		}
		take_keys(&in, true, keys);
		ar_assert(input_wait(&in) == -1);
		input_release(&in);
	}
	ar_assert(str_eq(strbuf_str(&whole), strbuf_str(&pieces)));
	strbuf_release(&whole);
	strbuf_release(&pieces);
}

static const char *const sequences[] = {"\x1b[A", "\x1bOB", "\x1b[1;5C",
	"\x1b[200~", "\x1b[201~", "\x1b[<0;5;6M", "\x1b[<64;1;1m", "\x1b[M !!",
	"\x1b]11;rgb:0/0/0\a", "\x1bP1$r\x1b\\", "\x1b[I", "\x1b[O", "\x1b[5~",
	"\x1b\x1b", "\x1b[?62;c", "\xe4\xb8\xad", "\x1b[27;5;106~", "\x1b[99u",
	NULL};

const struct fuzz_target fuzz_keys = {
	.name = "keys",
	.play = play_keys,
	.max = 1024,
	.words = sequences,
};

/* --- terminfo: a compiled description --- */

static void play_terminfo(const void *arg, const char *data, size_t len)
{
	struct strbuf entry = STRBUF_INIT;
	struct strbuf once = STRBUF_INIT;
	int ret;

	(void)arg;
	strbuf_add(&entry, data, len);
	ret = plain_strip((unsigned char *)entry.buf, entry.len);
	ar_assert(entry.len == len);
	if (ret == 0) {
		strbuf_adds(&once, strbuf_str(&entry));
		ar_assert(plain_strip((unsigned char *)entry.buf, entry.len) ==
			  0);
		ar_assert(str_eq(strbuf_str(&entry), strbuf_str(&once)));
	}
	strbuf_release(&entry);
	strbuf_release(&once);
}

const struct fuzz_target fuzz_terminfo = {
	.name = "terminfo",
	.play = play_terminfo,
	.max = 8192,
};

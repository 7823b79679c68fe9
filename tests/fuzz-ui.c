/* fuzz-ui: outside text on its way to the screen.
 *
 * screen: cleaned, cut into rows, counted and drawn. view: a stream of events
 * as the full-screen view has it. A line that is no event is keys that are
 * pressed there, or, behind '!', what came on stderr. After each step every
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

struct viewed {
	struct ui *ui;
	struct fuzz_rand r;
	int rows;
	int cols;
	struct textfmt *fmt;
	struct strbuf text; /* the text format of the first run */
	struct arena arena;
};

static void draw(struct viewed *v)
{
	const struct pane *p;

	ui_draw(v->ui, v->rows, v->cols);
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

static void take(struct viewed *v, struct str line)
{
	struct ui_run *run = v->ui->runs[fuzz_below(&v->r, v->ui->run_count)];
	struct err err = ERR_INIT;
	struct event ev;

	if (event_read(&ev, &v->arena, line.ptr, line.len, &err) == 0) {
		/* Each run gets its own share; of the first one all. */
		model_event(&run->model, &ev, v->ui->now);
		if (run == v->ui->runs[0])
			textfmt_event(v->fmt, &ev, &v->text);
	} else if (line.len && *line.ptr == '!') {
		model_stderr(&run->model, line.ptr + 1, line.len - 1);
		if (fuzz_below(&v->r, 2))
			model_stderr(&run->model, "\n", 1);
	} else {
		press(v, line);
	}
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

static void play_view(const void *arg, const char *data, size_t len)
{
	struct viewed v = {.r = fuzz_choice(data, len)};
	struct ui_config config = {.live = fuzz_below(&v.r, 2)};
	size_t runs = fuzz_below(&v.r, 4) ? 1 : 1 + fuzz_below(&v.r, 3);
	struct str rest = {data, len};
	struct str line;

	(void)arg;
	arena_init(&v.arena);
	strbuf_init(&v.text);
	v.fmt = textfmt_new(true);
	v.rows = 1 + (int)fuzz_below(&v.r, 30);
	v.cols = 1 + (int)fuzz_below(&v.r, 100);
	v.ui = ui_create(NULL, &config);
	for (size_t i = 0; i < runs; i++)
		(void)ui_run_add(v.ui, "run.jsonl");
	draw(&v);
	while (fuzz_line(&rest, &line)) {
		take(&v, line);
		if (fuzz_below(&v.r, 8) == 0)
			draw(&v);
	}
	draw(&v);
	model_stderr_finish(&v.ui->runs[0]->model);
	check_transcript(&v);
	draw(&v);
	for (size_t i = 0; i < runs; i++) /* nothing is left to print */
		v.ui->runs[i]->printed = v.ui->runs[i]->model.item_count;
	ui_free(v.ui);
	textfmt_free(v.fmt);
	strbuf_release(&v.text);
	arena_release(&v.arena);
}

static const char *const key_words[] = {"\njjkk\n", "\ng\n", "\nG\n",
	"\n/a\r\n", "\n/e\rnN\n", "\n&:tools\r\n", "\n&:errors :denials\r\n",
	"\n&@explore#1\r\n", "\n\tjj\r\n", "\n1\n", "\n2\n", "\n0\n", "\n]\n",
	"\n[\n", "\nz\n", "\nZ\n", "\n{\r\n", "\n}\r\n", "\ne\n", "\nE\n",
	"\nt\n", "\nq\n", "\n\x1b\n", "\n?\n", "\ns\n", "\nS\n", "\na\n",
	"\nb\n", "\nd\n", "\nu\n", "\n!warning: \n", "\ny\n", "\nf\n", NULL};

const struct fuzz_target fuzz_view = {
	.name = "view",
	.seeds = "golden/*/*/out.jsonl",
	.play = play_view,
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

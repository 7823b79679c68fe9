#include "config.h"

#include "ui/inspect.h"

#include <string.h>

#include "base/i18n.h"

#define FIRST_BYTES ((size_t)64 << 10) /* made at once */
#define BESIDE_COLS 120                /* from here on it stands beside */
#define BELOW_ROWS 8                   /* fewer have no room for two panes */

void inspect_init(struct inspect *in)
{
	memset(in, 0, sizeof(*in));
	strbuf_init(&in->title);
	content_init(&in->content);
	model_init(&in->model);
	pane_init(&in->pane, &in->model, AGENT_MAIN);
	parts_init(&in->parts, &in->model, &in->content);
	in->item = MODEL_NO_ITEM;
}

static void clear(struct inspect *in)
{
	parts_release(&in->parts);
	pane_release(&in->pane);
	model_release(&in->model);
	content_release(&in->content);
	strbuf_reset(&in->title);
}

void inspect_release(struct inspect *in)
{
	clear(in);
	strbuf_release(&in->title);
}

/* An empty pane; how it looked stays. */
static void begin(struct inspect *in)
{
	struct pane old = in->pane;
	struct find find = {0};
	int cols = in->model.cols;
	bool source = in->model.show_source;

	/* the search goes on in what is shown next */
	find = in->pane.search.find;
	memset(&in->pane.search.find, 0, sizeof(find));
	clear(in);
	content_init(&in->content);
	model_init(&in->model);
	model_show(&in->model, cols, source);
	pane_init(&in->pane, &in->model, AGENT_MAIN);
	in->pane.search.find = find;
	in->pane.lens.chop = old.lens.chop;
	in->pane.rows = old.rows;
	in->pane.cols = old.cols;
	in->pane.follow = false;
	in->pane.cursor = 0;
	in->pane.seen = SIZE_MAX; /* nothing is new in it */
	parts_init(&in->parts, &in->model, &in->content);
}

static void fill(struct inspect *in)
{
	struct detail_ask ask;
	bool asks = inspect_ask(in->of, in->item, &ask);

	in->waiting = false;
	if (in->raw && !asks) {
		content_add(&in->content, PART_NOTE, NULL,
			str_of(N_("it was made from no line of the runtime")));
	} else if (in->raw && !in->detail) {
		content_add(&in->content, PART_NOTE, NULL,
			str_of(N_("no raw output was kept")));
	} else if (in->raw) {
		in->detail->ops->lines(in->detail, &ask, &in->content);
	} else {
		inspect_facts(&in->content, in->of, in->detail, in->item);
		if (in->detail && (ask.is_agent || ask.is_tool))
			in->detail->ops->content(
				in->detail, &ask, &in->content);
		if (ask.is_tool && !content_has(&in->content, 0, false) &&
			!content_has(&in->content, 0, true))
			inspect_tool_facts(&in->content, in->of, in->item);
		if (ask.is_agent && !content_has(&in->content, 0, true))
			inspect_last_text(&in->content, in->of, in->item);
	}
	in->more = parts_feed(&in->parts, FIRST_BYTES);
	in->pane.cursor = 0; /* it could not stand on anything before */
}

void inspect_again(struct inspect *in)
{
	struct detail_ask ask;

	if (in->item == MODEL_NO_ITEM)
		return;
	begin(in);
	in->stamp = inspect_stamp(in->of, in->item);
	in->bad = in->of->items[in->item].flags & (ITEM_FAILED | ITEM_DENIED);
	inspect_title(&in->title, in->of, in->item);
	in->percent = 100;
	in->more = false;
	(void)inspect_ask(in->of, in->item, &ask);
	in->waiting = in->detail && (in->raw || ask.is_agent || ask.is_tool) &&
		      in->detail->ops->prepare(in->detail, &in->percent);
	if (!in->waiting)
		fill(in);
}

void inspect_close(struct inspect *in)
{
	begin(in);
	in->item = MODEL_NO_ITEM;
	in->open = in->focus = in->whole = in->raw = false;
	in->waiting = in->more = false;
}

void inspect_show(
	struct inspect *in, const struct model *m, struct detail *d, size_t i)
{
	if (i == in->item && m == in->of && in->stamp == inspect_stamp(m, i))
		return;
	in->of = m;
	in->detail = d;
	in->item = i;
	inspect_again(in);
}

void inspect_fit(struct inspect *in, int cols, bool source)
{
	struct model *m = &in->model;
	int least = cols < m->cols ? cols : m->cols;
	bool other = source != m->show_source ||
		     (cols != m->cols && in->parts.wanted > least);

	m->cols = cols;
	m->show_source = source;
	if (other)
		inspect_again(in);
}

void inspect_work(struct inspect *in, size_t budget)
{
	if (in->waiting) {
		in->waiting =
			in->detail->ops->prepare(in->detail, &in->percent);
		if (!in->waiting)
			fill(in);
	} else if (in->more) {
		in->more = parts_feed(&in->parts, budget);
	}
}

void inspect_finish(struct inspect *in)
{
	if (in->more)
		in->more = parts_feed(&in->parts, SIZE_MAX);
}

bool inspect_text(struct inspect *in, bool all, struct strbuf *out)
{
	size_t i = in->model.item_count ? pane_item(&in->pane) : MODEL_NO_ITEM;
	size_t only = i == MODEL_NO_ITEM ? SIZE_MAX : in->model.items[i].aux;

	for (size_t n = 0; n < in->content.count; n++) {
		if (!all && n != only)
			continue;
		if (all && out->len && out->buf[out->len - 1] != '\n')
			strbuf_addch(out, '\n');
		parts_text(&in->content.v[n], out);
	}
	return out->len > 0;
}

struct inspect_place inspect_place(const struct inspect *in, int rows, int cols)
{
	bool beside = (cols >= BESIDE_COLS) != in->other && cols >= 40;
	struct inspect_place p = {.beside = beside, .rows = rows, .cols = cols};

	if (in->whole || (!beside && rows < BELOW_ROWS))
		return p;
	if (beside) {
		p.run_rows = rows;
		p.run_cols = cols / 2;
		p.x = p.run_cols + 1;
		p.cols = cols - p.x;
		return p;
	}
	p.run_rows = rows * 2 / 5;
	p.run_cols = cols;
	p.y = p.run_rows;
	p.rows = rows - p.run_rows;
	return p;
}

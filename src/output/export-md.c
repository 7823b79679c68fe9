#include "config.h"

#include "output/export-doc.h"

#include <math.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "output/textfmt.h"

/* The longest run of backticks in S. */
static size_t longest_ticks(const struct strbuf *s)
{
	size_t longest = 0;
	size_t now = 0;

	for (size_t i = 0; i < s->len; i++) {
		now = s->buf[i] == '`' ? now + 1 : 0;
		if (now > longest)
			longest = now;
	}
	return longest;
}

static void add_ticks(struct strbuf *out, size_t n)
{
	while (n--)
		strbuf_addch(out, '`');
}

/* A span takes one blank away at both ends, and a backtick would join the
 * mark. */
static bool needs_pad(char c)
{
	return c == '`' || c == ' ';
}

/* Outside text within a line, as a code span: nothing in it acts, not even a
 * name that a forge would notify. IN_TABLE: a bar would end the cell. */
void doc_md_span(struct strbuf *out, struct str s, bool in_table)
{
	struct strbuf clean = STRBUF_INIT;
	size_t ticks;
	bool pad;

	doc_clean(&clean, s, true);
	if (utf8_is_blank(clean.buf, clean.len)) {
		strbuf_release(&clean);
		return;
	}
	ticks = longest_ticks(&clean) + 1;
	pad = needs_pad(clean.buf[0]) || needs_pad(clean.buf[clean.len - 1]);
	add_ticks(out, ticks);
	if (pad)
		strbuf_addch(out, ' ');
	for (size_t i = 0; i < clean.len; i++) {
		if (in_table && clean.buf[i] == '|')
			strbuf_addch(out, '\\');
		strbuf_addch(out, clean.buf[i]);
	}
	if (pad)
		strbuf_addch(out, ' ');
	add_ticks(out, ticks);
	strbuf_release(&clean);
}

/* Outside text of several lines, as a fenced block. */
void doc_md_fence(struct strbuf *out, struct str s, const char *lang)
{
	struct strbuf clean = STRBUF_INIT;
	size_t ticks;

	doc_clean(&clean, s, false);
	ticks = longest_ticks(&clean) + 1;
	if (ticks < 3)
		ticks = 3;
	add_ticks(out, ticks);
	strbuf_addf(out, "%s\n", lang);
	strbuf_add(out, clean.buf, clean.len);
	if (!clean.len || clean.buf[clean.len - 1] != '\n')
		strbuf_addch(out, '\n');
	add_ticks(out, ticks);
	strbuf_addstr(out, "\n\n");
	strbuf_release(&clean);
}

/* Outside text inside a line of HTML: every character that could act in HTML
 * or Markdown as a reference. */
static void add_html(struct strbuf *out, struct str s)
{
	struct strbuf clean = STRBUF_INIT;

	doc_clean(&clean, s, true);
	for (size_t i = 0; i < clean.len; i++) {
		unsigned char c = (unsigned char)clean.buf[i];
		bool plain = c >= 0x80 || c == ' ' || (c >= '0' && c <= '9') ||
			     (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (plain)
			strbuf_addch(out, (char)c);
		else
			strbuf_addf(out, "&#%u;", c);
	}
	strbuf_release(&clean);
}

static void add_block(struct strbuf *out, const char *heading, struct str text)
{
	if (!text.len)
		return;
	strbuf_addf(out, "## %s\n\n", heading);
	doc_md_fence(out, text, "text");
}

static void add_fact(struct strbuf *out, const char *name, struct str value)
{
	if (!value.len)
		return;
	strbuf_addf(out, "- %s: ", name);
	doc_md_span(out, value, false);
	strbuf_addch(out, '\n');
}

static void add_list(struct strbuf *out, const char *name, struct str_list list)
{
	for (size_t i = 0; i < list.count; i++)
		add_fact(out, name, list.v[i]);
}

static void add_verdict(struct strbuf *out, const struct doc_run *run)
{
	char time[CLOCK_TIME_LEN + 1];

	strbuf_addf(out, "**%s**", doc_status(run));
	if (run->has_end) {
		strbuf_addstr(out, "  ");
		textfmt_duration(out, run->end.duration_ms);
		textfmt_usage(out, &run->end.usage->sum, true);
		if (!isnan(run->end.usage->sum.cost_usd)) {
			strbuf_addstr(out, "  ");
			doc_cost(out, run->end.usage->sum.cost_usd);
		}
	}
	strbuf_addstr(out, "\n\n");
	if (run->has_end && run->end.detail.len)
		doc_md_fence(out, run->end.detail, "text");
	add_fact(out, "Runtime", run->runtime);
	if (run->first_ms > 0) {
		clock_format(run->first_ms, time);
		strbuf_addf(out, "- Time: %.10s %.5s UTC\n", time, time + 11);
	}
	add_fact(out, "Directory", run->cwd);
	add_fact(out, "Sandbox", run->sandbox);
	add_fact(out, "Network", run->network);
	add_fact(out, "Model", run->main.model);
	if (run->has_end) {
		add_fact(out, "Session", run->end.session_id);
		if (run->end.exit_code != EXIT_CODE_NULL)
			strbuf_addf(out, "- Exit code: %lld\n",
				(long long)run->end.exit_code);
	}
	add_list(out, "Image", run->images);
	add_list(out, "Note", run->notes);
	if (run->has_end)
		add_list(out, "**Warning**", run->end.warnings);
	for (const struct doc_host *h = run->hosts; h; h = h->next) {
		strbuf_addstr(
			out, h->allowed ? "- Connected: " : "- Net denied: ");
		doc_md_span(out, h->host, false);
		strbuf_addf(out, " port %lld ", (long long)h->port);
		doc_md_span(out, h->reason, false);
		strbuf_addch(out, '\n');
	}
	strbuf_addch(out, '\n');
}

static void add_counts(struct strbuf *out, const struct token_counts *c)
{
	const int64_t n[] = {
		c->input, c->cache_read, c->cache_write, c->output};

	for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
		strbuf_addstr(out, " | ");
		doc_number(out, n[i]);
	}
	strbuf_addstr(out, " | ");
	doc_cost(out, c->cost_usd);
	strbuf_addstr(out, " |\n");
}

static void add_usage_table(struct strbuf *out, const struct usage *usage)
{
	if (!usage->count)
		return;
	strbuf_addstr(out,
		"## Usage and cost\n\n"
		"| Model | Input | Cache read | Cache write | Output | Cost |\n"
		"| :--- | ---: | ---: | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < usage->count; i++) {
		const struct usage_model *m = &usage->models[i];
		struct str name = {m->model, m->model_len};

		strbuf_addstr(out, "| ");
		doc_md_span(out, name, true);
		add_counts(out, &m->counts);
	}
	strbuf_addstr(out, "| **Total**");
	add_counts(out, &usage->sum);
	strbuf_addch(out, '\n');
}

/* A call with what was given in and back, folded. */
static void add_detailed(
	struct doc_out *o, const struct doc_item *item, const struct content *c)
{
	const char *mark = doc_tool_mark(item->state);

	strbuf_addstr(&o->sb, "<details>\n<summary>");
	add_html(&o->sb, item->text);
	if (mark)
		strbuf_addf(&o->sb, " <b>%s</b>", mark);
	strbuf_addstr(&o->sb, "</summary>\n\n");
	doc_detail_md(o, c, false);
	doc_detail_md(o, c, true);
	strbuf_addstr(&o->sb, "</details>\n\n");
}

static void add_tool(struct doc_out *o, const struct doc_item *item)
{
	const char *mark = doc_tool_mark(item->state);
	struct strbuf *out = &o->sb;
	struct content c;

	content_init(&c);
	if (doc_detail_tool(o, item, &c)) {
		add_detailed(o, item, &c);
		content_release(&c);
		return;
	}
	strbuf_addstr(out, "- ");
	doc_md_span(out, item->text, false);
	if (mark)
		strbuf_addf(out, " **%s**", mark);
	strbuf_addch(out, '\n');
	/* a list ends where something else follows */
	if (!item->next || item->next->kind != DOC_TOOL)
		strbuf_addch(out, '\n');
}

static void add_items(struct doc_out *o, const struct doc_agent *agent);

/* The depth is bounded by DOC_DEPTH_MAX. */
static void add_agent(struct doc_out *o, const struct doc_agent *a)
{
	struct strbuf *out = &o->sb;
	struct content c;

	strbuf_addstr(out, "<details>\n<summary><b>");
	add_html(out, a->label);
	strbuf_addf(out, "</b> %s", doc_agent_status(a));
	if (a->ended) {
		strbuf_addch(out, ' ');
		textfmt_duration(out, a->duration_ms);
	}
	if (a->model.len) {
		strbuf_addch(out, ' ');
		add_html(out, a->model);
	}
	textfmt_usage(out, &a->counts, true);
	if (a->description.len) {
		strbuf_addstr(out, ": ");
		add_html(out, a->description);
	}
	strbuf_addstr(out, "</summary>\n\n");
	content_init(&c);
	if (doc_detail_agent(o, a, &c))
		doc_detail_md(o, &c, false);
	add_items(o, a);
	doc_detail_md(o, &c, true);
	content_release(&c);
	strbuf_addstr(out, "</details>\n\n");
}

static void add_items(struct doc_out *o, const struct doc_agent *agent)
{
	if (!agent->first)
		strbuf_addstr(&o->sb, "No events.\n\n");
	for (const struct doc_item *i = agent->first; i; i = i->next) {
		switch (i->kind) {
		case DOC_TEXT:
			doc_md_fence(&o->sb, i->text, "text");
			break;
		case DOC_TOOL:
			add_tool(o, i);
			break;
		case DOC_AGENT:
			add_agent(o, i->agent);
			break;
		}
		doc_flush(o, false);
	}
}

void doc_write_md(struct doc_out *o, const struct doc *doc, const char *name)
{
	struct strbuf *out = &o->sb;

	for (const struct doc_run *run = doc->first; run; run = run->next) {
		struct strbuf title = STRBUF_INIT;

		doc_title(&title, run, name);
		strbuf_addstr(out, "# ");
		doc_md_span(out, strbuf_str(&title), false);
		strbuf_addstr(out, "\n\n");
		strbuf_release(&title);
		add_verdict(out, run);
		add_block(out, "Prompt", run->prompt);
		if (run->has_end)
			add_block(out, "Result", run->end.result);
		if (run->has_end)
			add_usage_table(out, run->end.usage);
		strbuf_addstr(out, "## Transcript\n\n");
		add_items(o, &run->main);
	}
	if (!doc->first)
		strbuf_addstr(out, "The stream has no events.\n\n");
	strbuf_addstr(out, "Written by agentrun " PACKAGE_VERSION ".\n");
	if (doc->bad_lines)
		strbuf_addf(out, "Lines that were no events: %llu.\n",
			(unsigned long long)doc->bad_lines);
}

#include "config.h"

#include "output/export-doc.h"

#include <math.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "output/textfmt.h"

/* The style sheet: one column of readable width, the transcript as a list along
 * a rule, colours for light and dark that keep a contrast of 4.5 and more, and
 * no state told by colour alone. */
static const char style[] =
	":root{color-scheme:light dark;--bg:#fdfcfa;--fg:#22201c;--dim:#6a655c;"
	"--rule:#ddd8ce;--card:#f5f2ec;--link:#1f5a8a;--good:#1d6b3a;"
	"--bad:#a32a1f;--warn:#845400;--bar:#8fb3cf;--pink:#8a2f7e}"
	"@media(prefers-color-scheme:dark){:root{--bg:#17181a;--fg:#e4e1da;"
	"--dim:#a19c91;--rule:#3a3b3e;--card:#202226;--link:#8fc1ea;"
	"--good:#79cf97;--bad:#ff9a8c;--warn:#e8bd6a;--bar:#3f6787;--pink:#"
	"e49ad8}}"
	"*{box-sizing:border-box}"
	"html{font:100%/1.6 \"Source Serif 4\",\"Iowan Old Style\",Charter,"
	"\"Noto Serif\",\"DejaVu Serif\",Georgia,\"Noto Serif CJK SC\",serif;"
	"-webkit-text-size-adjust:100%;text-size-adjust:100%}"
	"body{margin:0;background:var(--bg);color:var(--fg);"
	"font-variant-numeric:lining-nums tabular-nums}"
	"main{max-width:50rem;margin:0 auto;padding:3rem 1.25rem 5rem}"
	"article+article{margin-top:5rem;border-top:3px double var(--rule);"
	"padding-top:3rem}"
	"h1{font-size:1.75rem;line-height:1.25;margin:.25rem 0 1rem;"
	"font-weight:600;overflow-wrap:anywhere;text-wrap:balance}"
	"h2{font-size:.8125rem;letter-spacing:.09em;text-transform:uppercase;"
	"color:var(--dim);font-weight:600;margin:2.75rem 0 .75rem}"
	"h2,.kicker,.verdict,dl,table,summary,.tool,time,.note,footer{"
	"font-family:Inter,\"Helvetica Neue\",\"Noto Sans\",\"DejaVu Sans\","
	"Arial,\"Noto Sans CJK SC\",sans-serif}"
	".kicker{color:var(--dim);font-size:.875rem;margin:0}"
	"code,pre{font-family:\"JetBrains Mono\",\"SF Mono\",Menlo,Consolas,"
	"\"DejaVu Sans Mono\",\"Noto Sans Mono CJK SC\",monospace;"
	"font-size:.875em;font-variant-ligatures:none}"
	".verdict "
	"span,.sub{white-space:pre-wrap}.verdict{display:flex;flex-wrap:wrap;"
	"gap:.35rem 1.25rem;margin:0;"
	"align-items:baseline;font-size:.9375rem}"
	".badge{font-weight:600;border:1.5px solid;border-radius:1em;"
	"padding:.05em .75em}.good{color:var(--good)}.bad{color:var(--bad)}"
	".warn{color:var(--warn)}"
	".md{white-space:pre-wrap;overflow-wrap:anywhere}"
	".md>:first-child{margin-top:0}.md>:last-child{margin-bottom:0}"
	".md p,.md ul,.md ol,.md blockquote,.md pre,.md .scroll{margin:.6em 0}"
	".md h3,.md h4,.md h5,.md h6{font-size:1em;line-height:1.3;"
	"margin:1.2em 0 .4em}.md h3{font-size:1.25em}.md h4{font-size:1.1em}"
	".md ol,.md ul{list-style:revert;padding-left:1.75em;border:0}"
	".md li{position:static;margin:.15em 0;padding:0}"
	".md li p{margin:.3em 0}.md blockquote{border-left:3px solid "
	"var(--rule);padding-left:1em;color:var(--dim)}"
	".md pre{padding:.5rem .75rem;background:var(--card);"
	"border-radius:.25rem}.box pre{background:var(--bg)}"
	".md table{width:auto}.md th,.md td{text-align:left}"
	".md .right{text-align:right}.md .center{text-align:center}"
	".rule{border-top:1px solid var(--rule);margin:1.2em 0}"
	".box{background:var(--card);border-radius:.5rem;padding:1rem 1.25rem}"
	".note{font-size:.875rem;color:var(--warn);margin:.75rem 0 0;"
	"overflow-wrap:anywhere}"
	"dl{display:grid;grid-template-columns:max-content 1fr;"
	"gap:.15rem 1.25rem;font-size:.875rem;margin:0}dt{color:var(--dim)}"
	"dd{margin:0;overflow-wrap:anywhere}"
	".scroll{overflow-x:auto}"
	"table{border-collapse:collapse;width:100%;font-size:.875rem}"
	"th,td{text-align:right;padding:.3rem 0 .3rem 1rem;"
	"border-bottom:1px solid var(--rule);vertical-align:baseline}"
	"th{font-weight:600;color:var(--dim)}tbody th{color:inherit;"
	"font-weight:400;overflow-wrap:anywhere}"
	"th:first-child,td:first-child,.left{text-align:left}"
	"th:first-child{padding-left:0}"
	"tfoot th,tfoot td{border-bottom:0;border-top:1.5px solid var(--fg);"
	"font-weight:600;color:inherit}"
	".lane{width:30%;min-width:6rem}.lane span{display:block;height:.6rem;"
	"border-radius:.3rem;background:var(--bar);min-width:3px}"
	"ol{list-style:none;margin:0;padding:0}"
	"ol ol{border-left:2px solid var(--rule);padding-left:1rem;"
	"margin:.5rem 0 .5rem .25rem}"
	"li{position:relative;margin:.75rem 0;padding-right:4rem}"
	"li>time{position:absolute;right:0;top:.2em;font-size:.75rem;"
	"color:var(--dim)}"
	".tool{margin:0;font-size:.875rem;overflow-wrap:anywhere}"
	"li:has(>.tool)+li:has(>.tool){margin-top:-.35rem}"
	".mark{font-weight:600;font-size:.8125rem;border:1px solid;"
	"border-radius:.25rem;padding:0 .35em;margin-left:.5em;"
	"white-space:nowrap}"
	"details{margin:0}li.agent{padding-right:0}li.agent>time{right:0}"
	"summary{cursor:pointer;font-size:.9375rem;padding-right:4rem;"
	"overflow-wrap:anywhere}"
	"summary:focus-visible,a:focus-visible{outline:2px solid var(--link);"
	"outline-offset:2px;border-radius:.2rem}"
	"summary b{font-weight:600}summary .sub{display:block;"
	"color:var(--dim);font-size:.8125rem}a{color:var(--link)}"
	":target>summary{background:var(--card)}"
	"bdi{unicode-bidi:isolate}"
	".part{margin:.5rem 0 .5rem 1rem;font-size:.8125rem}"
	".part b{font-weight:600;color:var(--dim)}"
	".part pre{margin:.25rem 0 0;padding:.5rem .75rem;max-height:32rem;"
	"overflow:auto;background:var(--card);border-radius:.25rem;"
	"white-space:pre-wrap;overflow-wrap:anywhere}"
	".del{color:var(--bad)}.add{color:var(--good)}.at{color:var(--dim)}"
	".s1{font-weight:700}.s2{opacity:.75}.s4{font-style:italic}"
	".s8{text-decoration:underline}"
	".f1,.f9{color:var(--bad)}.f2,.f10{color:var(--good)}"
	".f3,.f11{color:var(--warn)}.f4,.f12,.f6,.f14{color:var(--link)}"
	".f5,.f13{color:var(--pink)}.f8,.f7{color:var(--dim)}"
	"footer{margin-top:4rem;color:var(--dim);font-size:.8125rem}"
	"@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--rule:#bbb;"
	"--card:#fff;--link:#000;--good:#000;--bad:#000;--warn:#000;"
	"--bar:#888}html{font-size:10pt}main{max-width:none;padding:0}"
	".box{border:1px solid var(--rule)}h2{break-after:avoid}"
	"tr,.tool,summary{break-inside:avoid}"
	"details::details-content{content-visibility:visible;display:block;"
	"height:auto}.lane span{print-color-adjust:exact}}";

/* Outside text: cleaned, then escaped. */
void doc_html_text(struct strbuf *out, struct str s, bool one_line)
{
	struct strbuf clean = STRBUF_INIT;

	doc_clean(&clean, s, one_line);
	for (size_t i = 0; i < clean.len; i++) {
		switch (clean.buf[i]) {
		case '&':
			strbuf_addstr(out, "&amp;");
			break;
		case '<':
			strbuf_addstr(out, "&lt;");
			break;
		case '>':
			strbuf_addstr(out, "&gt;");
			break;
		case '"':
			strbuf_addstr(out, "&quot;");
			break;
		case '\'':
			strbuf_addstr(out, "&#39;");
			break;
		default:
			strbuf_addch(out, clean.buf[i]);
			break;
		}
	}
	strbuf_release(&clean);
}

/* A string of ours that a strbuf function builds, without its blanks. */
static struct str trimmed(const struct strbuf *sb)
{
	struct str s = strbuf_str(sb);

	while (s.len && *s.ptr == ' ') {
		s.ptr++;
		s.len--;
	}
	return s;
}

static const char *status_class(const char *status)
{
	if (str_is(str_of(status), "finished"))
		return "good";
	return str_is(str_of(status), "failed") ||
			       str_is(str_of(status), "rejected")
		       ? "bad"
		       : "warn";
}

/* The time since the start of the run: m:ss. */
static void add_time(struct strbuf *out, const struct doc_run *run, int64_t at)
{
	int64_t s = at > run->first_ms ? (at - run->first_ms) / 1000 : 0;

	strbuf_addf(out, "<time>%lld:%02d</time>", (long long)(s / 60),
		(int)(s % 60));
}

static void add_usage(struct strbuf *out, const struct token_counts *c)
{
	struct strbuf words = STRBUF_INIT;

	textfmt_usage(&words, c, true);
	if (words.len) {
		strbuf_addstr(out, "<span>");
		doc_html_text(out, trimmed(&words), true);
		strbuf_addstr(out, "</span>");
	}
	strbuf_release(&words);
}

/* The head of a run. */

static void add_verdict(struct strbuf *out, const struct doc_run *run)
{
	const char *status = doc_status(run);

	strbuf_addf(out,
		"<p class=\"verdict\"><span class=\"badge %s\">%s"
		"</span>",
		status_class(status), status);
	if (run->has_end) {
		strbuf_addstr(out, "<span>");
		textfmt_duration(out, run->end.duration_ms);
		strbuf_addstr(out, "</span>");
		add_usage(out, &run->end.usage->sum);
		if (!isnan(run->end.usage->sum.cost_usd)) {
			strbuf_addstr(out, "<span>");
			doc_cost(out, run->end.usage->sum.cost_usd);
			strbuf_addstr(out, "</span>");
		}
	}
	strbuf_addstr(out, "</p>\n");
	if (!run->has_end)
		return;
	if (run->end.detail.len) {
		strbuf_addstr(out, "<p class=\"note\"><bdi>");
		doc_html_text(out, run->end.detail, false);
		strbuf_addstr(out, "</bdi></p>\n");
	}
}

static void add_notes(
	struct strbuf *out, const char *word, struct str_list list)
{
	for (size_t i = 0; i < list.count; i++) {
		strbuf_addf(out, "<p class=\"note\"><b>%s</b> ", word);
		doc_html_text(out, list.v[i], true);
		strbuf_addstr(out, "</p>\n");
	}
}

static void add_fact(struct strbuf *out, const char *name, struct str value)
{
	if (!value.len)
		return;
	strbuf_addf(out, "<dt>%s</dt><dd><bdi>", name);
	doc_html_text(out, value, true);
	strbuf_addstr(out, "</bdi></dd>\n");
}

static void add_facts(struct strbuf *out, const struct doc_run *run)
{
	strbuf_addstr(out, "<h2>Run</h2>\n<dl>\n");
	add_fact(out, "Directory", run->cwd);
	add_fact(out, "Sandbox", run->sandbox);
	add_fact(out, "Network", run->network);
	add_fact(out, "Model", run->main.model);
	if (run->has_end) {
		add_fact(out, "Session", run->end.session_id);
		if (run->end.exit_code != EXIT_CODE_NULL)
			strbuf_addf(out, "<dt>Exit code</dt><dd>%lld</dd>\n",
				(long long)run->end.exit_code);
	}
	for (size_t i = 0; i < run->images.count; i++)
		add_fact(out, "Image", run->images.v[i]);
	for (const struct doc_host *h = run->hosts; h; h = h->next) {
		strbuf_addf(out, "<dt>%s</dt><dd><bdi>",
			h->allowed ? "Connected" : "Net denied");
		doc_html_text(out, h->host, true);
		strbuf_addf(out, "</bdi>:%lld ", (long long)h->port);
		doc_html_text(out, h->reason, true);
		strbuf_addstr(out, "</dd>\n");
	}
	strbuf_addstr(out, "</dl>\n");
}

static void add_block(struct strbuf *out, const char *heading, struct str text)
{
	if (!text.len)
		return;
	strbuf_addf(out, "<h2>%s</h2>\n<div class=\"md box\" dir=\"auto\">",
		heading);
	doc_html_markdown(out, text);
	strbuf_addstr(out, "</div>\n");
}

static void add_counts(struct strbuf *out, const struct token_counts *c)
{
	const int64_t n[] = {
		c->input, c->cache_read, c->cache_write, c->output};

	for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
		strbuf_addstr(out, "<td>");
		doc_number(out, n[i]);
		strbuf_addstr(out, "</td>");
	}
	strbuf_addstr(out, "<td>");
	doc_cost(out, c->cost_usd);
	strbuf_addstr(out, "</td></tr>\n");
}

static void add_usage_table(struct strbuf *out, const struct usage *usage)
{
	if (!usage->count)
		return;
	strbuf_addstr(out,
		"<h2>Usage and cost</h2>\n<div class=\"scroll\"><table>"
		"<thead><tr><th scope=\"col\">Model</th>"
		"<th scope=\"col\">Input</th><th scope=\"col\">Cache read</th>"
		"<th scope=\"col\">Cache write</th><th "
		"scope=\"col\">Output</th>"
		"<th scope=\"col\">Cost</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < usage->count; i++) {
		const struct usage_model *m = &usage->models[i];
		struct str name = {m->model, m->model_len};

		strbuf_addstr(out, "<tr><th scope=\"row\">");
		doc_html_text(out, name, true);
		strbuf_addstr(out, "</th>");
		add_counts(out, &m->counts);
	}
	strbuf_addstr(out, "</tbody>\n<tfoot><tr><th scope=\"row\">Total</th>");
	add_counts(out, &usage->sum);
	strbuf_addstr(out, "</tfoot></table></div>\n");
}

/* Where an agent stands in the time of the run, in percent. */
static void add_lane(struct strbuf *out, const struct doc_run *run,
	const struct doc_agent *agent)
{
	double all = (double)(run->last_ms - run->first_ms);
	double from = (double)(agent->start_ms - run->first_ms);
	double len = agent->ended ? (double)agent->duration_ms : all - from;

	if (!(all > 0) || !(from >= 0))
		from = len = 0;
	if (from > all)
		from = all;
	if (len > all - from)
		len = all - from;
	strbuf_addf(out,
		"<td class=\"lane\"><span style=\"margin-left:%.1f%%;"
		"width:%.1f%%\"></span></td>",
		all > 0 ? from / all * 100 : 0, all > 0 ? len / all * 100 : 0);
}

static void add_agent_table(struct doc_out *o, const struct doc_run *run)
{
	struct strbuf *out = &o->sb;

	if (!run->agents)
		return;
	strbuf_addstr(out,
		"<h2>Subagents</h2>\n<div class=\"scroll\"><table>"
		"<thead><tr><th scope=\"col\">Agent</th>"
		"<th scope=\"col\" class=\"left\">When</th>"
		"<th scope=\"col\">Time</th><th scope=\"col\">In</th>"
		"<th scope=\"col\">Out</th><th scope=\"col\">State</th></tr>"
		"</thead>\n<tbody>\n");
	for (const struct doc_agent *a = run->agents; a; a = a->next) {
		const char *status = doc_agent_status(a);

		strbuf_addf(out,
			"<tr><th scope=\"row\"><a href=\"#run%zu-agent%zu\">",
			run->index, a->index);
		doc_html_text(out, a->label, true);
		strbuf_addstr(out, "</a></th>");
		add_lane(out, run, a);
		strbuf_addstr(out, "<td>");
		if (a->ended)
			textfmt_duration(out, a->duration_ms);
		strbuf_addstr(out, "</td><td>");
		if (token_counts_in(&a->counts) != COUNT_UNKNOWN)
			textfmt_tokens(out, token_counts_in(&a->counts));
		strbuf_addstr(out, "</td><td>");
		if (a->counts.output != COUNT_UNKNOWN)
			textfmt_tokens(out, a->counts.output);
		strbuf_addf(out, "</td><td class=\"%s\">%s</td></tr>\n",
			status_class(status), status);
		doc_flush(o, false);
	}
	strbuf_addstr(out, "</tbody></table></div>\n");
}

/* The transcript. */

static void add_call(struct strbuf *out, const struct doc_item *item)
{
	const char *mark = doc_tool_mark(item->state);

	strbuf_addstr(out, "<code><bdi>");
	doc_html_text(out, item->text, true);
	strbuf_addstr(out, "</bdi></code>");
	if (mark)
		strbuf_addf(out, "<span class=\"mark %s\">%s</span>",
			item->state == DOC_TOOL_ERROR ? "bad" : "warn", mark);
}

static void add_tool(struct doc_out *o, const struct doc_item *item)
{
	struct content c;

	content_init(&c);
	if (doc_detail_tool(o, item, &c)) {
		strbuf_addstr(&o->sb, "<details class=\"tool\"><summary>");
		add_call(&o->sb, item);
		strbuf_addstr(&o->sb, "</summary>\n");
		doc_detail_html(o, &c, false);
		doc_detail_html(o, &c, true);
		strbuf_addstr(&o->sb, "</details>");
	} else {
		strbuf_addstr(&o->sb, "<p class=\"tool\">");
		add_call(&o->sb, item);
		strbuf_addstr(&o->sb, "</p>");
	}
	content_release(&c);
}

/* "3 tools", with a mark for what went wrong. */
static void add_tally(struct strbuf *out, size_t n, const char *what)
{
	if (n)
		strbuf_addf(out, " \xc2\xb7 %zu %s", n, what);
}

static void add_summary(struct strbuf *out, const struct doc_agent *a)
{
	const char *status = doc_agent_status(a);
	struct strbuf usage = STRBUF_INIT;

	strbuf_addstr(out, "<summary><b>");
	doc_html_text(out, a->label, true);
	strbuf_addf(out, "</b> <span class=\"%s\">%s</span> <bdi>",
		status_class(status), status);
	doc_html_text(out, a->description, true);
	strbuf_addstr(out, "</bdi><span class=\"sub\">");
	if (a->model.len)
		doc_html_text(out, a->model, true);
	else
		strbuf_addstr(out, "model unknown");
	if (a->ended) {
		strbuf_addstr(out, " \xc2\xb7 ");
		textfmt_duration(out, a->duration_ms);
	}
	textfmt_usage(&usage, &a->counts, true);
	if (usage.len) {
		strbuf_addstr(out, " \xc2\xb7 ");
		doc_html_text(out, trimmed(&usage), true);
	}
	strbuf_release(&usage);
	add_tally(out, a->tools, a->tools == 1 ? "tool call" : "tool calls");
	add_tally(out, a->denied, "denied");
	add_tally(out, a->errors, a->errors == 1 ? "error" : "errors");
	strbuf_addstr(out, "</span></summary>\n");
}

static void add_items(struct doc_out *o, const struct doc_run *run,
	const struct doc_agent *agent);

/* The depth is bounded by DOC_DEPTH_MAX. */
static void add_agent(
	struct doc_out *o, const struct doc_run *run, const struct doc_agent *a)
{
	struct content c;

	strbuf_addf(&o->sb, "<details id=\"run%zu-agent%zu\">", run->index,
		a->index);
	add_summary(&o->sb, a);
	content_init(&c);
	if (doc_detail_agent(o, a, &c))
		doc_detail_html(o, &c, false);
	add_items(o, run, a);
	doc_detail_html(o, &c, true);
	content_release(&c);
	strbuf_addstr(&o->sb, "</details>");
}

static void add_items(struct doc_out *o, const struct doc_run *run,
	const struct doc_agent *agent)
{
	struct strbuf *out = &o->sb;

	if (!agent->first) {
		strbuf_addstr(out, "<p class=\"kicker\">No events.</p>\n");
		return;
	}
	strbuf_addstr(out, "<ol>\n");
	for (const struct doc_item *i = agent->first; i; i = i->next) {
		strbuf_addstr(out,
			i->kind == DOC_AGENT ? "<li class=\"agent\">" : "<li>");
		switch (i->kind) {
		case DOC_TEXT:
			strbuf_addstr(out, "<div class=\"md\" dir=\"auto\">");
			doc_html_markdown(out, i->text);
			strbuf_addstr(out, "</div>");
			break;
		case DOC_TOOL:
			add_tool(o, i);
			break;
		case DOC_AGENT:
			add_agent(o, run, i->agent);
			break;
		}
		add_time(out, run, i->time_ms);
		strbuf_addstr(out, "</li>\n");
		doc_flush(o, false);
	}
	strbuf_addstr(out, "</ol>\n");
}

/* The document. */

static void add_kicker(struct strbuf *out, const struct doc_run *run)
{
	char time[CLOCK_TIME_LEN + 1];

	strbuf_addstr(out, "<p class=\"kicker\">");
	doc_html_text(
		out, run->has_start ? run->runtime : str_of("agentrun"), true);
	if (run->first_ms > 0) {
		clock_format(run->first_ms, time);
		strbuf_addf(out, " \xc2\xb7 %.10s %.5s UTC", time, time + 11);
	}
	strbuf_addstr(out, "</p>\n");
}

static void add_run_html(
	struct doc_out *o, const struct doc_run *run, const char *name)
{
	struct strbuf title = STRBUF_INIT;
	struct strbuf *out = &o->sb;

	doc_title(&title, run, name);
	strbuf_addstr(out, "<article>\n<header>\n");
	add_kicker(out, run);
	strbuf_addstr(out, "<h1 dir=\"auto\">");
	doc_html_text(out, strbuf_str(&title), true);
	strbuf_addstr(out, "</h1>\n");
	add_verdict(out, run);
	add_notes(out, "Note:", run->notes);
	if (run->has_end)
		add_notes(out, "Warning:", run->end.warnings);
	strbuf_addstr(out, "</header>\n");
	add_block(out, "Prompt", run->prompt);
	if (run->has_end)
		add_block(out, "Result", run->end.result);
	add_facts(out, run);
	if (run->has_end)
		add_usage_table(out, run->end.usage);
	add_agent_table(o, run);
	strbuf_addstr(out, "<h2>Transcript</h2>\n");
	add_items(o, run, &run->main);
	strbuf_addstr(out, "</article>\n");
	strbuf_release(&title);
}

void doc_write_html(struct doc_out *o, const struct doc *doc, const char *name)
{
	struct strbuf title = STRBUF_INIT;
	struct strbuf *out = &o->sb;

	if (doc->first)
		doc_title(&title, doc->first, name);
	else
		strbuf_addstr(&title, name);
	strbuf_addstr(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" "
		"content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
		"<meta name=\"viewport\" "
		"content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	doc_html_text(out, strbuf_str(&title), true);
	strbuf_addf(out,
		"</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n",
		style);
	for (const struct doc_run *run = doc->first; run; run = run->next)
		add_run_html(o, run, name);
	if (!doc->first)
		strbuf_addstr(out, "<p>The stream has no events.</p>\n");
	strbuf_addstr(out, "<footer>Written by agentrun " PACKAGE_VERSION ".");
	if (doc->bad_lines)
		strbuf_addf(out, " Lines that were no events: %llu.",
			(unsigned long long)doc->bad_lines);
	strbuf_addstr(out, "</footer>\n</main>\n</body>\n</html>\n");
	strbuf_release(&title);
}

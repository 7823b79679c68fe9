#include "config.h"

#include "output/textfmt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unicase.h>

#include "base/strmap.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "event/status.h"

#define NOTE_SANDBOX_OFF                                                   \
	"sandbox not running (--sandbox off). agentrun does not restrict " \
	"what the agent writes or which hosts it reaches"

struct agent {
	struct agent *all;
	struct str id;
	struct strbuf label;
	struct strbuf model; /* empty: unknown */
};

struct textfmt {
	bool clean;
	struct strmap agents;
	struct agent *all;
	struct strbuf main_model;
	struct strbuf last_text; /* of the main agent */
	struct strbuf scratch;
	struct strbuf cleaned;
};

struct textfmt *textfmt_new(bool clean)
{
	struct textfmt *t = xcalloc(1, sizeof(*t));

	t->clean = clean;
	strmap_init(&t->agents);
	strbuf_init(&t->main_model);
	strbuf_init(&t->last_text);
	strbuf_init(&t->scratch);
	strbuf_init(&t->cleaned);
	return t;
}

void textfmt_free(struct textfmt *t)
{
	if (!t)
		return;
	while (t->all) {
		struct agent *ag = t->all;

		t->all = ag->all;
		strbuf_release(&ag->label);
		strbuf_release(&ag->model);
		free(ag);
	}
	strmap_release(&t->agents);
	strbuf_release(&t->main_model);
	strbuf_release(&t->last_text);
	strbuf_release(&t->scratch);
	strbuf_release(&t->cleaned);
	free(t);
}

/* --- numbers --- */

/* N / UNIT with one decimal, rounded half up. */
static void add_tenths(struct strbuf *out, uint64_t n, uint64_t unit, char mark)
{
	uint64_t tenths = (n + unit / 20) / (unit / 10);

	strbuf_addf(out, "%llu.%u%c", (unsigned long long)(tenths / 10),
		(unsigned)(tenths % 10), mark);
}

void textfmt_tokens(struct strbuf *out, int64_t n)
{
	if (n < 100)
		strbuf_addf(out, "%lld", (long long)n);
	else if (n < 1000000)
		add_tenths(out, (uint64_t)n, 1000, 'k');
	else
		add_tenths(out, (uint64_t)n, 1000000, 'M');
}

void textfmt_duration(struct strbuf *out, int64_t ms)
{
	add_tenths(out, ms > 0 ? (uint64_t)ms : 0, 1000, 's');
}

/* PART of WHOLE in percent, rounded half up; WHOLE > 0. */
static unsigned percent(uint64_t part, uint64_t whole)
{
	while (whole > UINT64_MAX / 400) {
		whole >>= 1;
		part >>= 1;
	}
	return (unsigned)((200 * part + whole) / (2 * whole));
}

void textfmt_usage(
	struct strbuf *out, const struct token_counts *c, bool with_out)
{
	int64_t in = token_counts_in(c);

	if (in >= 0) {
		strbuf_addstr(out, "  in ");
		textfmt_tokens(out, in);
	}
	if (with_out && c->output >= 0) {
		strbuf_addstr(out, "  out ");
		textfmt_tokens(out, c->output);
	}
	if (c->cache_read >= 0 && in > 0)
		strbuf_addf(out, "  cached %u%%",
			percent((uint64_t)c->cache_read, (uint64_t)in));
}

/* --- strings --- */

/* Control characters: C0, DEL and C1. */
static size_t control_len(const char *s, size_t len)
{
	unsigned char c = (unsigned char)s[0];

	if (c < 0x20 || c == 0x7f)
		return 1;
	if (c == 0xc2 && len > 1 && (unsigned char)s[1] < 0xa0)
		return 2;
	return 0;
}

/* Adds S for a place where a line must not break: every run of control
 * characters is one blank (interface 5: no controls in summaries, labels,
 * descriptions and models; a saved stream could hold some all the same). */
static void add_inline(struct textfmt *t, struct strbuf *out, struct str s)
{
	struct strbuf *to = t->clean ? &t->cleaned : out;
	size_t plain = 0;
	size_t i = 0;

	strbuf_reset(&t->cleaned);
	while (i < s.len) {
		size_t n = control_len(s.ptr + i, s.len - i);

		if (!n) {
			i++;
			continue;
		}
		strbuf_add(to, s.ptr + plain, i - plain);
		strbuf_addch(to, ' ');
		while (i < s.len && (n = control_len(s.ptr + i, s.len - i)))
			i += n;
		plain = i;
	}
	if (i > plain)
		strbuf_add(to, s.ptr + plain, i - plain);
	if (t->clean)
		utf8_display(out, to->buf, to->len, UTF8_AGENT, 0);
}

/* S for a place where the agent's text is shown as it is, but on a terminal
 * cleaned. The result is S itself or lives in t->cleaned. */
static struct str cleaned(struct textfmt *t, struct str s)
{
	if (!t->clean || !s.ptr)
		return s;
	strbuf_reset(&t->cleaned);
	utf8_display(&t->cleaned, s.ptr, s.len, UTF8_AGENT, 0);
	return strbuf_str(&t->cleaned);
}

/* The next line that is not blank. */
static bool next_line(struct str text, size_t *pos, struct str *line)
{
	while (utf8_next_line(text, pos, line))
		if (!utf8_is_blank(line->ptr, line->len))
			return true;
	return false;
}

void textfmt_text(
	struct strbuf *out, struct str label, struct str text, size_t max_lines)
{
	struct str line;
	size_t pos = 0;
	size_t shown = 0;
	size_t left = 0;

	while (next_line(text, &pos, &line)) {
		if (max_lines && shown == max_lines) {
			left++;
			continue;
		}
		if (shown == 0) {
			strbuf_addch(out, '[');
			strbuf_adds(out, label);
			strbuf_addstr(out, "] text ");
		} else {
			strbuf_addstr(out, "    ");
		}
		strbuf_adds(out, line);
		strbuf_addch(out, '\n');
		shown++;
	}
	if (left)
		strbuf_addf(out, "    … (+%zu line%s)\n", left,
			left == 1 ? "" : "s");
}

void textfmt_make_label(struct strbuf *out, struct str kind, int64_t number)
{
	size_t len = 0;
	uint8_t *lower = NULL;

	if (kind.len)
		lower = u8_tolower((const uint8_t *)kind.ptr, kind.len, NULL,
			NULL, NULL, &len);
	if (lower)
		strbuf_add(out, (const char *)lower, len);
	else if (kind.len)
		strbuf_adds(out, kind);
	free(lower);
	strbuf_addf(out, "#%lld", (long long)number);
}

/* --- agents --- */

static struct agent *agent_find(const struct textfmt *t, struct str id)
{
	return strmap_get(&t->agents, id);
}

struct str textfmt_label(const struct textfmt *t, struct str id)
{
	const struct agent *ag;

	if (!id.ptr)
		return str_of("main");
	ag = agent_find(t, id);
	return ag ? strbuf_str(&ag->label) : str_of("?");
}

struct str textfmt_model(const struct textfmt *t, struct str id)
{
	const struct agent *ag = agent_find(t, id);
	const struct strbuf *model = &t->main_model;

	if (id.ptr) {
		if (!ag)
			return str_null();
		model = &ag->model;
	}
	return model->len ? strbuf_str(model) : str_null();
}

/* A later usage that names no model leaves the one that is known. */
static void set_model(struct textfmt *t, struct str id, struct str model)
{
	struct agent *ag = agent_find(t, id);
	struct strbuf *to = ag ? &ag->model : &t->main_model;

	if (!model.len || (id.ptr && !ag))
		return;
	strbuf_reset(to);
	add_inline(t, to, model);
}

static void agent_add(struct textfmt *t, const struct event_subagent_start *e)
{
	struct agent *ag;

	if (agent_find(t, e->id))
		return;
	ag = xmalloc(sizeof(*ag) + e->id.len);
	if (e->id.len)
		memcpy(ag + 1, e->id.ptr, e->id.len);
	ag->id = (struct str){(const char *)(ag + 1), e->id.len};
	strbuf_init(&ag->label);
	strbuf_init(&ag->model);
	strbuf_reset(&t->scratch);
	textfmt_make_label(&t->scratch, e->kind, e->number);
	add_inline(t, &ag->label, strbuf_str(&t->scratch));
	ag->all = t->all;
	t->all = ag;
	strmap_put(&t->agents, ag->id, ag);
	set_model(t, e->id, e->model);
}

/* --- lines --- */

static void begin(struct textfmt *t, struct strbuf *out, struct str id)
{
	strbuf_addch(out, '[');
	strbuf_adds(out, textfmt_label(t, id));
	strbuf_addstr(out, "] ");
}

static void note(struct textfmt *t, struct strbuf *out, struct str s)
{
	strbuf_addstr(out, "[note] ");
	add_inline(t, out, s);
	strbuf_addch(out, '\n');
}

static void start_lines(
	struct textfmt *t, struct strbuf *out, const struct event_start *e)
{
	set_model(t, str_null(), e->model);
	for (size_t i = 0; i < e->notes.count; i++)
		note(t, out, e->notes.v[i]);
	if (!e->has_notes && str_is(e->sandbox, "none"))
		note(t, out, str_of(NOTE_SANDBOX_OFF));
}

static void prompt_line(
	struct textfmt *t, struct strbuf *out, const struct event_prompt *e)
{
	struct str line;
	size_t pos = 0;

	begin(t, out, str_null());
	strbuf_addstr(out, "prompt ");
	if (next_line(e->text, &pos, &line))
		strbuf_adds(out, cleaned(t, line));
	if (e->images.count)
		strbuf_addf(out, " (+%zu image%s)", e->images.count,
			e->images.count == 1 ? "" : "s");
	strbuf_addch(out, '\n');
}

static void tool_line(
	struct textfmt *t, struct strbuf *out, const struct event_tool *e)
{
	begin(t, out, e->parent);
	strbuf_addstr(out, "tool ");
	add_inline(t, out, e->summary);
	if (e->denied)
		strbuf_addstr(out, " (denied)");
	else if (e->error == TRI_TRUE)
		strbuf_addstr(out, " (error)");
	strbuf_addch(out, '\n');
}

static void text_lines(
	struct textfmt *t, struct strbuf *out, const struct event_text *e)
{
	if (!e->parent.ptr) {
		strbuf_reset(&t->last_text);
		strbuf_adds(&t->last_text, e->text);
	}
	textfmt_text(out, textfmt_label(t, e->parent), cleaned(t, e->text),
		TEXT_PREVIEW_LINES);
}

static void subagent_start_line(struct textfmt *t, struct strbuf *out,
	const struct event_subagent_start *e)
{
	struct str model;

	agent_add(t, e);
	begin(t, out, e->parent);
	strbuf_addstr(out, "agent start ");
	strbuf_adds(out, textfmt_label(t, e->id));
	model = textfmt_model(t, e->id);
	if (model.len) {
		strbuf_addstr(out, " (");
		strbuf_adds(out, model);
		strbuf_addch(out, ')');
	}
	strbuf_addstr(out, ": ");
	add_inline(t, out, e->description);
	strbuf_addch(out, '\n');
}

static void subagent_end_line(struct textfmt *t, struct strbuf *out,
	const struct event_subagent_end *e)
{
	struct str model = textfmt_model(t, e->id);

	begin(t, out, e->id);
	strbuf_addf(out, "agent %s ", e->failed ? "failed" : "finished");
	textfmt_duration(out, e->duration_ms);
	if (model.len) {
		strbuf_addch(out, ' ');
		strbuf_adds(out, model);
	}
	if (e->usage)
		textfmt_usage(out, &e->usage->sum, true);
	strbuf_addch(out, '\n');
}

static void network_line(
	struct textfmt *t, struct strbuf *out, const struct event_network *e)
{
	if (e->allowed)
		return;
	begin(t, out, str_null());
	strbuf_addstr(out, "net denied ");
	add_inline(t, out, e->host);
	strbuf_addf(out, ":%lld", (long long)e->port);
	if (e->reason.ptr) {
		strbuf_addstr(out, " (");
		add_inline(t, out, e->reason);
		strbuf_addch(out, ')');
	}
	strbuf_addch(out, '\n');
}

/* --- the end --- */

static struct str trim_end(struct str s)
{
	size_t cut = s.len;

	/* Trailing white space, also beyond ASCII: by whole characters. */
	while (cut > 0) {
		size_t at = cut - 1;

		while (at > 0 && ((unsigned char)s.ptr[at] & 0xc0) == 0x80)
			at--;
		if (!utf8_is_blank(s.ptr + at, cut - at))
			break;
		cut = at;
	}
	s.len = cut;
	return s;
}

/* The same lines, blank ones and trailing white space left out of account. */
static bool same_lines(struct str a, struct str b)
{
	size_t pa = 0;
	size_t pb = 0;
	struct str la;
	struct str lb;

	for (;;) {
		bool more_a = next_line(a, &pa, &la);
		bool more_b = next_line(b, &pb, &lb);

		if (!more_a || !more_b)
			return more_a == more_b;
		if (!str_eq(trim_end(la), trim_end(lb)))
			return false;
	}
}

/* Whether the text lines did not show the whole answer. */
static bool result_is_new(const struct textfmt *t, struct str result)
{
	struct str line;
	size_t pos = 0;
	size_t n = 0;

	if (!result.ptr)
		return false;
	while (n <= TEXT_PREVIEW_LINES && next_line(result, &pos, &line))
		n++;
	if (n == 0)
		return false;
	return n > TEXT_PREVIEW_LINES ||
	       !same_lines(result, strbuf_str(&t->last_text));
}

static bool is_newline(char c)
{
	return c == '\n' || c == '\r';
}

static void result_lines(struct textfmt *t, struct strbuf *out, struct str s)
{
	while (s.len && is_newline(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	while (s.len && is_newline(s.ptr[s.len - 1]))
		s.len--;
	strbuf_addstr(out, "[result]\n");
	strbuf_adds(out, cleaned(t, s));
	strbuf_addch(out, '\n');
}

/* Newlines at the end go, the others become a blank each. */
static void add_detail(struct textfmt *t, struct strbuf *out, struct str s)
{
	struct str line;
	size_t pos = 0;
	bool first = true;

	while (s.len && is_newline(s.ptr[s.len - 1]))
		s.len--;
	strbuf_reset(&t->scratch);
	while (utf8_next_line(s, &pos, &line)) {
		if (!first)
			strbuf_addch(&t->scratch, ' ');
		strbuf_adds(&t->scratch, line);
		first = false;
	}
	strbuf_adds(out, cleaned(t, strbuf_str(&t->scratch)));
}

static void warn_line(
	struct textfmt *t, struct strbuf *out, const struct str_list *warnings)
{
	if (!warnings->count)
		return;
	strbuf_addstr(out, "[warn]");
	for (size_t i = 0; i < warnings->count; i++) {
		strbuf_addstr(out, i ? "  " : " ");
		add_inline(t, out, warnings->v[i]);
	}
	strbuf_addch(out, '\n');
}

static bool has_detail(struct str s)
{
	while (s.len && is_newline(s.ptr[s.len - 1]))
		s.len--;
	return s.len > 0;
}

static void end_line(
	struct textfmt *t, struct strbuf *out, const struct event_end *e)
{
	bool rejected = e->status == END_REJECTED;

	strbuf_addf(out, "[end] %s", status_word(e->status));
	if (!rejected) {
		strbuf_addch(out, ' ');
		textfmt_duration(out, e->duration_ms);
		if (e->usage)
			textfmt_usage(out, &e->usage->sum, true);
		if (e->usage && isfinite(e->usage->sum.cost_usd))
			strbuf_addf(out, "  $%.4f", e->usage->sum.cost_usd);
		if (e->session_id.ptr) {
			strbuf_addstr(out, "  session ");
			add_inline(t, out, e->session_id);
		}
	}
	if (has_detail(e->detail)) {
		strbuf_addstr(out, rejected ? " " : "  ");
		add_detail(t, out, e->detail);
	}
	strbuf_addch(out, '\n');
}

static void end_lines(
	struct textfmt *t, struct strbuf *out, const struct event_end *e)
{
	if (result_is_new(t, e->result))
		result_lines(t, out, e->result);
	warn_line(t, out, &e->warnings);
	end_line(t, out, e);
}

void textfmt_event(
	struct textfmt *t, const struct event *ev, struct strbuf *out)
{
	switch (ev->kind) {
	case EVENT_START:
		start_lines(t, out, &ev->u.start);
		break;
	case EVENT_PROMPT:
		prompt_line(t, out, &ev->u.prompt);
		break;
	case EVENT_TOOL:
		tool_line(t, out, &ev->u.tool);
		break;
	case EVENT_TEXT:
		text_lines(t, out, &ev->u.text);
		break;
	case EVENT_USAGE:
		set_model(t, ev->u.usage.parent, ev->u.usage.model);
		break;
	case EVENT_SUBAGENT_START:
		subagent_start_line(t, out, &ev->u.subagent_start);
		break;
	case EVENT_SUBAGENT_END:
		subagent_end_line(t, out, &ev->u.subagent_end);
		break;
	case EVENT_NETWORK:
		network_line(t, out, &ev->u.network);
		break;
	case EVENT_END:
		end_lines(t, out, &ev->u.end);
		break;
	case EVENT_TOOL_START:
	case EVENT_UNKNOWN:
		break;
	}
}

#include "config.h"

#include "ui/inspect.h"

#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "event/status.h"
#include "ui/text.h"

/* --- texts --- */

/* The head line without its label and word: "[main] text Hello" -> "Hello". */
static struct str bare_head(const struct model *m, const struct item *it)
{
	struct str s = doc_line(&m->doc, it->line);
	size_t skip = strlen(m->agents.v[it->agent].label) + 3;
	const char *word = "";

	switch ((enum item_kind)it->kind) {
	case ITEM_TOOL:
		word = "tool ";
		break;
	case ITEM_TEXT:
	case ITEM_PROMPT:
	case ITEM_NOTE:
	case ITEM_AGENT_START:
	case ITEM_AGENT_END:
	case ITEM_NET:
	case ITEM_RESULT:
	case ITEM_END:
	case ITEM_STDERR:
	case ITEM_PLAIN:
		return s;
	}
	skip += strlen(word);
	if (skip > s.len)
		skip = s.len;
	s.ptr += skip;
	s.len -= skip;
	return s;
}

void item_text(const struct model *m, size_t item, struct strbuf *out)
{
	const struct item *it = &m->items[item];
	size_t end = model_item_end(m, item);
	struct str source = model_source(m, item);
	size_t line;

	if (source.ptr) {
		while (source.len && source.ptr[source.len - 1] == '\n')
			source.len--;
		strbuf_adds(out, source);
		return;
	}
	for (line = it->line; line < end; line++) {
		struct str s = doc_line(&m->doc, line);

		if (line == it->line)
			s = bare_head(m, it);
		if (out->len)
			strbuf_addch(out, '\n');
		strbuf_adds(out, s);
	}
}

/* --- what kind, and how it stands --- */

static const char *outcome(const struct item *it)
{
	if (it->flags & ITEM_DENIED)
		return _("denied: it was not run");
	if (it->flags & ITEM_FAILED)
		return _("error");
	if (it->flags & ITEM_UNKNOWN)
		return _("not reported");
	return _("ok");
}

static const char *kind_title(const struct item *it)
{
	switch ((enum item_kind)it->kind) {
	case ITEM_TEXT:
		return _("text");
	case ITEM_PROMPT:
		return _("prompt");
	case ITEM_TOOL:
		return _("tool call");
	case ITEM_RESULT:
		return _("result");
	case ITEM_END:
		return _("end");
	case ITEM_STDERR:
		return _("standard error");
	case ITEM_AGENT_START:
	case ITEM_AGENT_END:
		return _("subagent");
	case ITEM_NET:
		return _("network");
	case ITEM_NOTE:
		return _("note");
	case ITEM_PLAIN:
		break;
	}
	return _("line");
}

/* The subagent that an item tells of, AGENT_MAIN if none. */
static uint32_t agent_of(const struct item *it)
{
	if (it->kind == ITEM_AGENT_START)
		return it->aux;
	return it->kind == ITEM_AGENT_END ? it->agent : AGENT_MAIN;
}

void inspect_title(struct strbuf *out, const struct model *m, size_t i)
{
	const struct item *it = &m->items[i];
	uint32_t agent = agent_of(it);
	char when[TEXT_TIME_SIZE];

	text_time(when, m->first_ms + it->time);
	if (agent == AGENT_MAIN)
		agent = it->agent;
	strbuf_addf(out, "%s  %s", m->agents.v[agent].label, kind_title(it));
	if (agent_of(it) != AGENT_MAIN)
		strbuf_addf(out, " %s", m->agents.v[agent].description);
	if (it->kind == ITEM_TOOL) {
		if (it->name < m->name_count)
			strbuf_addf(out, " %s", m->names[it->name]);
		strbuf_addf(out, "  %s  ", outcome(it));
		textfmt_duration(out, it->aux);
	}
	strbuf_addf(out, "  %s", when);
}

unsigned inspect_stamp(const struct model *m, size_t i)
{
	uint32_t agent = agent_of(&m->items[i]);

	return agent == AGENT_MAIN ? 0 : (unsigned)m->agents.v[agent].state + 1;
}

bool inspect_ask(const struct model *m, size_t i, struct detail_ask *ask)
{
	const struct item *it = &m->items[i];
	struct trail_item t = trail_of(&m->trail, i);
	uint32_t agent = agent_of(it);

	memset(ask, 0, sizeof(*ask));
	ask->first = t.first;
	ask->last = t.last;
	ask->id = trail_id(&m->trail, &t);
	if (agent != AGENT_MAIN) {
		const struct agent *a = &m->agents.v[agent];

		ask->is_agent = true;
		ask->id = (struct str){a->id, a->id_len};
		ask->first = a->first;
		ask->last = a->last;
	} else if (it->kind == ITEM_TOOL) {
		ask->is_tool = true;
		if (it->name < m->name_count)
			ask->name = str_of(m->names[it->name]);
	}
	return ask->first.len || ask->last.len;
}

/* --- facts --- */

static void add_field(struct content *c, const char *title, struct strbuf *sb)
{
	if (sb->len)
		content_add(c, PART_FIELD, title, content_keep(c, sb));
	strbuf_reset(sb);
}

static void add_text(struct content *c, enum part_kind kind, const char *title,
	struct strbuf *sb)
{
	if (sb->len)
		content_add(c, kind, title, content_keep(c, sb));
	strbuf_reset(sb);
}

static void usage_words(struct strbuf *out, const struct token_counts *n)
{
	struct strbuf sb = STRBUF_INIT;
	size_t at = 0;

	textfmt_usage(&sb, n, true);
	if (!isnan(n->cost_usd))
		strbuf_addf(&sb, "  $%.4f", n->cost_usd);
	while (at < sb.len && sb.buf[at] == ' ')
		at++;
	strbuf_add(out, sb.buf + at, sb.len - at);
	strbuf_release(&sb);
}

void inspect_last_text(struct content *c, const struct model *m, size_t item)
{
	uint32_t agent = agent_of(&m->items[item]);
	struct strbuf sb = STRBUF_INIT;

	c->result = true;

	for (size_t i = m->item_count; i-- > 0;) {
		if (m->items[i].kind != ITEM_TEXT || m->items[i].agent != agent)
			continue;
		item_text(m, i, &sb);
		add_text(c, PART_TEXT, N_("last text"), &sb);
		break;
	}
	strbuf_release(&sb);
}

static void agent_facts(
	struct content *c, const struct model *m, uint32_t agent)
{
	static const char *const states[] = {
		N_("running"), N_("finished"), N_("failed")};
	const struct agent *a = &m->agents.v[agent];
	struct token_counts used = agents_used(&m->agents, agent);
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s", _(states[a->state]));
	if (a->state != AGENT_RUNNING) {
		strbuf_addch(&sb, ' ');
		textfmt_duration(&sb, a->duration_ms);
	}
	add_field(c, N_("state"), &sb);
	strbuf_adds(&sb, model_of(m, agent));
	add_field(c, N_("model"), &sb);
	usage_words(&sb, &used);
	add_field(c, N_("usage"), &sb);
	strbuf_release(&sb);
}

/* The rule behind a reason of `network`. */
static const char *reason_words(const char *reason)
{
	if (strcmp(reason, "not_allowed") == 0)
		return _("no --allow-host names it, and --network is not full");
	if (strcmp(reason, "private_address") == 0)
		return _("its address is private: no name can lead there");
	return NULL;
}

/* Nothing but what a name or an address is made of. */
static bool is_plain(struct str host)
{
	for (size_t i = 0; i < host.len; i++) {
		char c = host.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
			!(c >= '0' && c <= '9') && !memchr(".:-_", c, 4))
			return false;
	}
	return host.len;
}

/* As it stands in an option: digits, dots, or colons. */
static bool is_address(struct str host)
{
	for (size_t i = 0; i < host.len; i++) {
		if (!memchr("0123456789abcdefABCDEF.:", host.ptr[i], 24))
			return false;
	}
	return host.len && (memchr(host.ptr, ':', host.len) ||
				   (host.ptr[host.len - 1] >= '0' &&
					   host.ptr[host.len - 1] <= '9'));
}

/* A private address is only reached when it is itself named. */
static void allow_option(
	struct strbuf *sb, const char *reason, struct str host, uint32_t port)
{
	const char *name =
		strcmp(reason, "private_address") == 0 ? "ADDRESS" : NULL;
	bool bare = host.len && memchr(host.ptr, ':', host.len);

	strbuf_addstr(sb, "--allow-host '");
	if (bare)
		strbuf_addch(sb, '[');
	if (name && !is_address(host))
		strbuf_addstr(sb, name);
	else
		strbuf_adds(sb, host);
	if (bare)
		strbuf_addch(sb, ']');
	if (port != 443 && port != 80)
		strbuf_addf(sb, ":%u", port);
	strbuf_addch(sb, '\'');
}

static void net_facts(struct content *c, const struct model *m, size_t i)
{
	const struct item *it = &m->items[i];
	struct trail_item t = trail_of(&m->trail, i);
	struct str host = trail_id(&m->trail, &t);
	const char *reason = it->name < m->name_count ? m->names[it->name] : "";
	const char *words = reason_words(reason);
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, host);
	add_field(c, N_("host"), &sb);
	strbuf_addf(&sb, "%u", it->aux);
	add_field(c, N_("port"), &sb);
	strbuf_addstr(&sb, reason);
	if (words)
		strbuf_addf(&sb, ": %s", words);
	add_field(c, N_("denied because"), &sb);
	if (is_plain(host))
		allow_option(&sb, reason, host, it->aux);
	add_field(c, N_("this would allow it"), &sb);
	strbuf_release(&sb);
}

void inspect_tool_facts(struct content *c, const struct model *m, size_t i)
{
	const struct item *it = &m->items[i];
	struct strbuf sb = STRBUF_INIT;
	char when[TEXT_TIME_SIZE];

	strbuf_adds(&sb, bare_head(m, it));
	add_field(c, N_("summary"), &sb);
	strbuf_addstr(&sb, outcome(it));
	add_field(c, N_("outcome"), &sb);
	text_time(when, m->first_ms + it->time - it->aux);
	strbuf_addstr(&sb, when);
	add_field(c, N_("start"), &sb);
	textfmt_duration(&sb, it->aux);
	add_field(c, N_("duration"), &sb);
	strbuf_release(&sb);
}

/* A warning of `end` in words. */
static const char *warning_words(struct str w)
{
	static const struct {
		const char *word;
		const char *what;
	} words[] = {
		{"empty_run", N_("it finished without a text, a tool call, a "
				 "subagent or a token")},
		{"subagents_unfinished", N_("so many subagents never ended")},
		{"tools_unfinished", N_("so many tool calls have no result")},
		{"tasks_unfinished",
			N_("so many background tasks were not seen to end")},
		{"denied", N_("so many calls were refused that do not show "
			      "it")},
		{"stopped_after_result",
			N_("the runtime did not exit by itself "
			   "after its result")},
		{"exit_after_result", N_("the runtime gave a good result and "
					 "then this exit code")},
		{"last_line_cut", N_("the runtime's last line is not whole")},
		{"lines_skipped",
			N_("so many lines of the runtime were too long")},
		{"cost_unknown",
			N_("tokens were used, but their cost is not known")},
		{"session_not_saved", N_("the session could not be saved")},
	};
	const char *colon = w.len ? memchr(w.ptr, ':', w.len) : NULL;

	if (colon)
		w.len = (size_t)(colon - w.ptr);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (str_is(w, words[i].word))
			return _(words[i].what);
	}
	return NULL;
}

static void add_warnings(struct content *c, const struct event_end *e)
{
	for (size_t i = 0; i < e->warnings.count; i++) {
		const char *words = warning_words(e->warnings.v[i]);
		struct strbuf sb = STRBUF_INIT;

		strbuf_adds(&sb, e->warnings.v[i]);
		if (words)
			strbuf_addf(&sb, ": %s", words);
		add_field(c, N_("warning"), &sb);
		strbuf_release(&sb);
	}
}

static void add_models(struct content *c, const struct usage *u)
{
	for (size_t i = 0; i < u->count; i++) {
		struct strbuf sb = STRBUF_INIT;

		usage_words(&sb, &u->models[i].counts);
		content_add(c, PART_FIELD, NULL, content_keep(c, &sb))->name =
			(struct str){
				u->models[i].model, u->models[i].model_len};
		strbuf_release(&sb);
	}
}

static void end_facts(
	struct content *c, const struct model *m, struct detail *d)
{
	const struct event_end *e = &m->trail.end;
	const char *raw = d ? d->ops->name(d) : NULL;
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, status_word(e->status));
	if (e->exit_code != EXIT_CODE_NULL)
		strbuf_addf(
			&sb, _(" (exit code %lld)"), (long long)e->exit_code);
	add_field(c, N_("verdict"), &sb);
	textfmt_duration(&sb, e->duration_ms);
	add_field(c, N_("duration"), &sb);
	if (e->detail.len)
		content_add(c, PART_PLAIN, N_("because"), e->detail);
	add_warnings(c, e);
	usage_words(&sb, &e->usage->sum);
	add_field(c, N_("usage"), &sb);
	add_models(c, e->usage);
	if (e->session_id.len)
		content_add(c, PART_FIELD, N_("session"), e->session_id);
	strbuf_addstr(&sb, raw ? raw : _("not saved (--raw FILE)"));
	add_field(c, N_("raw output"), &sb);
	strbuf_release(&sb);
}

void inspect_facts(
	struct content *c, const struct model *m, struct detail *d, size_t i)
{
	const struct item *it = &m->items[i];
	struct strbuf sb = STRBUF_INIT;

	switch ((enum item_kind)it->kind) {
	case ITEM_TOOL:
		if (!d)
			content_add(c, PART_NOTE, NULL,
				str_of(N_("no raw output was kept")));
		break;
	case ITEM_AGENT_START:
	case ITEM_AGENT_END:
		agent_facts(c, m, agent_of(it));
		break;
	case ITEM_NET:
		net_facts(c, m, i);
		break;
	case ITEM_END:
		if (m->trail.ended)
			end_facts(c, m, d);
		break;
	case ITEM_TEXT:
	case ITEM_PROMPT:
	case ITEM_RESULT:
		item_text(m, i, &sb);
		add_text(c, PART_TEXT, NULL, &sb);
		if (model_extra(m, i).len) {
			strbuf_adds(&sb, model_extra(m, i));
			add_text(c, PART_PLAIN, NULL, &sb);
		}
		break;
	case ITEM_NOTE:
	case ITEM_STDERR:
	case ITEM_PLAIN:
		item_text(m, i, &sb);
		add_text(c, PART_PLAIN, NULL, &sb);
		break;
	}
	strbuf_release(&sb);
}

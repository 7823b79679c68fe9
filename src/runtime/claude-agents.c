#include "config.h"

#include "runtime/claude-agents.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "runtime/summary.h"

enum agent_state {
	AGENT_HELD, /* called; nothing proves yet that it started */
	AGENT_RUNNING,
	AGENT_OVER /* ended, or never a subagent */
};

struct claude_agent {
	struct claude_agent *next;
	enum agent_state state;
	bool background; /* its tool result is the launch, not the end */
	struct strbuf id;
	struct strbuf parent; /* "" for the main agent */
	struct strbuf name;
	struct strbuf summary;
	struct strbuf kind;
	struct strbuf model; /* "" when not given */
	struct strbuf description;
};

void claude_agents_init(struct claude_agents *as, struct claude_calls *calls)
{
	as->first = NULL;
	as->last = &as->first;
	as->calls = calls;
	strmap_init(&as->by_id);
}

/* What only the start needs. */
static void agent_forget(struct claude_agent *ag)
{
	strbuf_release(&ag->parent);
	strbuf_release(&ag->name);
	strbuf_release(&ag->summary);
	strbuf_release(&ag->kind);
	strbuf_release(&ag->model);
	strbuf_release(&ag->description);
}

void claude_agents_release(struct claude_agents *as)
{
	struct claude_agent *ag;

	strmap_release(&as->by_id);
	while ((ag = as->first)) {
		as->first = ag->next;
		agent_forget(ag);
		strbuf_release(&ag->id);
		free(ag);
	}
}

/* The contents, or null when there are none. */
static struct str str_or_null(const struct strbuf *sb)
{
	return sb->len ? strbuf_str(sb) : str_null();
}

static struct claude_agent *agent_find(
	const struct claude_agents *as, struct str id)
{
	return id.ptr ? strmap_get(&as->by_id, id) : NULL;
}

void claude_agents_hold(struct claude_agents *as, const struct record *tool,
	const struct json *input)
{
	struct str kind = json_str(input, "subagent_type");
	struct claude_agent *ag;

	if (agent_find(as, tool->id))
		return;
	ag = xcalloc(1, sizeof(*ag));
	*as->last = ag;
	as->last = &ag->next;
	ag->state = AGENT_HELD;
	strbuf_init(&ag->id);
	strbuf_init(&ag->parent);
	strbuf_init(&ag->name);
	strbuf_init(&ag->summary);
	strbuf_init(&ag->kind);
	strbuf_init(&ag->model);
	strbuf_init(&ag->description);
	strbuf_adds(&ag->id, tool->id);
	strmap_put(&as->by_id, strbuf_str(&ag->id), ag);
	strbuf_adds(&ag->parent, tool->parent);
	strbuf_adds(&ag->name, tool->name);
	strbuf_adds(&ag->summary, tool->summary);
	strbuf_adds(&ag->kind, kind.len ? kind : str_of("general-purpose"));
	strbuf_adds(&ag->model, json_str(input, "model"));
	summary_line(&ag->description, json_str(input, "description"));
}

static void agent_start(struct claude_agent *ag, const struct record_out *out)
{
	struct record r = {.kind = RECORD_SUBAGENT_START};

	if (ag->state != AGENT_HELD)
		return;
	ag->state = AGENT_RUNNING;
	r.id = strbuf_str(&ag->id);
	r.parent = str_or_null(&ag->parent);
	r.agent_kind = strbuf_str(&ag->kind);
	r.model = str_or_null(&ag->model);
	r.description = strbuf_str(&ag->description);
	record_put(out, &r);
	agent_forget(ag);
}

static void agent_end(struct claude_agents *as, struct claude_agent *ag,
	bool failed, const struct record_out *out)
{
	struct record r = {.kind = RECORD_SUBAGENT_END};

	agent_start(ag, out);
	if (ag->state != AGENT_RUNNING)
		return;
	ag->state = AGENT_OVER;
	r.id = strbuf_str(&ag->id);
	r.failed = failed;
	claude_calls_close(as->calls, r.id, str_null(), out);
	record_put(out, &r);
}

/* Nothing proved that it started. OC NULL: its outcome is not known either. */
static void agent_is_tool(struct claude_agent *ag,
	const struct claude_outcome *oc, const struct record_out *out)
{
	struct record r = {.kind = RECORD_TOOL_START};

	ag->state = AGENT_OVER;
	r.id = strbuf_str(&ag->id);
	r.parent = str_or_null(&ag->parent);
	r.name = strbuf_str(&ag->name);
	r.summary = strbuf_str(&ag->summary);
	record_put(out, &r);
	agent_forget(ag);
	if (oc)
		claude_put_tool_end(strbuf_str(&ag->id), oc, out);
}

void claude_agents_start(struct claude_agents *as, struct str id,
	bool background, const struct record_out *out)
{
	struct claude_agent *ag = agent_find(as, id);

	if (!ag)
		return;
	ag->background = ag->background || background;
	agent_start(ag, out);
}

void claude_agents_over(struct claude_agents *as, struct str id, bool failed,
	const struct record_out *out)
{
	struct claude_agent *ag = agent_find(as, id);

	if (ag)
		agent_end(as, ag, failed, out);
}

bool claude_agents_result(struct claude_agents *as, struct str id,
	const struct claude_outcome *oc, const struct record_out *out)
{
	struct claude_agent *ag = agent_find(as, id);
	bool bad = oc->is_error || oc->denied;

	if (!ag)
		return false;
	if (ag->state == AGENT_HELD && bad)
		agent_is_tool(ag, oc, out);
	else if (bad || !(oc->launched || ag->background))
		agent_end(as, ag, bad, out);
	else
		agent_start(ag, out);
	return true;
}

void claude_agents_finish(
	struct claude_agents *as, const struct record_out *out)
{
	struct claude_agent *ag;

	for (ag = as->first; ag; ag = ag->next)
		if (ag->state == AGENT_HELD)
			agent_is_tool(ag, NULL, out);
}

void claude_put_tool_end(struct str id, const struct claude_outcome *oc,
	const struct record_out *out)
{
	struct record r = {.kind = RECORD_TOOL_END};

	r.id = id;
	r.denied = oc->denied;
	r.error = oc->is_error && !oc->denied ? TRI_TRUE : TRI_FALSE;
	record_put(out, &r);
}

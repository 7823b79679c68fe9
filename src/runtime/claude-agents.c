#include "config.h"

#include "runtime/claude-agents.h"

#include <stdlib.h>
#include <string.h>

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
	bool background;   /* its tool result is the launch, not the end */
	struct str id;     /* stands behind the struct */
	struct held *held; /* what only the start needs; NULL after it */
};

/* The strings stand behind the struct. */
struct held {
	struct str parent; /* "": the main agent */
	struct str name;
	struct str summary;
	struct str kind;
	struct str model; /* "": not given */
	struct str description;
};

void claude_agents_init(struct claude_agents *as, struct claude_calls *calls)
{
	as->first = NULL;
	as->last = &as->first;
	as->calls = calls;
	strmap_init(&as->by_id);
}

void claude_agents_release(struct claude_agents *as)
{
	struct claude_agent *ag;

	strmap_release(&as->by_id);
	while ((ag = as->first)) {
		as->first = ag->next;
		free(ag->held);
		free(ag);
	}
}

static struct claude_agent *agent_find(
	const struct claude_agents *as, struct str id)
{
	return id.ptr ? strmap_get(&as->by_id, id) : NULL;
}

/* Puts a copy of S at *ROOM and moves *ROOM behind it. */
static struct str place(char **room, struct str s)
{
	struct str copy = {*room, s.len};

	if (s.len)
		memcpy(*room, s.ptr, s.len);
	*room += s.len;
	return copy;
}

static struct str or_null(struct str s)
{
	return s.len ? s : str_null();
}

static struct held *held_new(
	const struct record *tool, const struct json *input)
{
	struct str kind = json_str(input, "subagent_type");
	struct str model = json_str(input, "model");
	struct strbuf description = STRBUF_INIT;
	struct held *h;
	char *room;

	if (!kind.len)
		kind = str_of("general-purpose");
	summary_line(&description, json_str(input, "description"));
	h = xmalloc(sizeof(*h) + tool->parent.len + tool->name.len +
		    tool->summary.len + kind.len + model.len + description.len);
	room = (char *)(h + 1);
	h->parent = place(&room, tool->parent);
	h->name = place(&room, tool->name);
	h->summary = place(&room, tool->summary);
	h->kind = place(&room, kind);
	h->model = place(&room, model);
	h->description = place(&room, strbuf_str(&description));
	strbuf_release(&description);
	return h;
}

void claude_agents_hold(struct claude_agents *as, const struct record *tool,
	const struct json *input)
{
	struct claude_agent *ag;
	char *room;

	if (agent_find(as, tool->id))
		return;
	ag = xmalloc(sizeof(*ag) + tool->id.len);
	room = (char *)(ag + 1);
	ag->id = (struct str){room, tool->id.len};
	place(&room, tool->id);
	ag->state = AGENT_HELD;
	ag->background = false;
	ag->held = held_new(tool, input);
	ag->next = NULL;
	*as->last = ag;
	as->last = &ag->next;
	strmap_put(&as->by_id, ag->id, ag);
}

static void agent_forget(struct claude_agent *ag)
{
	free(ag->held);
	ag->held = NULL;
}

static void agent_start(struct claude_agent *ag, const struct record_out *out)
{
	struct record r = {.kind = RECORD_SUBAGENT_START};

	if (ag->state != AGENT_HELD)
		return;
	ag->state = AGENT_RUNNING;
	r.id = ag->id;
	r.parent = or_null(ag->held->parent);
	r.agent_kind = ag->held->kind;
	r.model = or_null(ag->held->model);
	r.description = ag->held->description;
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
	r.id = ag->id;
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
	r.id = ag->id;
	r.parent = or_null(ag->held->parent);
	r.name = ag->held->name;
	r.summary = ag->held->summary;
	record_put(out, &r);
	agent_forget(ag);
	if (oc)
		claude_put_tool_end(ag->id, oc, out);
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

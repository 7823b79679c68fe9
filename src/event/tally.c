#include "config.h"

#include "event/tally.h"

void tally_init(struct tally *t)
{
	*t = (struct tally){0};
	seen_init(&t->denied);
	seen_init(&t->refusal);
}

void tally_release(struct tally *t)
{
	seen_release(&t->denied);
	seen_release(&t->refusal);
}

static void shown_as_denied(struct tally *t, struct str id)
{
	if (seen_has(&t->denied, id, str_null()))
		return;
	seen_add(&t->denied, id, str_null());
	if (t->refused && seen_has(&t->refusal, id, str_null()))
		t->refused--;
}

void tally_event(struct tally *t, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_TOOL:
		if (ev->u.tool.denied)
			shown_as_denied(t, ev->u.tool.id);
		t->worked = true;
		break;
	case EVENT_TEXT:
	case EVENT_TOOL_START:
	case EVENT_SUBAGENT_START:
		t->worked = true;
		break;
	case EVENT_START:
	case EVENT_PROMPT:
	case EVENT_USAGE:
	case EVENT_SUBAGENT_END:
	case EVENT_NETWORK:
	case EVENT_END:
	case EVENT_UNKNOWN:
		break;
	}
}

void tally_refused(struct tally *t, struct str id)
{
	if (id.ptr && (seen_has(&t->denied, id, str_null()) ||
			      seen_has(&t->refusal, id, str_null())))
		return;
	if (id.ptr)
		seen_add(&t->refusal, id, str_null());
	t->refused++;
}

void tally_warnings(const struct tally *t, struct strvec *warn)
{
	if (t->tasks)
		strvec_pushf(warn, "tasks_unfinished:%llu",
			(unsigned long long)t->tasks);
	if (t->refused)
		strvec_pushf(
			warn, "denied:%llu", (unsigned long long)t->refused);
}

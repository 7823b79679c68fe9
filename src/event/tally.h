#ifndef AGENTRUN_EVENT_TALLY_H
#define AGENTRUN_EVENT_TALLY_H

#include "base/strvec.h"
#include "event/event.h"
#include "event/seen.h"

/* tally: what a run did and what it left undone, for the warnings of `end`. A
 * run can end well and still have done nothing, or not all of it; nobody looks
 * twice at a green run that does not say so. */
struct tally {
	bool worked;         /* a text, a tool call or a subagent was seen */
	uint64_t tasks;      /* background tasks still open */
	uint64_t refused;    /* refused calls that are not shown as denied */
	struct seen denied;  /* calls shown as denied */
	struct seen refusal; /* calls counted in REFUSED at any time */
};

void tally_init(struct tally *t);
void tally_release(struct tally *t);

/* Every event that is given out. */
void tally_event(struct tally *t, const struct event *ev);

/* The runtime says that it refused call ID (null: it names none), before or
 * after the call's own events. */
void tally_refused(struct tally *t, struct str id);

/* Appends tasks_unfinished:N and denied:N where they hold. */
void tally_warnings(const struct tally *t, struct strvec *warn);

#endif

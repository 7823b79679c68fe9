#ifndef AGENTRUN_VIEW_DETAIL_H
#define AGENTRUN_VIEW_DETAIL_H

#include "base/keep.h"
#include "event/detail.h"
#include "runtime/runtime.h"

/* view/detail: the details of a run (event/detail.h) from where its bytes are.
 */

/* A run whose events carry the places of raw lines of FROM in RAW (borrowed;
 * NULL: nothing is kept). Never NULL. */
struct detail *view_detail_raw(
	const struct runtime_ops *from, const struct keep *raw);

/* A saved run: its events carry the places of their own lines in file EVENTS
 * (borrowed; NULL: they cannot be read again). The raw output is file RAW, or
 * NULL: the one beside it (view_raw_beside), if there is one; it is looked at
 * when a detail is first wanted. NAME is for messages. Never NULL. */
struct detail *view_detail_saved(
	const struct keep *events, const char *name, const char *raw);

void view_detail_free(struct detail *d); /* NULL is allowed */

/* After prepare: why there are no details, or NULL; translated. */
const char *view_detail_problem(const struct detail *d);

/* The name of the raw output beside a saved run: "x.raw.jsonl" of "x.jsonl".
 * The caller frees it. */
char *view_raw_beside(const char *name);

#endif

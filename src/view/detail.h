#ifndef AGENTRUN_VIEW_DETAIL_H
#define AGENTRUN_VIEW_DETAIL_H

#include "base/keep.h"
#include "event/detail.h"
#include "runtime/runtime.h"

/* view/detail: the details of a run (event/detail.h) from where its bytes are.
 */

/* A run whose events carry the places of raw lines of FROM: in RAW (borrowed),
 * or, when that is NULL, in the file PATH, which is opened when a detail is
 * first wanted. Never NULL; detail_free. */
struct detail *view_detail_raw(const struct runtime_ops *from,
	const struct keep *raw, const char *path);

/* A saved run: its events carry the places of their own lines in EVENTS
 * (borrowed), or, when that is NULL, in the file NAME. The raw output is file
 * RAW, or, when that is NULL, the one beside NAME (view_raw_beside), if there
 * is one. Files are opened when a detail is first wanted. Never NULL;
 * detail_free. */
struct detail *view_detail_saved(
	const struct keep *events, const char *name, const char *raw);

/* After prepare: why there are no details, or NULL; translated. */
const char *view_detail_problem(const struct detail *d);

/* The name of the raw output beside a saved run: "x.raw.jsonl" of "x.jsonl".
 * The caller frees it. */
char *view_raw_beside(const char *name);

#endif

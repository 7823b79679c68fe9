#ifndef AGENTRUN_UI_LENS_H
#define AGENTRUN_UI_LENS_H

#include "ui/find.h"
#include "ui/model.h"
#include "ui/rows.h"
#include "ui/wrap.h"

#include <stdbool.h>

/* lens: which lines of a model are shown, and in how many rows: of one agent
 * and those below it, of some kinds, those that match; long texts folded.
 *
 * Folding: the newest RECENT_TEXTS texts show the preview of the text format,
 * older ones their head; the oldest folds first when the previews do not fit
 * (spec: rich 1). The reader unfolds one (ITEM_FULL) or all. */
#define RECENT_TEXTS 3

enum lens_kind { /* what `&` can choose; 0: all */
	LENS_TOOLS = 1,
	LENS_ERRORS = 2,
	LENS_DENIALS = 4,
	LENS_TEXTS = 8
};

struct lens {
	struct model *m;
	uint32_t agent; /* AGENT_MAIN: everything */
	unsigned kinds;
	uint32_t only;     /* lines of this agent alone; UINT32_MAX: any */
	struct find match; /* lines that match */
	bool unfolded;     /* all texts in full */
	bool chop;         /* each line is one row */
	int width;
	bool chopped; /* what the rows were found for, besides width */
	struct rows rows;
	size_t next; /* items laid out */
	bool *member;
	size_t members;
	size_t recent[RECENT_TEXTS]; /* items, oldest first */
	size_t recent_count;
	size_t keep;        /* how many of them show their preview */
	size_t fitted_next; /* what keep was found for */
	int fitted_rows;
};

void lens_init(struct lens *l, struct model *m, uint32_t agent);
void lens_release(struct lens *l);

/* Lays out what is new, for a pane of ROWS x WIDTH; everything when the width
 * or chop is another one. The numbers of rows may be rough. */
void lens_sync(struct lens *l, int rows, int width);

/* Makes the numbers of rows exact around LINE: of so many lines before it, and
 * behind it with it, as take ABOVE and BELOW rows. */
void lens_settle(struct lens *l, size_t line, uint64_t above, uint64_t below);

/* How LINE is wrapped. */
struct wrap lens_wrap(const struct lens *l, size_t line);

/* How many lines of item I are not shown though only its head is: they are to
 * be announced behind it. */
size_t lens_hidden(const struct lens *l, size_t i);

/* Everything anew (after a change of kinds, only, match or unfolded). */
void lens_relayout(struct lens *l);

/* Item I anew (after its ITEM_FULL changed). */
void lens_relay(struct lens *l, size_t i);

bool lens_is_filtered(const struct lens *l);

/* Whether the item belongs to what is shown, folded or not. */
bool lens_selects(const struct lens *l, size_t i);

#endif

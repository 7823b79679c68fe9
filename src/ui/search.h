#ifndef AGENTRUN_UI_SEARCH_H
#define AGENTRUN_UI_SEARCH_H

#include "ui/find.h"
#include "ui/lens.h"

/* search: the lines of a lens, folded ones too, that hold a string. They are
 * counted a piece at a time, so that keys are answered meanwhile, and new lines
 * as they come. Zeroed storage: no search. */
struct search {
	struct find find;
	size_t item;      /* the next one to count */
	size_t line;      /* the next line in it */
	uint16_t *blocks; /* matching lines per ROWS_BLOCK lines */
	size_t cap;
	uint64_t total;
};

void search_release(struct search *s);
void search_set(struct search *s, struct str needle);
void search_restart(struct search *s); /* the lens shows something else now */

/* Counts on for about BUDGET bytes; true when there is more to do. */
bool search_count(struct search *s, const struct lens *l, size_t budget);

/* The next matching line behind (DIR 1) or before (DIR -1) LINE, around the end
 * if need be (*WRAPPED); ROWS_NONE when nothing matches. LINE may be ROWS_NONE:
 * from the start or the end. */
size_t search_next(const struct search *s, const struct lens *l, size_t line,
	int dir, bool *wrapped);

/* How many counted matching lines stand before or at LINE. */
uint64_t search_index(
	const struct search *s, const struct lens *l, size_t line);

#endif

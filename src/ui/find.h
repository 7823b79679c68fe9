#ifndef AGENTRUN_UI_FIND_H
#define AGENTRUN_UI_FIND_H

#include "base/str.h"

#include <stdbool.h>

/* find: a literal string in lines, smart case: a needle without capital letters
 * finds them, too. Horspool's method; only ASCII letters are folded. */
struct find {
	char *needle; /* owned, folded when fold; NULL: nothing is sought */
	size_t len;
	unsigned char lower[256];
	unsigned char skip[256]; /* at most 255 bytes forward */
};

void find_set(struct find *f, struct str needle); /* "" clears */
void find_release(struct find *f);                /* zeroed: nothing sought */

static inline bool find_is_set(const struct find *f)
{
	return f->needle;
}

/* The offset of the first match at or behind FROM; -1 if there is none. */
ptrdiff_t find_in(const struct find *f, struct str text, size_t from);

#endif

#ifndef AGENTRUN_UI_FIND_H
#define AGENTRUN_UI_FIND_H

#include "base/str.h"

#include <stdbool.h>

/* find: a literal string in lines, smart case: a needle without capital letters
 * finds them, too, folded as Unicode says (strasse finds STRASSE and Straße).
 * Lines of ASCII go by Horspool's method. */
struct find {
	char *text;   /* owned: what is sought; NULL: nothing */
	char *needle; /* owned, folded when fold */
	size_t len;
	bool fold; /* other letters than ASCII ones may be meant */
	unsigned char lower[256];
	unsigned char skip[256]; /* at most 255 bytes forward */
};

void find_set(struct find *f, struct str needle); /* "" clears */
void find_release(struct find *f);                /* zeroed: nothing sought */

static inline bool find_is_set(const struct find *f)
{
	return f->needle;
}

/* The offset of the first match at or behind FROM (where a character begins);
 * -1 if there is none. find_span: and *LEN, the bytes of the match, which may
 * be others than the needle's: at most FIND_SPREAD times as many. */
#define FIND_SPREAD 3
ptrdiff_t find_in(const struct find *f, struct str text, size_t from);
ptrdiff_t find_span(
	const struct find *f, struct str text, size_t from, size_t *len);

#endif

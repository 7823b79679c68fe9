#ifndef AGENTRUN_BASE_LONGSTR_H
#define AGENTRUN_BASE_LONGSTR_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/* longstr: takes the long strings out of a line of JSON before yajl sees it.
 *
 * Nearly all bytes of a long line stand in a few strings: file contents, the
 * output of commands. yajl looks at each of them several times, one by one.
 * Here they are read in one pass, and yajl gets the same line with a short
 * string in the place of each. A string that JSON does not allow stays where it
 * is, for yajl to refuse. */
#define LONGSTR_MIN ((size_t)512)       /* a string of this size is long */
#define LONGSTR_LINE ((size_t)8 * 1024) /* shorter lines are left alone */

struct longstr_hole {
	const char *at;  /* where its stand-in begins in the cut line */
	struct str text; /* decoded: in the line, or in the arena */
};

struct longstr {
	const char *line; /* the cut line, in the arena */
	size_t len;
	struct longstr_hole *holes; /* in the order of the line */
	size_t count;
};

/* Cuts LINE, which must be valid UTF-8 without lone surrogates and must live as
 * long as the arena's contents. Returns false, and fills nothing, when there is
 * no long string. */
bool longstr_cut(
	struct longstr *ls, struct arena *a, const char *line, size_t len);

#endif

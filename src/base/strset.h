#ifndef AGENTRUN_BASE_STRSET_H
#define AGENTRUN_BASE_STRSET_H

#include "base/strmap.h"

#include <stdbool.h>

/* strset: strings (copied, NUL bytes included) that are found by hash and keep
 * the order in which they were added. */
struct strset_item {
	struct strset_item *prev;
	struct strset_item *next;
	struct str s; /* its bytes stand behind the struct */
};

struct strset {
	struct strmap map;
	struct strset_item *first;
	struct strset_item *last;
};

void strset_init(struct strset *set);
void strset_release(struct strset *set);

/* Returns false when S was there already. */
bool strset_add(struct strset *set, struct str s);

bool strset_has(const struct strset *set, struct str s);

/* Returns false when S was not there. */
bool strset_remove(struct strset *set, struct str s);

#endif

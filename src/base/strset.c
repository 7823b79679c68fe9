#include "config.h"

#include "base/strset.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void strset_init(struct strset *set)
{
	strmap_init(&set->map);
	set->first = NULL;
	set->last = NULL;
}

void strset_release(struct strset *set)
{
	while (set->first) {
		struct strset_item *it = set->first;

		set->first = it->next;
		free(it);
	}
	set->last = NULL;
	strmap_release(&set->map);
}

bool strset_add(struct strset *set, struct str s)
{
	struct strset_item *it;

	if (strmap_get(&set->map, s))
		return false;
	it = xmalloc(sizeof(*it) + s.len);
	memcpy(it + 1, s.ptr, s.len);
	it->s = (struct str){(const char *)(it + 1), s.len};
	it->next = NULL;
	it->prev = set->last;
	if (it->prev)
		it->prev->next = it;
	else
		set->first = it;
	set->last = it;
	strmap_put(&set->map, it->s, it);
	return true;
}

bool strset_has(const struct strset *set, struct str s)
{
	return strmap_get(&set->map, s) != NULL;
}

bool strset_remove(struct strset *set, struct str s)
{
	struct strset_item *it = strmap_remove(&set->map, s);

	if (!it)
		return false;
	if (it->prev)
		it->prev->next = it->next;
	else
		set->first = it->next;
	if (it->next)
		it->next->prev = it->prev;
	else
		set->last = it->prev;
	free(it);
	return true;
}

#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/strmap.h"
#include "base/strset.h"
#include "base/xalloc.h"
#include "event/seen.h"
#include "tests/check-main.h"

/* Finding by string, and the bounded memory of names that are over. */

struct thing {
	char name[16];
};

static struct str name_of(const struct thing *t)
{
	return str_of(t->name);
}

START_TEST(what_was_put_is_found)
{
	struct strmap m;
	int a = 0;
	int b = 0;

	strmap_init(&m);
	ck_assert_ptr_null(strmap_get(&m, str_of("a")));
	ck_assert_ptr_null(strmap_remove(&m, str_of("a")));
	strmap_put(&m, str_of("a"), &a);
	strmap_put(&m, (struct str){"a\0", 2}, &b);
	ck_assert_ptr_eq(strmap_get(&m, str_of("a")), &a);
	ck_assert_ptr_eq(strmap_get(&m, (struct str){"a\0", 2}), &b);
	ck_assert_ptr_null(strmap_get(&m, str_of("")));
	ck_assert_ptr_null(strmap_get(&m, str_null()));
	ck_assert_ptr_eq(strmap_remove(&m, str_of("a")), &a);
	ck_assert_ptr_null(strmap_get(&m, str_of("a")));
	ck_assert_ptr_eq(strmap_get(&m, (struct str){"a\0", 2}), &b);
	strmap_release(&m);
}
END_TEST

/* Entries that were pushed on by a neighbour must be found after it left. */
START_TEST(removal_loses_nobody)
{
	enum {
		COUNT = 3000
	};
	struct thing *things = xcalloc(COUNT, sizeof(*things));
	struct strmap m;

	strmap_init(&m);
	for (int i = 0; i < COUNT; i++) {
		snprintf(things[i].name, sizeof(things[i].name), "n%d", i);
		strmap_put(&m, name_of(&things[i]), &things[i]);
	}
	for (int i = 0; i < COUNT; i++) {
		if (i % 3)
			ck_assert_ptr_eq(strmap_remove(&m, name_of(&things[i])),
				&things[i]);
	}
	ck_assert_int_eq(m.count, COUNT / 3);
	for (int i = 0; i < COUNT; i++)
		ck_assert_ptr_eq(strmap_get(&m, name_of(&things[i])),
			i % 3 ? NULL : &things[i]);
	for (int i = 0; i < COUNT; i += 3)
		strmap_remove(&m, name_of(&things[i]));
	ck_assert_int_eq(m.count, 0);
	ck_assert_int_le(m.cap, 16);
	strmap_release(&m);
	free(things);
}
END_TEST

/* Test vectors of SipHash-1-3 with the key 00 01 .. 0f. */
START_TEST(the_hash_is_siphash)
{
	static const uint64_t seed[2] = {
		UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
	char data[16];

	for (int i = 0; i < 16; i++)
		data[i] = (char)i;
	ck_assert(strmap_hash(seed, data, 0) == UINT64_C(0xabac0158050fc4dc));
	ck_assert(strmap_hash(seed, data, 1) == UINT64_C(0xc9f49bf37d57ca93));
	ck_assert(strmap_hash(seed, data, 8) != strmap_hash(seed, data, 9));
}
END_TEST

START_TEST(a_set_keeps_its_order)
{
	struct strset set;

	strset_init(&set);
	ck_assert(!strset_remove(&set, str_of("a")));
	ck_assert(strset_add(&set, str_of("a")));
	ck_assert(strset_add(&set, str_of("b")));
	ck_assert(!strset_add(&set, str_of("a")));
	ck_assert(strset_add(&set, (struct str){"b\0", 2}));
	ck_assert(strset_remove(&set, str_of("b")));
	ck_assert(!strset_remove(&set, str_of("b")));
	ck_assert(!strset_remove(&set, str_null()));
	ck_assert_is(set.first->s, "a");
	ck_assert_mem_is(set.first->next->s, "b\0", 2);
	ck_assert_ptr_null(set.first->next->next);
	ck_assert(strset_remove(&set, (struct str){"b\0", 2}));
	ck_assert(strset_remove(&set, str_of("a")));
	ck_assert_ptr_null(set.first);
	ck_assert_ptr_null(set.last);
	ck_assert(strset_add(&set, str_of("c")));
	strset_release(&set);
}
END_TEST

START_TEST(seen_names_are_known)
{
	struct seen s;

	seen_init(&s);
	ck_assert(!seen_has(&s, str_of("a"), str_null()));
	seen_add(&s, str_of("a"), str_null());
	seen_add(&s, str_of("a"), str_null());
	ck_assert_int_eq(s.count, 1);
	ck_assert(seen_has(&s, str_of("a"), str_null()));
	ck_assert(!seen_has(&s, str_null(), str_of("a")));
	ck_assert(!seen_has(&s, str_of("ab"), str_of("c")));
	seen_add(&s, str_of("ab"), str_of("c"));
	ck_assert(!seen_has(&s, str_of("a"), str_of("bc")));
	ck_assert(!seen_has(&s, str_null(), str_of("c")));
	seen_release(&s);
}
END_TEST

START_TEST(seen_memory_is_bounded)
{
	size_t count = SEEN_MAX * 3;
	struct seen s;
	char name[16];

	seen_init(&s);
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		seen_add(&s, str_of(name), str_null());
		ck_assert_int_le(s.now_cap + s.old_cap, SEEN_MAX * 4);
	}
	for (size_t i = count - SEEN_MAX; i < count; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		ck_assert(seen_has(&s, str_of(name), str_null()));
	}
	ck_assert(!seen_has(&s, str_of("0"), str_null()));
	seen_release(&s);
}
END_TEST

/* A host that is asked for all the time is told once. */
START_TEST(what_is_seen_again_is_as_new)
{
	struct seen s;
	char name[32];

	seen_init(&s);
	for (size_t i = 0; i < SEEN_MAX * 3; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		seen_add(&s, str_of("kept"), str_of("p"));
		seen_add(&s, str_of(name), str_of("p"));
		if (i % 1000 == 0 || s.count < 4)
			ck_assert(seen_has(&s, str_of("kept"), str_of("p")));
	}
	ck_assert(!seen_has(&s, str_of("0"), str_of("p")));
	seen_release(&s);
}
END_TEST

CHECK_MAIN("strmap", what_was_put_is_found, removal_loses_nobody,
	the_hash_is_siphash, a_set_keeps_its_order, seen_names_are_known,
	seen_memory_is_bounded, what_is_seen_again_is_as_new)

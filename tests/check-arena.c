#include "config.h"

#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "check-main.h"

START_TEST(objects_are_aligned_and_apart)
{
	struct arena a;
	unsigned char *p[200];
	size_t i;
	size_t j;

	arena_init(&a);
	for (i = 0; i < 200; i++) {
		p[i] = arena_alloc(&a, i);
		ck_assert_ptr_nonnull(p[i]);
		ck_assert_uint_eq((uintptr_t)p[i] % alignof(max_align_t), 0);
		memset(p[i], (int)i, i);
	}
	for (i = 0; i < 200; i++) {
		for (j = 0; j < i; j++)
			ck_assert_uint_eq(p[i][j], i);
	}
	arena_release(&a);
}
END_TEST

START_TEST(big_objects_do_not_end_a_block)
{
	struct arena a;
	char *small;
	char *big;

	arena_init(&a);
	small = arena_copy(&a, "small", 5);
	big = arena_alloc(&a, (size_t)10 << 20);
	memset(big, 'b', (size_t)10 << 20);
	ck_assert_str_eq(small, "small");
	ck_assert_int_lt((char *)arena_alloc(&a, 8) - small, 64);
	arena_release(&a);
}
END_TEST

START_TEST(a_reset_keeps_one_ordinary_block)
{
	struct arena a;
	char *first;

	arena_init(&a);
	arena_reset(&a);
	first = arena_alloc(&a, 8);
	arena_alloc(&a, (size_t)1 << 20);
	arena_reset(&a);
	ck_assert_ptr_eq(arena_alloc(&a, 8), first);
	arena_release(&a);
	arena_release(&a);
}
END_TEST

START_TEST(copies_are_terminated)
{
	struct arena a;
	char *s;

	arena_init(&a);
	s = arena_copy(&a, "a\0b", 3);
	ck_assert_int_eq(memcmp(s, "a\0b", 4), 0);
	ck_assert_str_eq(arena_copy(&a, "", 0), "");
	arena_release(&a);
}
END_TEST

CHECK_MAIN("arena", objects_are_aligned_and_apart,
	big_objects_do_not_end_a_block, a_reset_keeps_one_ordinary_block,
	copies_are_terminated)

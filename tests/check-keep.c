#include "config.h"

#include "base/keep.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "event/image-size.h"
#include "event/linediff.h"

#include "check-main.h"

/* What content is made with: kept bytes, compared lines, sizes of images. */

#define diff_is(from, to, want)                          \
	do {                                             \
		struct strbuf sb = STRBUF_INIT;          \
                                                         \
		linediff(&sb, str_of(from), str_of(to)); \
		ck_assert_str_eq(sb.buf, want);          \
		strbuf_release(&sb);                     \
	} while (0)

START_TEST(lines_are_compared)
{
	struct strbuf a = STRBUF_INIT;
	struct strbuf b = STRBUF_INIT;
	struct strbuf out = STRBUF_INIT;

	diff_is("", "", "");
	diff_is("a\nb\n", "a\nb\n", " a\n b\n");
	diff_is("a\nb\nc\n", "a\nx\nc\n", " a\n-b\n+x\n c\n");
	diff_is("", "n\n", "+n\n");
	diff_is("a\n\nb\n", "b\n\na\n", "-a\n-\n b\n+\n+a\n");
	diff_is("x", "x\n", "-x\n\\ No newline at end of file\n+x\n");
	/* too much to be compared: still all of it, and soon */
	for (int i = 0; i < 30000; i++) {
		strbuf_addf(&a, "a%d\n", i);
		strbuf_addf(&b, "b%d\n", i);
	}
	linediff(&out, strbuf_str(&a), strbuf_str(&b));
	ck_assert_uint_eq(out.len, a.len + b.len + 60000);
	strbuf_release(&a);
	strbuf_release(&b);
	strbuf_release(&out);
}
END_TEST

#define size_is(base64, w, h)                                \
	do {                                                 \
		int64_t width = -1;                          \
		int64_t height = -1;                         \
                                                             \
		image_size(str_of(base64), &width, &height); \
		ck_assert_int_eq(width, w);                  \
		ck_assert_int_eq(height, h);                 \
	} while (0)

START_TEST(images_have_a_size)
{
	size_is("", 0, 0);
	size_is("!!!!", 0, 0);
	size_is("iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA", 640, 480);
	size_is("R0lGODlhAwACAIAAAAAAAA", 3, 2);
	size_is("/9j/4AAEAAD/wAARCAACAAMDASIA", 3, 2);
	size_is("UklGRhoAAABXRUJQVlA4WAoAAAAQAAAAAgAAAQAA", 3, 2);
	size_is("/9j/", 0, 0);
	size_is("/9j//8AAEQg", 0, 0);
	ck_assert_int_eq(image_bytes(str_of("AAAA")), 3);
	ck_assert_int_eq(image_bytes(str_of("AA==")), 1);
}
END_TEST

static void keeps(const struct keep *k, uint64_t at, const char *want)
{
	char buf[64];

	ck_assert(keep_read(k, at, buf, strlen(want)));
	ck_assert_mem_eq(buf, want, strlen(want));
}

START_TEST(the_newest_bytes_are_kept)
{
	struct keep *k = keep_new(10);
	uint64_t start;
	uint64_t end;
	char buf[16];

	keep_add(k, "0123456", 7);
	keeps(k, 0, "0123456");
	keep_add(k, "789abc", 6);
	keep_range(k, &start, &end);
	ck_assert_uint_eq(start, 3);
	ck_assert_uint_eq(end, 13);
	keeps(k, 3, "3456789abc");
	keeps(k, 9, "9abc");
	ck_assert(!keep_read(k, 2, buf, 2));
	ck_assert(!keep_read(k, 12, buf, 2));
	keep_add(k, "the quick brown fox", 19);
	keep_range(k, &start, &end);
	ck_assert_uint_eq(end, 32);
	keeps(k, 22, " brown fox");
	keep_free(k);
	k = keep_new(0);
	keep_add(k, "x", 1);
	ck_assert(!keep_read(k, 0, buf, 1));
	keep_free(k);
}
END_TEST

/* Nothing is kept where nothing can be written, and nobody is told. */
START_TEST(a_full_disk_keeps_what_is_there)
{
	struct keep *k;
	char buf[4];

	ck_assert_int_eq(setenv("TMPDIR", "/nowhere", 1), 0);
	k = keep_new(10);
	keep_add(k, "x", 1);
	ck_assert(!keep_read(k, 0, buf, 1));
	keep_free(k);
}
END_TEST

CHECK_MAIN("keep", lines_are_compared, images_have_a_size,
	the_newest_bytes_are_kept, a_full_disk_keeps_what_is_there)

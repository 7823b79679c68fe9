#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/encoding.h"
#include "tests/check-main.h"

#define TEXT(s) (s), sizeof(s) - 1

START_TEST(what_is_told)
{
	static const struct {
		const char *head;
		size_t len;
		const char *name;
	} cases[] = {
		{TEXT("\xFF\xFE"), "UTF-16LE"},
		{TEXT("\xFE\xFF"), "UTF-16BE"},
		{TEXT("\xFF\xFE{\0"), "UTF-16LE"},
		{TEXT("\xFF\xFE\0\0"), "UTF-32LE"},
		{TEXT("\0\0\xFE\xFF\0\0\0{"), "UTF-32BE"},
		{TEXT("{\0\"\0"), "UTF-16LE"},
		{TEXT("\0{\0\""), "UTF-16BE"},
		{TEXT("{\0\0\0\"\0\0\0"), "UTF-32LE"},
		{TEXT("\0\0\0{\0\0\0\""), "UTF-32BE"},
		/* an odd number of bytes was read */
		{TEXT("{\0\"\0a\0b"), "UTF-16LE"},
		{TEXT("\0{\0\"\0"), "UTF-16BE"},
		/* only the beginning is looked at */
		{TEXT("1\0002\0003\0004\0005\0006\0007\0008\0\xE9\x01"),
			"UTF-16LE"},
		{TEXT("\x84\x31\x95\x33"), "GB18030"},
		{TEXT("\x1F\x8B\x08\0"), "gzip"},
		{TEXT("\x28\xB5\x2F\xFD\0"), "zstd"},
		{TEXT("\xFD\x37zXZ\0\0"), "xz"},
		{TEXT("BZh91AY&SYxx"), "bzip2"},
		{TEXT("PK\3\4"), "zip"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT;
		char want[64];

		ck_assert_msg(encoding_check("f", cases[i].head, cases[i].len,
				      &err) == -1,
			"%s %zu", cases[i].name, i);
		snprintf(want, sizeof(want), "'f' is %s text, ", cases[i].name);
		if (!strncmp(err.msg, want, strlen(want)))
			continue;
		snprintf(want, sizeof(want), "'f' is compressed with %s; ",
			cases[i].name);
		ck_assert_msg(strncmp(err.msg, want, strlen(want)) == 0,
			"%s: %s", cases[i].name, err.msg);
	}
}
END_TEST

START_TEST(what_is_not_certain)
{
	static const struct {
		const char *head;
		size_t len;
	} cases[] = {
		{TEXT("")},
		{TEXT("\xFF")},
		{TEXT("{")},
		{TEXT("{\0")},
		{TEXT("{\0\"")},
		{TEXT("\0\0\0\0")},
		{TEXT("\0\0\0\0\0\0\0\0")},
		{TEXT("{\"a\":1}\n")},
		{TEXT("\xEF\xBB\xBF{}")},
		{TEXT("a\0b\0c\0dd\0\0")},
		{TEXT("\x1F\x8B")},
		{TEXT("BZh9x")},
		{TEXT("PK\n\n")},
		{TEXT("\xE4\xBD\xA0\xE5\xA5\xBD")},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(encoding_check("f", cases[i].head, cases[i].len,
				      NULL) == 0,
			"%zu", i);
}
END_TEST

CHECK_MAIN("encoding", what_is_told, what_is_not_certain)

#include "config.h"

#include "base/encoding.h"

#include <stdbool.h>
#include <string.h>

#include "base/i18n.h"

#define MARK(s) (s), sizeof(s) - 1

struct mark {
	const char *bytes;
	size_t len;
	const char *name;
	const char *unpack; /* a compressed file: the command; or NULL */
};

/* The longer ones first. */
static const struct mark marks[] = {
	{MARK("\xFF\xFE\0\0"), "UTF-32LE", NULL},
	{MARK("\0\0\xFE\xFF"), "UTF-32BE", NULL},
	{MARK("\xFF\xFE"), "UTF-16LE", NULL},
	{MARK("\xFE\xFF"), "UTF-16BE", NULL},
	{MARK("\x84\x31\x95\x33"), "GB18030", NULL},
	{MARK("\x1F\x8B\x08"), "gzip", "gzip -dc"},
	{MARK("\x28\xB5\x2F\xFD"), "zstd", "zstd -dc"},
	{MARK("\xFD\x37zXZ\0"), "xz", "xz -dc"},
	{MARK("BZh91AY&SY"), "bzip2", "bzip2 -dc"},
	{MARK("\x04\x22\x4D\x18"), "lz4", "lz4 -dc"},
	{MARK("PK\x03\x04"), "zip", "unzip -p"},
};

/* ASCII in units of so many bytes, of which one is not NUL. */
static const struct {
	size_t unit;
	size_t at;
	const char *name;
} wide[] = {
	{4, 0, "UTF-32LE"},
	{4, 3, "UTF-32BE"},
	{2, 0, "UTF-16LE"},
	{2, 1, "UTF-16BE"},
};

static bool is_wide(const char *s, size_t len, size_t unit, size_t at)
{
	for (size_t i = 0; i < len; i++)
		if ((s[i] != '\0') != (i % unit == at))
			return false;
	return true;
}

static const char *unmarked(const char *s, size_t len)
{
	len = (len < ENCODING_HEAD ? len : ENCODING_HEAD) & ~(size_t)3;
	for (size_t i = 0; len && i < sizeof(wide) / sizeof(wide[0]); i++)
		if (is_wide(s, len, wide[i].unit, wide[i].at))
			return wide[i].name;
	return NULL;
}

int encoding_check(
	const char *name, const char *head, size_t len, struct err *err)
{
	const char *text = NULL;

	for (size_t i = 0; !text && i < sizeof(marks) / sizeof(marks[0]); i++) {
		const struct mark *m = &marks[i];

		if (len < m->len || memcmp(head, m->bytes, m->len) != 0)
			continue;
		if (m->unpack)
			return err_set(err, AR_EFORMAT,
				N_("'%s' is compressed with %s; unpack it "
				   "first, with '%s'"),
				name, m->name, m->unpack);
		text = m->name;
	}
	if (!text)
		text = unmarked(head, len);
	if (!text)
		return 0;
	return err_set(err, AR_EFORMAT,
		N_("'%s' is %s text, but UTF-8 is needed; convert it first, "
		   "with 'iconv -f %s -t UTF-8'"),
		name, text, text);
}

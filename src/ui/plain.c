#include "config.h"

#include "ui/plain.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"

#define ENTRY_MAX 65536
#define HEADER 12
#define MAGIC 0432       /* numbers of two bytes (term(5)) */
#define MAGIC_LONG 01036 /* of four */

static unsigned word(const unsigned char *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

/* Whether a NUL-ended string holds an SGR sequence. */
static bool has_sgr(const char *s)
{
	const char *csi = strstr(s, "\033[");

	return csi && strchr(csi, 'm');
}

int plain_strip(unsigned char *data, size_t len)
{
	unsigned bools;
	unsigned numbers;
	unsigned strings;
	size_t offsets;
	size_t table;
	size_t size;
	unsigned i;

	if (len < HEADER || (word(data) != MAGIC && word(data) != MAGIC_LONG))
		return -1;
	bools = word(data + 4);
	numbers = word(data + 6);
	strings = word(data + 8);
	size = word(data + 10);
	offsets = HEADER + word(data + 2) + bools;
	offsets += offsets & 1;
	offsets += (size_t)numbers * (word(data) == MAGIC ? 2 : 4);
	table = offsets + (size_t)strings * 2;
	if (table + size > len || !size || data[table + size - 1])
		return -1;
	for (i = 0; i < strings; i++) {
		unsigned char *p = data + offsets + (size_t)i * 2;

		if (word(p) < size &&
			has_sgr((const char *)data + table + word(p)))
			p[0] = p[1] = 0xff; /* absent */
	}
	return 0;
}

static int read_entry(
	const char *dir, size_t dir_len, const char *name, struct strbuf *out)
{
	struct strbuf path = STRBUF_INIT;
	int ret = -1;
	int i;

	for (i = 0; i < 2 && ret != 0; i++) {
		strbuf_reset(&path);
		strbuf_add(&path, dir, dir_len);
		/* The folder is the first letter, or its code (macOS). */
		if (i == 0)
			strbuf_addf(&path, "/%c/%s", name[0], name);
		else
			strbuf_addf(
				&path, "/%x/%s", (unsigned char)name[0], name);
		strbuf_reset(out);
		ret = io_read_file(path.buf, ENTRY_MAX, out, NULL);
	}
	strbuf_release(&path);
	return ret;
}

static int find_entry(const char *name, struct strbuf *out)
{
	static const char *const standard =
		"/etc/terminfo:/lib/terminfo:/usr/lib/terminfo:"
		"/usr/share/terminfo:/usr/local/share/terminfo";
	const char *own = getenv("TERMINFO");
	const char *home = getenv("HOME");
	const char *dirs = getenv("TERMINFO_DIRS");
	struct strbuf list = STRBUF_INIT;
	const char *p;
	int ret = -1;

	strbuf_addf(&list, "%s:%s/.terminfo:%s:%s", own ? own : "",
		home ? home : "", dirs ? dirs : "", standard);
	for (p = list.buf; *p && ret != 0;) {
		size_t n = strcspn(p, ":");

		if (n)
			ret = read_entry(p, n, name, out);
		p += n + (p[n] == ':');
	}
	strbuf_release(&list);
	return ret;
}

int plain_terminfo(const char *name, struct strbuf *out)
{
	struct strbuf entry = STRBUF_INIT;
	int ret = -1;
	size_t i;

	if (*name && !strchr(name, '/') && find_entry(name, &entry) == 0 &&
		plain_strip((unsigned char *)entry.buf, entry.len) == 0) {
		strbuf_addstr(out, "hex:");
		for (i = 0; i < entry.len; i++)
			strbuf_addf(out, "%02X", (unsigned char)entry.buf[i]);
		ret = 0;
	}
	strbuf_release(&entry);
	return ret;
}

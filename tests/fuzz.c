#include "config.h"

#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/utf8.h"

const struct fuzz_target *const fuzz_targets[] = {
#define X(target) &target,
	FUZZ_TARGETS(X)
#undef X
		NULL};

const struct fuzz_target *fuzz_find(const char *name)
{
	for (size_t i = 0; name && fuzz_targets[i]; i++)
		if (strcmp(fuzz_targets[i]->name, name) == 0)
			return fuzz_targets[i];
	return NULL;
}

void fuzz_list(void)
{
	for (size_t i = 0; fuzz_targets[i]; i++) {
		const struct fuzz_target *t = fuzz_targets[i];

		printf("%s %zu %s\n", t->name, t->max ? t->max : FUZZ_MAX,
			t->seeds ? t->seeds : "");
	}
}

void fuzz_setup(void)
{
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("TZ", "UTC", 1);
	unsetenv("LANGUAGE");
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
}

/* splitmix64. */
uint64_t fuzz_next(struct fuzz_rand *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

size_t fuzz_below(struct fuzz_rand *r, size_t n)
{
	return (size_t)(fuzz_next(r) % n);
}

struct fuzz_rand fuzz_choice(const char *data, size_t len)
{
	struct fuzz_rand r = {UINT64_C(0xcbf29ce484222325)};

	for (size_t i = 0; i < len; i++)
		r.state = (r.state ^ (unsigned char)data[i]) *
			  UINT64_C(0x100000001b3);
	return r;
}

bool fuzz_line(struct str *rest, struct str *line)
{
	const char *nl;

	if (!rest->len)
		return false;
	nl = memchr(rest->ptr, '\n', rest->len);
	line->ptr = rest->ptr;
	line->len = nl ? (size_t)(nl - rest->ptr) : rest->len;
	rest->ptr += line->len + (nl ? 1 : 0);
	rest->len -= line->len + (nl ? 1 : 0);
	return true;
}

struct str fuzz_part(struct str *rest)
{
	struct str part = {rest->ptr, 0};
	struct str line;

	while (fuzz_line(rest, &line) && !str_is(line, "=="))
		part.len = (size_t)(rest->ptr - part.ptr);
	return part;
}

static struct strbuf folder = STRBUF_INIT;
static pid_t folder_of;

static void remove_folder(void)
{
	if (getpid() == folder_of)
		(void)io_remove_tree(folder.buf);
	strbuf_release(&folder);
}

const char *fuzz_folder(void)
{
	struct err err = ERR_INIT;
	char *real;

	if (folder.len)
		return folder.buf;
	if (io_temp_dir(&folder, &err) < 0)
		die("%s", err.msg);
	real = realpath(folder.buf, NULL);
	strbuf_reset(&folder);
	strbuf_addstr(&folder, real);
	free(real);
	folder_of = getpid();
	atexit(remove_folder);
	return folder.buf;
}

void fuzz_write(const char *name, struct str data)
{
	struct strbuf path = STRBUF_INIT;
	int fd;

	strbuf_addf(&path, "%s/%s", fuzz_folder(), name);
	fd = open(path.buf, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || io_write_all(fd, data.ptr, data.len) < 0)
		die("cannot write '%s': %s", path.buf, strerror(errno));
	close(fd);
	strbuf_release(&path);
}

void fuzz_check_clean(struct str s, bool tabs)
{
	ar_assert(utf8_valid(s.ptr, s.len));
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		ar_assert(c >= 0x20 || c == '\n' || (c == '\t' && tabs));
		ar_assert(c != 0x7F);
		/* C1 is C2 80..9F. */
		ar_assert(c != 0xC2 || (unsigned char)s.ptr[i + 1] >= 0xA0);
	}
}

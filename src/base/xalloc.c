#include "config.h"

#include "base/xalloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		die("out of memory (%zu bytes)", size);
	return p;
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		die("out of memory (%zu x %zu bytes)", count, size);
	return p;
}

void *xreallocarray(void *ptr, size_t count, size_t size)
{
	void *p;

	if (size && count > SIZE_MAX / size)
		die("out of memory (%zu x %zu bytes)", count, size);
	p = realloc(ptr, count && size ? count * size : 1);
	if (!p)
		die("out of memory (%zu x %zu bytes)", count, size);
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t len)
{
	char *p = xmalloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

/* bench-yajl: what `make bench` measures against: reads standard input, cuts
 * it into lines and gives each to a yajl handle of its own with empty
 * callbacks. Prints nothing. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <yajl/yajl_parse.h>

static int on_null(void *ctx)
{
	(void)ctx;
	return 1;
}

static int on_boolean(void *ctx, int value)
{
	(void)ctx;
	(void)value;
	return 1;
}

static int on_number(void *ctx, const char *s, size_t len)
{
	(void)ctx;
	(void)s;
	(void)len;
	return 1;
}

static int on_string(void *ctx, const unsigned char *s, size_t len)
{
	(void)ctx;
	(void)s;
	(void)len;
	return 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_null,
	.yajl_map_key = on_string,
	.yajl_end_map = on_null,
	.yajl_start_array = on_null,
	.yajl_end_array = on_null,
};

static void parse(const char *line, size_t len)
{
	yajl_handle h = yajl_alloc(&callbacks, NULL, NULL);

	if (yajl_parse(h, (const unsigned char *)line, len) != yajl_status_ok ||
		yajl_complete_parse(h) != yajl_status_ok)
		fprintf(stderr, "bench-yajl: a line is not JSON\n");
	yajl_free(h);
}

int main(void)
{
	size_t cap = (size_t)4 << 20;
	size_t len = 0;
	char *buf = malloc(cap);
	ssize_t n;

	while (buf && (n = read(0, buf + len, 65536)) > 0) {
		char *line = buf;
		char *end;

		len += (size_t)n;
		while ((end = memchr(line, '\n', (size_t)(buf + len - line)))) {
			parse(line, (size_t)(end - line));
			line = end + 1;
		}
		len = (size_t)(buf + len - line);
		memmove(buf, line, len);
		if (cap - len < 65536) {
			cap *= 2;
			buf = realloc(buf, cap);
		}
	}
	free(buf);
	return 0;
}

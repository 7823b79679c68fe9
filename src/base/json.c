#include "config.h"

#include "base/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "base/longstr.h"
#include "base/scan.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xalloc.h"

/* State of one parse: the open containers and the last child of each. */
struct builder {
	struct arena *arena;
	const char *line;
	size_t len;
	struct longstr cut; /* the strings that yajl does not see */
	size_t cut_seen;    /* how many of them have come up */
	struct json *root;
	struct str key; /* of the next member */
	int depth;
	struct json *open[JSON_DEPTH_MAX];
	struct json *last[JSON_DEPTH_MAX];
};

/* A string of yajl: the long one it stands for, borrowed when it stands in the
 * line, else copied (yajl reuses its buffer for decoded escapes). */
static struct str borrow(struct builder *b, const char *s, size_t len)
{
	uintptr_t at = (uintptr_t)s;
	uintptr_t line = (uintptr_t)b->line;
	struct str r = {s, len};

	if (b->cut_seen < b->cut.count && s == b->cut.holes[b->cut_seen].at)
		return b->cut.holes[b->cut_seen++].text;
	if (at < line || at + len > line + b->len)
		r.ptr = arena_copy(b->arena, s, len);
	return r;
}

static struct json *add(struct builder *b, enum json_kind kind)
{
	struct json *v = arena_alloc(b->arena, sizeof(*v));

	v->kind = kind;
	v->key = b->key;
	v->text = str_null();
	v->first = NULL;
	v->next = NULL;
	b->key = str_null();
	if (b->depth == 0) {
		b->root = v;
		return v;
	}
	if (b->last[b->depth - 1])
		b->last[b->depth - 1]->next = v;
	else
		b->open[b->depth - 1]->first = v;
	b->last[b->depth - 1] = v;
	return v;
}

static int on_null(void *ctx)
{
	add(ctx, JSON_NULL);
	return 1;
}

static int on_boolean(void *ctx, int value)
{
	add(ctx, value ? JSON_TRUE : JSON_FALSE);
	return 1;
}

static int on_number(void *ctx, const char *s, size_t len)
{
	struct json *v = add(ctx, JSON_NUMBER);

	v->text = borrow(ctx, s, len);
	return 1;
}

static int on_string(void *ctx, const unsigned char *s, size_t len)
{
	struct json *v = add(ctx, JSON_STRING);

	v->text = borrow(ctx, (const char *)s, len);
	return 1;
}

static int on_key(void *ctx, const unsigned char *s, size_t len)
{
	struct builder *b = ctx;

	b->key = borrow(b, (const char *)s, len);
	return 1;
}

static int open_container(struct builder *b, enum json_kind kind)
{
	struct json *v;

	if (b->depth == JSON_DEPTH_MAX)
		return 0;
	v = add(b, kind);
	b->open[b->depth] = v;
	b->last[b->depth] = NULL;
	b->depth++;
	return 1;
}

static int on_start_map(void *ctx)
{
	return open_container(ctx, JSON_OBJECT);
}

static int on_start_array(void *ctx)
{
	return open_container(ctx, JSON_ARRAY);
}

static int on_end(void *ctx)
{
	struct builder *b = ctx;

	b->depth--;
	return 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start_map,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end,
};

/* What yajl needs for a line comes from the arena, too; only its buffer for a
 * long string with escapes, which grows by doubling, is worth giving back. A
 * header tells the size, which realloc needs to know. */
union chunk {
	size_t size;
	max_align_t align;
};

#define CHUNK_ARENA_MAX ((size_t)4096)

static void *chunk_alloc(void *ctx, size_t size)
{
	union chunk *c;

	if (size <= CHUNK_ARENA_MAX)
		c = arena_alloc(ctx, sizeof(*c) + size);
	else
		c = xmalloc(sizeof(*c) + size);
	c->size = size;
	return c + 1;
}

static void chunk_free(void *ctx, void *ptr)
{
	union chunk *c = ptr;

	(void)ctx;
	if (c && c[-1].size > CHUNK_ARENA_MAX)
		free(c - 1);
}

static void *chunk_realloc(void *ctx, void *ptr, size_t size)
{
	union chunk *c = ptr;
	void *to;

	if (c && c[-1].size > CHUNK_ARENA_MAX && size > CHUNK_ARENA_MAX) {
		c = xreallocarray(c - 1, sizeof(*c) + size, 1);
		c->size = size;
		return c + 1;
	}
	to = chunk_alloc(ctx, size);
	if (c)
		memcpy(to, c, c[-1].size < size ? c[-1].size : size);
	chunk_free(ctx, ptr);
	return to;
}

static bool parse(struct builder *b)
{
	yajl_alloc_funcs funcs = {
		chunk_alloc, chunk_realloc, chunk_free, b->arena};
	yajl_handle h = yajl_alloc(&callbacks, &funcs, b);
	bool ok;

	if (!h)
		return false;
	/* utf8_repair_json has looked at every byte already */
	yajl_config(h, yajl_dont_validate_strings, 1);
	ok = yajl_parse(h, (const unsigned char *)b->line, b->len) ==
		     yajl_status_ok &&
	     yajl_complete_parse(h) == yajl_status_ok;
	yajl_free(h);
	return ok && b->root && b->depth == 0;
}

struct json *json_parse(struct arena *a, const char *line, size_t len)
{
	struct strbuf repaired = STRBUF_INIT;
	struct builder b;
	size_t bom = utf8_bom(line, len);

	line += bom;
	len -= bom;
	if (utf8_repair_json(&repaired, line, len)) {
		line = arena_copy(a, repaired.buf, repaired.len);
		len = repaired.len;
		strbuf_release(&repaired);
	}
	b.arena = a;
	b.cut = (struct longstr){0};
	b.cut_seen = 0;
	if (len >= LONGSTR_LINE && longstr_cut(&b.cut, a, line, len)) {
		line = b.cut.line;
		len = b.cut.len;
	}
	b.line = line;
	b.len = len;
	b.root = NULL;
	b.key = str_null();
	b.depth = 0;
	return parse(&b) ? b.root : NULL;
}

/* The length of a string at the front of S with its quotes, or LEN. */
static size_t string_len(const char *s, size_t len)
{
	size_t i = 1;

	while (i < len) {
		i += scan_plain(s + i, len - i);
		if (i < len && s[i] == '"')
			return i + 1;
		i += i < len && s[i] == '\\' ? 2 : 1;
	}
	return len;
}

size_t json_object_len(const char *s, size_t len)
{
	size_t depth = 0;
	size_t i = 0;

	if (!len || s[0] != '{')
		return 0;
	while (i < len) {
		char c = s[i];

		if (c == '"') {
			i += string_len(s + i, len - i);
			continue;
		}
		i++;
		if (c == '{')
			depth++;
		else if (c == '}' && --depth == 0)
			return i;
	}
	return 0;
}

/* Names of the same length mostly differ at their end. */
static bool is_same(const char *a, const char *b, size_t len)
{
	return len == 0 || (a[len - 1] == b[len - 1] && memcmp(a, b, len) == 0);
}

const struct json *json_find(const struct json *v, struct str key)
{
	const struct json *found = NULL;

	if (!v || v->kind != JSON_OBJECT)
		return NULL;
	for (const struct json *c = v->first; c; c = c->next) {
		if (c->key.len == key.len &&
			is_same(c->key.ptr, key.ptr, key.len))
			found = c;
	}
	return found;
}

const struct json *json_get_first(const struct json *v, const char *key)
{
	if (!v || v->kind != JSON_OBJECT)
		return NULL;
	for (const struct json *c = v->first; c; c = c->next) {
		if (str_is(c->key, key))
			return c;
	}
	return NULL;
}

const struct json *json_path(const struct json *v, ...)
{
	const char *key;
	va_list ap;

	va_start(ap, v);
	while ((key = va_arg(ap, const char *)))
		v = json_get(v, key);
	va_end(ap);
	return v;
}

bool json_is_true(const struct json *v, const char *key)
{
	const struct json *m = json_get(v, key);

	return m && m->kind == JSON_TRUE;
}

double json_double(const struct json *v, const char *key, double fallback)
{
	const struct json *m = json_get(v, key);
	struct strbuf sb = STRBUF_INIT;
	double d;

	if (!m || m->kind != JSON_NUMBER)
		return fallback;
	strbuf_adds(&sb, m->text);
	d = strtod(sb.buf, NULL);
	strbuf_release(&sb);
	return d;
}

int64_t json_int(const struct json *v, const char *key, int64_t fallback)
{
	const struct json *m = json_get(v, key);
	bool negative;
	int64_t n = 0;
	double d;

	if (!m || m->kind != JSON_NUMBER)
		return fallback;
	negative = m->text.len && m->text.ptr[0] == '-';
	for (size_t i = negative; i < m->text.len; i++) {
		int digit = m->text.ptr[i] - '0';

		if (digit < 0 || digit > 9) { /* a fraction or an exponent */
			d = json_double(v, key, 0);
			if (d >= 9223372036854775808.0)
				return INT64_MAX;
			if (d <= -9223372036854775808.0)
				return INT64_MIN;
			return (int64_t)d;
		}
		if (n > (INT64_MAX - digit) / 10) {
			/* saturate only when no fraction or exponent follows:
			 * those take the branch above */
			d = json_double(v, key, 0);
			if (d > -9223372036854775808.0 &&
				d < 9223372036854775808.0)
				return (int64_t)d;
			return negative ? INT64_MIN : INT64_MAX;
		}
		n = n * 10 + digit;
	}
	return negative ? -n : n;
}

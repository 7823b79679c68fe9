/* fuzz-tree: changes lines of JSON as trees. Changed bytes mostly give lines
 * that are no JSON; here fields vanish, come twice, get another's name, value
 * or type, values nest, ids are turned to others, and lines come in another
 * order. */
#include "config.h"

#include "fuzz.h"

#include <string.h>

#include "base/json.h"
#include "base/jsonw.h"

#define LINES_MAX 4096
#define NODES_MAX 65536
#define COPY_MAX 512 /* nodes of a copied tree */
#define LONG_MIN 600 /* beyond LONGSTR_MIN */

struct line {
	struct str text;
	struct json *tree; /* NULL: none; else it is written from this */
	bool changed;
};

struct node {
	struct json *v;
	struct json *parent; /* NULL: a whole line */
	size_t line;
};

struct forest {
	struct arena arena;
	struct line lines[LINES_MAX];
	size_t line_count;
	struct node nodes[NODES_MAX];
	size_t node_count;
	struct fuzz_rand *r;
};

static void add_nodes(
	struct forest *f, struct json *v, struct json *parent, size_t line)
{
	if (f->node_count == NODES_MAX)
		return;
	f->nodes[f->node_count++] = (struct node){v, parent, line};
	for (struct json *c = v->first; c; c = c->next)
		add_nodes(f, c, v, line);
}

static void read_lines(struct forest *f, struct str rest)
{
	struct str line;
	size_t n = 0;

	/* A document over several lines is one. */
	f->lines[0] = (struct line){rest, NULL, false};
	f->lines[0].tree = json_parse(&f->arena, rest.ptr, rest.len);
	if (f->lines[0].tree) {
		f->line_count = 1;
		add_nodes(f, f->lines[0].tree, NULL, 0);
		return;
	}
	while (n < LINES_MAX && fuzz_line(&rest, &line)) {
		struct json *tree = json_parse(&f->arena, line.ptr, line.len);

		f->lines[n] = (struct line){line, tree, false};
		if (tree)
			add_nodes(f, tree, NULL, n);
		n++;
	}
	f->line_count = n;
}

static struct json *new_node(struct forest *f, enum json_kind kind)
{
	struct json *v = arena_alloc(&f->arena, sizeof(*v));

	*v = (struct json){.kind = kind};
	v->text = str_of("");
	return v;
}

/* A copy of V's value that shares nothing but strings, *LEFT nodes at most. */
static struct json *copy_tree(
	struct forest *f, const struct json *v, size_t *left)
{
	struct json *copy = new_node(f, v->kind);
	struct json **end = &copy->first;

	copy->key = v->key;
	copy->text = v->text;
	for (const struct json *c = v->first; c && *left; c = c->next) {
		(*left)--;
		*end = copy_tree(f, c, left);
		end = &(*end)->next;
	}
	return copy;
}

/* Gives V the value of FROM; its name and place stay. */
static void set_value(struct forest *f, struct json *v, const struct json *from)
{
	size_t left = COPY_MAX;
	struct json *copy = copy_tree(f, from, &left);

	v->kind = copy->kind;
	v->text = copy->text;
	v->first = copy->first;
}

static struct node *some_node(struct forest *f)
{
	return &f->nodes[fuzz_below(f->r, f->node_count)];
}

/* Another node of the same name, so that ids meet ids: NULL if none is met. */
static struct node *namesake(struct forest *f, const struct node *n)
{
	for (int i = 0; i < 32; i++) {
		struct node *other = some_node(f);

		if (other->v != n->v && other->v->kind == n->v->kind &&
			str_eq(other->v->key, n->v->key))
			return other;
	}
	return NULL;
}

static struct str number_text(struct forest *f)
{
	static const char *const numbers[] = {"0", "-0", "-1", "1", "2", "127",
		"128", "4294967296", "9223372036854775807",
		"9223372036854775808", "-9223372036854775809",
		"18446744073709551616", "1e400", "-1e400", "1e-400", "0.1",
		"1.5", "1e2", "123456789012345678901234567890"};

	return str_of(numbers[fuzz_below(
		f->r, sizeof(numbers) / sizeof(numbers[0]))]);
}

static struct str odd_text(struct forest *f, struct str old)
{
	static const char *const texts[] = {"", " ", "\n", "a", "null", "main",
		"error", "denied", "../../etc", "/", "\x1b[31mred\x1b[0m",
		"\x07", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xe4\xb8\xad",
		"a\r\nb\rc\nd\n\ne", "\t", "%s", "<b>", "`", "\"\\",
		"\xef\xbb\xbf", "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81"};
	struct strbuf out = STRBUF_INIT;
	size_t at = old.len ? fuzz_below(f->r, old.len + 1) : 0;
	size_t n;
	char *copy;

	while (at > 0 && at < old.len && (old.ptr[at] & 0xc0) == 0x80)
		at--;
	switch (fuzz_below(f->r, 4)) {
	case 0: /* put in */
		strbuf_add(&out, old.ptr, at);
		strbuf_addstr(&out, texts[fuzz_below(f->r,
					    sizeof(texts) / sizeof(texts[0]))]);
		strbuf_add(&out, old.ptr + at, old.len - at);
		break;
	case 1: /* it breaks off */
		strbuf_add(&out, old.ptr, at);
		break;
	case 2: /* long */
		n = old.len ? LONG_MIN / old.len + 1 : 0;
		while (n--)
			strbuf_add(&out, old.ptr, old.len);
		break;
	default:
		strbuf_addstr(&out, texts[fuzz_below(f->r,
					    sizeof(texts) / sizeof(texts[0]))]);
		if (fuzz_below(f->r, 4) == 0)
			strbuf_addch(&out, '\0');
		break;
	}
	copy = arena_copy(&f->arena, out.buf, out.len);
	n = out.len;
	strbuf_release(&out);
	return (struct str){copy, n};
}

/* Another type or an odd value. */
static void set_odd(struct forest *f, struct json *v)
{
	struct str old = v->text.ptr ? v->text : str_of("");
	bool keep = fuzz_below(f->r, 2);

	v->first = NULL;
	if (!keep || v->kind == JSON_ARRAY || v->kind == JSON_OBJECT)
		v->kind = (enum json_kind)fuzz_below(f->r, JSON_OBJECT + 1);
	v->text = v->kind == JSON_NUMBER   ? number_text(f)
		  : v->kind == JSON_STRING ? odd_text(f, old)
					   : str_of("");
}

static void wrap(struct forest *f, struct json *v)
{
	struct json *inner = new_node(f, v->kind);

	inner->text = v->text;
	inner->first = v->first;
	v->kind = fuzz_below(f->r, 2) ? JSON_ARRAY : JSON_OBJECT;
	v->first = inner;
	if (v->kind == JSON_OBJECT)
		inner->key = v->key.ptr ? v->key : str_of("type");
}

static void unlink_node(struct json *parent, const struct json *v)
{
	struct json **at = &parent->first;

	while (*at && *at != v)
		at = &(*at)->next;
	if (*at)
		*at = v->next;
}

static void reverse(struct json *parent)
{
	struct json *done = NULL;

	while (parent->first) {
		struct json *c = parent->first;

		parent->first = c->next;
		c->next = done;
		done = c;
	}
	parent->first = done;
}

static void insert_after(
	struct forest *f, struct node *n, const struct json *from)
{
	size_t left = COPY_MAX;
	struct json *copy = copy_tree(f, from, &left);

	if (!copy->key.ptr)
		copy->key = n->v->key.ptr ? n->v->key : str_of("id");
	copy->next = n->v->next;
	n->v->next = copy;
}

static void change_node(struct forest *f)
{
	struct node *n = some_node(f);
	const struct node *other;

	f->lines[n->line].changed = true;
	switch (fuzz_below(f->r, 12)) {
	case 0:
		if (n->parent)
			unlink_node(n->parent, n->v);
		break;
	case 1:
		if (n->parent)
			insert_after(f, n, n->v);
		break;
	case 2: /* another one's name */
		other = some_node(f);
		if (n->v->key.ptr && other->v->key.ptr)
			n->v->key = other->v->key;
		break;
	case 3:
		set_value(f, n->v, some_node(f)->v);
		break;
	case 4:
		wrap(f, n->v);
		break;
	case 5: /* what was inside takes its place */
		if (n->v->first)
			set_value(f, n->v, n->v->first);
		break;
	case 6:
		reverse(n->v);
		break;
	case 7:
		if (n->parent)
			insert_after(f, n, some_node(f)->v);
		break;
	case 8:
	case 9:
		set_odd(f, n->v);
		break;
	default:
		other = namesake(f, n);
		if (other)
			set_value(f, n->v, other->v);
		break;
	}
}

static void move_lines(struct forest *f)
{
	size_t from = fuzz_below(f->r, f->line_count);
	size_t to = fuzz_below(f->r, f->line_count);
	struct line line = f->lines[from];

	switch (fuzz_below(f->r, 4)) {
	case 0: /* away */
		f->lines[from] = f->lines[f->line_count - 1];
		f->line_count--;
		break;
	case 1: /* again */
		if (f->line_count < LINES_MAX) {
			memmove(f->lines + to + 1, f->lines + to,
				(f->line_count - to) * sizeof(*f->lines));
			f->lines[to] = line;
			f->line_count++;
		}
		break;
	case 2:
		f->lines[from] = f->lines[to];
		f->lines[to] = line;
		break;
	default: /* all from there on */
		f->line_count = from;
		break;
	}
}

static void write_lines(const struct forest *f, struct strbuf *out)
{
	bool glue = fuzz_below(f->r, 32) == 0;

	for (size_t i = 0; i < f->line_count; i++) {
		struct jsonw w;

		jsonw_init(&w, out);
		if (f->lines[i].tree && f->lines[i].changed)
			jsonw_value(&w, NULL, f->lines[i].tree);
		else
			strbuf_adds(out, f->lines[i].text);
		if (!glue || fuzz_below(f->r, 2))
			strbuf_addch(out, '\n');
	}
}

bool fuzz_mutate_json(
	struct strbuf *out, const char *data, size_t len, struct fuzz_rand *r)
{
	static struct forest f; /* too big for the stack */
	size_t rounds = 1 + fuzz_below(r, 4);
	bool any;

	f.r = r;
	f.line_count = 0;
	f.node_count = 0;
	arena_init(&f.arena);
	read_lines(&f, (struct str){data, len});
	any = f.node_count > 0;
	while (any && rounds--) {
		if (f.line_count > 1 && fuzz_below(r, 4) == 0)
			move_lines(&f);
		else
			change_node(&f);
	}
	if (any)
		write_lines(&f, out);
	arena_release(&f.arena);
	return any;
}

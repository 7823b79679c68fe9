#include "config.h"

#include "event/content.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/jsonw.h"
#include "base/split.h"
#include "base/strmap.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "view/convert.h"
#include "view/detail.h"
#include "view/match.h"

#include "check-main.h"

/* Content of every call and subagent of the recorded runs. Where a folder holds
 * out.content, it must be that, byte for byte; UPDATE_CONTENT=1 writes it
 * anew. */

struct ask {
	struct detail_ask ask;
	bool over;
	bool known; /* whether it succeeded */
	struct ask *next;
};

struct run {
	const struct runtime_ops *rt;
	struct split split;
	struct arena keep;
	struct convert *convert;
	struct strmap by_id;
	struct ask *first;
	struct ask **last;
	struct strbuf events; /* the saved stream */
};

static struct str keep_str(struct run *r, struct str s)
{
	return (struct str){arena_copy(&r->keep, s.ptr, s.len), s.len};
}

static struct ask *add_ask(struct run *r, struct str id, struct raw_ref at)
{
	struct ask *a = arena_alloc(&r->keep, sizeof(*a));

	memset(a, 0, sizeof(*a));
	a->ask.id = keep_str(r, id);
	a->ask.first = at;
	strmap_put(&r->by_id, a->ask.id, a);
	*r->last = a;
	r->last = &a->next;
	return a;
}

static void on_event(void *arg, const struct event *ev)
{
	struct run *r = arg;
	struct ask *a;

	event_write(&r->events, ev);
	switch (ev->kind) {
	case EVENT_TOOL_START:
		a = add_ask(r, ev->u.tool.id, ev->source);
		a->ask.is_tool = true;
		a->ask.name = keep_str(r, ev->u.tool.name);
		break;
	case EVENT_TOOL:
		a = strmap_get(&r->by_id, ev->u.tool.id);
		a->ask.last = ev->source;
		a->known = ev->source.len;
		break;
	case EVENT_SUBAGENT_START:
		a = add_ask(r, ev->u.subagent_start.id, ev->source);
		a->ask.is_agent = true;
		break;
	case EVENT_SUBAGENT_END:
		a = strmap_get(&r->by_id, ev->u.subagent_end.id);
		a->ask.last = ev->source;
		a->known = ev->source.len;
		break;
	case EVENT_START:
	case EVENT_PROMPT:
	case EVENT_TEXT:
	case EVENT_USAGE:
	case EVENT_NETWORK:
	case EVENT_END:
	case EVENT_UNKNOWN:
		break;
	}
}

static void on_line(void *arg, const char *line, size_t len)
{
	struct run *r = arg;

	convert_line(r->convert, split_offset(&r->split, line), line, len);
}

static void play(struct run *r, const struct runtime_ops *rt, struct str raw)
{
	memset(r, 0, sizeof(*r));
	r->rt = rt;
	r->last = &r->first;
	split_init(&r->split, SPLIT_LINE_MAX);
	arena_init(&r->keep);
	strmap_init(&r->by_id);
	strbuf_init(&r->events);
	r->convert = convert_new(rt, "/", &clock_system, on_event, r);
	split_feed(&r->split, raw.ptr, raw.len, on_line, r);
	split_finish(&r->split, on_line, r);
	convert_finish(r->convert, 0, r->split.unfinished);
}

static void run_release(struct run *r)
{
	convert_free(r->convert);
	split_release(&r->split);
	arena_release(&r->keep);
	strmap_release(&r->by_id);
	strbuf_release(&r->events);
}

static const char *const kinds[] = {"command", "path", "text", "plain",
	"output", "file", "diff", "json", "image", "field", "note"};

static void dump(struct strbuf *out, const struct content *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct part *p = &c->v[i];
		struct jsonw w;

		strbuf_addf(
			out, "%s %s", p->result ? "<" : ">", kinds[p->kind]);
		if (p->title)
			strbuf_addf(out, " %s:", p->title);
		if (p->name.ptr) {
			strbuf_addstr(out, " (");
			strbuf_adds(out, p->name);
			strbuf_addch(out, ')');
		}
		if (p->kind == PART_FILE)
			strbuf_addf(out, " from line %d", (int)p->first);
		if (p->kind == PART_IMAGE)
			strbuf_addf(out, " %d bytes %dx%d", (int)p->size,
				(int)p->width, (int)p->height);
		strbuf_addch(out, ' ');
		jsonw_init(&w, out);
		if (p->kind == PART_JSON)
			jsonw_value(&w, NULL, p->value);
		else
			jsonw_str(&w, NULL, p->text);
		strbuf_addch(out, '\n');
	}
}

/* Nothing may be missing of a whole recording. */
static void check_part(const struct part *p, const char *where)
{
	ck_assert_msg(
		p->kind == PART_JSON ? p->value != NULL : p->text.ptr != NULL,
		"%s: a part without contents", where);
	ck_assert_msg(!p->text.ptr || utf8_valid(p->text.ptr, p->text.len),
		"%s: text is no UTF-8", where);
	ck_assert_msg(!p->name.ptr || utf8_valid(p->name.ptr, p->name.len),
		"%s: name is no UTF-8", where);
	ck_assert_msg(p->kind != PART_NOTE ||
			      !memmem(p->text.ptr, p->text.len, "not there", 9),
		"%s: %.*s", where, (int)p->text.len, p->text.ptr);
	if (p->kind == PART_DIFF)
		ck_assert_msg(
			p->text.len && memchr(" +-@\\", p->text.ptr[0], 5),
			"%s: no diff", where);
	if (p->kind == PART_FILE)
		ck_assert_int_ge(p->first, 1);
}

/* The content of A as lines, checked. */
static void content_of(struct detail *d, const struct ask *a, const char *where,
	struct strbuf *out)
{
	struct content c;

	if (!a->ask.first.len)
		return; /* told at the end of the stream (codex's searches) */
	content_init(&c);
	d->ops->content(d, &a->ask, &c);
	for (size_t i = 0; i < c.count; i++)
		check_part(&c.v[i], where);
	ck_assert_msg(content_has(&c, 0, false) || content_has(&c, 0, true),
		"%s: nothing about %.*s", where, (int)a->ask.id.len,
		a->ask.id.ptr);
	strbuf_addf(out, "%s %.*s\n", a->ask.is_agent ? "agent" : "tool",
		(int)a->ask.name.len, a->ask.name.ptr ? a->ask.name.ptr : "");
	dump(out, &c);
	content_release(&c);
	content_init(&c);
	d->ops->lines(d, &a->ask, &c);
	ck_assert_uint_ge(c.count, 1);
	for (size_t i = 0; i < c.count; i++)
		ck_assert_msg(c.v[i].kind == PART_JSON, "%s: no line", where);
	content_release(&c);
}

static void read_all(const char *path, struct strbuf *out)
{
	struct err err = ERR_INIT;

	ck_assert_msg(
		io_read_file(path, SIZE_MAX, out, &err) == 0, "%s", err.msg);
}

static void write_all(const char *path, struct str s)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(io_write_all(fd, s.ptr, s.len), 0);
	close(fd);
}

static const char *top(void)
{
	const char *dir = getenv("top_srcdir");

	return dir ? dir : ".";
}

static char work[64];

static const char *in_work(const char *name)
{
	static char path[4][96];
	static int n;

	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/%s", work, name);
	return path[n];
}

static void make_work(void)
{
	snprintf(work, sizeof(work), "/tmp/agentrun-check-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(work));
}

static const char *prepare(struct detail *d)
{
	int percent = 0;

	while (d->ops->prepare(d, &percent))
		ck_assert_int_le(percent, 100);
	return view_detail_problem(d);
}

/* What is expected of one recording is a file beside it. */
static void compare(const char *dir, const struct strbuf *got)
{
	struct strbuf path = STRBUF_INIT;
	struct strbuf want = STRBUF_INIT;

	strbuf_addf(&path, "%s/out.content", dir);
	if (access(path.buf, F_OK) == 0) {
		if (getenv("UPDATE_CONTENT"))
			write_all(path.buf, strbuf_str(got));
		read_all(path.buf, &want);
		ck_assert_msg(strcmp(want.buf, got->buf) == 0,
			"%s differs, it is now:\n%s", path.buf, got->buf);
	}
	strbuf_release(&path);
	strbuf_release(&want);
}

static void from_keep(
	struct run *r, const char *path, const char *where, struct strbuf *out)
{
	struct err err = ERR_INIT;
	struct keep *k = keep_file(path, &err);
	struct detail *d = view_detail_raw(r->rt, k, NULL);

	ck_assert_ptr_nonnull(k);
	ck_assert_ptr_null(prepare(d));
	for (struct ask *a = r->first; a; a = a->next)
		content_of(d, a, where, out);
	detail_free(d);
	keep_free(k);
}

/* Sources of a saved run are the places in the saved stream. */
struct saved {
	struct run *r;
	struct split split;
	struct arena arena;
};

static void on_saved(void *arg, const char *line, size_t len)
{
	struct saved *s = arg;
	struct err err = ERR_INIT;
	const struct raw_ref at = {
		split_offset(&s->split, line), (uint32_t)len};
	struct event ev;
	struct ask *a;

	ck_assert_int_eq(event_read(&ev, &s->arena, line, len, &err), 0);
	if (ev.kind == EVENT_TOOL_START || ev.kind == EVENT_TOOL) {
		a = strmap_get(&s->r->by_id, ev.u.tool.id);
		if (ev.kind == EVENT_TOOL)
			a->ask.last = at;
		else if (a->ask.first.len)
			a->ask.first = at;
	} else if (ev.kind == EVENT_SUBAGENT_START) {
		a = strmap_get(&s->r->by_id, ev.u.subagent_start.id);
		a->ask.first = at;
	} else if (ev.kind == EVENT_SUBAGENT_END) {
		a = strmap_get(&s->r->by_id, ev.u.subagent_end.id);
		a->ask.last = at;
	}
	arena_reset(&s->arena);
}

static void take_saved(struct run *r)
{
	struct saved s = {.r = r};

	split_init(&s.split, SPLIT_LINE_MAX);
	arena_init(&s.arena);
	split_feed(&s.split, r->events.buf, r->events.len, on_saved, &s);
	split_release(&s.split);
	arena_release(&s.arena);
}

static void from_saved(
	struct run *r, const char *raw, const char *where, struct strbuf *out)
{
	struct err err = ERR_INIT;
	const char *path = in_work("run.jsonl");
	struct keep *k;
	struct detail *d;
	const char *problem;

	write_all(path, strbuf_str(&r->events));
	take_saved(r);
	k = keep_file(path, &err);
	d = view_detail_saved(k, path, raw);
	problem = prepare(d);
	ck_assert_msg(!problem, "%s: %s", where, problem ? problem : "");
	for (struct ask *a = r->first; a; a = a->next)
		content_of(d, a, where, out);
	detail_free(d);
	keep_free(k);
}

/* The events that a run gave, with its prompt, limits and options, belong to
 * the raw output, too. */
static void from_run(const struct run *r, const char *dir)
{
	struct strbuf path = STRBUF_INIT;
	struct strbuf saved = STRBUF_INIT;
	struct err err = ERR_INIT;
	const char *nl = memchr(r->events.buf, '\n', r->events.len);
	struct keep *k;
	struct detail *d;
	const char *problem;

	if (!nl)
		return; /* no line is the runtime's */
	strbuf_add(&saved, r->events.buf, (size_t)(nl - r->events.buf) + 1);
	strbuf_addf(&path, "%s/out.jsonl", dir);
	read_all(path.buf, &saved);
	write_all(in_work("run.jsonl"), strbuf_str(&saved));
	strbuf_reset(&path);
	strbuf_addf(&path, "%s/in.jsonl", dir);
	k = keep_file(in_work("run.jsonl"), &err);
	d = view_detail_saved(k, in_work("run.jsonl"), path.buf);
	problem = prepare(d);
	ck_assert_msg(!problem, "%s: %s", dir, problem ? problem : "");
	detail_free(d);
	keep_free(k);
	strbuf_release(&path);
	strbuf_release(&saved);
}

static size_t check_case(const struct runtime_ops *rt, const char *dir)
{
	struct strbuf path = STRBUF_INIT;
	struct strbuf raw = STRBUF_INIT;
	struct strbuf out = STRBUF_INIT;
	struct strbuf again = STRBUF_INIT;
	size_t count = 0;
	struct run r;

	strbuf_addf(&path, "%s/in.jsonl", dir);
	read_all(path.buf, &raw);
	play(&r, rt, strbuf_str(&raw));
	from_keep(&r, path.buf, dir, &out);
	compare(dir, &out);
	for (struct ask *a = r.first; a; a = a->next)
		count++;
	from_run(&r, dir);
	from_saved(&r, path.buf, dir, &again);
	ck_assert_str_eq(out.buf, again.buf);
	if (getenv("DUMP_CONTENT"))
		printf("# %s\n%s", dir, out.buf);
	run_release(&r);
	strbuf_release(&path);
	strbuf_release(&raw);
	strbuf_release(&out);
	strbuf_release(&again);
	return count;
}

static void each_case(const struct runtime_ops *rt, size_t at_least)
{
	struct strbuf dir = STRBUF_INIT;
	struct strbuf path = STRBUF_INIT;
	struct dirent *e;
	size_t count = 0;
	DIR *d;

	make_work();
	strbuf_addf(&dir, "%s/tests/golden/%s", top(), rt->name);
	d = opendir(dir.buf);
	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		strbuf_reset(&path);
		strbuf_addf(&path, "%s/%s", dir.buf, e->d_name);
		count += check_case(rt, path.buf);
	}
	closedir(d);
	ck_assert_uint_ge(count, at_least);
	io_remove_tree(work);
	strbuf_release(&dir);
	strbuf_release(&path);
}

START_TEST(recorded_claude_code)
{
	each_case(runtime_find("claude-code"), 100);
}
END_TEST

START_TEST(recorded_codex)
{
	each_case(runtime_find("codex"), 40);
}
END_TEST

START_TEST(recorded_pi)
{
	each_case(runtime_find("pi"), 30);
}
END_TEST

START_TEST(recorded_dsh)
{
	each_case(runtime_find("dsh"), 20);
}
END_TEST

/* The first note of the first call. */
static void note_of(
	struct detail *d, const struct run *r, char *buf, size_t size)
{
	struct content c;

	content_init(&c);
	buf[0] = '\0';
	d->ops->content(d, &r->first->ask, &c);
	for (size_t i = 0; i < c.count && !buf[0]; i++) {
		if (c.v[i].kind == PART_NOTE)
			snprintf(buf, size, "%.*s", (int)c.v[i].text.len,
				c.v[i].text.ptr);
	}
	content_release(&c);
}

static void load(struct run *r, const char *name, struct strbuf *raw)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(
		&path, "%s/tests/golden/claude-code/%s/in.jsonl", top(), name);
	read_all(path.buf, raw);
	play(r, runtime_find("claude-code"), strbuf_str(raw));
	strbuf_release(&path);
}

/* Saves R as run.jsonl, with RAW beside it. Returns the problem; NOTE: that of
 * the first call. */
static const char *problem_of(struct run *r, struct str raw, char *note)
{
	static char why[512];
	struct err err = ERR_INIT;
	struct keep *k;
	struct detail *d;
	const char *problem;

	write_all(in_work("run.jsonl"), strbuf_str(&r->events));
	write_all(in_work("run.raw.jsonl"), raw);
	take_saved(r);
	k = keep_file(in_work("run.jsonl"), &err);
	d = view_detail_saved(k, in_work("run.jsonl"), NULL);
	problem = prepare(d);
	note_of(d, r, note, 512);
	snprintf(why, sizeof(why), "%s", problem ? problem : "");
	detail_free(d);
	keep_free(k);
	return why;
}

START_TEST(raw_output_of_another_run_is_told)
{
	struct strbuf raw = STRBUF_INIT;
	struct strbuf other = STRBUF_INIT;
	struct run r;
	struct run o;
	char note[512];

	make_work();
	load(&r, "02-bash-ok", &raw);
	load(&o, "05-subagent-foreground", &other);
	ck_assert_str_eq(problem_of(&r, strbuf_str(&raw), note), "");
	ck_assert_str_eq(note, "");
	ck_assert(strstr(problem_of(&r, strbuf_str(&other), note),
		"does not belong to"));
	ck_assert(strstr(note, "does not belong to"));
	/* shorter: what is there belongs to it */
	ck_assert_str_eq(
		problem_of(&r, (struct str){raw.buf, raw.len / 3}, note), "");
	ck_assert(strstr(note, "no line of the raw output"));
	ck_assert_str_eq(problem_of(&r, str_of("no JSON\n{}\n"), note), "");
	ck_assert_str_eq(problem_of(&r, str_of(""), note), "");
	/* longer: more happened there */
	strbuf_addstr(&raw, "{\"type\":\"assistant\",\"message\":{\"id\":\"n\","
			    "\"content\":[{\"type\":\"text\",\"text\":\"more\"}"
			    "]},\"parent_tool_use_id\":null}\n");
	ck_assert(strstr(
		problem_of(&r, strbuf_str(&raw), note), "does not belong to"));
	ck_assert_int_eq(unlink(in_work("run.raw.jsonl")), 0);
	run_release(&r);
	run_release(&o);
	strbuf_release(&raw);
	strbuf_release(&other);
	io_remove_tree(work);
}
END_TEST

/* Both are still being written, the events a little behind. */
START_TEST(both_may_grow)
{
	struct strbuf raw = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct run r;
	struct keep *k;
	struct detail *d;
	char note[512];

	make_work();
	load(&r, "02-bash-ok", &raw);
	take_saved(&r);
	write_all(in_work("run.jsonl"), (struct str){r.events.buf, 400});
	write_all(in_work("run.raw.jsonl"), strbuf_str(&raw));
	k = keep_file(in_work("run.jsonl"), &err);
	d = view_detail_saved(k, in_work("run.jsonl"), NULL);
	ck_assert_ptr_null(prepare(d));
	note_of(d, &r, note, sizeof(note));
	ck_assert(strstr(note, "no line of the raw output"));
	for (size_t n = 400; n < r.events.len; n += 50) {
		write_all(in_work("run.jsonl"), (struct str){r.events.buf, n});
		ck_assert_ptr_null(prepare(d));
	}
	write_all(in_work("run.jsonl"), strbuf_str(&r.events));
	ck_assert_ptr_null(prepare(d));
	note_of(d, &r, note, sizeof(note));
	ck_assert_str_eq(note, "");
	detail_free(d);
	keep_free(k);
	run_release(&r);
	strbuf_release(&raw);
	io_remove_tree(work);
}
END_TEST

START_TEST(raw_output_that_is_gone_or_changed_is_told)
{
	struct err err = ERR_INIT;
	struct strbuf raw = STRBUF_INIT;
	struct run r;
	struct keep *k;
	struct detail *d;
	char note[512];

	make_work();
	load(&r, "02-bash-ok", &raw);
	write_all(in_work("raw"), strbuf_str(&raw));
	k = keep_file(in_work("raw"), &err);
	d = view_detail_raw(r.rt, k, NULL);
	note_of(d, &r, note, sizeof(note));
	ck_assert_str_eq(note, "");
	/* as long as before */
	memset(raw.buf, '#', raw.len);
	write_all(in_work("raw"), strbuf_str(&raw));
	note_of(d, &r, note, sizeof(note));
	ck_assert(strstr(note, "has changed"));
	memset(raw.buf, '\n', raw.len);
	write_all(in_work("raw"), strbuf_str(&raw));
	note_of(d, &r, note, sizeof(note));
	ck_assert(strstr(note, "has changed"));
	write_all(in_work("raw"), str_of(""));
	note_of(d, &r, note, sizeof(note));
	ck_assert(strstr(note, "not kept"));
	detail_free(d);
	keep_free(k);
	k = keep_new(100);
	keep_add(k, raw.buf, raw.len);
	d = view_detail_raw(r.rt, k, NULL);
	note_of(d, &r, note, sizeof(note));
	ck_assert(strstr(note, "not kept"));
	detail_free(d);
	keep_free(k);
	d = view_detail_raw(r.rt, NULL, NULL);
	note_of(d, &r, note, sizeof(note));
	ck_assert(strstr(note, "no raw output"));
	detail_free(d);
	run_release(&r);
	strbuf_release(&raw);
	io_remove_tree(work);
}
END_TEST

/* Each string of each recorded line in turn becomes something else. */
static void distort(struct json *v, const struct runtime_ops *rt,
	const struct content_query *q)
{
	static struct json null = {.kind = JSON_NULL};
	const struct json saved = *v;
	struct json odd[] = {null, {.kind = JSON_NUMBER, .text = {"7", 1}},
		{.kind = JSON_ARRAY, .first = &null}, {.kind = JSON_OBJECT},
		{.kind = JSON_STRING, .text = {"", 0}},
		{.kind = JSON_STRING, .text = {"\n\0\xf0\x9f\x98\x80]", 7}}};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct content c;

		content_init(&c);
		*v = odd[i];
		v->key = saved.key;
		v->next = saved.next;
		rt->content(q, &c);
		for (size_t n = 0; n < c.count; n++)
			ck_assert(c.v[n].kind == PART_JSON
					  ? c.v[n].value != NULL
					  : c.v[n].text.ptr != NULL ||
						    c.v[n].kind == PART_IMAGE);
		content_release(&c);
	}
	*v = saved;
	for (struct json *m = v->first; m; m = m->next)
		distort(m, rt, q);
}

START_TEST(odd_shapes_are_no_trouble)
{
	static const char *const cases[][2] = {{"claude-code", "40-edits"},
		{"claude-code", "13-websearch"}, {"pi", "40-edits"},
		{"pi", "03-tool-error"}, {"codex", "07-mcp"},
		{"codex", "05-patch-ok"}, {"codex", "13-subagent-v1"},
		{"dsh", "04-parallel-tools"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf path = STRBUF_INIT;
		struct strbuf raw = STRBUF_INIT;
		struct arena a;
		struct run r;

		strbuf_addf(&path, "%s/tests/golden/%s/%s/in.jsonl", top(),
			cases[i][0], cases[i][1]);
		read_all(path.buf, &raw);
		play(&r, runtime_find(cases[i][0]), strbuf_str(&raw));
		arena_init(&a);
		for (struct ask *k = r.first; k; k = k->next) {
			struct raw_ref at[2] = {k->ask.first, k->ask.last};
			const struct json *lines[2];
			struct content_query q = {.is_agent = k->ask.is_agent,
				.id = k->ask.id,
				.name = k->ask.name,
				.lines = lines,
				.count = 2};

			for (int n = 0; n < 2; n++)
				lines[n] = json_parse(
					&a, raw.buf + at[n].offset, at[n].len);
			if (!lines[0] || !lines[1])
				continue;
			for (int n = 0; n < 2; n++)
				distort((struct json *)lines[n], r.rt, &q);
			arena_reset(&a);
		}
		arena_release(&a);
		run_release(&r);
		strbuf_release(&raw);
		strbuf_release(&path);
	}
}
END_TEST

CHECK_MAIN("content", recorded_claude_code, recorded_codex, recorded_pi,
	recorded_dsh,

	raw_output_of_another_run_is_told, both_may_grow,
	raw_output_that_is_gone_or_changed_is_told, odd_shapes_are_no_trouble)

#include "config.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/split.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "output/textfmt.h"
#include "runtime/runtime.h"
#include "tests/linear.h"
#include "view/convert.h"
#if WITH_UI
#include "ui/lens.h"
#include "ui/list.h"
#include "ui/model.h"
#endif

/* linear: does the work of one shape of input of a given size, for
 * t-linear.sh, which counts the instructions. A shape is something that there
 * can be many of; twice as many must not cost more than twice as much.
 *
 * usage: linear           the shapes, one a line, each with its size
 *        linear SHAPE N   works
 *
 * Raw output goes all the way: split, objects, adapter, aggregator, both
 * writers, the model of the view with its lines and its list of agents. */

#define FRAMES 20 /* of the view, over the whole run */
#define PIECE ((size_t)65536)

static int64_t no_time(void *arg)
{
	(void)arg;
	return 0;
}

static const struct clock still = {no_time, no_time, NULL};

/* What comes out. */

struct outlets {
	struct strbuf line;
	struct textfmt *text;
	int events;
	int frame_at; /* events between two frames */
#if WITH_UI
	struct model model;
	struct lens lens;
	struct list list;
#endif
};

static void outlets_init(struct outlets *o, int n)
{
	memset(o, 0, sizeof(*o));
	o->text = textfmt_new(true);
	o->frame_at = n / FRAMES + 1;
#if WITH_UI
	model_init(&o->model);
	lens_init(&o->lens, &o->model, AGENT_MAIN);
#endif
}

static void draw(struct outlets *o)
{
#if WITH_UI
	lens_sync(&o->lens, 30, 100);
	list_changed(&o->list);
	list_sync(&o->list, &o->model, 0);
#else
	(void)o;
#endif
}

static void on_event(void *arg, const struct event *ev)
{
	struct outlets *o = arg;

	strbuf_reset(&o->line);
	event_write(&o->line, ev);
	strbuf_reset(&o->line);
	textfmt_event(o->text, ev, &o->line);
#if WITH_UI
	model_event(&o->model, ev, 0);
#endif
	if (++o->events % o->frame_at == 0)
		draw(o);
}

/* A look at the last agent, too. */
static void outlets_release(struct outlets *o)
{
	draw(o);
#if WITH_UI
	lens_release(&o->lens);
	lens_init(&o->lens, &o->model, (uint32_t)o->model.agents.count - 1);
	draw(o);
	(void)agents_used(&o->model.agents, AGENT_MAIN);
	list_release(&o->list);
	lens_release(&o->lens);
	model_release(&o->model);
#endif
	textfmt_free(o->text);
	strbuf_release(&o->line);
}

/* What goes in: raw output. */

struct reading {
	struct split split;
	struct convert *convert;
};

static void on_line(void *arg, const char *line, size_t len)
{
	struct reading *r = arg;

	convert_line(r->convert, split_offset(&r->split, line), line, len);
}

static void read_raw(const char *runtime, struct str data, int n)
{
	struct outlets o;
	struct reading r;

	outlets_init(&o, n);
	split_init(&r.split, SPLIT_LINE_MAX);
	r.convert =
		convert_new(runtime_find(runtime), "/w", &still, on_event, &o);
	for (size_t at = 0; at < data.len; at += PIECE)
		split_feed(&r.split, data.ptr + at,
			data.len - at < PIECE ? data.len - at : PIECE, on_line,
			&r);
	split_finish(&r.split, on_line, &r);
	convert_finish(r.convert, 0, r.split.unfinished);
	convert_free(r.convert);
	split_release(&r.split);
	outlets_release(&o);
}

/* Saved events. */
static void read_events(const char *runtime, struct str data, int n)
{
	struct outlets o;
	struct arena arena;
	struct event ev;
	struct err err;
	size_t pos = 0;
	struct str line;

	(void)runtime;
	outlets_init(&o, n);
	arena_init(&arena);
	while (utf8_next_line(data, &pos, &line)) {
		if (event_read(&ev, &arena, line.ptr, line.len, &err) == 0) {
			ev.raw = str_null();
			on_event(&o, &ev);
		}
		arena_reset(&arena);
	}
	arena_release(&arena);
	outlets_release(&o);
}

/* The shapes. `%` in a text stands for the number of the line or piece. */

static void add(struct strbuf *out, const char *text, int i)
{
	for (; *text; text++)
		if (*text == '%')
			strbuf_addf(out, "%d", i);
		else if (*text == '\'')
			strbuf_addch(out, '"');
		else
			strbuf_addch(out, *text);
}

static void many(struct strbuf *out, const char *text, int n)
{
	for (int i = 0; i < n; i++)
		add(out, text, i);
}

static void many_down(struct strbuf *out, const char *text, int n)
{
	while (n-- > 0)
		add(out, text, n);
}

#define TASK(what, more) \
	"{'type':'system','subtype':'task_" what "','task_id':" more "}\n"
#define SAID(parent, id, block)                                          \
	"{'type':'assistant','parent_tool_use_id':" parent               \
	",'message':{'id':'" id "','model':'m','usage':{'input_tokens':" \
	"1,'output_tokens':1},'content':[" block "]}}\n"
#define CALL(id, name) "{'type':'tool_use','id':'" id "','name':'" name "'}"
#define TEXT "{'type':'text','text':'hi'}"
#define RESULT "{'type':'result','is_error':false,'result':'x'}\n"

/* Task starts and ends of one id, whose runs do not fit together. */
static void tasks_of_one(struct strbuf *out, int n)
{
	many(out, TASK("started", "'t','run_id':'r%'"), n);
	many(out, TASK("notification", "'t','run_id':'x%'"), n);
}

static void tasks(struct strbuf *out, int n)
{
	many(out, TASK("started", "'t%','run_id':'r','tool_use_id':'c%'"), n);
	many_down(out, TASK("notification", "'t%','run_id':'r'"), n / 2);
}

static void task_list(struct strbuf *out, int n)
{
	for (int k = 0; k < 3; k++) {
		add(out,
			"{'type':'system','subtype':"
			"'background_tasks_changed','tasks':[{}",
			0);
		many(out, ",{'task_id':'t%'}", n);
		add(out, "]}\n", 0);
	}
	many(out, TASK("notification", "'t%'"), n);
}

/* Results of one line, with as much said about others. */
static void results(struct strbuf *out, int n)
{
	many(out, SAID("null", "m", CALL("a%", "Bash")), n);
	add(out, "{'type':'user','message':{'content':[{}", 0);
	many(out, ",{'type':'tool_result','tool_use_id':'a%'}", n);
	add(out, "]},'tool_result_meta':[{}", 0);
	many(out, ",{'id':'b%','permission_decision':{'decision':'reject'}}",
		n);
	add(out, "]}\n", 0);
}

static void blocks(struct strbuf *out, int n)
{
	add(out, "{'type':'assistant','message':{'id':'m','content':[{}", 0);
	many(out, "," TEXT "," CALL("c%", "Agent") "," CALL("b%", "Bash"), n);
	add(out, "]}}\n", 0);
}

static void open_calls(struct strbuf *out, int n)
{
	many(out, SAID("null", "m%", CALL("c%", "Bash")), n);
}

static void calls(struct strbuf *out, int n)
{
	many(out, SAID("null", "m", CALL("c%", "Bash")), n);
	many_down(out,
		"{'type':'user','message':{'content':[{'type':'tool_result',"
		"'tool_use_id':'c%','is_error':true}]}}\n",
		n);
}

#define AGENT_LINES(parent)                        \
	SAID(parent, "m%", CALL("t%", "Agent"))    \
	TASK("started", "'a%','tool_use_id':'t%'") \
	SAID("'t%'", "s%", TEXT)

static void agents_open(struct strbuf *out, int n)
{
	many(out, AGENT_LINES("null"), n);
}

static void agents_over(struct strbuf *out, int n)
{
	agents_open(out, n);
	many(out, TASK("notification", "'a%','tool_use_id':'t%'"), n);
	many(out, SAID("'t%'", "late%", TEXT), n);
}

/* Each in the one before; they end from the outside. */
static void agents_nested(struct strbuf *out, int n)
{
	for (int i = 0; i < n; i++) {
		char parent[32];
		struct strbuf line = STRBUF_INIT;

		snprintf(parent, sizeof(parent), "\"t%d\"", i - 1);
		strbuf_addf(&line,
			"{'type':'assistant','parent_tool_use_id':%s,"
			"'message':{'id':'m%%','content':[" CALL(
				"t%%", "Agent") "]}}\n",
			parent);
		add(out, line.buf, i);
		add(out, SAID("'t%'", "s%", TEXT), i);
		strbuf_release(&line);
	}
	many(out, TASK("notification", "'a%','tool_use_id':'t%'"), n);
	many(out, SAID("'t%'", "u%", TEXT), n);
}

/* Parents that never were subagents, and calls that never end. */
static void parents(struct strbuf *out, int n)
{
	many(out, SAID("'p%'", "m", TEXT), n);
	many(out, SAID("'p%'", "m%", TEXT), n);
}

static void messages(struct strbuf *out, int n)
{
	many(out, SAID("null", "m%", TEXT), n);
	many(out, SAID("null", "m%", TEXT), n);
}

static void models(struct strbuf *out, int n)
{
	for (int k = 0; k < 2; k++) {
		add(out,
			"{'type':'result','is_error':false,'modelUsage':{"
			"'m':{}",
			0);
		many(out, ",'m%':{'inputTokens':1,'costUSD':0.1}", n);
		add(out, "}}\n", 0);
	}
}

static void denials(struct strbuf *out, int n)
{
	many(out,
		"{'type':'system','subtype':'permission_denied',"
		"'tool_use_id':'d%'}\n",
		n);
	add(out, "{'type':'result','is_error':false,'permission_denials':[{}",
		0);
	many(out, ",{'tool_use_id':'e%'}", n);
	add(out, "],'errors':[''", 0);
	many(out, ",'error %'", n);
	add(out, "]}\n", 0);
}

/* Members of an object, the same and others, beside as many blocks. */
static void keys(struct strbuf *out, int n)
{
	add(out, "{'type':'user'", 0);
	many(out, ",'k%':1,'type':'user','message':{}", n);
	add(out, ",'message':{'content':[{}", 0);
	many(out, ",{'type':'tool_result','tool_use_id':'c%'}", n);
	add(out, "]}}\n", 0);
}

static void lines_of_text(struct strbuf *out, int n)
{
	add(out,
		"{'type':'assistant','message':{'content':[{'type':'text',"
		"'text':'",
		0);
	many(out, "line %\\n\\t\\u00e9\\r\\n\\n", n);
	add(out, "'}]}}\n", 0);
}

/* Cells that are wide, joined, or have no width. */
static void long_line(struct strbuf *out, int n)
{
	add(out,
		"{'type':'assistant','message':{'content':[{'type':'text',"
		"'text':'",
		0);
	many(out,
		"中é\xcc\x81\xf0\x9f\x91\xa9\xe2\x80\x8d\x1b[31m\xe2\x80\xae"
		"🇩🇪",
		n);
	add(out, "'}]}}\n", 0);
	add(out,
		"{'type':'assistant','message':{'content':[{'type':'tool_use',"
		"'id':'t','name':'Bash','input':{'command':'",
		0);
	many(out, "\\u001b[3\\u0301m \\n \\u00a0", n);
	add(out, "'}}]}}\n", 0);
}

static void objects(struct strbuf *out, int n)
{
	many(out, "{}", n);
	add(out, "\n", 0);
	many(out, "\x1b[m{'a':{}}\x1e\xef\xbb\xbf , ", n);
	add(out, "\n", 0);
}

static void bad_pieces(struct strbuf *out, int n)
{
	many(out, "{'a':}", n);
	add(out, "\n{", 0);
	many(out, "{'a'", n);
	add(out, "\n{}", 0);
	many(out, "\x1b]0;{}\x1bP\x1b", n);
	add(out, "\n", 0);
	many(out, "text \xff\n", n);
}

static void brackets(struct strbuf *out, int n)
{
	many(out, "[", n);
	add(out, "\n", 0);
	many(out, "{'a':", n);
	add(out, "\n", 0);
	many(out, "{'a':[", n);
	add(out, "1", 0);
	many(out, "]}", n);
	add(out, "\n{'a':[", 0);
	many(out, "[{}],", n);
	add(out, "1]}\n", 0);
}

/* What is repaired, decoded, or looked at twice in strings. */
static void escapes(struct strbuf *out, int n)
{
	static const char *const pieces[] = {"\\ud800", "\\ud83d\\ude00", "\\n",
		"\\\\", "\\u0041", "\xff", "\xe4\xb8", "\xed\xa0\x80", "\\\"x",
		"\\ud800\xff"};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		add(out, "{'type':'x','a':'", 0);
		for (int k = 0; k < n; k++)
			strbuf_addstr(out, pieces[i]);
		add(out, "','b':1}\n", 0);
	}
	many(out, "{'", n);
	add(out, "\n{'a':[", 0);
	many(out, "'%',", n);
	add(out, "0]}\n", 0);
}

static void numbers(struct strbuf *out, int n)
{
	static const char *const keys_of[] = {"input_tokens", "output_tokens"};

	for (int k = 0; k < 2; k++) {
		add(out, "{'type':'assistant','message':{'id':'m','usage':{'",
			0);
		strbuf_addf(out, "%s\":1", keys_of[k]);
		many(out, k ? "0" : "%", n);
		add(out, "}}}\n", 0);
	}
}

#define ITEM(when, more) \
	"{'type':'item." when "','item':{'id':'i%'," more "}}\n"

static void items(struct strbuf *out, int n)
{
	many(out, ITEM("started", "'type':'command_execution','command':'x'"),
		n);
	many(out, ITEM("started", "'type':'web_search'"), n);
	many_down(out, ITEM("completed", "'type':'web_search'"), n / 2);
	many_down(out,
		ITEM("completed", "'type':'command_execution','exit_code':1"),
		n / 2);
}

static void changes(struct strbuf *out, int n)
{
	add(out,
		"{'type':'item.completed','item':{'id':'i','type':"
		"'file_change','changes':[{}",
		0);
	many(out, ",{'path':'/w/src/%'}", n);
	add(out,
		"]}}\n{'type':'item.completed','item':{'id':'j','type':"
		"'command_execution','command':'bash -lc ",
		0);
	many(out, "\\\\ \\'\\\"$%\\\"\\'", n);
	add(out, "'}}\n", 0);
}

static void codex_agents(struct strbuf *out, int n)
{
	many(out,
		ITEM("completed", "'type':'collab_tool_call','agents_states':"
				  "{'a%':{'status':'running'}}"),
		n);
	add(out,
		"{'type':'item.completed','item':{'id':'j','type':"
		"'collab_tool_call','agents_states':{'x':{}",
		0);
	many(out, ",'a%':{'status':'completed'}", n / 2);
	add(out, "}}}\n", 0);
}

static void pi_calls(struct strbuf *out, int n)
{
	many(out,
		"{'type':'tool_execution_start','toolCallId':'c%',"
		"'toolName':'bash'}\n{'type':'message_update','usage':"
		"{'input':1}}\n",
		n);
	many_down(out, "{'type':'tool_execution_end','toolCallId':'c%'}\n", n);
}

/* The pieces that pi adds to a prompt with images, as they are and broken. */
static void pi_prompt(struct strbuf *out, int n)
{
	add(out,
		"{'type':'message_end','message':{'role':'user','content':["
		"{'type':'text','text':'",
		0);
	many(out, "<file name=\\'/a/%.png\\'></file>\\n", n);
	many(out, "<file name=\\'[", n);
	many(out, "<file name=\\'/a/%.png\\'></file>\\n", n);
	many(out, "\\n\\n[Image omitted: %]", n);
	add(out, "'}", 0);
	many(out, ",{'type':'image'}", 4 * n);
	add(out, "]}}\n", 0);
}

static void dsh_jobs(struct strbuf *out, int n)
{
	many(out,
		"{'type':'tool_call','callId':'c%','tool':'bash','input':"
		"{'run_in_background':true}}\n",
		n);
	many(out,
		"{'type':'tool_result','callId':'c%','status':'completed',"
		"'result':'started background job bash-%'}\n",
		n);
	many(out, "{'type':'status','phase':'turn_start'}\n", n / 2);
}

static void events(struct strbuf *out, int n)
{
	many(out,
		"{'schema':1,'type':'subagent_start','time':"
		"'2026-10-04T13:00:00.000Z','id':'a%','parent':null,"
		"'number':%,'kind':'K%','model':'m%','description':'d'}\n"
		"{'schema':1,'type':'tool_start','time':"
		"'2026-10-04T13:00:00.000Z','id':'t%','parent':'a%',"
		"'name':'N%','summary':'s'}\n",
		n);
	many(out,
		"{'schema':1,'type':'subagent_end','time':"
		"'2026-10-04T13:00:00.000Z','id':'a%','status':'finished',"
		"'duration_ms':1,'usage':{'input_tokens':1,'output_tokens':1,"
		"'cache_read_tokens':1,'cache_write_tokens':1,"
		"'cost_usd':null,'by_model':{}}}\n",
		n);
}

static void event_lists(struct strbuf *out, int n)
{
	add(out,
		"{'schema':1,'type':'prompt','time':"
		"'2026-10-04T13:00:00.000Z','text':'x','images':['i'",
		0);
	many(out, ",'i%'", n);
	add(out,
		"]}\n{'schema':1,'type':'end','time':"
		"'2026-10-04T13:00:00.000Z','status':'finished',"
		"'exit_code':0,'detail':'",
		0);
	many(out, "d%\\n", n);
	add(out,
		"','duration_ms':1,'usage':{'input_tokens':1,'output_tokens':"
		"1,'cache_read_tokens':1,'cache_write_tokens':1,"
		"'cost_usd':null,'by_model':{'m':{'input_tokens':1,"
		"'output_tokens':1,'cache_read_tokens':1,"
		"'cache_write_tokens':1,'cost_usd':null}",
		0);
	many(out,
		",'m%':{'input_tokens':1,'output_tokens':1,"
		"'cache_read_tokens':1,'cache_write_tokens':1,"
		"'cost_usd':null}",
		n);
	add(out, "}},'result':'", 0);
	many(out, "r%\\n", n);
	add(out, "','session_id':null,'warnings':['w'", 0);
	many(out, ",'w%'", n);
	add(out, "]}\n", 0);
}

struct shape {
	const char *name;
	int n;
	const char *runtime;
	void (*make)(struct strbuf *out, int n);
	void (*read)(const char *runtime, struct str data, int n);
};

static const struct shape shapes[] = {
	{"tasks-of-one", 800, "claude-code", tasks_of_one, read_raw},
	{"tasks", 800, "claude-code", tasks, read_raw},
	{"task-list", 800, "claude-code", task_list, read_raw},
	{"results", 400, "claude-code", results, read_raw},
	{"blocks", 300, "claude-code", blocks, read_raw},
	{"open-calls", 400, "claude-code", open_calls, read_raw},
	{"calls", 400, "claude-code", calls, read_raw},
	{"agents-open", 150, "claude-code", agents_open, read_raw},
	{"agents-over", 100, "claude-code", agents_over, read_raw},
	{"agents-nested", 100, "claude-code", agents_nested, read_raw},
	{"parents", 200, "claude-code", parents, read_raw},
	{"messages", 250, "claude-code", messages, read_raw},
	{"models", 800, "claude-code", models, read_raw},
	{"denials", 1000, "claude-code", denials, read_raw},
	{"keys", 1000, "claude-code", keys, read_raw},
	{"lines-of-text", 1000, "claude-code", lines_of_text, read_raw},
	{"long-line", 500, "claude-code", long_line, read_raw},
	{"objects", 1000, "claude-code", objects, read_raw},
	{"bad-pieces", 1000, "claude-code", bad_pieces, read_raw},
	{"brackets", 5000, "claude-code", brackets, read_raw},
	{"escapes", 3000, "claude-code", escapes, read_raw},
	{"numbers", 5000, "claude-code", numbers, read_raw},
	{"items", 400, "codex", items, read_raw},
	{"changes", 1000, "codex", changes, read_raw},
	{"codex-agents", 500, "codex", codex_agents, read_raw},
	{"pi-calls", 400, "pi", pi_calls, read_raw},
	{"pi-prompt", 1000, "pi", pi_prompt, read_raw},
	{"dsh-jobs", 400, "dsh", dsh_jobs, read_raw},
	{"events", 150, NULL, events, read_events},
	{"event-lists", 600, NULL, event_lists, read_events},
};

static void work(const struct shape *s, int n)
{
	struct strbuf data = STRBUF_INIT;

	s->make(&data, n);
	if (s->read == read_raw)
		add(&data, RESULT, 0);
	s->read(s->runtime, strbuf_str(&data), n);
	strbuf_release(&data);
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? (int)strtol(argv[2], NULL, 10) : 0;

	setlocale(LC_ALL, "");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (argc == 1)
			printf("%s %d\n", shapes[i].name, shapes[i].n);
		else if (argc == 3 && strcmp(argv[1], shapes[i].name) == 0)
			work(&shapes[i], n);
	}
	for (const struct linear_direct *d = linear_direct; d->name; d++) {
		if (argc == 1)
			printf("%s %d\n", d->name, d->n);
		else if (argc == 3 && strcmp(argv[1], d->name) == 0)
			d->work(n);
	}
	return 0;
}

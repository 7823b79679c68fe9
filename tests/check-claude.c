#include "config.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/xalloc.h"
#include "runtime/runtime.h"
#include "tests/check-main.h"

/* The adapter of claude-code, line by line: what the recorded runs in
 * tests/golden do not hold, and what they hold among other things. */

static const struct runtime_ops *const ops = &runtime_claude_code;
static struct adapter *ad;
static struct strbuf got = STRBUF_INIT;
static struct usage totals;

static void note(const char *word, struct str s)
{
	if (s.ptr)
		strbuf_addf(&got, " %s=%.*s", word, (int)s.len, s.ptr);
}

static void on_record(void *arg, const struct record *r)
{
	static const char *const kinds[] = {"prompt", "text", "tool",
		"tool-end", "call", "call-usage", "usage", "agent", "agent-end",
		"session", "totals", "result", "refused", "task", "network"};

	(void)arg;
	if (r->kind == RECORD_SESSION)
		return;
	if (r->kind == RECORD_TOTALS) {
		if (!r->adds)
			usage_reset(&totals);
		for (size_t i = 0; i < r->totals->count; i++)
			usage_add(&totals, str_of(r->totals->models[i].model),
				&r->totals->models[i].counts);
		return;
	}
	strbuf_addstr(&got, kinds[r->kind]);
	note("id", r->id);
	note("parent", r->parent);
	note("kind", r->agent_kind);
	note("description", r->description);
	note("summary", r->summary);
	note("text", r->text);
	note("model", r->model);
	if (r->kind == RECORD_TOOL_END)
		strbuf_addstr(&got, r->denied              ? " denied"
				    : r->error == TRI_TRUE ? " error"
							   : " ok");
	if (r->failed)
		strbuf_addstr(&got, " failed");
	if (r->kind == RECORD_USAGE)
		strbuf_addf(&got, " %lld/%lld", (long long)r->counts.input,
			(long long)r->counts.output);
	strbuf_addstr(&got, "\n");
}

static const struct record_out out = {on_record, NULL};

static void begin(const char *prompt, bool resumed)
{
	struct adapter_config config = {.cwd = "/home/me/repo"};

	config.prompt = str_of(prompt);
	config.resumed = resumed;
	config.baseline = token_counts_unknown();
	usage_init(&totals);
	ad = ops->adapter_new(&config);
	strbuf_reset(&got);
}

/* One raw line; single quotes stand for double ones. */
static void line(const char *text)
{
	struct arena a;
	char *copy = xstrdup(text);
	struct json *v;
	char *p;

	for (p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	arena_init(&a);
	v = json_parse(&a, copy, strlen(copy));
	ck_assert_msg(v != NULL, "no JSON: %s", text);
	ops->line(ad, v, &out);
	arena_release(&a);
	free(copy);
}

static void finish(void)
{
	ops->finish(ad, &out);
	ops->adapter_free(ad);
	ad = NULL;
	usage_release(&totals);
}

/* What was recorded since the last look, without the calls under way. */
static void want(const char *expected)
{
	struct strbuf seen = STRBUF_INIT;
	struct str rest = strbuf_str(&got);

	while (rest.len) {
		const char *nl = memchr(rest.ptr, '\n', rest.len);
		struct str one = {rest.ptr, (size_t)(nl - rest.ptr) + 1};

		if (!str_starts(one, "call"))
			strbuf_adds(&seen, one);
		rest.ptr += one.len;
		rest.len -= one.len;
	}
	ck_assert_is(strbuf_str(&seen), expected);
	strbuf_release(&seen);
	strbuf_reset(&got);
}

#define PARENT(p) "'parent_tool_use_id':" p
#define MESSAGE(id, in, o, block, parent)                                     \
	"{'type':'assistant','message':{'id':'" id "','model':'m','usage':{"  \
	"'input_tokens':" in ",'output_tokens':" o "},'content':[" block "]}" \
	"," PARENT(parent) "}"
#define TEXT(t) "{'type':'text','text':'" t "'}"
#define TOOL(id, name, input)                                        \
	"{'type':'tool_use','id':'" id "','name':'" name "','input'" \
	":{" input "}}"
#define RESULT(id, rest, more)                                        \
	"{'type':'user','message':{'content':[{'type':'tool_result'," \
	"'tool_use_id':'" id "'" rest "}]},'parent_tool_use_id':null" more "}"
#define STREAM(id, ev) \
	"{'type':'stream_event','api_message_id':'" id "','event':" ev "}"
#define AGENT(id)             \
	TOOL(id, "Agent",     \
		"'descripti"  \
		"on':'look'," \
		"'subagent_"  \
		"type':'Exp'")

START_TEST(usage_by_assistant_lines)
{
	begin(NULL, false);
	line(MESSAGE("a", "10", "1", TEXT("x"), "null"));
	line(MESSAGE("a", "10", "3", TEXT("y"), "null"));
	want("text text=x\ntext text=y\n");
	line(MESSAGE("b", "20", "1", TEXT("z"), "null"));
	want("usage id=a model=m 10/3\ntext text=z\n");
	line("{'type':'assistant','message':{'id':'s','model':'<synthetic>',"
	     "'content':[{'type':'text','text':'oops'}]}}");
	want("usage id=b model=m 20/1\ntext text=oops\n");
	finish();
	want("");
}
END_TEST

START_TEST(usage_by_stream)
{
	begin(NULL, false);
	line(STREAM("a", "{'type':'message_start','message':{'id':'a',"
			 "'model':'m','usage':{'input_tokens':9,"
			 "'output_tokens':1}}}"));
	line(MESSAGE("a", "9", "2", TEXT("x"), "null"));
	line(STREAM("a", "{'type':'message_delta','usage':{"
			 "'output_tokens':50}}"));
	/* A late line does not take the final numbers back. */
	line(MESSAGE("a", "9", "2", TEXT("y"), "null"));
	want("text text=x\ntext text=y\n");
	line(STREAM("old", "{'type':'message_stop'}"));
	want("");
	line(STREAM("a", "{'type':'message_stop'}"));
	want("usage id=a model=m 9/50\n");
	/* A call that only began and cost nothing never happened. */
	line(STREAM("b", "{'type':'message_start','message':{'id':'b',"
			 "'model':'m','usage':{'input_tokens':0}}}"));
	finish();
	want("");
}
END_TEST

START_TEST(subagent_needs_proof)
{
	begin(NULL, false);
	line(MESSAGE("a", "1", "1",
		AGENT("t1") "," AGENT("t2") "," AGENT("t3") "," AGENT(
			"t4") "," AGENT("t5"),
		"null"));
	want("");
	line("{'type':'system','subtype':'permission_denied',"
	     "'tool_use_id':'t1'}");
	line(RESULT("t1", ",'is_error':true", ""));
	want("refused id=t1\n"
	     "tool id=t1 summary=Agent: look\ntool-end id=t1 denied\n");
	line(RESULT("t2", ",'is_error':true", ""));
	want("tool id=t2 summary=Agent: look\ntool-end id=t2 error\n");
	line("{'type':'user','message':{'content':'go'}," PARENT("'t3'") "}");
	want("agent id=t3 kind=Exp description=look\n");
	line(RESULT("t4", "", ""));
	want("agent id=t4 kind=Exp description=look\nagent-end id=t4\n");
	finish();
	want("usage id=a model=m 1/1\ntool id=t5 summary=Agent: look\n");
}
END_TEST

START_TEST(subagent_launched)
{
	begin(NULL, false);
	line(MESSAGE("a", "1", "1",
		TOOL("t1", "Task", "'prompt':'p','model':'haiku'") "," AGENT(
			"t2"),
		"null"));
	line(RESULT(
		"t1", "", ",'tool_use_result':{'status':'async_launched'}"));
	want("agent id=t1 kind=general-purpose description= model=haiku\n");
	line("{'type':'system','subtype':'task_started','task_id':'k',"
	     "'tool_use_id':'t2','is_backgrounded':true}");
	want("agent id=t2 kind=Exp description=look\n");
	line(RESULT("t2", ",'is_error':false", ""));
	want("");
	line(MESSAGE("s", "5", "7", TEXT("in"), "'t2'"));
	want("text parent=t2 text=in\n");
	line("{'type':'system','subtype':'task_notification','task_id':'k',"
	     "'tool_use_id':'t2','status':'stopped'}");
	want("usage id=s parent=t2 model=m 5/7\nagent-end id=t2 failed\n");
	/* The other sign of its end does not count again. */
	line(RESULT("t2", ",'is_error':true", ""));
	want("");
	finish();
	want("usage id=a model=m 1/1\n");
}
END_TEST

START_TEST(nested_subagent)
{
	begin(NULL, false);
	line(MESSAGE("a", "1", "1", AGENT("t1"), "null"));
	line(MESSAGE("b", "2", "2", AGENT("t2"), "'t1'"));
	want("agent id=t1 kind=Exp description=look\n");
	line(MESSAGE("c", "3", "3",
		TOOL("x", "Read", "'file_path':'/home/me/repo/a.c'"), "'t2'"));
	want("agent id=t2 parent=t1 kind=Exp description=look\n"
	     "tool id=x parent=t2 summary=Read: a.c\n");
	finish();
	want("usage id=a model=m 1/1\nusage id=b parent=t1 model=m 2/2\n"
	     "usage id=c parent=t2 model=m 3/3\n");
}
END_TEST

START_TEST(denied_and_error)
{
	begin(NULL, false);
	line(RESULT("a", ",'is_error':true",
		",'tool_result_meta':[{'id':'a','permission_decision':"
		"{'decision':'reject'}}]"));
	want("tool-end id=a denied\n");
	/* Stopped by an interrupt: it looks refused and is not. */
	line(RESULT("b", ",'is_error':true",
		",'tool_result_meta':[{'id':'b','non_execution_kind':"
		"'user-rejected'}]"));
	want("tool-end id=b error\n");
	line(RESULT("c", "",
		",'tool_result_meta':[{'id':'b','permission_decision':"
		"{'decision':'reject'}}]"));
	want("tool-end id=c ok\n");
	finish();
}
END_TEST

START_TEST(summaries)
{
	begin(NULL, false);
	line("{'type':'system','subtype':'init','cwd':'/elsewhere'}");
	line(MESSAGE("a", "1", "1",
		TOOL("1", "Bash", "'command':5,'description':'d'") "," TOOL("2",
			"Edit",
			"'replace_all':false,'file_path':'/elsewhere/"
			"x'") "," TOOL("3", "mcp__a__b",
			"'n':1,'url':'','prompt':'hi'") "," TOOL("4",
			"WebSearch", "'q':'what'") "," TOOL("5", "New", ""),
		"null"));
	want("tool id=1 summary=Bash\ntool id=2 summary=Edit: x\n"
	     "tool id=3 summary=mcp__a__b: hi\n"
	     "tool id=4 summary=WebSearch: what\ntool id=5 summary=New\n");
	finish();
}
END_TEST

#define ECHO(text, more)                                                \
	"{'type':'user','message':{'content':" text "},'isReplay':true" \
	",'parent_tool_use_id':null" more "}"

START_TEST(prompt_of_a_run)
{
	begin("go on", false);
	line(ECHO("'Reply of a peer'", ",'isSynthetic':true"));
	line(ECHO("'<local-command-stdout>x</local-command-stdout>'", ""));
	line("{'type':'user','message':{'content':'go on'}}");
	want("");
	line(ECHO("[{'type':'text','text':'go on'},{'type':'image'}]", ""));
	want("prompt text=go on\n");
	line(ECHO("'go on'", ""));
	want("");
	finish();
}
END_TEST

START_TEST(prompt_as_the_runtime_took_it)
{
	begin("go on ", false);
	line(ECHO("'go on'", ""));
	want("prompt text=go on\n");
	finish();
	begin("<local-command-stdout>", false);
	line(ECHO("'<local-command-stdout>'", ""));
	want("prompt text=<local-command-stdout>\n");
	finish();
}
END_TEST

START_TEST(prompt_of_recorded_output)
{
	begin(NULL, false);
	line(ECHO("'<local-command-stdout>x</local-command-stdout>'", ""));
	line(ECHO("'peer'", ",'isSynthetic':true"));
	want("");
	line(ECHO("'first'", ""));
	line(ECHO("'second'", ""));
	want("prompt text=first\n");
	finish();
}
END_TEST

static struct runtime_verdict verdict(void)
{
	struct runtime_verdict rv = {false, {NULL, 0}, false};

	ops->verdict(ad, &rv);
	return rv;
}

START_TEST(last_result_decides)
{
	begin(NULL, false);
	ck_assert(!verdict().success && !verdict().final);
	line("{'type':'result','is_error':false,'result':'fine'}");
	ck_assert(verdict().success && str_is_null(verdict().message));
	line("{'type':'result','is_error':true,'subtype':'success',"
	     "'result':'API Error'}");
	ck_assert(!verdict().success);
	ck_assert_is(verdict().message, "API Error");
	line("{'type':'result','is_error':true,'result':'',"
	     "'errors':['one',2,'two']}");
	ck_assert_is(verdict().message, "one; two");
	/* No positive sign, and no complaint either. */
	line("{'type':'result','result':'an answer'}");
	ck_assert(!verdict().success && str_is_null(verdict().message));
	finish();
}
END_TEST

#define TASKS(list)                                              \
	"{'type':'system','subtype':'background_tasks_changed'," \
	"'tasks':[" list "]}"

START_TEST(final_result)
{
	begin(NULL, false);
	line(TASKS("{'task_id':'k'}"));
	line("{'type':'result','is_error':false}");
	ck_assert(!verdict().final);
	line(TASKS(""));
	line("{'type':'result','is_error':false}");
	ck_assert(verdict().final);
	line("{'type':'system','subtype':'init'}");
	ck_assert(!verdict().final);
	line("{'type':'system','subtype':'task_started','task_id':'k',"
	     "'run_id':'r1'}");
	line("{'type':'system','subtype':'task_notification','task_id':'k',"
	     "'run_id':'r0','status':'completed'}");
	line("{'type':'result','is_error':false}");
	ck_assert(!verdict().final);
	line("{'type':'system','subtype':'task_notification','task_id':'k',"
	     "'run_id':'r1','status':'completed'}");
	line("{'type':'result','is_error':false}");
	ck_assert(verdict().final);
	finish();
}
END_TEST

#define MODELS(n) "{'m':{'inputTokens':" n ",'costUSD':0.5}}"

START_TEST(totals_of_a_run)
{
	begin(NULL, false);
	line("{'type':'result','modelUsage':" MODELS("10") "}");
	line("{'type':'result','modelUsage':" MODELS("30") "}");
	ck_assert_int_eq(totals.sum.input, 30);
	ck_assert(totals.sum.output == COUNT_UNKNOWN);
	line("{'type':'result'}");
	ck_assert_int_eq(totals.sum.input, 30);
	finish();
}
END_TEST

START_TEST(totals_of_a_resumed_run)
{
	begin(NULL, true);
	line("{'type':'result','modelUsage':" MODELS(
		"100") ",'model_usage_since_last_result':" MODELS("10") "}");
	line("{'type':'result','modelUsage':" MODELS(
		"107") ",'model_usage_since_last_result':" MODELS("7") "}");
	line("{'type':'result','modelUsage':" MODELS("107") "}");
	ck_assert_int_eq(totals.sum.input, 17);
	ck_assert(totals.sum.cost_usd == 1.0);
	finish();
}
END_TEST

START_TEST(odd_lines)
{
	static const char *const lines[] = {"{}", "{'type':5}",
		"{'type':'assistant'}", "{'type':'assistant','message':[]}",
		"{'type':'assistant','message':{'id':5,'content':[5,{}]}}",
		"{'type':'assistant','message':{'id':'i','content':"
		"[{'type':'tool_use'},{'type':'tool_use','id':'x'}]}}",
		"{'type':'user','message':{'content':[{'type':'tool_result'}]}"
		"}",
		"{'type':'user','isReplay':true}", "{'type':'stream_event'}",
		"{'type':'stream_event','event':{'type':'message_stop'}}",
		"{'type':'system'}",
		"{'type':'system','subtype':'init',"
		"'cwd':5}",
		"{'type':'system','subtype':'task_notification'}",
		"{'type':'system','subtype':'task_started'}",
		"{'type':'system','subtype':'permission_denied'}",
		"{'type':'result','modelUsage':[],'errors':{}}",
		"{'parent_tool_use_id':{},'type':'user'}"};
	size_t i;

	begin(NULL, false);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		line(lines[i]);
	finish();
	want("usage id=i -1/-1\n");
}
END_TEST

static struct runtime_command cmd;

static void command(const struct runtime_request *rq)
{
	struct err err = ERR_INIT;

	strvec_init(&cmd.argv);
	strvec_init(&cmd.env);
	strbuf_init(&cmd.input);
	ck_assert_int_eq(ops->command(rq, &cmd, &err), 0);
}

static void command_is(const char *expected)
{
	struct strbuf sb = STRBUF_INIT;
	size_t i;

	for (i = 0; i < cmd.argv.count; i++)
		strbuf_addf(&sb, "%s%s", i ? " " : "", cmd.argv.v[i]);
	ck_assert_is(strbuf_str(&sb), expected);
	strbuf_release(&sb);
	strvec_release(&cmd.argv);
	strvec_release(&cmd.env);
	strbuf_release(&cmd.input);
}

#define ALWAYS                                                  \
	"/bin/claude -p --output-format stream-json --verbose " \
	"--input-format stream-json --replay-user-messages "    \
	"--forward-subagent-text --include-partial-messages "

START_TEST(command_lines)
{
	struct runtime_request rq = {.program = "/bin/claude"};
	struct strvec extra = STRVEC_INIT;

	rq.prompt = (struct str){"a \"b\"\0\n", 7};
	rq.box = RUNTIME_BOX_OURS;
	command(&rq);
	ck_assert_is(strbuf_str(&cmd.input),
		"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":"
		"\"a \\\"b\\\"\\u0000\\n\"},\"parent_tool_use_id\":null,"
		"\"session_id\":\"\"}\n");
	ck_assert_str_eq(strvec_env_get(&cmd.env, "IS_SANDBOX"), "1");
	command_is(ALWAYS "--permission-mode bypassPermissions");
	rq.box = RUNTIME_BOX_NONE;
	rq.no_subagents = true;
	rq.model = "opus";
	rq.effort = "high";
	rq.resume_id = "id";
	strvec_push(&extra, "--x");
	rq.extra_args = &extra;
	command(&rq);
	ck_assert_ptr_null(strvec_env_get(&cmd.env, "IS_SANDBOX"));
	command_is(ALWAYS
		"--disallowedTools Agent Workflow --permission-mode auto "
		"--model opus --effort high --resume id --x");
	strvec_release(&extra);
}
END_TEST

START_TEST(images_behind_the_text)
{
	struct runtime_image images[4];
	struct runtime_request rq = {.program = "/bin/claude"};
	struct err err = ERR_INIT;
	char path[4][64];
	size_t i;

	for (i = 0; i < 4; i++) {
		snprintf(path[i], sizeof(path[i]), "check-claude-%d-%zu.png",
			(int)getpid(), i);
		ck_assert_int_eq(
			io_replace_file(path[i], "\xfb\xef\xff", i, 0600, &err),
			0);
		images[i].copy = images[i].given = path[i];
		images[i].media_type = "image/png";
	}
	rq.prompt = str_of("look");
	rq.images = images;
	rq.image_count = 4;
	command(&rq);
#define IMAGE(data)                                             \
	",{\"type\":\"image\",\"source\":{\"type\":\"base64\"," \
	"\"media_type\":\"image/png\",\"data\":\"" data "\"}}"
	ck_assert_is(strbuf_str(&cmd.input),
		"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":"
		"[{\"type\":\"text\",\"text\":\"look\"}" IMAGE("") IMAGE("+w==")
			IMAGE("++8=")
				IMAGE("++//") "]},"
					      "\"parent_tool_use_id\":null,"
					      "\"session_id\":\"\"}\n");
	command_is(ALWAYS "--permission-mode auto");
	for (i = 0; i < 4; i++)
		unlink(path[i]);
}
END_TEST

static void place_is(const char *path, const char *cwd, const char *expected)
{
	struct strbuf to = STRBUF_INIT;
	struct err err = ERR_INIT;

	ck_assert_int_eq(ops->session_place(path, "/old", cwd, &to, &err), 0);
	ck_assert_is(strbuf_str(&to), expected);
	strbuf_release(&to);
}

START_TEST(session_folders)
{
	struct strbuf cwd = STRBUF_INIT;
	struct strbuf to = STRBUF_INIT;
	struct err err = ERR_INIT;
	size_t i;

	place_is("projects/-old/i.jsonl", "/home/me/repo",
		"projects/-home-me-repo/i.jsonl");
	place_is("projects/-old/i", "/home/me/代码_x.y",
		"projects/-home-me----x-y/i");
	place_is("projects/-old/i.jsonl", "/a/🎉é", "projects/-a----/i.jsonl");
	/* Names that the real program made. */
	strbuf_addstr(&cwd, "/tmp/pp/");
	for (i = 0; i < 24; i++)
		strbuf_addstr(&cwd, "abcdefghi_");
	strbuf_addstr(&cwd, "/sub.dir");
	ck_assert_int_eq(ops->session_place("projects/-old/i.jsonl", "/old",
				 cwd.buf, &to, &err),
		0);
	ck_assert_uint_eq(
		to.len, strlen("projects/") + 207 + strlen("/i.jsonl"));
	ck_assert_ptr_nonnull(strstr(to.buf, "-ab-mat7xk/i.jsonl"));
	strbuf_reset(&cwd);
	strbuf_addstr(&cwd, "/tmp/pp/");
	for (i = 0; i < 38; i++)
		strbuf_addstr(&cwd, "ab代🎉/");
	strbuf_addstr(&cwd, "nznz");
	strbuf_reset(&to);
	ck_assert_int_eq(ops->session_place("projects/-old/i.jsonl", "/old",
				 cwd.buf, &to, &err),
		0);
	ck_assert_ptr_nonnull(strstr(to.buf, "--lpasjk/i.jsonl"));
	ck_assert_int_eq(ops->session_place("x", "/old", "/n", &to, &err), -1);
	strbuf_release(&cwd);
	strbuf_release(&to);
}
END_TEST

static void make_file(const char *dir, const char *path)
{
	struct strbuf full = STRBUF_INIT;
	struct err err = ERR_INIT;

	strbuf_addf(&full, "%s/%s", dir, path);
	*strrchr(full.buf, '/') = '\0';
	ck_assert_int_eq(io_mkdirs(full.buf, 0700), 0);
	full.buf[strlen(full.buf)] = '/';
	ck_assert_int_eq(io_replace_file(full.buf, "{}", 2, 0600, &err), 0);
	strbuf_release(&full);
}

START_TEST(session_lists)
{
	struct strbuf dir = STRBUF_INIT;
	struct strvec paths = STRVEC_INIT;
	struct err err = ERR_INIT;

	ck_assert_int_eq(io_temp_dir(&dir, &err), 0);
	ck_assert_int_eq(
		ops->session_list(dir.buf, "/home/me", "id", &paths, &err), 0);
	ck_assert_uint_eq(paths.count, 0);
	make_file(dir.buf, "projects/-home-me/id.jsonl");
	make_file(dir.buf, "projects/-home-me/id/subagents/agent-1.jsonl");
	make_file(dir.buf, "projects/-home-other/far.jsonl");
	ck_assert_int_eq(
		ops->session_list(dir.buf, "/home/me", "id", &paths, &err), 0);
	ck_assert_uint_eq(paths.count, 2);
	ck_assert_str_eq(paths.v[0], "projects/-home-me/id.jsonl");
	ck_assert_str_eq(paths.v[1], "projects/-home-me/id");
	ck_assert_int_eq(
		ops->session_list(dir.buf, "/home/me", "far", &paths, &err), 0);
	ck_assert_str_eq(paths.v[2], "projects/-home-other/far.jsonl");
	ck_assert_int_eq(ops->session_list(dir.buf, "/home/me",
				 "../-home-other/far", &paths, &err),
		-1);
	io_remove_tree(dir.buf);
	strbuf_release(&dir);
	strvec_release(&paths);
}
END_TEST

/* Hostile: each line another parent that never was, another task that never
 * ends. A look through all of them for each line would take minutes. */
START_TEST(many_parents_and_tasks_take_no_time)
{
	char text[256];

	begin(NULL, false);
	for (int i = 0; i < 100000; i++) {
		snprintf(text, sizeof(text),
			"{'type':'assistant','parent_tool_use_id':'p%d',"
			"'message':{'id':'m','usage':{'input_tokens':1}}}",
			i);
		line(text);
		snprintf(text, sizeof(text),
			"{'type':'system','subtype':'task_started',"
			"'task_id':'t%d'}",
			i);
		line(text);
		snprintf(text, sizeof(text),
			"{'type':'system','subtype':'task_notification',"
			"'task_id':'other%d'}",
			i);
		line(text);
		strbuf_reset(&got);
	}
	ops->finish(ad, &out);
	ck_assert(str_starts(strbuf_str(&got), "usage id=m parent=p0 1/"));
	ops->adapter_free(ad);
}
END_TEST

START_TEST(table)
{
	size_t i;

	for (i = 0; runtime_table[i]; i++)
		ck_assert_ptr_eq(
			runtime_find(runtime_table[i]->name), runtime_table[i]);
	ck_assert_uint_eq(i, 4);
	ck_assert_ptr_null(runtime_find("claude"));
}
END_TEST

CHECK_MAIN("claude", usage_by_assistant_lines, usage_by_stream,
	subagent_needs_proof, subagent_launched, nested_subagent,
	denied_and_error, summaries, prompt_of_a_run,
	prompt_as_the_runtime_took_it, prompt_of_recorded_output,
	last_result_decides, final_result, totals_of_a_run,
	totals_of_a_resumed_run, odd_lines, command_lines,
	images_behind_the_text, session_folders, session_lists,
	many_parents_and_tasks_take_no_time, table)

#include "config.h"

#include "runtime/claude-tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xalloc.h"

/* One run that has started and not ended. */
struct claude_run {
	struct claude_run *prev; /* of the same task */
	struct claude_run *next;
	struct claude_task *task;
	struct str key;  /* both strings stand behind the struct */
	struct str tool; /* the call that began it, or null */
};

struct claude_task {
	struct str id; /* stands behind the struct */
	struct claude_run *runs;
	struct claude_task *list_next;
	bool in_list;
	bool listed; /* in the newest list, and not over since */
};

void claude_tasks_init(struct claude_tasks *ts)
{
	*ts = (struct claude_tasks){0};
	strmap_init(&ts->by_id);
	strmap_init(&ts->runs);
	strbuf_init(&ts->key);
}

void claude_tasks_release(struct claude_tasks *ts)
{
	for (size_t i = 0; i < ts->runs.cap; i++)
		free(ts->runs.slots[i].value);
	for (size_t i = 0; i < ts->by_id.cap; i++)
		free(ts->by_id.slots[i].value);
	strmap_release(&ts->runs);
	strmap_release(&ts->by_id);
	strbuf_release(&ts->key);
}

/* A run's key: the length of the task's id, both ids, and whether the run has
 * one at all. */
static struct str key_of(
	struct claude_tasks *ts, struct str task, struct str run)
{
	strbuf_reset(&ts->key);
	strbuf_add(&ts->key, (const char *)&task.len, sizeof(task.len));
	strbuf_addch(&ts->key, run.ptr ? 'r' : '-');
	strbuf_adds(&ts->key, task);
	if (run.ptr)
		strbuf_adds(&ts->key, run);
	return strbuf_str(&ts->key);
}

static struct str put(char *to, struct str s)
{
	if (s.len)
		memcpy(to, s.ptr, s.len);
	return s.ptr ? (struct str){to, s.len} : str_null();
}

static struct claude_task *task_of(struct claude_tasks *ts, struct str id)
{
	struct claude_task *t = strmap_get(&ts->by_id, id);

	if (t)
		return t;
	t = xcalloc(1, sizeof(*t) + id.len);
	t->id = put((char *)(t + 1), id);
	strmap_put(&ts->by_id, t->id, t);
	return t;
}

static void drop_if_over(struct claude_tasks *ts, struct claude_task *t)
{
	if (t->runs || t->in_list)
		return;
	strmap_remove(&ts->by_id, t->id);
	free(t);
}

void claude_tasks_start(struct claude_tasks *ts, const struct json *line)
{
	struct str id = json_str(line, "task_id");
	struct str tool = json_str(line, "tool_use_id");
	struct claude_run *r;
	struct str key;

	if (str_is_null(id))
		return;
	key = key_of(ts, id, json_str(line, "run_id"));
	if (strmap_get(&ts->runs, key))
		return;
	r = xmalloc(sizeof(*r) + key.len + tool.len);
	r->key = put((char *)(r + 1), key);
	r->tool = put((char *)(r + 1) + key.len, tool);
	r->task = task_of(ts, id);
	r->prev = NULL;
	r->next = r->task->runs;
	if (r->next)
		r->next->prev = r;
	r->task->runs = r;
	strmap_put(&ts->runs, r->key, r);
}

static void end_run(struct claude_tasks *ts, struct claude_run *r)
{
	strmap_remove(&ts->runs, r->key);
	if (r->next)
		r->next->prev = r->prev;
	if (r->prev)
		r->prev->next = r->next;
	else
		r->task->runs = r->next;
	free(r);
}

void claude_tasks_over(struct claude_tasks *ts, const struct json *line)
{
	struct str id = json_str(line, "task_id");
	struct str run = json_str(line, "run_id");
	struct claude_task *t = strmap_get(&ts->by_id, id);
	struct claude_run *r;
	struct claude_run *next;

	if (!t)
		return;
	if (run.ptr) {
		r = strmap_get(&ts->runs, key_of(ts, id, run));
		if (!r)
			r = strmap_get(&ts->runs, key_of(ts, id, str_null()));
		if (r)
			end_run(ts, r);
	} else {
		for (r = t->runs; r; r = next) {
			next = r->next;
			end_run(ts, r);
		}
	}
	if (!t->runs && t->listed) {
		t->listed = false;
		ts->listed--;
	}
	drop_if_over(ts, t);
}

void claude_tasks_updated(struct claude_tasks *ts, const struct json *line)
{
	static const char *const ends[] = {
		"completed", "failed", "killed", "stopped", "cancelled"};
	struct str status = json_str(json_get(line, "patch"), "status");

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (str_is(status, ends[i]))
			claude_tasks_over(ts, line);
}

static void forget_list(struct claude_tasks *ts)
{
	struct claude_task *t;

	while ((t = ts->list)) {
		ts->list = t->list_next;
		t->in_list = false;
		t->listed = false;
		drop_if_over(ts, t);
	}
	ts->listed = 0;
	ts->nameless = 0;
}

void claude_tasks_list(struct claude_tasks *ts, const struct json *line)
{
	const struct json *tasks = json_get(line, "tasks");
	const struct json *entry;

	forget_list(ts);
	if (!tasks || tasks->kind != JSON_ARRAY)
		return;
	for (entry = tasks->first; entry; entry = entry->next) {
		struct str id = json_str(entry, "task_id");
		struct claude_task *t;

		if (str_is_null(id)) {
			ts->nameless++;
			continue;
		}
		t = task_of(ts, id);
		if (t->in_list)
			continue;
		t->in_list = true;
		t->listed = true;
		ts->listed++;
		t->list_next = ts->list;
		ts->list = t;
	}
}

bool claude_tasks_idle(const struct claude_tasks *ts)
{
	return !ts->runs.count && !ts->listed && !ts->nameless;
}

void claude_tasks_finish(
	const struct claude_tasks *ts, const struct record_out *out)
{
	struct record r = {.kind = RECORD_TASK};
	const struct claude_run *run;
	const struct claude_task *t;

	for (size_t i = 0; i < ts->runs.cap; i++) {
		run = ts->runs.slots[i].value;
		if (!run)
			continue;
		r.id = run->tool;
		record_put(out, &r);
	}
	r.id = str_null();
	for (t = ts->list; t; t = t->list_next)
		if (t->listed && !t->runs)
			record_put(out, &r);
	for (size_t i = 0; i < ts->nameless; i++)
		record_put(out, &r);
}

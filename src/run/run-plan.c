#include "config.h"

#include "run/run-plan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/utf8.h"

void run_plan_init(struct run_plan *plan, const struct run_request *rq,
	const struct clock *clock, int64_t start_ms)
{
	memset(plan, 0, sizeof(*plan));
	plan->rq = rq;
	plan->rt = rq->runtime;
	plan->clock = clock;
	plan->start_ms = start_ms;
	strbuf_init(&plan->prompt);
	environ_init(&plan->env);
	strbuf_init(&plan->found);
	image_list_init(&plan->images);
	session_dir_init(&plan->session_dir);
	state_init(&plan->state);
	private_init(&plan->tmp);
	strbuf_init(&plan->resume_file);
	plan->baseline = token_counts_unknown();
	plan->save_fd = -1;
	plan->raw_fd = -1;
	plan->box = RUNTIME_BOX_NONE;
	plan->sandbox = &sandbox_none;
	strbuf_init(&plan->cmd.input);
}

void run_plan_clear_command(struct run_plan *plan)
{
	strvec_release(&plan->cmd.argv);
	strvec_release(&plan->cmd.env);
	strbuf_release(&plan->cmd.input);
	strvec_release(&plan->vars);
	strvec_release(&plan->notes);
	strvec_release(&plan->sandbox_argv);
	network_plan_release(&plan->network);
}

void run_plan_clean(struct run_plan *plan)
{
	struct err err = ERR_INIT;

	if (plan->tmp.path && plan->rq->debug && !plan->rq->dry_run) {
		log_debug("kept: %s", plan->tmp.path);
		private_keep(&plan->tmp);
	}
	if (private_close(&plan->tmp, &err) < 0)
		diag_error("%s", err.local);
	if (state_close(&plan->state, &err) < 0)
		diag_error("%s", err.local);
}

void run_plan_release(struct run_plan *plan)
{
	run_plan_clean(plan);
	session_dir_release(&plan->session_dir);
	image_list_release(&plan->images);
	run_plan_clear_command(plan);
	free(plan->cwd);
	free(plan->program);
	strbuf_release(&plan->prompt);
	environ_release(&plan->env);
	strbuf_release(&plan->found);
	strvec_release(&plan->path_dirs);
	strvec_release(&plan->deny_read);
	strbuf_release(&plan->resume_file);
	if (plan->raw_fd >= 0)
		close(plan->raw_fd);
	if (plan->save_fd >= 0)
		close(plan->save_fd);
}

void run_plan_spec(const struct run_plan *plan, struct sandbox_spec *spec)
{
	*spec = (struct sandbox_spec){
		.program = plan->program,
		.argv = plan->cmd.argv.v,
		.envp = plan->vars.v,
		.cwd = plan->cwd,
		.home = strvec_env_get(&plan->env.vars, "HOME"),
		.state_dir = plan->state.dir.path,
		.tmp_dir = plan->tmp.path,
		.path_dirs = &plan->path_dirs,
		.deny_read = &plan->deny_read,
		.proxy_port = plan->network.proxy_port,
		.loopback_ports = plan->network.loopback_ports,
		.loopback_count = plan->network.loopback_count,
	};
}

const char *run_plan_sandbox_name(const struct run_plan *plan)
{
	switch (plan->box) {
	case RUNTIME_BOX_NONE:
		break;
	case RUNTIME_BOX_OURS:
		return plan->sandbox->name;
	case RUNTIME_BOX_NATIVE:
		return plan->rt->name;
	}
	return "none";
}

bool run_plan_enforced(const struct run_plan *plan)
{
	switch (plan->box) {
	case RUNTIME_BOX_NONE:
		break;
	case RUNTIME_BOX_OURS:
		return plan->sandbox->enforces_network;
	case RUNTIME_BOX_NATIVE:
		return plan->rq->network == RUNTIME_NETWORK_NONE;
	}
	return false;
}

static const char *network_word(enum runtime_network network)
{
	switch (network) {
	case RUNTIME_NETWORK_NONE:
		break;
	case RUNTIME_NETWORK_FULL:
		return "full";
	case RUNTIME_NETWORK_CUSTOM:
		return "custom";
	}
	return "none";
}

/* S as valid UTF-8; a copy in A where it must be repaired. */
static struct str clean(struct arena *a, const char *s)
{
	struct strbuf sb = STRBUF_INIT;
	struct str r = str_of(s);

	if (!s || utf8_valid(s, r.len))
		return r;
	utf8_repair(&sb, s, r.len);
	r.ptr = arena_copy(a, sb.buf, sb.len);
	r.len = sb.len;
	strbuf_release(&sb);
	return r;
}

static struct str_list clean_list(struct arena *a, const struct strvec *sv)
{
	struct str *v = arena_alloc(a, (sv->count + 1) * sizeof(*v));
	struct str_list list = {v, sv->count};

	for (size_t i = 0; i < sv->count; i++)
		v[i] = clean(a, sv->v[i]);
	return list;
}

void run_plan_start_event(
	const struct run_plan *plan, struct arena *a, struct event_start *start)
{
	memset(start, 0, sizeof(*start));
	start->runtime = str_of(plan->rt->name);
	start->sandbox = str_of(run_plan_sandbox_name(plan));
	start->network_mode = str_of(network_word(plan->rq->network));
	start->network_allow = clean_list(a, &plan->rq->allow_host);
	start->network_enforced = run_plan_enforced(plan);
	start->deny_read = clean_list(a, &plan->deny_read);
	start->model = clean(a, plan->rq->model);
	start->cwd = clean(a, plan->cwd);
	start->argv = clean_list(a, &plan->cmd.argv);
	start->env = clean_list(a, &plan->env.names);
	start->notes = clean_list(a, &plan->notes);
	start->has_notes = true;
}

/* WORD so that a shell reads it back. */
static void add_quoted(struct strbuf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./=:,@%+";

	if (*word && word[strspn(word, plain)] == '\0') {
		strbuf_addstr(out, word);
		return;
	}
	strbuf_addch(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			strbuf_addstr(out, "'\\''");
		else
			strbuf_addch(out, *word);
	}
	strbuf_addch(out, '\'');
}

static void add_command(
	struct strbuf *out, const char *label, const struct strvec *argv)
{
	strbuf_addstr(out, label);
	for (size_t i = 0; i < argv->count; i++) {
		strbuf_addch(out, ' ');
		add_quoted(out, argv->v[i]);
	}
	strbuf_addch(out, '\n');
}

/* Names of the variables of FROM that IN has not, or has with another value. */
static void add_names(struct strbuf *out, const char *label, char *const *from,
	const struct strvec *without, bool changed)
{
	struct strbuf key = STRBUF_INIT;

	strbuf_addstr(out, label);
	for (; from && *from; from++) {
		size_t len = strcspn(*from, "=");
		const char *other;

		strbuf_reset(&key);
		strbuf_add(&key, *from, len);
		other = strvec_env_get(without, key.buf);
		if (other && (!changed || strcmp(other, *from + len + 1) == 0))
			continue;
		strbuf_addch(out, ' ');
		strbuf_adds(out, strbuf_str(&key));
	}
	strbuf_addch(out, '\n');
	strbuf_release(&key);
}

void run_plan_describe(
	const struct run_plan *plan, char *const *caller, struct strbuf *out)
{
	const char *path = strvec_env_get(&plan->vars, "PATH");
	struct strvec old = STRVEC_INIT;

	strbuf_addf(out, "runtime: %s\n", plan->rt->name);
	strbuf_addf(out, "program: %s\n", plan->program);
	strbuf_addf(out, "directory: %s\n", plan->cwd);
	add_command(out, "command:", &plan->cmd.argv);
	if (plan->sandbox_argv.count)
		add_command(out, "sandbox command:", &plan->sandbox_argv);
	strbuf_addf(out, "prompt: %zu bytes on stdin\n", plan->prompt.len);
	strbuf_addf(out, "PATH: %s\n", path ? path : "");
	for (char *const *p = caller; *p; p++)
		strvec_push(&old, *p);
	add_names(out, "variables set:", plan->vars.v, &old, true);
	add_names(out, "variables removed:", caller, &plan->vars, false);
	strbuf_addf(out, "sandbox: %s\n", run_plan_sandbox_name(plan));
	strbuf_addf(out, "network: %s%s\n", network_word(plan->rq->network),
		run_plan_enforced(plan) ? "" : " (not enforced)");
	for (size_t i = 0; i < plan->notes.count; i++)
		strbuf_addf(out, "[note] %s\n", plan->notes.v[i]);
	strvec_release(&old);
}

#include "config.h"

#include "run/preflight.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "run/node.h"
#include "run/outfile.h"
#include "run/version.h"

#define PROMPT_MAX ((size_t)64 << 20)

#define NOTE_NO_SANDBOX                                              \
	"sandbox not running (%s). agentrun does not restrict what " \
	"the agent writes or which hosts it reaches"

static int check_hosts(const struct strvec *hosts, struct err *err)
{
	struct netrules rules;
	int ret = 0;

	netrules_init(&rules);
	for (size_t i = 0; ret == 0 && i < hosts->count; i++)
		ret = netrules_add(&rules, hosts->v[i], err);
	netrules_release(&rules);
	return ret;
}

/* What this runtime cannot do, whatever else is right. */
static int check_request(const struct run_request *rq, struct err *err)
{
	const struct runtime_ops *rt = rq->runtime;

	if (rq->effort && !rt->has_effort)
		return err_set(err, AR_EUSAGE,
			N_("%s has no --effort; leave it away"), rt->name);
	if (rq->max_usd > 0 && !rt->reports_cost)
		return err_set(err, AR_EUSAGE,
			N_("%s reports no cost, so --max-usd cannot act; use "
			   "--max-tokens"),
			rt->name);
	if (rq->sandbox != SANDBOX_NATIVE)
		return 0;
	if (!rt->has_native_sandbox)
		return err_set(err, AR_EUSAGE,
			N_("%s has no sandbox of its own; use --sandbox on"),
			rt->name);
	if (rq->network == RUNTIME_NETWORK_CUSTOM)
		return err_set(err, AR_EUSAGE,
			N_("--sandbox native cannot filter hosts; use "
			   "--sandbox on with --allow-host"));
	if (rq->deny_read.count || rq->allow_read.count)
		return err_set(err, AR_EUSAGE,
			N_("--sandbox native cannot hide paths; use "
			   "--sandbox on with --deny-read"));
	return 0;
}

static int find_cwd(struct run_plan *plan, struct err *err)
{
	const char *given = plan->rq->cwd ? plan->rq->cwd : ".";
	struct stat st;

	plan->cwd = realpath(given, NULL);
	if (!plan->cwd || stat(plan->cwd, &st) < 0 ||
		(S_ISDIR(st.st_mode) && access(plan->cwd, X_OK) < 0))
		return err_set(err, AR_EUSAGE,
			N_("cannot work in '%s': %s; give --cwd a directory "
			   "that exists"),
			given, err_str(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(err, AR_EUSAGE,
			N_("cannot work in '%s': not a directory; give --cwd a "
			   "directory"),
			given);
	return 0;
}

static int find_program(struct run_plan *plan, struct err *err)
{
	const char *path = strvec_env_get(&plan->env.vars, "PATH");

	if (child_find(plan->rt->program, path, &plan->found) < 0)
		return err_set(err, AR_EUSAGE,
			N_("'%s' is not in PATH; install %s, or name its "
			   "directory with --path ('agentrun doctor %s' says "
			   "more)"),
			plan->rt->program, plan->rt->name, plan->rt->name);
	plan->program = realpath(plan->found.buf, NULL);
	if (!plan->program)
		return err_set(err, AR_EUSAGE, N_("cannot start '%s': %s"),
			plan->found.buf, err_str(errno));
	environ_path_dirs(path, &plan->path_dirs);
	return 0;
}

static int read_stdin(
	const struct reader *reader, struct strbuf *out, struct err *err)
{
	if (isatty(STDIN_FILENO))
		return err_set(err, AR_EUSAGE,
			N_("no prompt: give --prompt TEXT or --prompt-file "
			   "FILE, or pipe it into stdin"));
	log_debug("reading the prompt from stdin");
	return reader_fd(reader, STDIN_FILENO, "stdin", PROMPT_MAX, out, err);
}

static int find_prompt(
	struct run_plan *plan, const struct reader *reader, struct err *err)
{
	const struct run_request *rq = plan->rq;
	struct strbuf *p = &plan->prompt;

	if (rq->prompt) {
		strbuf_addstr(p, rq->prompt);
	} else if (rq->prompt_file) {
		if (reader_file(reader, rq->prompt_file, PROMPT_MAX, p, err) <
			0) {
			err_prefix(err, "--prompt-file");
			return -1;
		}
	} else if (read_stdin(reader, p, err) < 0) {
		return -1;
	}
	strbuf_drop(p, utf8_bom(p->buf, p->len));
	if (!utf8_valid(p->buf, p->len))
		return err_set(err, AR_EUSAGE,
			N_("the prompt is not valid UTF-8; convert it, with "
			   "iconv for example"));
	if (utf8_is_blank(p->buf, p->len))
		return err_set(err, AR_EUSAGE,
			N_("the prompt is empty; give --prompt TEXT or "
			   "--prompt-file FILE, or pipe it into stdin"));
	return 0;
}

/* An earlier run may have left a link for us to follow. */
static int check_link(const struct run_plan *plan, const char *option,
	const char *path, struct err *err)
{
	if (!path || plan->box != RUNTIME_BOX_OURS ||
		!outfile_leads_out(path, plan->cwd))
		return 0;
	return err_set(err, AR_EUSAGE,
		N_("%s '%s' leads out of the working directory by a link that "
		   "an agent may have made. Remove the link, or give the path "
		   "it leads to"),
		option, path);
}

static int find_session(struct run_plan *plan, struct err *err)
{
	const struct run_request *rq = plan->rq;

	if (!rq->session_dir)
		return 0;
	if (check_link(plan, "--session-dir", rq->session_dir, err) < 0)
		return -1;
	/* A dry run does not make it. */
	if (rq->dry_run && !rq->resume && access(rq->session_dir, F_OK) < 0 &&
		errno == ENOENT)
		return 0;
	/* A run would make it. */
	if (rq->dry_run && !rq->resume && access(rq->session_dir, F_OK) < 0)
		return 0;
	if (session_dir_open(&plan->session_dir, rq->session_dir,
		    !rq->resume && !rq->dry_run, err) < 0)
		return -1;
	if (!rq->resume)
		return 0;
	if (session_check(&plan->session_dir, rq->resume, plan->rt, plan->cwd,
		    err) < 0)
		return -1;
	if (rq->dry_run) /* it must not be in the way of a run */
		session_lock_drop(&plan->session_dir.lock);
	return 0;
}

/* Makes the folders of the run and fills them. */
static int make_folders(struct run_plan *plan, struct err *err)
{
	const struct run_request *rq = plan->rq;

	if (private_open_temp(&plan->tmp, err) < 0)
		return -1;
	if (image_list_copy(&plan->images, plan->tmp.path, err) < 0)
		return -1;
	if (plan->box != RUNTIME_BOX_OURS && !rq->session_dir)
		return 0;
	if (state_open(&plan->state, plan->rt, &plan->env.vars, err) < 0)
		return -1;
	if (!rq->resume)
		return 0;
	return session_restore(&plan->session_dir, rq->resume, plan->rt,
		plan->cwd, plan->state.dir.path, &plan->resume_file,
		&plan->baseline, err);
}

static const char *absolute(const char *path)
{
	return path && path[0] == '/' ? path : NULL;
}

/* Where the user's own files are: HOME, or for a service or a cron job that has
 * none what the system says. */
static const char *find_home(const struct run_plan *plan)
{
	const char *home = absolute(strvec_env_get(&plan->env.vars, "HOME"));
	const struct passwd *pw;

	if (!home)
		home = absolute(getenv("HOME"));
	if (home)
		return home;
	pw = getpwuid(geteuid());
	return pw ? absolute(pw->pw_dir) : NULL;
}

static void push_absolute(struct strvec *out, const char *path)
{
	if (absolute(path))
		strvec_push(out, path);
}

/* The state folders of the other runtimes: the usual one below HOME, and those
 * that the variables of the run and of the caller name. */
static void other_states(
	const struct run_plan *plan, const char *home, struct strvec *out)
{
	for (size_t i = 0; runtime_table[i]; i++) {
		const struct runtime_ops *rt = runtime_table[i];

		if (rt == plan->rt)
			continue;
		push_absolute(
			out, strvec_env_get(&plan->env.vars, rt->state.env));
		push_absolute(out, getenv(rt->state.env));
		if (home)
			strvec_pushf(out, "%s/%s", home, rt->state.home);
	}
}

/* The paths that a box of ours hides. */
static void find_denied(struct run_plan *plan)
{
	const struct run_request *rq = plan->rq;
	const char *caller = absolute(getenv("HOME"));
	const char *home = find_home(plan);
	struct strvec states = STRVEC_INIT;

	if (plan->box != RUNTIME_BOX_OURS) {
		if (rq->deny_read.count && plan->box == RUNTIME_BOX_NONE)
			diag_error(_("--deny-read has no effect without a "
				     "sandbox"));
		return;
	}
	other_states(plan, home, &states);
	denylist_build(&plan->deny_read, home, plan->cwd, &states,
		&rq->deny_read, &rq->allow_read);
	strvec_release(&states);
	if (!caller || strcmp(caller, home) == 0)
		return;
	/* Another HOME for the run does not open the user's own. */
	other_states(plan, caller, &states);
	denylist_build(&plan->deny_read, caller, plan->cwd, &states, NULL,
		&rq->allow_read);
	strvec_release(&states);
}

static bool is_inside(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return true;
	return strncmp(path, dir, len) == 0 &&
	       (path[len] == '/' || path[len] == '\0');
}

void preflight_notes(struct run_plan *plan, const char *why)
{
	const struct run_request *rq = plan->rq;
	char *real;

	if (plan->box == RUNTIME_BOX_NONE) {
		strvec_pushf(&plan->notes, NOTE_NO_SANDBOX,
			why ? why : "--sandbox off");
		return;
	}
	if (!rq->session_dir)
		return;
	real = realpath(rq->session_dir, NULL);
	if (real && is_inside(real, plan->cwd))
		strvec_pushf(&plan->notes,
			"--session-dir %s is inside the working directory. "
			"The agent can change the saved sessions",
			rq->session_dir);
	free(real);
}

static const char *caller_value(const char *upper, const char *lower)
{
	const char *s = getenv(upper);

	return s && *s ? s : getenv(lower);
}

/* The model servers that the user's settings of the runtime name. */
static void settings_urls(const struct run_plan *plan, struct strvec *urls)
{
	struct strbuf dir = STRBUF_INIT;

	if (plan->rt->base_urls &&
		state_source(plan->rt, &plan->env.vars, &dir) == 0)
		plan->rt->base_urls(
			dir.buf, plan->rq->model, &plan->env.vars, urls);
	strbuf_release(&dir);
}

/* Which hosts may be reached, and the variables that name the proxy. */
static int make_network(struct run_plan *plan, struct err *err)
{
	const char *upstream = caller_value("HTTPS_PROXY", "https_proxy");
	struct strvec urls = STRVEC_INIT;
	struct network_config config = {
		.runtime = plan->rt,
		.mode = plan->rq->network,
		.allow_host = &plan->rq->allow_host,
		.env = &plan->vars,
		.upstream = upstream && *upstream
				    ? upstream
				    : caller_value("HTTP_PROXY", "http_proxy"),
		.no_proxy = caller_value("NO_PROXY", "no_proxy"),
	};
	int ret;

	settings_urls(plan, &urls);
	config.base_urls = &urls;
	ret = network_plan_init(&plan->network, &config, err);
	strvec_release(&urls);
	if (ret < 0)
		return -1;
	network_env(&plan->vars, plan->network.proxy_port);
	if (plan->rt->on_node)
		node_silence(&plan->vars, &plan->path_dirs);
	if (plan->sandbox->own_network)
		network_env_ssh(&plan->network, &plan->vars);
	return 0;
}

/* The command line, the environment and the notes for plan->box. */
static int make_command(struct run_plan *plan, const char *why, struct err *err)
{
	const struct run_request *rq = plan->rq;
	struct runtime_request r = {
		.program = plan->found.buf,
		.cwd = plan->cwd,
		.prompt = strbuf_str(&plan->prompt),
		.model = rq->model,
		.effort = rq->effort,
		.images = plan->images.v,
		.image_count = plan->images.count,
		.no_subagents = rq->no_subagents,
		.box = plan->box,
		.network = rq->network,
		.tmp_dir = plan->tmp.path,
		.state_dir = plan->state.dir.path,
		.resume_id = rq->resume,
		.resume_file =
			plan->resume_file.len ? plan->resume_file.buf : NULL,
		.keep_session = rq->session_dir != NULL,
		.extra_args = &rq->runtime_args,
	};

	run_plan_clear_command(plan);
	if (plan->rt->command(&r, &plan->cmd, err) < 0)
		return -1;
	if (plan->state.dir.path)
		strvec_env_set(&plan->cmd.env, plan->rt->state.env,
			plan->state.dir.path);
	strvec_push_all(&plan->vars, &plan->env.vars);
	for (size_t i = 0; i < plan->cmd.env.count; i++)
		environ_set(&plan->vars, plan->cmd.env.v[i]);
	preflight_notes(plan, why);
	return make_network(plan, err);
}

static void choose_box(struct run_plan *plan)
{
	switch (plan->rq->sandbox) {
	case SANDBOX_ON:
	case SANDBOX_RELAX:
		plan->box = RUNTIME_BOX_OURS;
		plan->sandbox = sandbox_default();
		break;
	case SANDBOX_OFF:
		plan->box = RUNTIME_BOX_NONE;
		break;
	case SANDBOX_NATIVE:
		plan->box = RUNTIME_BOX_NATIVE;
		break;
	}
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && a->st_dev == b->st_dev &&
	       a->st_ino == b->st_ino;
}

static int two_files(const char *path, struct err *err)
{
	return err_set(err, AR_EUSAGE,
		N_("--raw and --save are the same file '%s'; give two"), path);
}

static bool are_one(const char *a, const char *b)
{
	struct stat sa;
	struct stat sb;

	return a && b && stat(a, &sa) == 0 && stat(b, &sb) == 0 &&
	       same_file(&sa, &sb);
}

/* Whether --raw and --save can be written. Before anything else is looked for,
 * and without emptying them: the run may still be refused. */
static int try_outputs(const struct run_plan *plan, struct err *err)
{
	const struct run_request *rq = plan->rq;

	if (check_link(plan, "--raw", rq->raw, err) < 0 ||
		check_link(plan, "--save", rq->save, err) < 0)
		return -1;
	if (rq->raw && outfile_open("--raw", rq->raw, true, err) == -1)
		return -1;
	if (rq->save && outfile_open("--save", rq->save, true, err) == -1)
		return -1;
	return are_one(rq->raw, rq->save) ? two_files(rq->save, err) : 0;
}

int preflight_save_rejected(const struct run_request *rq, struct err *err)
{
	char *cwd = realpath(rq->cwd ? rq->cwd : ".", NULL);
	bool boxed = rq->sandbox == SANDBOX_ON || rq->sandbox == SANDBOX_RELAX;
	int fd = -1;

	if (!cwd)
		cwd = realpath(".", NULL);
	if (rq->save && !rq->dry_run &&
		!(boxed && cwd && outfile_leads_out(rq->save, cwd)) &&
		!are_one(rq->raw, rq->save))
		fd = outfile_open("--save", rq->save, false, err);
	free(cwd);
	return fd;
}

int preflight_outputs(struct run_plan *plan, struct err *err)
{
	const struct run_request *rq = plan->rq;
	struct stat a;
	struct stat b;

	if (try_outputs(plan, err) < 0)
		return -1;
	if (rq->dry_run)
		return 0;
	if (rq->raw)
		plan->raw_fd = outfile_open("--raw", rq->raw, false, err);
	if (rq->raw && plan->raw_fd < 0)
		return -1;
	if (rq->save)
		plan->save_fd = outfile_open("--save", rq->save, false, err);
	if (rq->save && plan->save_fd < 0)
		return -1;
	if (rq->raw && rq->save && fstat(plan->raw_fd, &a) == 0 &&
		fstat(plan->save_fd, &b) == 0 && same_file(&a, &b))
		return two_files(rq->save, err);
	return 0;
}

/* --dry-run: what the sandbox would be started with, or that it cannot be. */
static int describe_sandbox(struct run_plan *plan, struct err *err)
{
	struct sandbox_spec spec;
	struct err why = ERR_INIT;

	if (plan->box != RUNTIME_BOX_OURS || !plan->sandbox->describe)
		return 0;
	run_plan_spec(plan, &spec);
	if (plan->sandbox->describe(&spec, &plan->sandbox_argv, &why) == 0)
		return 0;
	if (plan->rq->sandbox == SANDBOX_RELAX)
		return preflight_relax(plan, &why, err);
	*err = why;
	return -1;
}

int preflight(struct run_plan *plan, struct loop *loop, const bool *stopped,
	struct err *err)
{
	const struct run_request *rq = plan->rq;
	const struct reader reader = {loop, stopped};

	choose_box(plan);
	if (check_request(rq, err) < 0 ||
		check_hosts(&rq->allow_host, err) < 0 ||
		find_cwd(plan, err) < 0 ||
		environ_build(&plan->env, environ, rq, &reader, err) < 0 ||
		try_outputs(plan, err) < 0 ||
		find_prompt(plan, &reader, err) < 0 ||
		image_list_open(&plan->images, &rq->images, err) < 0 ||
		find_program(plan, err) < 0 || find_session(plan, err) < 0)
		return -1;
	if (!rq->dry_run && runtime_version_check(loop, plan->rt, plan->program,
				    plan->env.vars.v, err) < 0)
		return -1;
	find_denied(plan);
	if (make_folders(plan, err) < 0 || make_command(plan, NULL, err) < 0)
		return -1;
	if (rq->dry_run && describe_sandbox(plan, err) < 0)
		return -1;
	return preflight_outputs(plan, err);
}

int preflight_relax(
	struct run_plan *plan, const struct err *why, struct err *err)
{
	plan->box = RUNTIME_BOX_NONE;
	plan->sandbox = &sandbox_none;
	strvec_release(&plan->deny_read);
	return make_command(plan, why->msg, err);
}

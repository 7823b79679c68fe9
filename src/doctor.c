#include "config.h"

#include "doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/i18n.h"
#include "base/jsonw.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "doctor-login.h"
#include "doctor-probe.h"
#include "event/status.h"
#include "run/state.h"
#include "run/version.h"
#include "runtime/runtime.h"
#include "sandbox/proxy-http.h"

enum result {
	RESULT_OK,
	RESULT_FAIL,
	RESULT_SKIP
};

static const char *const result_words[] = {"ok", "fail", "skip"};

/* One line of the report. Words to look for (runtime, check, result) are never
 * translated; the detail is, but not in JSON. */
struct finding {
	const char *runtime;
	const char *check;
	enum result result;
	char *detail;
	char *local;
};

struct doctor {
	struct loop *loop;
	char *const *envp;
	struct strvec env; /* the same, for looking up */
	struct finding *found;
	size_t count;
	bool failed;

	/* One trial for all runtimes. */
	bool sandbox_tried;
	bool sandbox_ok;
	struct strbuf sandbox;
	struct err sandbox_err;
};

static void add_finding(struct doctor *d, const char *runtime,
	const char *check, enum result result, const char *detail,
	const char *local)
{
	struct finding *f;

	d->found = xreallocarray(d->found, d->count + 1, sizeof(*d->found));
	f = &d->found[d->count++];
	*f = (struct finding){runtime, check, result, xstrdup(detail),
		xstrdup(local ? local : detail)};
	d->failed = d->failed || result == RESULT_FAIL;
}

static void add_failure(struct doctor *d, const char *runtime,
	const char *check, const struct err *err)
{
	add_finding(d, runtime, check, RESULT_FAIL, err->msg, err->local);
}

static void add_skip(struct doctor *d, const char *runtime, const char *check,
	const char *why)
{
	add_finding(d, runtime, check, RESULT_SKIP, why, _(why));
}

/* The executable: there, and new enough. PROGRAM stays empty when it is not. */
static void check_executable(
	struct doctor *d, const struct runtime_ops *ops, struct strbuf *program)
{
	const char *path = strvec_env_get(&d->env, "PATH");
	struct strbuf version = STRBUF_INIT;
	struct strbuf detail = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (child_find(ops->program, path ? path : "", program) < 0) {
		err_set(&err, AR_ESTART,
			N_("'%s' is not in PATH. Get it with: %s"),
			ops->program, ops->install);
		add_failure(d, ops->name, "executable", &err);
		goto done;
	}
	if (version_read(d->loop, program->buf, d->envp, &version, &err) < 0) {
		err_prefix(&err, "%s", program->buf);
		add_failure(d, ops->name, "executable", &err);
		goto done;
	}
	if (ops->version_min &&
		version_compare(version.buf, ops->version_min) < 0) {
		err_set(&err, AR_ESTART,
			N_("'%s' is version %s, but %s or newer is needed. "
			   "Get it with: %s"),
			program->buf, version.buf, ops->version_min,
			ops->install);
		add_failure(d, ops->name, "executable", &err);
		goto done;
	}
	strbuf_addf(&detail, "%s %s", program->buf, version.buf);
	if (ops->version_min)
		strbuf_addf(&detail, " (>= %s)", ops->version_min);
	add_finding(d, ops->name, "executable", RESULT_OK, detail.buf, NULL);
done:
	strbuf_release(&version);
	strbuf_release(&detail);
}

static void check_login(
	struct doctor *d, const struct runtime_ops *ops, const char *program)
{
	struct strbuf how = STRBUF_INIT;
	struct strbuf detail = STRBUF_INIT;
	struct err why = ERR_INIT;
	struct err err = ERR_INIT;

	if (login_by_key(ops, &d->env, &how)) {
		add_finding(d, ops->name, "login", RESULT_OK, how.buf, NULL);
	} else if (!*program) {
		add_skip(d, ops->name, "login", N_("needs the executable"));
	} else if (login_by_program(
			   d->loop, ops, program, &d->env, &how, &why)) {
		add_finding(d, ops->name, "login", RESULT_OK, how.buf, NULL);
	} else if (why.code == AR_OK) {
		strbuf_addf(
			&detail, "not logged in. Mend it: %s", ops->login.fix);
		err_set(&err, AR_EUSAGE, N_("not logged in. Mend it: %s"),
			_(ops->login.fix));
	} else {
		strbuf_addf(&detail, "not logged in: %s. Mend it: %s", why.msg,
			ops->login.fix);
		err_set(&err, AR_EUSAGE, N_("not logged in: %s. Mend it: %s"),
			why.local, _(ops->login.fix));
	}
	if (detail.len)
		add_finding(d, ops->name, "login", RESULT_FAIL, detail.buf,
			err.local);
	strbuf_release(&how);
	strbuf_release(&detail);
}

static void check_sandbox(struct doctor *d, const struct runtime_ops *ops)
{
	if (!d->sandbox_tried) {
		d->sandbox_tried = true;
		d->sandbox_ok = probe_sandbox(d->loop, d->envp, &d->sandbox,
					&d->sandbox_err) == 0;
	}
	if (d->sandbox_ok)
		add_finding(d, ops->name, "sandbox", RESULT_OK, d->sandbox.buf,
			NULL);
	else
		add_failure(d, ops->name, "sandbox", &d->sandbox_err);
}

/* The caller's proxy, if any. Returns whether there is one that can be used. */
static bool find_proxy(const struct doctor *d, struct endpoint *proxy)
{
	static const char *const names[] = {
		"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", NULL};

	for (size_t i = 0; names[i]; i++) {
		const char *value = strvec_env_get(&d->env, names[i]);

		if (value && *value)
			return endpoint_parse(proxy, str_of(value)) == 0;
	}
	return false;
}

static bool is_local(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
	       strncmp(host, "127.", 4) == 0;
}

/* Where the model is: what the user's settings say, else a variable, else the
 * runtime's own host. */
static int find_api(const struct doctor *d, const struct runtime_ops *ops,
	struct endpoint *api)
{
	struct strvec urls = STRVEC_INIT;
	struct strbuf dir = STRBUF_INIT;
	int ret;

	if (ops->base_urls && state_source(ops, &d->env, &dir) == 0)
		ops->base_urls(dir.buf, NULL, &d->env, &urls);
	for (size_t i = 0; ops->base_url_env && ops->base_url_env[i]; i++) {
		const char *url = strvec_env_get(&d->env, ops->base_url_env[i]);

		if (url && *url)
			strvec_push(&urls, url);
	}
	strvec_push(&urls, ops->hosts[0]);
	ret = endpoint_parse(api, str_of(urls.v[0]));
	strvec_release(&urls);
	strbuf_release(&dir);
	return ret;
}

static void check_network(struct doctor *d, const struct runtime_ops *ops)
{
	struct strbuf detail = STRBUF_INIT;
	struct endpoint api = {NULL, 0};
	struct endpoint proxy = {NULL, 0};
	struct err err = ERR_INIT;
	bool use_proxy;

	if (find_api(d, ops, &api) < 0) {
		add_skip(d, ops->name, "network",
			N_("the address of its model server is not known"));
		return;
	}
	use_proxy = !is_local(api.host) && find_proxy(d, &proxy);
	proxy_add_authority(&detail, api.host, api.port);
	if (use_proxy) {
		strbuf_addstr(&detail, " (");
		proxy_add_authority(&detail, proxy.host, proxy.port);
		strbuf_addch(&detail, ')');
	}
	if (probe_connect(d->loop, &api, use_proxy ? &proxy : NULL, &err) ==
		0) {
		add_finding(
			d, ops->name, "network", RESULT_OK, detail.buf, NULL);
	} else {
		struct err whole = ERR_INIT;

		err_set(&whole, AR_EIO,
			N_("cannot reach %s: %s. Check the network, and "
			   "HTTPS_PROXY if there is a proxy"),
			detail.buf, err.msg);
		add_failure(d, ops->name, "network", &whole);
	}
	endpoint_release(&api);
	endpoint_release(&proxy);
	strbuf_release(&detail);
}

/* Nothing more is looked at once a signal has come. */
static void check_runtime(struct doctor *d, const struct runtime_ops *ops)
{
	struct strbuf program = STRBUF_INIT;

	if (!loop_stopped(d->loop))
		check_executable(d, ops, &program);
	if (!loop_stopped(d->loop))
		check_login(d, ops, program.buf);
	if (!loop_stopped(d->loop))
		check_sandbox(d, ops);
	if (!loop_stopped(d->loop))
		check_network(d, ops);
	strbuf_release(&program);
}

/* The report */

/* TEXT on one line, without anything that a terminal would act on. */
static void add_clean(struct strbuf *out, const char *text)
{
	struct strbuf clean = STRBUF_INIT;

	utf8_display(&clean, text, strlen(text), UTF8_AGENT, 1);
	for (size_t i = 0; i < clean.len; i++)
		if (clean.buf[i] == '\n')
			clean.buf[i] = ' ';
	strbuf_adds(out, strbuf_str(&clean));
	strbuf_release(&clean);
}

static void write_text(const struct doctor *d, struct strbuf *out)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct finding *f = &d->found[i];

		strbuf_addf(out, "%-11s  %-10s  %-4s  ", f->runtime, f->check,
			result_words[f->result]);
		add_clean(out, f->local);
		strbuf_addch(out, '\n');
	}
}

static void write_json(const struct doctor *d, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	struct jsonw w;

	jsonw_init(&w, out);
	jsonw_object(&w, NULL);
	jsonw_int(&w, "schema", 1);
	jsonw_bool(&w, "ok", !d->failed);
	jsonw_array(&w, "checks");
	for (size_t i = 0; i < d->count; i++) {
		const struct finding *f = &d->found[i];

		strbuf_reset(&text);
		utf8_repair(&text, f->detail, strlen(f->detail));
		jsonw_object(&w, NULL);
		jsonw_str(&w, "runtime", str_of(f->runtime));
		jsonw_str(&w, "check", str_of(f->check));
		jsonw_str(&w, "result", str_of(result_words[f->result]));
		jsonw_str(&w, "detail", strbuf_str(&text));
		jsonw_object_end(&w);
	}
	jsonw_array_end(&w);
	jsonw_object_end(&w);
	strbuf_addch(out, '\n');
	strbuf_release(&text);
}

static void doctor_release(struct doctor *d)
{
	for (size_t i = 0; i < d->count; i++) {
		free(d->found[i].detail);
		free(d->found[i].local);
	}
	free(d->found);
	strvec_release(&d->env);
	strbuf_release(&d->sandbox);
	loop_free(d->loop);
}

static void on_stop(void *arg, int signo)
{
	(void)arg;
	(void)signo; /* loop_stopped says it */
}

static int report(struct doctor *d, bool json, struct strbuf *out)
{
	if (loop_stopped(d->loop))
		return status_exit(END_INTERRUPTED, loop_stopped(d->loop));
	if (json)
		write_json(d, out);
	else
		write_text(d, out);
	return d->failed ? 1 : 0;
}

int doctor_run(const struct strvec *runtimes, bool json, char *const *envp,
	struct strbuf *out, struct err *err)
{
	struct doctor d = {.envp = envp, .sandbox = STRBUF_INIT};
	int status;

	for (size_t i = 0; i < runtimes->count; i++)
		if (!runtime_find(runtimes->v[i])) {
			err_set(err, AR_EUSAGE,
				N_("there is no runtime '%s'. There are "
				   "claude-code, codex, pi and dsh"),
				runtimes->v[i]);
			return 2;
		}
	d.loop = loop_new(err);
	if (!d.loop)
		return 2;
	loop_stops(d.loop, on_stop, &d);
	for (size_t i = 0; envp[i]; i++)
		strvec_push(&d.env, envp[i]);
	for (size_t i = 0; i < runtimes->count; i++)
		check_runtime(&d, runtime_find(runtimes->v[i]));
	for (size_t i = 0; runtimes->count == 0 && runtime_table[i]; i++)
		check_runtime(&d, runtime_table[i]);
	status = report(&d, json, out);
	doctor_release(&d);
	return status;
}

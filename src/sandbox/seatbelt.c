#include "config.h"

#include "sandbox/seatbelt.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/xalloc.h"
#include "sandbox/box.h"

/* The last rule that matches counts: first what is allowed in general, then
 * what is denied. Paths go in as parameters, so that none can end a string of
 * the profile. */
static const char general[] =
	"(version 1)\n"
	"(deny default)\n"
	"(import \"system.sb\")\n"
	"(allow process-exec process-fork sysctl-read mach-lookup "
	"ipc-posix-shm)\n"
	"(allow signal (target same-sandbox))\n"
	"(allow file-read*)\n"
	"(allow file-write* (subpath (param \"CWD\")) (subpath (param "
	"\"TMP\")) (literal \"/dev/null\") (literal \"/dev/tty\"))\n";

static const char git[] =
	"(deny file-write* (subpath (string-append (param \"CWD\") "
	"\"/.git/hooks\")) (literal (string-append (param \"CWD\") "
	"\"/.git/config\")) (literal (string-append (param \"CWD\") "
	"\"/.git\")))\n";

static void define_path(
	struct strvec *defines, const char *name, const char *path)
{
	char real[PATH_MAX];

	strvec_pushf(
		defines, "%s=%s", name, realpath(path, real) ? real : path);
}

/* Renaming a folder above a denied path would lead around its text. */
static void collect_parents(struct strvec *parents, const char *path)
{
	char real[PATH_MAX];
	char *copy = xstrdup(realpath(path, real) ? real : path);
	char *slash;

	while ((slash = strrchr(copy, '/')) && slash != copy) {
		*slash = '\0';
		if (strvec_find(parents, copy) < 0)
			strvec_push(parents, copy);
	}
	free(copy);
}

static void add_denied(struct strbuf *out, struct strvec *defines,
	const struct strvec *deny_read)
{
	struct strvec parents = STRVEC_INIT;
	struct strbuf name = STRBUF_INIT;
	size_t i;

	for (i = 0; i < deny_read->count; i++) {
		strbuf_reset(&name);
		strbuf_addf(&name, "DENY%zu", i);
		define_path(defines, name.buf, deny_read->v[i]);
		collect_parents(&parents, deny_read->v[i]);
		strbuf_addf(out,
			"(deny file-read* file-write* (subpath (param "
			"\"%s\")))\n",
			name.buf);
	}
	for (i = 0; i < parents.count; i++) {
		strvec_pushf(defines, "UP%zu=%s", i, parents.v[i]);
		strbuf_addf(out,
			"(deny file-write-unlink (literal (param "
			"\"UP%zu\")))\n",
			i);
	}
	strvec_release(&parents);
	strbuf_release(&name);
}

void seatbelt_profile(struct strbuf *profile, struct strvec *defines,
	const struct sandbox_spec *spec)
{
	strbuf_addstr(profile, general);
	define_path(defines, "CWD", spec->cwd);
	define_path(defines, "TMP", "/tmp");
	if (spec->state_dir) {
		define_path(defines, "STATE", spec->state_dir);
		strbuf_addstr(profile,
			"(allow file-write* (subpath (param \"STATE\")))\n");
	}
	strbuf_addstr(profile, git);
	if (spec->deny_read)
		add_denied(profile, defines, spec->deny_read);
	/* There is no other network to be in: programs keep the loopback for
	 * their own servers, and all else goes to the proxy. */
	strbuf_addf(profile,
		"(deny network*)\n"
		"(allow network* (local ip \"localhost:*\"))\n"
		"(allow network-outbound (remote ip \"localhost:%u\"))\n",
		(unsigned)spec->proxy_port);
}

#if defined(__APPLE__)
#define SANDBOX_EXEC "/usr/bin/sandbox-exec"

static void seatbelt_child(const struct box_child *c) __attribute__((noreturn));

static void seatbelt_child(const struct box_child *c)
{
	struct strbuf profile = STRBUF_INIT;
	struct strvec defines = STRVEC_INIT;
	struct strvec argv = STRVEC_INIT;
	struct watcher_spec w = {
		.ctl = c->ctl,
		.program = SANDBOX_EXEC,
		.envp = c->spec->envp,
		.cwd = c->spec->cwd,
		.stdio = {c->stdio[0], c->stdio[1], c->stdio[2]},
	};
	size_t i;

	seatbelt_profile(&profile, &defines, c->spec);
	strvec_push(&argv, SANDBOX_EXEC);
	strvec_push(&argv, "-p");
	strvec_push(&argv, profile.buf);
	for (i = 0; i < defines.count; i++) {
		strvec_push(&argv, "-D");
		strvec_push(&argv, defines.v[i]);
	}
	strvec_push(&argv, c->spec->program);
	for (i = 1; c->spec->argv[0] && c->spec->argv[i]; i++)
		strvec_push(&argv, c->spec->argv[i]);
	w.argv = argv.v;
	(void)setsid();
	_exit(watcher_main(&w));
}

static void seatbelt_explain(const char *said, struct err *err)
{
	(void)said;
	err_set(err, AR_ESANDBOX,
		N_("sandbox: %s cannot be started. Or run without a sandbox: "
		   "--sandbox off"),
		SANDBOX_EXEC);
}

static struct sandbox *seatbelt_start(struct loop *loop,
	const struct sandbox_spec *spec, const struct sandbox_events *events,
	void *arg, struct err *err)
{
	static const struct box_kind kind = {
		.child = seatbelt_child,
		.explain = seatbelt_explain,
	};

	if (access(SANDBOX_EXEC, X_OK) < 0) {
		seatbelt_explain("", err);
		return NULL;
	}
	return box_start(loop, spec, &kind, NULL, events, arg, err);
}

const struct sandbox_ops sandbox_seatbelt = {
	.name = "seatbelt",
	.enforces_network = true,
	.start = seatbelt_start,
	.pipes = box_pipes,
	.signal = box_signal,
	.kill = box_kill,
	.free = box_free,
};
#endif

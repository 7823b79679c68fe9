#include "config.h"

#include "sandbox/box.h"

#include <signal.h>
#include <unistd.h>

#include "base/i18n.h"

/* none: no box. The watcher is forked, not executed: it is the same program,
 * and the path of the executable may be gone. */

static void none_child(const struct box_child *c) __attribute__((noreturn));

static void none_child(const struct box_child *c)
{
	struct watcher_spec w = {
		.ctl = c->ctl,
		.program = c->spec->program,
		.argv = c->spec->argv,
		.envp = c->spec->envp,
		.cwd = c->spec->cwd,
		.stdio = {c->stdio[0], c->stdio[1], c->stdio[2]},
	};

	/* Out of the terminal's reach: Ctrl-C is agentrun's to handle. */
	(void)setsid();
	_exit(watcher_main(&w));
}

static void none_explain(const char *said, struct err *err)
{
	(void)said;
	err_set(err, AR_ESTART,
		N_("the process that starts the runtime was killed"));
}

static struct sandbox *none_start(struct loop *loop,
	const struct sandbox_spec *spec, const struct sandbox_events *events,
	void *arg, struct err *err)
{
	static const struct box_kind kind = {
		.child = none_child,
		.explain = none_explain,
		.dies_with_all = false,
	};

	return box_start(loop, spec, &kind, NULL, events, arg, err);
}

const struct sandbox_ops sandbox_none = {
	.name = "none",
	.enforces_network = false,
	.start = none_start,
	.pipes = box_pipes,
	.signal = box_signal,
	.kill = box_kill,
	.free = box_free,
};

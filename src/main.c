#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crash.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "demo.h"
#include "doctor.h"
#include "export-cmd.h"
#include "options.h"
#include "run-cmd.h"
#include "sandbox/sandbox.h"
#include "view-cmd.h"

/* A closed 0, 1 or 2 would be taken by the first file that is opened. What
 * stands in for it fails as the closed one does. */
static void fill_standard_fds(void)
{
	static const int mode[] = {O_WRONLY, O_RDONLY, O_RDWR};

	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", mode[fd]);
	}
}

static bool is_set(const char *name)
{
	const char *s = getenv(name);

	return s && *s;
}

/* Numbers keep their point. Where nobody asked for a character set (a
 * container, cron) the text is UTF-8 all the same. */
static void set_locale(void)
{
	(void)setlocale(LC_ALL, "");
	(void)setlocale(LC_NUMERIC, "C");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0 && !is_set("LC_ALL") &&
		!is_set("LC_CTYPE") && !is_set("LANG"))
		(void)setlocale(LC_CTYPE, "C.UTF-8");
#if ENABLE_NLS
	bindtextdomain(PACKAGE, LOCALEDIR);
	bind_textdomain_codeset(PACKAGE, "UTF-8");
	textdomain(PACKAGE);
#endif
}

static int print(const struct strbuf *text)
{
	if (io_write_all(STDOUT_FILENO, text->buf, text->len) == 0)
		return 0;
	diag_error(_("cannot write to stdout: %s"), strerror(errno));
	return 1;
}

static int print_help(enum command command)
{
	struct strbuf out = STRBUF_INIT;
	int ret;

	options_help(&out, command);
	ret = print(&out);
	strbuf_release(&out);
	return ret;
}

static int print_version(void)
{
	struct strbuf out = STRBUF_INIT;
	int ret;

	strbuf_addstr(&out, PACKAGE_STRING "\n");
	ret = print(&out);
	strbuf_release(&out);
	return ret;
}

/* A usage error: of a run it is a rejected run, with its `end`. */
static int usage_error(const struct options *o, enum format format,
	int64_t start_ms, const struct err *err)
{
	if (o->command == COMMAND_RUN || o->command == COMMAND_DEMO)
		return run_cmd_reject(format, &o->run, start_ms, err);
	signals_release(); /* stderr may have a reader that has stopped */
	diag_error("%s", err->local);
	return 2;
}

static int run_doctor(const struct options *o)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	int status = doctor_run(&o->operands, o->json, environ, &out, &err);

	signals_release(); /* nothing is left behind */
	if (err.code != AR_OK)
		diag_error("%s", err.local);
	if (print(&out) != 0)
		status = 1;
	strbuf_release(&out);
	return status;
}

static int dispatch(const struct options *o, int64_t start_ms)
{
	switch (o->command) {
	case COMMAND_RUN:
		return run_cmd(o, start_ms);
	case COMMAND_DOCTOR:
		return run_doctor(o);
	case COMMAND_VIEW:
		signals_release();
		return view_cmd(o);
	case COMMAND_EXPORT:
		signals_release(); /* nothing is left behind */
		return export_cmd(o);
	case COMMAND_DEMO:
		return demo_cmd(o, start_ms);
	case COMMAND_HELP:
		signals_release();
		return print_help(o->help_for);
	case COMMAND_VERSION:
		signals_release();
		return print_version();
	}
	return 2;
}

/* What this program is when it starts itself: the process inside the sandbox,
 * its helper, the demo's child, what removes its folders. None of them needs
 * anything of what follows. */
static void play_hidden_part(int argc, char **argv)
{
	if (strcmp(argv[1], "--sandbox-init") == 0)
		exit(sandbox_init_main(argc, argv));
	if (strcmp(argv[1], "--sandbox-connect") == 0)
		exit(sandbox_connect_main(argc, argv));
	if (strcmp(argv[1], DEMO_PLAYER) == 0)
		exit(demo_player_main(argc, argv));
	if (strcmp(argv[1], CRASH_REMOVE) == 0)
		exit(crash_remove_main(argc, argv));
}

int main(int argc, char **argv)
{
	int64_t start_ms = clock_system.mono_ms(clock_system.arg);
	bool stdout_tty;
	enum format format;
	struct options o;
	struct err err = ERR_INIT;
	int status;

	if (argc > 1)
		play_hidden_part(argc, argv);
	signals_init();
	signals_hold();
	fill_standard_fds();
	set_locale();
	stdout_tty = isatty(STDOUT_FILENO);
	format = options_scan_format(argc, argv, stdout_tty);
	options_init(&o);
	if (options_parse(&o, argc, argv, stdout_tty, &err) < 0)
		status = usage_error(&o, format, start_ms, &err);
	else
		status = dispatch(&o, start_ms);
	options_release(&o);
	exit(status);
}

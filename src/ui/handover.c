#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/io.h"
#include "base/keep.h"
#include "base/xalloc.h"
#include "ui/state.h"
#include "ui/term.h"

/* handover: a program of the reader's choice has the terminal for a while.
 *
 * It runs as a foreground job of its own, so that Ctrl-C is its affair. We go
 * on in the background: the loop serves the run, and only looks now and then
 * whether the program has ended. */
#define LOOK_MS 50    /* between two looks */
#define DRAIN_MS 1000 /* for the terminal to take what gives it back */

struct handover {
	char *argv[8]; /* sh -c SCRIPT sh $1 $2 $3 */
	char *command; /* owned, of argv */
	char *file;    /* owned, of argv; removed at the end; or NULL */
	int input;     /* becomes its stdin; -1: the terminal */
	pid_t pid;     /* 0: not started yet */
	int64_t drained_by;
};

/* The user's shell runs the command; then the reader wants to see its output
 * before the screen covers it. */
static const char pipe_script[] =
	"trap : INT; eval \"$1\"; s=$?; [ $s = 0 ] || printf '[%s %d] ' \"$3\" "
	"$s "
	">/dev/tty;"
	" printf '%s' \"$2\" >/dev/tty; read -r s </dev/tty";
static const char pager_script[] = "eval \"$1\" '\"$2\"'";

static void release(struct handover *h)
{
	if (h->input >= 0)
		close(h->input);
	if (h->file)
		(void)unlink(h->file);
	free(h->file);
	free(h->command);
	free(h);
}

/* The terminal's foreground job is GROUP from now on. */
static void give_terminal(pid_t group)
{
	sigset_t block;
	sigset_t old;
	int fd = term_fd();

	/* A process in the background would be stopped for this. */
	sigemptyset(&block);
	sigaddset(&block, SIGTTOU);
	sigprocmask(SIG_BLOCK, &block, &old);
	if (fd >= 0)
		(void)tcsetpgrp(fd, group);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void run_child(const struct handover *h)
{
	int tty = term_fd();
	sigset_t none;

	(void)setpgid(0, 0);
	give_terminal(getpid());
	for (int sig = 1; sig < NSIG; sig++)
		(void)signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	(void)dup2(h->input >= 0 ? h->input : tty, STDIN_FILENO);
	/* Our stderr may be a file, which is not where the reader looks. */
	(void)dup2(STDOUT_FILENO, STDERR_FILENO);
	execv("/bin/sh", h->argv);
	_exit(127);
}

static void start(struct ui *ui, struct handover *h)
{
	if (outq_queued(&ui->out))
		term_force_back();
	h->pid = fork();
	if (h->pid == 0)
		run_child(h);
	if (h->pid > 0) {
		(void)setpgid(h->pid, h->pid);
		give_terminal(h->pid);
	}
}

/* It has ended, or could not be started. */
static void end(struct ui *ui, int status)
{
	struct handover *h = ui->handover;

	give_terminal(getpgrp());
	if (h->pid < 0)
		ui_message(ui, _("cannot start it: %s"), strerror(errno));
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		ui_message(ui, _("'%s' was not found"), h->argv[4]);
	ui->handover = NULL;
	release(h);
}

int handover_work(struct ui *ui)
{
	struct handover *h = ui->handover;
	int status = 0;
	pid_t got;

	if (!h->pid && outq_queued(&ui->out) && ui->now < h->drained_by)
		return (int)(h->drained_by - ui->now);
	if (!h->pid)
		start(ui, h);
	got = h->pid > 0 ? waitpid(h->pid, &status, WNOHANG | WUNTRACED) : -1;
	if (got == 0 || (got < 0 && h->pid > 0 && errno == EINTR))
		return LOOK_MS;
	if (got > 0 && WIFSTOPPED(status)) {
		/* Nobody could bring it back: it goes on. */
		give_terminal(h->pid);
		(void)kill(-h->pid, SIGCONT);
		return LOOK_MS;
	}
	end(ui, status);
	return -1;
}

void handover_release(struct ui *ui)
{
	struct handover *h = ui->handover;
	int status;

	if (!h)
		return;
	ui->handover = NULL;
	if (h->pid > 0) {
		(void)kill(-h->pid, SIGHUP);
		(void)kill(-h->pid, SIGCONT);
		for (int i = 0; i < 20; i++) {
			if (waitpid(h->pid, &status, WNOHANG) != 0)
				break;
			(void)usleep(10000);
		}
		give_terminal(getpgrp());
	}
	release(h);
}

static void begin(struct ui *ui, struct handover *h)
{
	static char sh[] = "sh";
	static char dash_c[] = "-c";

	h->argv[0] = sh;
	h->argv[1] = dash_c;
	h->argv[3] = sh;
	ui->handover = h;
	h->drained_by = ui->now + DRAIN_MS;
	ui_leave_terminal(ui);
}

/* --- what the keys do --- */

static void cannot(struct ui *ui, const char *name)
{
	ui_message(ui, _("cannot write '%s': %s"), name, strerror(errno));
}

void handover_write(struct ui *ui, struct str name, struct str text)
{
	char *path = xstrndup(name.ptr, name.len);
	int fd = open(
		path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);

	if (fd < 0 && errno == EEXIST) {
		ui_message(ui, _("'%s' is there already; give another name"),
			path);
	} else if (fd < 0) {
		cannot(ui, path);
	} else {
		int failed = io_write_all(fd, text.ptr, text.len);

		if (close(fd) != 0 || failed)
			cannot(ui, path);
		else
			ui_message(ui, _("written to %s"), path);
	}
	free(path);
}

void handover_pipe(struct ui *ui, struct str command, struct str text)
{
	struct handover *h;
	int fd = keep_open_private();

	if (fd < 0 || io_write_all(fd, text.ptr, text.len) != 0 ||
		lseek(fd, 0, SEEK_SET) != 0) {
		cannot(ui, "TMPDIR");
		if (fd >= 0)
			close(fd);
		return;
	}
	h = xcalloc(1, sizeof(*h));
	h->input = fd;
	h->command = xstrndup(command.ptr, command.len);
	h->argv[2] = (char *)pipe_script;
	h->argv[4] = h->command;
	/* TRANSLATORS: printed below the output of a command */
	h->argv[5] = (char *)_("[Enter goes back to agentrun] ");
	h->argv[6] = (char *)_("exit status");
	begin(ui, h);
}

void handover_pager(struct ui *ui, struct str text)
{
	const char *program = getenv("VISUAL");
	const char *dir = getenv("TMPDIR");
	struct strbuf path = STRBUF_INIT;
	struct handover *h;
	int fd;

	if (!program || !*program)
		program = getenv("PAGER");
	if (!program || !*program)
		program = "less";
	strbuf_addf(
		&path, "%s/agentrun-detail-XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkostemp(path.buf, O_CLOEXEC);
	if (fd < 0 || io_write_all(fd, text.ptr, text.len) != 0) {
		cannot(ui, path.buf);
		if (fd >= 0) {
			(void)unlink(path.buf);
			close(fd);
		}
		strbuf_release(&path);
		return;
	}
	close(fd);
	h = xcalloc(1, sizeof(*h));
	h->input = -1;
	h->command = xstrdup(program);
	h->file = strbuf_detach(&path);
	h->argv[2] = (char *)pager_script;
	h->argv[4] = h->command;
	h->argv[5] = h->file;
	begin(ui, h);
}

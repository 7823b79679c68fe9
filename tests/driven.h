#ifndef AGENTRUN_TESTS_DRIVEN_H
#define AGENTRUN_TESTS_DRIVEN_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <unistr.h>
#include <utmp.h>
#include <vterm.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "tests/check-main.h"

/* driven: the UI in a real terminal: ui-drive behind a pty, its bytes read by
 * libvterm. What is on the screen, which screen it is, and what the terminal is
 * left like. */
#define WAIT_MS 40000 /* the machine may be busy */
#define QUIET_TURNS 8 /* of pump(50) without a byte: nothing more comes */

struct tty {
	pid_t pid;
	int fd;
	VTerm *vt;
	VTermScreen *screen;
	bool alt;
	bool cursor;
	int mouse;
	struct strbuf raw; /* everything it wrote */
	int slave;         /* the terminal as ui-drive has it */
	struct termios before;
	int status;
	bool gone;
};

/* Given to the terminal before the UI comes; NULL: nothing. */
static void (*prepare)(struct termios *t);

static inline int on_prop(VTermProp prop, VTermValue *val, void *user)
{
	struct tty *t = user;

	if (prop == VTERM_PROP_ALTSCREEN)
		t->alt = val->boolean;
	else if (prop == VTERM_PROP_CURSORVISIBLE)
		t->cursor = val->boolean;
	else if (prop == VTERM_PROP_MOUSE)
		t->mouse = val->number;
	return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_prop};

static inline void drive_path(char *out, size_t size)
{
	const char *top = getenv("top_builddir");

	snprintf(out, size, "%s/tests/ui-drive", top ? top : ".");
}

static inline void new_screen(struct tty *t, int rows, int cols)
{
	t->cursor = true;
	t->vt = vterm_new(rows, cols);
	vterm_set_utf8(t->vt, 1);
	t->screen = vterm_obtain_screen(t->vt);
	vterm_screen_set_callbacks(t->screen, &callbacks, t);
	vterm_screen_enable_altscreen(t->screen, 1);
	vterm_screen_reset(t->screen, 1);
}

/* Starts ui-drive with ARGS (words, no quotes) on a terminal of ROWS x COLS. */
static inline void start(struct tty *t, int rows, int cols, const char *args)
{
	struct winsize ws = {
		.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
	char path[4096];
	char words[4096];
	char *argv[32];
	int argc = 0;
	int slave;

	memset(t, 0, sizeof(*t));
	strbuf_init(&t->raw);
	drive_path(path, sizeof(path));
	snprintf(words, sizeof(words), "%s", args);
	argv[argc++] = path;
	for (char *w = words; *w;) {
		size_t n = strcspn(w, " ");

		argv[argc++] = w;
		w += n;
		if (*w)
			*w++ = '\0';
	}
	argv[argc] = NULL;
	ck_assert_int_eq(openpty(&t->fd, &slave, NULL, NULL, &ws), 0);
	tcgetattr(slave, &t->before);
	if (prepare) {
		prepare(&t->before);
		tcsetattr(slave, TCSANOW, &t->before);
	}
	t->pid = fork();
	ck_assert_int_ge(t->pid, 0);
	if (t->pid == 0) {
		close(t->fd);
		login_tty(slave);
		/* The data is named from there: the path may have blanks. */
		if (getenv("top_srcdir"))
			(void)!chdir(getenv("top_srcdir"));
		/* A sanitizer would make an exit status of a crash. */
		setenv("ASAN_OPTIONS", "handle_segv=0", 0);
		execv(path, argv);
		_exit(127);
	}
	/* The slave stays open here: its state can be read afterwards. */
	fcntl(slave, F_SETFD, FD_CLOEXEC);
	t->slave = slave;
	new_screen(t, rows, cols);
}

/* Reads what came within MS. */
static inline void pump(struct tty *t, int ms)
{
	struct pollfd p = {t->fd, POLLIN, 0};
	char buf[65536];
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return;
	n = read(t->fd, buf, sizeof(buf));
	if (n <= 0)
		return;
	strbuf_add(&t->raw, buf, (size_t)n);
	if (!t->vt)
		return;
	vterm_input_write(t->vt, buf, (size_t)n);
	/* Answers to queries would go back here; we ask nothing. */
	while (vterm_output_read(t->vt, buf, sizeof(buf)) > 0)
		continue;
}

static inline int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static inline void add_char(struct strbuf *out, uint32_t c)
{
	uint8_t buf[8];
	int n = u8_uctomb(buf, c, sizeof(buf));

	if (n > 0)
		strbuf_add(out, (const char *)buf, (size_t)n);
}

static inline void screen_text(struct tty *t, struct strbuf *out)
{
	int rows;
	int cols;
	int y;
	int x;

	vterm_get_size(t->vt, &rows, &cols);
	strbuf_reset(out);
	for (y = 0; y < rows; y++) {
		for (x = 0; x < cols; x++) {
			VTermPos pos = {y, x};
			VTermScreenCell cell = {0}; /* not all is filled in */
			int i;

			vterm_screen_get_cell(t->screen, pos, &cell);
			if (cell.chars[0] == (uint32_t)-1)
				continue;
			if (!cell.chars[0])
				cell.chars[0] = ' ';
			for (i = 0;
				i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i];
				i++)
				add_char(out, cell.chars[i]);
		}
		while (out->len && out->buf[out->len - 1] == ' ')
			strbuf_setlen(out, out->len - 1);
		strbuf_addch(out, '\n');
	}
}

static inline bool shows(struct tty *t, const char *text)
{
	struct strbuf sb = STRBUF_INIT;
	bool found;

	screen_text(t, &sb);
	found = strstr(sb.buf, text);
	strbuf_release(&sb);
	return found;
}

static inline void wait_for(struct tty *t, const char *text)
{
	int64_t end = now_ms() + WAIT_MS;
	struct strbuf sb = STRBUF_INIT;

	while (!shows(t, text)) {
		pump(t, 50);
		if (now_ms() < end)
			continue;
		screen_text(t, &sb);
		ck_abort_msg("'%s' does not appear on:\n%s", text, sb.buf);
	}
}

static inline void press(struct tty *t, const char *keys)
{
	ck_assert_int_eq(io_write_all(t->fd, keys, strlen(keys)), 0);
}

/* Reads until nothing has come for a while. */
static inline void settle(struct tty *t)
{
	size_t had;
	int quiet = 0;

	while (quiet < QUIET_TURNS) {
		had = t->raw.len;
		pump(t, 50);
		quiet = t->raw.len == had ? quiet + 1 : 0;
	}
}

/* Waits for its end and reads the rest. */
static inline void finish(struct tty *t)
{
	int64_t end = now_ms() + WAIT_MS;

	while (waitpid(t->pid, &t->status, WNOHANG) == 0) {
		pump(t, 20);
		ck_assert_msg(now_ms() < end, "it does not end");
	}
	settle(t);
	t->gone = true;
}

/* The modes and the screen are as they were. */
static inline void check_modes(struct tty *t)
{
	struct termios after;

	ck_assert_msg(!t->alt, "still on the alternate screen");
	ck_assert_int_eq(tcgetattr(t->fd, &after), 0);
	ck_assert_int_eq(after.c_lflag, t->before.c_lflag);
	ck_assert_int_eq(after.c_iflag, t->before.c_iflag);
	ck_assert_int_eq(after.c_oflag, t->before.c_oflag);
	ck_assert_mem_eq(after.c_cc, t->before.c_cc, sizeof(after.c_cc));
}

/* And the cursor and the mouse. (libvterm forgets the cursor when a row was
 * scrolled in between.) */
static inline void check_whole(struct tty *t)
{
	check_modes(t);
	ck_assert_msg(t->cursor, "the cursor is hidden");
	ck_assert_msg(t->mouse == 0, "the mouse is still reported");
}

static inline void stop(struct tty *t)
{
	if (!t->gone) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, NULL, 0);
	}
	close(t->fd);
	vterm_free(t->vt);
	strbuf_release(&t->raw);
}

static const char *data_args(const char *options)
{
	static char buf[4096];

	snprintf(buf, sizeof(buf), "%s tests/screens/run.jsonl", options);
	return buf;
}

/* Where the transcript begins in the bytes: behind the last rmcup. */
static const char *after_screen(struct tty *t)
{
	const char *at = t->raw.buf;
	const char *next;

	while ((next = strstr(at, "\033[?1049l")))
		at = next + 8;
	return at;
}

#endif

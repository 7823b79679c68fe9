#include "config.h"

#include "tests/driven.h"
#include "tests/terminal.h"

/* The UI on a terminal that is slow, or takes nothing for a while or for ever.
 */

/* Its end without a byte being read. */
static void end_unread(struct tty *t)
{
	int64_t end = now_ms() + WAIT_MS;

	while (waitpid(t->pid, &t->status, WNOHANG) == 0) {
		(void)poll(NULL, 0, 10);
		ck_assert_msg(now_ms() < end, "it does not end");
	}
	t->gone = true;
}

/* Reads PIECE bytes at a time until TEXT is on the screen. */
static void read_slowly(struct tty *t, size_t piece, const char *text)
{
	int64_t end = now_ms() + WAIT_MS;
	char buf[256];

	while (!shows(t, text)) {
		struct pollfd p = {t->fd, POLLIN, 0};
		ssize_t n;

		ck_assert_msg(now_ms() < end, "'%s' does not appear", text);
		if (poll(&p, 1, 50) <= 0)
			continue;
		n = read(t->fd, buf, piece);
		ck_assert_int_gt(n, 0);
		strbuf_add(&t->raw, buf, (size_t)n);
		vterm_input_write(t->vt, buf, (size_t)n);
	}
}

static void check_same_screen(struct tty *t, const char *want)
{
	struct strbuf got = STRBUF_INIT;

	settle(t);
	screen_text(t, &got);
	ck_assert_str_eq(got.buf, want);
	strbuf_release(&got);
}

/* The last screen of the recorded run, as a quick terminal has it. */
static void last_screen(struct strbuf *out)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -s 1 -d 0"));
	wait_for(&t, "done, q leaves");
	settle(&t);
	screen_text(&t, out);
	stop(&t);
}

START_TEST(slow_terminal)
{
	struct strbuf want = STRBUF_INIT;
	struct tty t;

	last_screen(&want);
	start(&t, 24, 80, data_args("-l -s 1 -d 1"));
	read_slowly(&t, 7, "done, q leaves");
	check_same_screen(&t, want.buf);
	stop(&t);
	strbuf_release(&want);
}
END_TEST

/* Full frames, none of which is read: only what the kernel holds, and one more,
 * ever comes. */
START_TEST(frames_are_skipped)
{
	struct strbuf want = STRBUF_INIT;
	struct tty t;
	size_t before;
	int held = 0;
	int last = -1;

	start(&t, 60, 200, data_args("-l -s 1 -d 0"));
	wait_for(&t, "done, q leaves");
	settle(&t);
	screen_text(&t, &want);
	before = t.raw.len;
	for (int i = 0; i < 30 || (held != last && i < 300); i++) {
		press(&t, "\f");
		(void)poll(NULL, 0, 40);
		last = held;
		ck_assert_int_eq(ioctl(t.fd, FIONREAD, &held), 0);
	}
	ck_assert_int_gt(held, 0);
	for (int i = 0; i < 30; i++) {
		press(&t, "\f");
		(void)poll(NULL, 0, 40);
	}
	press(&t, "?");
	wait_for(&t, "one line down");
	settle(&t);
	ck_assert_uint_lt(t.raw.len - before, 200000);
	press(&t, "q");
	check_same_screen(&t, want.buf);
	stop(&t);
	strbuf_release(&want);
}
END_TEST

/* What happens while the terminal takes nothing is there when it does. */
START_TEST(terminal_that_sleeps)
{
	struct strbuf want = STRBUF_INIT;
	struct tty t;

	last_screen(&want);
	start(&t, 24, 80, data_args("-l -s 1 -d 100"));
	wait_for(&t, "[main] prompt");
	ck_assert_int_eq(terminal_fill(t.slave), 0);
	/* Its keys still work: this one asks, the next one goes on. */
	press(&t, "qc");
	wait_for(&t, "done, q leaves");
	/* What filled it has spoiled the screen. */
	press(&t, "\f");
	check_same_screen(&t, want.buf);
	stop(&t);
	strbuf_release(&want);
}
END_TEST

START_TEST(control_s_stops_nothing)
{
	struct termios t_now;
	struct tty t;

	start(&t, 24, 80, data_args("-l -s 1 -d 50"));
	wait_for(&t, "[main] prompt");
	ck_assert_int_eq(tcgetattr(t.slave, &t_now), 0);
	ck_assert_uint_eq(t_now.c_iflag & (IXON | ICRNL), 0);
	ck_assert_uint_eq(t_now.c_oflag & ONLCR, 0);
	ck_assert_uint_eq(t_now.c_lflag & (ICANON | ECHO), 0);
	ck_assert_uint_eq(t_now.c_lflag & ISIG, ISIG);
	press(&t, "\023");
	wait_for(&t, "done, q leaves");
	press(&t, "q");
	finish(&t);
	check_modes(&t);
	stop(&t);
}
END_TEST

static void stop_output(struct termios *t)
{
	t->c_iflag |= IXON;
}

/* Ctrl-S before the view comes: it frees the terminal. */
START_TEST(control_s_before)
{
	struct tty t;

	prepare = stop_output;
	start(&t, 24, 80, data_args("-l -s 1 -d 50"));
	press(&t, "\023");
	wait_for(&t, "done, q leaves");
	press(&t, "q");
	finish(&t);
	check_modes(&t);
	stop(&t);
}
END_TEST

static void expand_tabs(struct termios *t)
{
	t->c_oflag |= TAB3;
}

/* A terminal whose tabs the kernel expands would be drawn over with blanks. */
START_TEST(expanded_tabs)
{
	struct strbuf want = STRBUF_INIT;
	struct tty t;

	last_screen(&want);
	prepare = expand_tabs;
	start(&t, 24, 80, data_args("-l -s 1 -d 1"));
	wait_for(&t, "done, q leaves");
	check_same_screen(&t, want.buf);
	press(&t, "q");
	finish(&t);
	check_whole(&t);
	stop(&t);
	strbuf_release(&want);
}
END_TEST

static void dies(int signo)
{
	struct tty t;
	int64_t from;

	start(&t, 24, 80, data_args("-l -s 1 -d 100"));
	wait_for(&t, "[main] tool Read");
	ck_assert_int_eq(terminal_fill(t.slave), 0);
	from = now_ms();
	kill(t.pid, signo);
	end_unread(&t);
	ck_assert_int_lt(now_ms() - from, 4000);
	ck_assert_msg(WIFSIGNALED(t.status) && WTERMSIG(t.status) == signo,
		"status %d", t.status);
	settle(&t);
	check_whole(&t);
	stop(&t);
}

START_TEST(crash_on_a_terminal_that_takes_nothing)
{
	dies(SIGSEGV);
	dies(SIGABRT);
	dies(SIGQUIT);
}
END_TEST

START_TEST(leaving_a_terminal_that_takes_nothing)
{
	struct tty t;
	int64_t from;

	start(&t, 24, 80, data_args("-l -s 1 -d 100"));
	wait_for(&t, "[main] tool Read");
	ck_assert_int_eq(terminal_fill(t.slave), 0);
	from = now_ms();
	kill(t.pid, SIGTERM);
	end_unread(&t);
	ck_assert_int_ge(now_ms() - from, 4500);
	ck_assert_int_eq(WEXITSTATUS(t.status), 143);
	settle(&t);
	check_whole(&t);
	ck_assert_ptr_nonnull(strstr(after_screen(&t), "nobody reads it"));
	stop(&t);
}
END_TEST

START_TEST(suspending_on_a_terminal_that_takes_nothing)
{
	struct tty t;
	size_t before;

	start(&t, 24, 80, data_args("-l -s 1 -d 100"));
	wait_for(&t, "[main] tool Read");
	ck_assert_int_eq(terminal_fill(t.slave), 0);
	kill(t.pid, SIGTSTP);
	ck_assert_int_eq(waitpid(t.pid, &t.status, WUNTRACED), t.pid);
	ck_assert(WIFSTOPPED(t.status));
	settle(&t);
	check_whole(&t);
	before = t.raw.len;
	kill(t.pid, SIGCONT);
	wait_for(&t, "done, q leaves");
	ck_assert(t.alt);
	ck_assert(!t.cursor);
	ck_assert_ptr_nonnull(strstr(t.raw.buf + before, "\033[?1006;1000h"));
	ck_assert_ptr_nonnull(strstr(t.raw.buf + before, "\033[?2004h"));
	ck_assert_ptr_nonnull(strstr(t.raw.buf + before, "\033[?1h\033="));
	press(&t, "q");
	finish(&t);
	check_whole(&t);
	stop(&t);
}
END_TEST

/* Nothing changes: nothing is sent. */
START_TEST(idle_is_silent)
{
	struct tty t;
	size_t before;
	int64_t end;

	start(&t, 24, 80, data_args("-l -s 1 -d 0"));
	wait_for(&t, "done, q leaves");
	settle(&t);
	before = t.raw.len;
	end = now_ms() + 1000;
	while (now_ms() < end)
		pump(&t, 50);
	ck_assert_uint_eq(t.raw.len, before);
	stop(&t);
}
END_TEST

CHECK_MAIN("slow", slow_terminal, frames_are_skipped, terminal_that_sleeps,
	control_s_stops_nothing, control_s_before, expanded_tabs,
	crash_on_a_terminal_that_takes_nothing,
	leaving_a_terminal_that_takes_nothing,
	suspending_on_a_terminal_that_takes_nothing, idle_is_silent)

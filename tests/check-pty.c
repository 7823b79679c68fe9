#include "config.h"

#include "tests/driven.h"

START_TEST(keys_work)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -s 1 -d 0"));
	wait_for(&t, "done, q leaves");
	ck_assert(t.alt);
	ck_assert(!t.cursor);
	press(&t, "?");
	wait_for(&t, "one line down");
	press(&t, "\033");
	wait_for(&t, "done, q leaves");
	press(&t, "1");
	wait_for(&t, " explore#1  claude-haiku-4-5  finished 12.4s");
	press(&t, "]");
	wait_for(&t, " general-purpose#2  claude-haiku-4-5  finished");
	press(&t, "0g");
	wait_for(&t, ">[main] prompt");
	/* Both forms of the arrows, and the last key of a run of them. */
	press(&t, "\033[B\033OB");
	wait_for(&t, ">[main] agent start explore#1");
	press(&t, "/no such thing\r");
	wait_for(&t, "'no such thing' is not here");
	press(&t, "q");
	finish(&t);
	ck_assert_int_eq(t.status, 0);
	check_whole(&t);
	stop(&t);
}
END_TEST

START_TEST(transcript_at_the_end)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -d 1"));
	finish(&t);
	check_whole(&t);
	ck_assert_ptr_nonnull(strstr(after_screen(&t),
		"[main] text 先看现有测试的写法。\r\n"
		"    parse_line 有三个调用点,其中一个没有覆盖。\r\n"
		"    src/cli.c:88\r\n    … (+3 lines)\r\n"
		"[main] tool Bash: cat ~/.ssh/id_rsa (denied)\r\n"));
	ck_assert_ptr_nonnull(
		strstr(after_screen(&t), "[result]\r\n测试全部通过。\r\n\r\n"));
	stop(&t);
}
END_TEST

START_TEST(leaves_by_itself_only_when_following)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -d 100"));
	wait_for(&t, "[main] tool Read");
	press(&t, "k");
	wait_for(&t, "done, q leaves");
	ck_assert(t.alt);
	press(&t, "q");
	finish(&t);
	check_whole(&t);
	stop(&t);
}
END_TEST

START_TEST(detach)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -d 100"));
	wait_for(&t, "[main] tool Read");
	press(&t, "qd");
	wait_for(&t, "[end] finished");
	ck_assert(!t.alt);
	finish(&t);
	check_whole(&t);
	ck_assert_ptr_nonnull(strstr(after_screen(&t), "[main] prompt"));
	ck_assert_ptr_nonnull(
		strstr(after_screen(&t), "[explore#1] agent finished"));
	stop(&t);
}
END_TEST

START_TEST(stop_asks)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -s 1 -d 100"));
	wait_for(&t, "[main] tool Read");
	press(&t, "q");
	wait_for(&t, "[d]etach");
	press(&t, "c");
	wait_for(&t, "? help");
	press(&t, "qs");
	wait_for(&t, "stopping, 5 s");
	stop(&t);
}
END_TEST

static void crashes(const char *signal_name, int signo)
{
	struct tty t;

	start(&t, 24, 80, data_args(signo == SIGSEGV ? "-c -d 1" : "-d 100"));
	if (signo != SIGSEGV) {
		wait_for(&t, "[main] tool Read");
		kill(t.pid, signo);
	}
	finish(&t);
	ck_assert_msg(WIFSIGNALED(t.status) && WTERMSIG(t.status) == signo,
		"%s: status %d", signal_name, t.status);
	check_whole(&t);
	stop(&t);
}

START_TEST(crash)
{
	crashes("SIGSEGV", SIGSEGV);
	crashes("SIGABRT", SIGABRT);
	crashes("SIGQUIT", SIGQUIT);
}
END_TEST

static void ends_on(int signo, int status)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -d 200"));
	wait_for(&t, "[main] prompt");
	kill(t.pid, signo);
	finish(&t);
	ck_assert_int_eq(WEXITSTATUS(t.status), status);
	check_whole(&t);
	ck_assert_ptr_nonnull(strstr(after_screen(&t), "[main] prompt"));
	stop(&t);
}

START_TEST(signals)
{
	ends_on(SIGTERM, 143);
	ends_on(SIGHUP, 129);
}
END_TEST

START_TEST(interrupt_key)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -d 200"));
	wait_for(&t, "[main] prompt");
	press(&t, "\003");
	finish(&t);
	ck_assert_int_eq(WEXITSTATUS(t.status), 130);
	check_whole(&t);
	stop(&t);
}
END_TEST

START_TEST(closed_terminal)
{
	struct tty t;
	int64_t from;

	start(&t, 24, 80, data_args("-l -d 500"));
	wait_for(&t, "[main] prompt");
	close(t.fd);
	t.fd = open("/dev/null", O_RDWR);
	/* The slave is open here, too: the signal must come from the kernel. */
	for (int fd = 3; fd < 64; fd++)
		if (fd != t.fd && isatty(fd))
			close(fd);
	from = now_ms();
	finish(&t);
	ck_assert_int_lt(now_ms() - from, 5000);
	stop(&t);
}
END_TEST

START_TEST(pasted_text_is_no_command)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -s 1 -d 0"));
	wait_for(&t, "done, q leaves");
	press(&t, "\033[200~q?1\033[201~/");
	press(&t, "\033[200~parse\r_line\033[201~");
	wait_for(&t, "/parse _line");
	ck_assert(t.alt);
	stop(&t);
}
END_TEST

START_TEST(copy)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -s 1 -d 0"));
	wait_for(&t, "done, q leaves");
	ck_assert_ptr_null(strstr(t.raw.buf, "\033]52"));
	press(&t, "gjy");
	wait_for(&t, "copied 17 bytes");
	/* "Read: src/parse.c" */
	ck_assert_ptr_nonnull(
		strstr(t.raw.buf, "\033]52;c;UmVhZDogc3JjL3BhcnNlLmM=\007"));
	stop(&t);
}
END_TEST

START_TEST(wheel)
{
	struct tty t;

	start(&t, 24, 80, data_args("-l -s 1 -d 0"));
	wait_for(&t, "done, q leaves");
	ck_assert_ptr_nonnull(strstr(t.raw.buf, "\033[?1006;1000h"));
	for (int i = 0; i < 30; i++)
		press(&t, "\033[<64;5;5M");
	wait_for(&t, "[main] prompt");
	press(&t, "m");
	wait_for(&t, "mouse off");
	ck_assert_ptr_nonnull(strstr(t.raw.buf, "\033[?1006;1000l"));
	stop(&t);
}
END_TEST

START_TEST(no_color)
{
	struct tty t;
	const char *at;

	setenv("NO_COLOR", "1", 1);
	start(&t, 24, 80, data_args("-l -s 1 -d 0"));
	wait_for(&t, "done, q leaves");
	press(&t, "kk?");
	wait_for(&t, "one line down");
	press(&t, "qq");
	finish(&t);
	check_whole(&t);
	for (at = t.raw.buf; (at = strstr(at, "\033[")); at += 2) {
		size_t n = strspn(at + 2, "0123456789;:<=>?");

		ck_assert_msg(
			at[2 + n] != 'm', "SGR: ESC[%.*sm", (int)n, at + 2);
	}
	stop(&t);
}
END_TEST

START_TEST(unusable_terminal)
{
	struct tty t;

	setenv("TERM", "dumb", 1);
	start(&t, 24, 80, data_args("-l"));
	finish(&t);
	ck_assert_int_eq(WEXITSTATUS(t.status), 2);
	ck_assert_ptr_null(strchr(t.raw.buf, '\033'));
	stop(&t);
}
END_TEST

static char *write_temp(const char *text)
{
	static char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/agentrun-pty-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(io_write_all(fd, text, strlen(text)), 0);
	close(fd);
	return path;
}

/* Escapes in every place an agent can write to. */
#define EVIL                                                     \
	"\\u001b]52;c;ZXZpbA==\\u0007\\u001b[2J\\u001b[31mE"     \
	"\\u0007\\u009b2J\\u0085\\u202e\\u200d\\u0000\\u007f\\r" \
	"\\u001bPq\\u001b\\\\V"

static const char *const evil_lines =
	"{\"schema\":1,\"type\":\"prompt\",\"text\":\"" EVIL
	"\",\"images\":[\"" EVIL "\"]}\n"
	"{\"schema\":1,\"type\":\"subagent_start\",\"id\":\"a\",\"parent\":"
	"null,\"number\":1,\"kind\":\"" EVIL "\",\"model\":\"" EVIL
	"\",\"description\":\"" EVIL "\"}\n"
	"{\"schema\":1,\"type\":\"tool_start\",\"id\":\"t\",\"parent\":\"a\","
	"\"name\":\"" EVIL "\",\"summary\":\"" EVIL "\"}\n"
	"{\"schema\":1,\"type\":\"tool\",\"id\":\"t\",\"parent\":\"a\","
	"\"name\":\"" EVIL "\",\"summary\":\"" EVIL
	"\",\"denied\":false,\"error\":null}\n"
	"{\"schema\":1,\"type\":\"tool_start\",\"id\":\"u\",\"parent\":\"a\","
	"\"name\":\"" EVIL "\",\"summary\":\"" EVIL "\"}\n"
	"{\"schema\":1,\"type\":\"text\",\"parent\":null,\"text\":\"" EVIL
	"\\n" EVIL "\\n" EVIL "\\n" EVIL "\\nDONE\"}\n"
	"\033]0;title\007\033[31mon stderr\n";

/* No control but those of curses: no OSC, no DCS, no BEL, no C1. */
static void check_harmless(const struct strbuf *raw)
{
	static const char *const bad[] = {"\033]", "\033P", "\007", "\302\233",
		"\302\205", "\342\200\256", "\342\200\215", "\033[31m", "\177"};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(
			!memmem(raw->buf, raw->len, bad[i], strlen(bad[i])),
			"bytes of case %zu reach the terminal", i);
	ck_assert_msg(!memchr(raw->buf, '\0', raw->len), "a NUL does");
}

START_TEST(hostile_text)
{
	struct strbuf args = STRBUF_INIT;
	struct tty t;

	strbuf_addf(&args, "-e -d 0 %s", write_temp(evil_lines));
	start(&t, 24, 80, args.buf);
	wait_for(&t, "on stderr");
	press(&t, "tOa\t1");
	wait_for(&t, "running");
	press(&t, "0\033g\r");
	wait_for(&t, "main  prompt");
	press(&t, "qqq");
	finish(&t);
	check_whole(&t);
	check_harmless(&t.raw);
	stop(&t);
	strbuf_release(&args);
}
END_TEST

/* Counting goes on between frames, also through a line that is longer than what
 * is searched at a time; the last count is on the screen. */
START_TEST(search_in_long_lines)
{
	const size_t len = (size_t)3 << 20;
	char *line = malloc(len + 1);
	struct strbuf sb = STRBUF_INIT;
	struct tty t;
	int i;

	ck_assert_ptr_nonnull(line);
	memset(line, 'x', len);
	line[len] = '\0';
	for (i = 0; i < 2; i++)
		strbuf_addf(&sb,
			"{\"schema\":1,\"type\":\"text\",\"parent\":null,"
			"\"text\":\"one\\n%s\\nneedle\"}\n",
			line);
	free(line);
	line = write_temp(sb.buf);
	strbuf_reset(&sb);
	strbuf_addf(&sb, "-s 1 -d 0 %s", line);
	start(&t, 24, 80, sb.buf);
	wait_for(&t, "6 lines");
	press(&t, "/needle\r");
	wait_for(&t, "1/2 matches  ");
	unlink(line);
	stop(&t);
	strbuf_release(&sb);
}
END_TEST

/* --- the storm --- */

static char *storm_file(int events)
{
	struct strbuf sb = STRBUF_INIT;
	char *path;
	int i;

	for (i = 0; i < events; i++) {
		strbuf_addf(&sb,
			"{\"schema\":1,\"type\":\"%s\",\"id\":\"t%d\","
			"\"parent\":null,\"name\":\"Bash\",\"summary\":"
			"\"Bash: step %d 步骤 of the storm, a long line that "
			"wraps at most widths there are\"%s}\n",
			i % 2 ? "tool" : "tool_start", i / 2, i / 2,
			i % 2 ? ",\"denied\":false,\"error\":false" : "");
		if (i % 20 == 0)
			strbuf_addf(&sb,
				"{\"schema\":1,\"type\":\"text\",\"parent\":"
				"null,\"text\":\"one %d\\ntwo\\n三\\nfour\"}\n",
				i);
	}
	strbuf_addstr(&sb,
		"{\"schema\":1,\"type\":\"end\",\"status\":\"finished\","
		"\"exit_code\":0,\"detail\":\"\",\"usage\":{\"input_tokens\":"
		"null,\"output_tokens\":null,\"cache_read_tokens\":null,"
		"\"cache_write_tokens\":null,\"cost_usd\":null,\"by_model\":"
		"{}},\"result\":\"r\",\"session_id\":null,\"warnings\":[]}\n");
	path = write_temp(sb.buf);
	strbuf_release(&sb);
	return path;
}

static void resize(struct tty *t, int rows, int cols)
{
	struct winsize ws = {
		.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	ioctl(t->fd, TIOCSWINSZ, &ws);
}

START_TEST(resize_storm)
{
	struct strbuf args = STRBUF_INIT;
	struct strbuf after = STRBUF_INIT;
	struct strbuf fresh = STRBUF_INIT;
	struct tty t;
	unsigned seed = 7;
	int64_t end;
	int i;

	strbuf_addf(&args, "-l -s 1 -n 7 -d 5 %s", storm_file(2000));
	start(&t, 30, 100, args.buf);
	wait_for(&t, "done, q leaves");
	settle(&t);
	screen_text(&t, &fresh);
	stop(&t);
	start(&t, 24, 80, args.buf);
	/* libvterm itself does not survive all these sizes: it sees the last
	 * one, whatever was written for others before. */
	vterm_free(t.vt);
	t.vt = NULL;
	for (i = 0; i < 300; i++) {
		seed = seed * 1103515245u + 12345u;
		resize(&t, 1 + (int)(seed >> 16) % 60,
			1 + (int)(seed >> 8) % 200);
		pump(&t, 5);
		pump(&t, 5);
	}
	new_screen(&t, 30, 100);
	resize(&t, 30, 100);
	end = now_ms() + WAIT_MS;
	do {
		settle(&t);
		screen_text(&t, &after);
	} while (strcmp(after.buf, fresh.buf) != 0 && now_ms() < end);
	stop(&t);
	ck_assert_str_eq(after.buf, fresh.buf);
	strbuf_release(&args);
	strbuf_release(&after);
	strbuf_release(&fresh);
}
END_TEST

/* Idle: little goes to the terminal while a run only waits. */
START_TEST(idle_is_quiet)
{
	struct tty t;
	size_t before;
	int64_t end;

	start(&t, 40, 120, data_args("-l -d 3000"));
	wait_for(&t, "main  0:0");
	before = t.raw.len;
	end = now_ms() + 2000;
	while (now_ms() < end)
		pump(&t, 50);
	ck_assert_uint_lt(t.raw.len - before, 2000);
	stop(&t);
}
END_TEST

CHECK_MAIN("pty", keys_work, transcript_at_the_end,
	leaves_by_itself_only_when_following, detach, stop_asks, crash, signals,
	interrupt_key, closed_terminal, pasted_text_is_no_command, copy, wheel,
	no_color, unusable_terminal, hostile_text, search_in_long_lines,
	resize_storm, idle_is_quiet)

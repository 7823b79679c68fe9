#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "check-main.h"
#include "terminal.h"

/* Outputs that take nothing, and every way in which a run ends: the limits, the
 * signals, the clean-up and the verdict are as if somebody read. */
#define LINES 1500     /* that the runtime prints: far more than pipes hold */
#define TURNS 1000     /* allowed, where there is a limit */
#define HANGS_MS 40000 /* the machine may be busy */
#define AT_ONCE_MS 4000
#define GRACE_MS 4000 /* most of the 5 s that a reader gets */
#define JOBS 64

enum output {
	TO_FILE, /* takes everything */
	TO_PIPE,
	TO_TERMINAL,
	TO_SOCKET,
	TO_FIFO,   /* with a reader that has stopped */
	TO_NOBODY, /* a FIFO without a reader */
};

enum ending {
	BY_ITSELF,
	BY_TIMEOUT,
	BY_LIMIT,
	BY_TERM,
	BY_INT,
	BY_HUP,
	BY_TWO,          /* signals while the runtime does not end */
	BY_TERM_THEN,    /* and once more when only readers are left */
	BY_TIMEOUT_THEN, /* the same two times */
	ENDINGS,
	BY_STAYING = ENDINGS, /* after its result: 10 s, so once only */
};

static const struct {
	const char *name;
	const char *option;
	const char *status;
	int exit_status;
} endings[] = {
	[BY_ITSELF] = {"by itself", NULL, "finished", 0},
	[BY_TIMEOUT] = {"timeout", "--timeout=4", "timeout", 3},
	[BY_LIMIT] = {"limit", "--max-turns=1000", "limit", 4},
	[BY_TERM] = {"TERM", NULL, "interrupted", 143},
	[BY_INT] = {"INT", NULL, "interrupted", 130},
	[BY_HUP] = {"HUP", NULL, "interrupted", 143},
	[BY_TWO] = {"TERM TERM", NULL, "interrupted", 143},
	[BY_TERM_THEN] = {"TERM end TERM", NULL, "interrupted", 143},
	[BY_TIMEOUT_THEN] = {"timeout end TERM INT", "--timeout=4", "timeout",
		3},
	[BY_STAYING] = {"stays after its result", NULL, "finished", 0},
};

struct shape {
	const char *format; /* or no run: "view", "demo", "rejected", "dry" */
	enum output out;
	enum output err;
	enum output save;
	enum output raw;
};

struct job {
	struct shape shape;
	enum ending ending;
	char dir[64];
	pid_t pid;
	int reader[4]; /* our ends of what takes nothing; -1: none */
	int slave;     /* the terminal as the job has it; -1: none */
	struct termios before;
	int step;
	int64_t told_ms; /* the last signal */
	int64_t over_ms; /* `end` was written */
	int64_t gone_ms; /* 0: not yet */
	int status;
};

/* By the calendar, as the times of files. */
static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static const char *describe(const struct job *j)
{
	static const char *const words[] = {"file", "pipe", "terminal",
		"socket", "FIFO", "FIFO without reader"};
	static char text[256];

	snprintf(text, sizeof(text),
		"%s: stdout %s, stderr %s, save %s, "
		"raw %s; %s",
		j->shape.format, words[j->shape.out], words[j->shape.err],
		words[j->shape.save], words[j->shape.raw],
		endings[j->ending].name);
	return text;
}

/* NAME in the folder of J; for one call at a time. */
static const char *path_of(const struct job *j, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", j->dir, name);
	return path;
}

static bool is_there(const struct job *j, const char *name)
{
	return access(path_of(j, name), F_OK) == 0;
}

static bool is_a(const struct job *j, const char *format)
{
	return strcmp(j->shape.format, format) == 0;
}

static void read_all(const struct job *j, const char *name, struct strbuf *out)
{
	ck_assert_msg(
		io_read_file(path_of(j, name), (size_t)1 << 26, out, NULL) == 0,
		"%s: no file '%s'", describe(j), name);
}

/* --- the runtime --- */

static void add_lines(struct strbuf *sb)
{
	strbuf_addstr(sb,
		"{\"type\":\"system\",\"subtype\":\"init\",\"cwd\":\"/w\","
		"\"session_id\":\"s\",\"model\":\"m\"}\n");
	for (int i = 0; i < LINES; i++)
		strbuf_addf(sb,
			"{\"type\":\"assistant\",\"message\":{\"id\":\"m%d\","
			"\"role\":\"assistant\",\"model\":\"m\",\"content\":[{"
			"\"type\":\"text\",\"text\":\"line %d of those that "
			"nobody reads\"}],\"usage\":{\"input_tokens\":3,"
			"\"output_tokens\":7}},\"parent_tool_use_id\":null}\n",
			i, i);
}

static const char result_line[] =
	"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,"
	"\"result\":\"r\",\"modelUsage\":{\"m\":{\"inputTokens\":1,"
	"\"outputTokens\":1,\"cacheReadInputTokens\":0,"
	"\"cacheCreationInputTokens\":0,\"costUSD\":0.5}}}\n";

static void write_file(const struct job *j, const char *name,
	const struct strbuf *text, mode_t mode)
{
	int fd = open(path_of(j, name), O_WRONLY | O_CREAT | O_CLOEXEC, mode);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(io_write_all(fd, text->buf, text->len), 0);
	close(fd);
}

/* Prints much, says so, and then ends or waits for its signal. */
static void write_runtime(const struct job *j)
{
	struct strbuf sb = STRBUF_INIT;

	add_lines(&sb);
	write_file(j, "lines", &sb, 0600);
	strbuf_reset(&sb);
	strbuf_addstr(&sb, result_line);
	write_file(j, "result", &sb, 0600);
	strbuf_reset(&sb);
	strbuf_addf(&sb,
		"#!/bin/sh\n"
		"case $1 in --version) echo '2.1.332 (Claude Code)'; exit;; "
		"esac\n"
		"cat >/dev/null\n"
		"cd '%s'\n"
		"echo $$ >pid.new; mv pid.new pid\n"
		"trap '%s' INT\n"
		"%scat lines\n"
		"echo >flooded\n",
		j->dir, j->ending == BY_TWO ? "echo >told" : "exit 130",
		j->shape.err == TO_FILE ? "" : "cat lines >&2; ");
	if (j->ending == BY_ITSELF || j->ending == BY_STAYING)
		strbuf_addstr(&sb, "cat result\n");
	if (j->ending == BY_ITSELF)
		strbuf_addstr(&sb, "exit\n");
	strbuf_addstr(&sb, "sleep 600 &\nwhile :; do wait; done\n");
	write_file(j, "claude", &sb, 0700);
	strbuf_release(&sb);
}

/* --- outputs --- */

/* The descriptor that the job gets for an output; ours is kept in *READER. */
static int make_output(
	struct job *j, enum output kind, const char *name, int *reader)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	int fds[2] = {-1, -1};

	*reader = -1;
	switch (kind) {
	case TO_FILE:
		return open(path_of(j, name),
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	case TO_PIPE:
		ck_assert_int_eq(io_pipe(fds), 0);
		break;
	case TO_SOCKET:
		ck_assert_int_eq(
			socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds),
			0);
		break;
	case TO_TERMINAL:
		ck_assert_int_eq(terminal_open(&fds[0], &fds[1]), 0);
		ioctl(fds[1], TIOCSWINSZ, &size);
		tcgetattr(fds[1], &j->before);
		j->slave = fcntl(fds[1], F_DUPFD_CLOEXEC, 3);
		break;
	case TO_FIFO:
	case TO_NOBODY:
		ck_assert_int_eq(mkfifo(path_of(j, name), 0600), 0);
		if (kind == TO_FIFO)
			*reader = open(path_of(j, name),
				O_RDWR | O_NONBLOCK | O_CLOEXEC);
		return -1;
	}
	*reader = fds[0];
	ck_assert_int_eq(terminal_fill(fds[1]), 0);
	return fds[1];
}

static void exec_job(const struct job *j, int out, int err)
{
	const char *program = getenv("AGENTRUN");
	const char *argv[16];
	char path[96];
	char save[96];
	char raw[96];
	size_t n = 0;

	snprintf(path, sizeof(path), "--path=%s", j->dir);
	snprintf(save, sizeof(save), "--save=%s/save", j->dir);
	snprintf(raw, sizeof(raw), "--raw=%s/raw", j->dir);
	argv[n++] = "agentrun";
	if (is_a(j, "view")) {
		argv[n++] = "view";
		argv[n++] = "--from=claude-code";
		argv[n++] = "--follow";
		argv[n++] = path_of(j, "lines");
	} else if (is_a(j, "demo")) {
		argv[n++] = "demo";
	} else if (is_a(j, "rejected")) {
		argv[n++] = "claude-code";
		argv[n++] = "--no-such-option";
	} else if (is_a(j, "dry")) {
		argv[n++] = "claude-code";
		argv[n++] = "--prompt=x";
		argv[n++] = "--sandbox=off";
		argv[n++] = "--dry-run";
		argv[n++] = path;
	} else {
		argv[n++] = "claude-code";
		argv[n++] = "--prompt=x";
		argv[n++] = "--sandbox=off";
		argv[n++] = "--format";
		argv[n++] = j->shape.format;
		argv[n++] = path;
		argv[n++] = save;
		argv[n++] = raw;
		if (endings[j->ending].option)
			argv[n++] = endings[j->ending].option;
	}
	argv[n] = NULL;
	(void)setsid();
	if (j->shape.out == TO_TERMINAL)
		(void)ioctl(out, TIOCSCTTY, 0);
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(out, 1);
	dup2(err, 2);
	setenv("HOME", j->dir, 1);
	setenv("TMPDIR", path_of(j, "tmp"), 1);
	execv(program ? program : "./agentrun", (char *const *)argv);
	_exit(127);
}

static void start(struct job *j)
{
	int out;
	int err;

	snprintf(j->dir, sizeof(j->dir), "/tmp/agentrun-reader-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(j->dir));
	ck_assert_int_eq(mkdir(path_of(j, "tmp"), 0700), 0);
	write_runtime(j);
	j->slave = -1;
	out = make_output(j, j->shape.out, "out", &j->reader[0]);
	err = make_output(j, j->shape.err, "err", &j->reader[1]);
	if (j->shape.save == TO_FIFO || j->shape.save == TO_NOBODY)
		make_output(j, j->shape.save, "save", &j->reader[2]);
	if (j->shape.raw == TO_FIFO || j->shape.raw == TO_NOBODY)
		make_output(j, j->shape.raw, "raw", &j->reader[3]);
	j->pid = fork();
	ck_assert_int_ge(j->pid, 0);
	if (j->pid == 0)
		exec_job(j, out, err);
	close(out);
	close(err);
}

/* --- what happens to them --- */

/* The events that can be read: in --save, else in stdout. */
static const char *events_file(const struct job *j)
{
	if (j->shape.save == TO_FILE)
		return "save";
	return j->shape.out == TO_FILE ? "out" : NULL;
}

/* The view has the terminal. */
static bool is_shown(const struct job *j)
{
	struct termios t;

	return tcgetattr(j->slave, &t) == 0 && !(t.c_lflag & ICANON);
}

/* When the `end` of J was written; 0: not yet. */
static int64_t end_ms(const struct job *j)
{
	const char *name = events_file(j);
	int fd = name ? open(path_of(j, name), O_RDONLY | O_CLOEXEC) : -1;
	char tail[2048] = "";
	struct stat st;
	int64_t ms = 0;

	if (fd < 0)
		return 0;
	ck_assert_int_eq(fstat(fd, &st), 0);
	if (st.st_size > (off_t)sizeof(tail))
		(void)!pread(fd, tail, sizeof(tail) - 1,
			st.st_size - (off_t)sizeof(tail) + 1);
	if (strstr(tail, "\"type\":\"end\""))
		ms = (int64_t)st.st_mtim.tv_sec * 1000 +
		     st.st_mtim.tv_nsec / 1000000;
	close(fd);
	return ms;
}

/* The run is over; a view leaves. */
static bool is_over(struct job *j)
{
	if (is_a(j, "view"))
		return j->step > 0 && !is_shown(j);
	if (!j->over_ms)
		j->over_ms = end_ms(j);
	return j->over_ms != 0;
}

/* The next signal of J, if it is due; 0: none. */
static int due_signal(struct job *j)
{
	bool ready = is_a(j, "view") || is_a(j, "demo")
			     ? is_shown(j)
			     : is_there(j, "flooded");

	switch (j->ending) {
	case BY_ITSELF:
	case BY_TIMEOUT:
	case BY_LIMIT:
	case BY_STAYING:
		break;
	case BY_TERM:
		return j->step == 0 && ready ? SIGTERM : 0;
	case BY_INT:
		return j->step == 0 && ready ? SIGINT : 0;
	case BY_HUP:
		return j->step == 0 && ready ? SIGHUP : 0;
	case BY_TWO:
		if (j->step == 1)
			return is_there(j, "told") ? SIGTERM : 0;
		return j->step == 0 && ready ? SIGTERM : 0;
	case BY_TERM_THEN:
		if (j->step == 1)
			return is_over(j) ? SIGTERM : 0;
		return j->step == 0 && ready ? SIGTERM : 0;
	case BY_TIMEOUT_THEN:
		/* Two different ones: two of a kind may fold into one. */
		if (j->step < 2 && is_over(j))
			return j->step == 0 ? SIGTERM : SIGINT;
		break;
	}
	return 0;
}

static void drive(struct job *j)
{
	int signo;

	if (waitpid(j->pid, &j->status, WNOHANG) == j->pid) {
		j->gone_ms = now_ms();
		(void)is_over(j);
		return;
	}
	signo = due_signal(j);
	if (!signo)
		return;
	j->step++;
	j->told_ms = now_ms();
	ck_assert_int_eq(kill(j->pid, signo), 0);
}

static void run_all(struct job *jobs, size_t count)
{
	int64_t end = now_ms() + HANGS_MS;
	size_t left = count;

	for (size_t i = 0; i < count; i++)
		start(&jobs[i]);
	while (left > 0) {
		(void)poll(NULL, 0, 20);
		for (size_t i = 0; i < count; i++) {
			if (jobs[i].gone_ms)
				continue;
			drive(&jobs[i]);
			if (jobs[i].gone_ms)
				left--;
			else if (now_ms() > end)
				ck_abort_msg("%s: hangs", describe(&jobs[i]));
		}
	}
}

/* --- what is right --- */

static size_t count_of(const struct strbuf *sb, const char *text)
{
	size_t n = 0;

	for (const char *p = sb->buf; (p = strstr(p, text)); p++)
		n++;
	return n;
}

static void check_events(const struct job *j)
{
	const char *name = events_file(j);
	struct strbuf sb = STRBUF_INIT;
	size_t texts;
	char want[64];

	if (!name)
		return;
	read_all(j, name, &sb);
	texts = count_of(&sb, "\"type\":\"text\"");
	snprintf(want, sizeof(want), "\"type\":\"end\",");
	ck_assert_msg(count_of(&sb, want) == 1, "%s: %zu ends", describe(j),
		count_of(&sb, want));
	snprintf(want, sizeof(want), "\"status\":\"%s\"",
		endings[j->ending].status);
	ck_assert_msg(strstr(sb.buf, want), "%s: not %s: %s", describe(j), want,
		strstr(sb.buf, "\"type\":\"end\","));
	if (is_there(j, "flooded"))
		ck_assert_msg(
			texts == LINES, "%s: %zu texts", describe(j), texts);
	else /* a timeout may come too early on a busy machine */
		ck_assert_msg(endings[j->ending].option &&
				      (j->ending != BY_LIMIT || texts >= TURNS),
			"%s: %zu texts", describe(j), texts);
	strbuf_release(&sb);
}

static bool takes(enum output kind)
{
	return kind == TO_FILE;
}

/* Said on stderr, if that takes it: which output is not whole. */
static void check_words(const struct job *j)
{
	struct strbuf sb = STRBUF_INIT;
	char want[256];

	if (!takes(j->shape.err))
		return;
	read_all(j, "err", &sb);
	if (!takes(j->shape.out)) {
		snprintf(want, sizeof(want),
			"agentrun: cannot write 'stdout': nobody reads it; the "
			"rest of the output is lost\n");
		ck_assert_msg(strstr(sb.buf, want), "%s: said '%s'",
			describe(j), sb.buf);
	}
	if (!takes(j->shape.save)) {
		snprintf(want, sizeof(want),
			"agentrun: cannot write '%s/save': nobody reads it",
			j->dir);
		ck_assert_msg(strstr(sb.buf, want), "%s: said '%s'",
			describe(j), sb.buf);
	}
	ck_assert_msg(
		count_of(&sb, "agentrun:") == (size_t)!takes(j->shape.out) +
						      !takes(j->shape.save) +
						      !takes(j->shape.raw),
		"%s: said '%s'", describe(j), sb.buf);
	strbuf_release(&sb);
}

/* The terminal of a view is given back, by force if need be. */
static void check_terminal(const struct job *j)
{
	struct strbuf sb = STRBUF_INIT;
	struct termios after;
	ssize_t n = 1;

	if (j->slave < 0)
		return;
	ck_assert_int_eq(tcgetattr(j->slave, &after), 0);
	ck_assert_int_eq(after.c_iflag, j->before.c_iflag);
	ck_assert_int_eq(after.c_oflag, j->before.c_oflag);
	ck_assert_int_eq(after.c_lflag, j->before.c_lflag);
	io_set_nonblock(j->reader[0], true);
	while (n > 0) {
		char *to = strbuf_reserve(&sb, 65536);

		n = read(j->reader[0], to, 65536);
		if (n > 0)
			strbuf_setlen(&sb, sb.len + (size_t)n);
	}
	if (is_a(j, "rich") || is_a(j, "view") || is_a(j, "demo"))
		ck_assert_msg(strstr(sb.buf, "\033[?1049l"),
			"%s: not given back: %zu bytes", describe(j), sb.len);
	strbuf_release(&sb);
}

static void check_clean(const struct job *j)
{
	struct strbuf sb = STRBUF_INIT;
	DIR *dir = opendir(path_of(j, "tmp"));
	struct dirent *e;

	ck_assert_ptr_nonnull(dir);
	while ((e = readdir(dir)))
		ck_assert_msg(e->d_name[0] == '.', "%s: left '%s'", describe(j),
			e->d_name);
	closedir(dir);
	if (!is_there(j, "pid"))
		return;
	read_all(j, "pid", &sb);
	ck_assert_msg(kill((pid_t)strtol(sb.buf, NULL, 10), 0) < 0,
		"%s: the runtime lives on", describe(j));
	strbuf_release(&sb);
}

static void check_times(const struct job *j)
{
	bool at_once = j->ending >= BY_TWO && j->ending < ENDINGS;

	if (at_once)
		ck_assert_msg(j->gone_ms - j->told_ms < AT_ONCE_MS,
			"%s: gone %ld ms after the signal", describe(j),
			(long)(j->gone_ms - j->told_ms));
	else if (j->over_ms)
		ck_assert_msg(j->gone_ms - j->over_ms >= GRACE_MS,
			"%s: readers got %ld ms", describe(j),
			(long)(j->gone_ms - j->over_ms));
}

static void check_job(struct job *j)
{
	int want = is_a(j, "rejected") ? 2
		   : is_a(j, "dry")    ? 1
				       : endings[j->ending].exit_status;

	ck_assert_msg(WIFEXITED(j->status) && WEXITSTATUS(j->status) == want,
		"%s: status %x", describe(j), (unsigned)j->status);
	if (is_a(j, "jsonl") || is_a(j, "text") || is_a(j, "rich")) {
		check_events(j);
		check_words(j);
	}
	check_terminal(j);
	check_clean(j);
	check_times(j);
	for (size_t i = 0; i < 4; i++)
		if (j->reader[i] >= 0)
			close(j->reader[i]);
	if (j->slave >= 0)
		close(j->slave);
	ck_assert_int_eq(io_remove_tree(j->dir), 0);
}

static size_t add(
	struct job *jobs, size_t count, struct shape shape, enum ending ending)
{
	ck_assert_uint_lt(count, JOBS);
	memset(&jobs[count], 0, sizeof(jobs[count]));
	jobs[count].shape = shape;
	jobs[count].ending = ending;
	return count + 1;
}

static void check_all(struct job *jobs, size_t count)
{
	run_all(jobs, count);
	for (size_t i = 0; i < count; i++)
		check_job(&jobs[i]);
}

/* All endings of each of the N shapes, beside each other. */
static void check_shapes(const struct shape *shapes, size_t n)
{
	static struct job jobs[JOBS];
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (int e = 0; e < ENDINGS; e++)
			count = add(jobs, count, shapes[i], (enum ending)e);
	count = add(jobs, count, shapes[0], BY_STAYING);
	check_all(jobs, count);
}

#define CHECK_SHAPES(shapes) \
	check_shapes(shapes, sizeof(shapes) / sizeof(shapes[0]))

START_TEST(nobody_reads_stdout)
{
	static const struct shape shapes[] = {
		{"jsonl", TO_PIPE, TO_FILE, TO_FILE, TO_FILE},
		{"text", TO_PIPE, TO_FILE, TO_FILE, TO_FILE},
		{"jsonl", TO_TERMINAL, TO_FILE, TO_FILE, TO_FILE},
		{"text", TO_TERMINAL, TO_FILE, TO_FILE, TO_FILE},
		{"jsonl", TO_SOCKET, TO_FILE, TO_FILE, TO_FILE},
	};

	CHECK_SHAPES(shapes);
}
END_TEST

START_TEST(nobody_reads_stderr)
{
	static const struct shape shapes[] = {
		{"jsonl", TO_FILE, TO_PIPE, TO_FILE, TO_FILE},
		{"text", TO_FILE, TO_SOCKET, TO_FILE, TO_FILE},
		{"jsonl", TO_FILE, TO_TERMINAL, TO_FILE, TO_FILE},
		{"jsonl", TO_PIPE, TO_PIPE, TO_FILE, TO_FILE},
	};

	CHECK_SHAPES(shapes);
}
END_TEST

START_TEST(nobody_reads_the_files)
{
	static const struct shape shapes[] = {
		{"jsonl", TO_FILE, TO_FILE, TO_FIFO, TO_FILE},
		{"jsonl", TO_FILE, TO_FILE, TO_NOBODY, TO_FILE},
		{"jsonl", TO_FILE, TO_FILE, TO_FILE, TO_FIFO},
		{"jsonl", TO_FILE, TO_PIPE, TO_NOBODY, TO_NOBODY},
	};

	CHECK_SHAPES(shapes);
}
END_TEST

START_TEST(without_a_run)
{
	static const struct shape shapes[] = {
		{"rejected", TO_PIPE, TO_FILE, TO_FILE, TO_FILE},
		{"rejected", TO_PIPE, TO_PIPE, TO_FILE, TO_FILE},
		{"rejected", TO_SOCKET, TO_TERMINAL, TO_FILE, TO_FILE},
		{"dry", TO_PIPE, TO_PIPE, TO_FILE, TO_FILE},
	};
	static struct job jobs[JOBS];
	size_t count = 0;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		count = add(jobs, count, shapes[i], BY_ITSELF);
	check_all(jobs, count);
}
END_TEST

/* Whether PID is in a write(2) that waits; where the system tells. */
static bool is_writing(pid_t pid)
{
	struct strbuf sb = STRBUF_INIT;
	char path[64];
	bool is;

	snprintf(path, sizeof(path), "/proc/%d/wchan", (int)pid);
	is = io_read_file(path, 4096, &sb, NULL) == 0 &&
	     strstr(sb.buf, "pipe_w");
	strbuf_release(&sb);
	return is;
}

/* What only reads and prints waits for its reader, as cat does, and any signal
 * ends it. */
START_TEST(commands_that_wait)
{
	static const char *const commands[][3] = {
		{"--help", NULL, NULL},
		{"doctor", NULL, NULL},
		{"doctor", "--no-such-option", NULL},
		{"view", "--headless", "/no/such/file"},
		{"view", "--no-such-option", NULL},
		{"export", "/no/such/file", NULL},
	};
	const char *program = getenv("AGENTRUN");
	int fds[2];

	ck_assert_int_eq(io_pipe(fds), 0);
	ck_assert_int_eq(terminal_fill(fds[1]), 0);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *const *c = commands[i];
		int64_t end = now_ms() + HANGS_MS;
		pid_t pid = fork();
		int status;

		ck_assert_int_ge(pid, 0);
		if (pid == 0) {
			dup2(fds[1], 1);
			dup2(fds[1], 2);
			execl(program ? program : "./agentrun", "agentrun",
				c[0], c[1], c[2], (char *)NULL);
			_exit(127);
		}
		while (!is_writing(pid) && now_ms() < end)
			(void)poll(NULL, 0, 20);
		kill(pid, SIGTERM);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert_msg(
			WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM,
			"%s: status %x", c[0], (unsigned)status);
	}
}
END_TEST

#if WITH_UI
START_TEST(the_terminal_takes_nothing)
{
	static const struct shape shapes[] = {
		{"rich", TO_TERMINAL, TO_FILE, TO_FILE, TO_FILE},
		{"rich", TO_TERMINAL, TO_PIPE, TO_FILE, TO_FILE},
	};
	static const struct shape view = {
		"view", TO_TERMINAL, TO_FILE, TO_FILE, TO_FILE};
	static const struct shape demo = {
		"demo", TO_TERMINAL, TO_PIPE, TO_FILE, TO_FILE};
	static struct job jobs[JOBS];
	size_t count = 0;

	for (int e = 0; e < ENDINGS; e++) {
		count = add(jobs, count, shapes[0], (enum ending)e);
		count = add(jobs, count, shapes[1], (enum ending)e);
	}
	for (int e = BY_TERM; e <= BY_TERM_THEN; e++)
		if (e != BY_TWO)
			count = add(jobs, count, view, (enum ending)e);
	count = add(jobs, count, demo, BY_TERM);
	check_all(jobs, count);
}
END_TEST
#else
START_TEST(the_terminal_takes_nothing)
{
}
END_TEST
#endif

CHECK_MAIN("reader", nobody_reads_stdout, nobody_reads_stderr,
	nobody_reads_the_files, without_a_run, commands_that_wait,
	the_terminal_takes_nothing)

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "output/sink.h"
#include "tests/check-main.h"

/* The sinks: one write for each event, nothing lost when the reader is slow,
 * and what is said when it is gone. */

static const struct event hello = {
	.kind = EVENT_TEXT,
	.time_ms = 0,
	.u.text = {{NULL, 0}, {"hello", 5}},
};

#define HELLO                                                    \
	"{\"schema\":1,\"type\":\"text\","                       \
	"\"time\":\"1970-01-01T00:00:00.000Z\",\"parent\":null," \
	"\"text\":\"hello\"}\n"

/* A datagram socket shows where each write began and ended. */
START_TEST(one_write_for_each_event)
{
	struct err err = ERR_INIT;
	struct sink *s;
	char buf[512];
	ssize_t n;
	int fds[2];
	int syserr = -1;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
	s = jsonl_new(fds[0], true, "stdout");
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(s->ops->event(s, &hello, &syserr, &err), 0);
		ck_assert_int_eq(syserr, 0);
		n = read(fds[1], buf, sizeof(buf));
		ck_assert_int_eq(n, strlen(HELLO));
		ck_assert(memcmp(buf, HELLO, (size_t)n) == 0);
	}
	s->ops->free(s);
	/* It owned the descriptor. */
	ck_assert_int_eq(fcntl(fds[0], F_GETFD), -1);
	s = text_new(fds[1], false, "stdout");
	s->ops->free(s);
	ck_assert_int_ne(fcntl(fds[1], F_GETFD), -1);
	close(fds[1]);
}
END_TEST

/* A full pipe that does not block: the child drains it slowly, all arrives. */
START_TEST(a_slow_reader_gets_everything)
{
	enum {
		SIZE = 3 << 20
	};
	struct event ev = hello;
	struct err err = ERR_INIT;
	struct sink *s;
	char *big = xmalloc(SIZE);
	int syserr;
	int status;
	int fds[2];
	pid_t pid;

	memset(big, 'x', SIZE);
	ev.u.text.text = (struct str){big, SIZE};
	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		size_t total = 0;
		size_t xs = 0;
		char buf[1000];
		ssize_t n;

		close(fds[1]);
		while ((n = read(fds[0], buf, sizeof(buf))) > 0) {
			total += (size_t)n;
			for (ssize_t i = 0; i < n; i++)
				xs += buf[i] == 'x';
		}
		/* "text" twice has an x */
		_exit(total == 2 * (SIZE + strlen(HELLO) - 5) &&
					xs == 2 * (SIZE + 2)
				? 0
				: 1);
	}
	close(fds[0]);
	ck_assert_int_eq(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	s = jsonl_new(fds[1], true, "stdout");
	ck_assert_int_eq(s->ops->event(s, &ev, &syserr, &err), 0);
	ck_assert_int_eq(s->ops->event(s, &ev, &syserr, &err), 0);
	s->ops->free(s);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	free(big);
}
END_TEST

START_TEST(a_reader_that_left_is_epipe)
{
	struct err err = ERR_INIT;
	struct sink *s;
	int syserr = 0;
	int fds[2];

	(void)signal(SIGPIPE, SIG_IGN);
	for (int text = 0; text < 2; text++) {
		ck_assert_int_eq(pipe(fds), 0);
		close(fds[0]);
		s = text ? text_new(fds[1], false, "stdout")
			 : jsonl_new(fds[1], false, "stdout");
		ck_assert_int_eq(s->ops->event(s, &hello, &syserr, &err), -1);
		ck_assert_int_eq(syserr, EPIPE);
		ck_assert_str_eq(err.msg, "cannot write 'stdout': Broken pipe");
		s->ops->free(s);
		close(fds[1]);
	}
}
END_TEST

START_TEST(a_full_disk_is_told)
{
	struct err err = ERR_INIT;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct sink *s;
	int syserr = 0;

	if (fd < 0)
		return;
	s = jsonl_new(fd, true, "run.jsonl");
	ck_assert_int_eq(s->ops->event(s, &hello, &syserr, &err), -1);
	ck_assert_int_eq(syserr, ENOSPC);
	ck_assert_int_eq(err.code, AR_EIO);
	ck_assert_str_eq(
		err.msg, "cannot write 'run.jsonl': No space left on device");
	s->ops->free(s);
}
END_TEST

START_TEST(text_writes_nothing_for_what_is_not_shown)
{
	static const struct event start = {
		.kind = EVENT_TOOL_START, .u.tool.summary = {"s", 1}};
	struct err err = ERR_INIT;
	struct sink *s;
	int syserr = -1;
	char buf[64];
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
	s = text_new(fds[0], false, "stdout");
	ck_assert_int_eq(s->ops->event(s, &start, &syserr, &err), 0);
	ck_assert_int_eq(s->ops->event(s, &hello, &syserr, &err), 0);
	ck_assert_int_eq(read(fds[1], buf, sizeof(buf)), 18);
	ck_assert(memcmp(buf, "[main] text hello\n", 18) == 0);
	s->ops->free(s);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

CHECK_MAIN("sink", one_write_for_each_event, a_slow_reader_gets_everything,
	a_reader_that_left_is_epipe, a_full_disk_is_told,
	text_writes_nothing_for_what_is_not_shown)

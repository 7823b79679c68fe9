#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"
#include "base/outq.h"
#include "base/xalloc.h"

#include "check-main.h"
#include "terminal.h"

#define BIG ((size_t)1 << 20)

/* Bytes that tell where they belong. */
static char *pattern(size_t len)
{
	char *p = xmalloc(len);

	for (size_t i = 0; i < len; i++)
		p[i] = (char)(i * 7 + i / 251);
	return p;
}

/* Writes BIG bytes into W in uneven pieces without a reader, then reads and
 * flushes in turns: everything arrives, in order, and nothing blocked. */
static void check_slow_reader(int r, int w)
{
	struct loop *loop = loop_new(NULL);
	char *want = pattern(BIG);
	char *got = xmalloc(BIG);
	struct outq q;
	size_t n = 0;

	outq_init(&q, w);
	outq_attach(&q, loop, NULL, NULL);
	for (size_t at = 0, part; at < BIG; at += part) {
		part = at % 5000 + 1;
		if (part > BIG - at)
			part = BIG - at;
		ck_assert_int_eq(outq_write(&q, want + at, part), 0);
	}
	ck_assert_uint_gt(outq_queued(&q), 0);
	while (n < BIG) {
		ssize_t k = read(r, got + n, BIG - n);

		ck_assert_int_gt(k, 0);
		n += (size_t)k;
		ck_assert_int_eq(outq_flush(&q), 0);
	}
	ck_assert_uint_eq(outq_queued(&q), 0);
	ck_assert_int_eq(memcmp(want, got, BIG), 0);
	ck_assert_uint_eq(q.written, BIG);
	outq_release(&q);
	loop_free(loop);
	free(want);
	free(got);
}

START_TEST(pipe_with_a_slow_reader)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	check_slow_reader(fds[0], fds[1]);
	/* The open file is shared with others: its flags are not ours. */
	ck_assert_int_eq(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(socket_with_a_slow_reader)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	io_set_nonblock(fds[1], true); /* its own wish */
	check_slow_reader(fds[0], fds[1]);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

/* A socket cannot be opened again, nor need it be. */
START_TEST(blocking_socket_with_a_slow_reader)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	check_slow_reader(fds[0], fds[1]);
	ck_assert_int_eq(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

/* What cannot be opened again (another user's, after su) is written in small
 * pieces when there is room: a pipe, and a terminal. */
static void in_pieces(int r, int w, size_t most)
{
	struct loop *loop = loop_new(NULL);
	char *want = pattern(BIG);
	struct outq q;
	size_t at = 0;

	outq_init(&q, w);
	outq_attach(&q, loop, NULL, NULL);
	ck_assert_int_ge(q.own_fd, 0);
	close(q.own_fd);
	q.own_fd = -1;
	q.most = most;
	loop_unwatch(q.watch);
	q.watch = NULL;
	ck_assert_int_eq(outq_write(&q, want, BIG), 0);
	ck_assert_uint_gt(outq_queued(&q), 0);
	while (at < BIG) {
		char buf[4096];
		ssize_t k = read(r, buf, sizeof(buf));

		ck_assert_int_gt(k, 0);
		ck_assert_int_eq(memcmp(want + at, buf, (size_t)k), 0);
		at += (size_t)k;
		ck_assert_int_eq(outq_flush(&q), 0);
	}
	outq_release(&q);
	loop_free(loop);
	free(want);
}

START_TEST(in_small_pieces)
{
	struct termios raw;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	in_pieces(fds[0], fds[1], PIPE_BUF);
	ck_assert_int_eq(terminal_open(&fds[0], &fds[1]), 0);
	ck_assert_int_eq(tcgetattr(fds[1], &raw), 0);
	cfmakeraw(&raw);
	ck_assert_int_eq(tcsetattr(fds[1], TCSANOW, &raw), 0);
	in_pieces(fds[0], fds[1], 64);
}
END_TEST

START_TEST(quick_readers_get_it_at_once)
{
	struct loop *loop = loop_new(NULL);
	int fds[2];
	char buf[16];
	struct outq q;

	ck_assert_int_eq(pipe(fds), 0);
	outq_init(&q, fds[1]);
	outq_attach(&q, loop, NULL, NULL);
	ck_assert_int_eq(outq_write(&q, "hello", 5), 0);
	ck_assert_uint_eq(outq_queued(&q), 0);
	ck_assert_int_eq(read(fds[0], buf, sizeof(buf)), 5);
	outq_release(&q);
	loop_free(loop);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

struct heard {
	int calls;
	int errnum;
};

static void on_queue(void *arg, int errnum)
{
	struct heard *h = arg;

	h->calls++;
	h->errnum = errnum;
}

START_TEST(reader_gone)
{
	struct loop *loop = loop_new(NULL);
	struct heard h = {0};
	int fds[2];
	struct outq q;

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(fds), 0);
	outq_init(&q, fds[1]);
	outq_attach(&q, loop, on_queue, &h);
	close(fds[0]);
	ck_assert_int_eq(outq_write(&q, "x", 1), -1);
	ck_assert_int_eq(errno, EPIPE);
	ck_assert_int_eq(h.calls, 0); /* the caller knows */
	ck_assert_int_eq(outq_write(&q, "x", 1), -1);
	ck_assert_int_eq(errno, EPIPE);
	outq_release(&q);
	close(fds[1]);

	/* While nothing is to be written, and while something waits. */
	for (int full = 0; full < 2; full++) {
		char *much = pattern(BIG);

		ck_assert_int_eq(pipe(fds), 0);
		outq_init(&q, fds[1]);
		outq_attach(&q, loop, on_queue, &h);
		if (full)
			ck_assert_int_eq(outq_write(&q, much, BIG), 0);
		close(fds[0]);
		h.calls = 0;
		while (!h.calls)
			loop_once(loop, 1000);
		ck_assert_int_eq(h.errnum, EPIPE);
		ck_assert_uint_eq(outq_queued(&q), 0);
		outq_release(&q);
		close(fds[1]);
		free(much);
	}
	loop_free(loop);
}
END_TEST

START_TEST(full_disk)
{
	struct loop *loop = loop_new(NULL);
	int fd = open("/dev/full", O_WRONLY);
	struct outq q;

	if (fd < 0)
		return;
	outq_init(&q, fd);
	ck_assert_int_eq(outq_write(&q, "x", 1), -1);
	ck_assert_int_eq(errno, ENOSPC);
	outq_attach(&q, loop, NULL, NULL);
	ck_assert_int_eq(outq_write(&q, "x", 1), -1);
	ck_assert_int_eq(errno, ENOSPC);
	outq_release(&q);
	loop_free(loop);
	close(fd);
}
END_TEST

/* A reader that takes a little now and then must not make the memory grow with
 * what has gone through. */
START_TEST(steady_reader)
{
	struct loop *loop = loop_new(NULL);
	char *much = pattern(BIG);
	char *got = xmalloc(BIG);
	int fds[2];
	struct outq q;

	ck_assert_int_eq(pipe(fds), 0);
	outq_init(&q, fds[1]);
	outq_attach(&q, loop, NULL, NULL);
	ck_assert_int_eq(outq_write(&q, much, BIG), 0);
	for (int i = 0; i < 200; i++) {
		ssize_t k = read(fds[0], got, BIG);

		ck_assert_int_gt(k, 0);
		ck_assert_int_eq(outq_flush(&q), 0);
		ck_assert_int_eq(outq_write(&q, much, (size_t)k), 0);
	}
	ck_assert_uint_gt(outq_queued(&q), BIG / 2);
	ck_assert_uint_lt(q.pending.cap, 8 * BIG);
	outq_release(&q);
	loop_free(loop);
	free(much);
	free(got);
}
END_TEST

/* Settling waits as long as something moves, and then so long more. */
START_TEST(settle)
{
	struct loop *loop = loop_new(NULL);
	char *much = pattern(BIG);
	int64_t grace = 50;
	int64_t from;
	int fds[2];
	struct outq q;
	struct outq *const queues[] = {NULL, &q};
	pid_t pid;
	int status;

	ck_assert_int_eq(pipe(fds), 0);
	outq_init(&q, fds[1]);
	outq_attach(&q, loop, NULL, NULL);
	ck_assert_int_eq(outq_write(&q, much, BIG), 0);
	from = loop_now_ms(loop);
	outq_touch(&q);
	outq_settle(loop, queues, 2, &grace);
	ck_assert_int_ge(loop_now_ms(loop) - from, 50);
	ck_assert_uint_gt(outq_queued(&q), 0);
	from = loop_now_ms(loop);
	grace = 0;
	outq_settle(loop, queues, 2, &grace);
	ck_assert_int_lt(loop_now_ms(loop) - from, 50);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		size_t n = 0;

		close(fds[1]);
		outq_release(&q);
		while (n < BIG) {
			ssize_t k = read(fds[0], much, 1000);

			if (k <= 0)
				_exit(1);
			n += (size_t)k;
		}
		_exit(0);
	}
	grace = OUTQ_GRACE_MS;
	outq_touch(&q);
	outq_settle(loop, queues, 2, &grace);
	ck_assert_uint_eq(outq_queued(&q), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	outq_release(&q);
	loop_free(loop);
	free(much);
}
END_TEST

#ifdef O_PATH
/* A FIFO that nobody reads yet: everything waits for its first reader. */
START_TEST(late_reader)
{
	struct loop *loop = loop_new(NULL);
	char dir[] = "/tmp/agentrun-outq-XXXXXX";
	struct heard h = {0};
	char path[64];
	char buf[16];
	struct outq q;
	int r;
	int w;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	w = open(path, O_PATH | O_CLOEXEC);
	ck_assert_int_ge(w, 0);
	outq_init(&q, w);
	outq_attach(&q, loop, on_queue, &h);
	ck_assert_int_eq(outq_write(&q, "hel", 3), 0);
	ck_assert_int_eq(outq_write(&q, "lo", 2), 0);
	ck_assert_uint_eq(outq_queued(&q), 5);
	ck_assert_int_eq(outq_flush(&q), 0);
	loop_once(loop, 100);
	ck_assert_int_eq(h.calls, 0);
	/* It is still the same FIFO, whatever has its name now. */
	r = open(path, O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(r, 0);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/dev/null", path), 0);
	while (!h.calls)
		loop_once(loop, 1000);
	ck_assert_int_eq(h.errnum, 0);
	ck_assert_int_eq(read(r, buf, sizeof(buf)), 5);
	ck_assert_mem_eq(buf, "hello", 5);
	outq_release(&q);
	ck_assert_int_eq(read(r, buf, sizeof(buf)), 0); /* the end */
	close(r);
	close(w);
	unlink(path);
	rmdir(dir);
	loop_free(loop);
}
END_TEST
#else
START_TEST(late_reader)
{
}
END_TEST
#endif

CHECK_MAIN("outq", pipe_with_a_slow_reader, socket_with_a_slow_reader,
	blocking_socket_with_a_slow_reader, in_small_pieces,
	quick_readers_get_it_at_once, reader_gone, full_disk, steady_reader,
	settle, late_reader)

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/xalloc.h"
#include "output/outq.h"

#include "check-main.h"

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
	char *want = pattern(BIG);
	char *got = xmalloc(BIG);
	struct outq q;
	size_t n = 0;

	outq_init(&q, w);
	outq_set_impatient(&q);
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
	outq_release(&q);
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

/* Opening a socket again does not work: small pieces instead. */
START_TEST(blocking_socket_with_a_slow_reader)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	check_slow_reader(fds[0], fds[1]);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(quick_readers_get_it_at_once)
{
	int fds[2];
	char buf[16];
	struct outq q;

	ck_assert_int_eq(pipe(fds), 0);
	outq_init(&q, fds[1]);
	outq_set_impatient(&q);
	ck_assert_int_eq(outq_write(&q, "hello", 5), 0);
	ck_assert_uint_eq(outq_queued(&q), 0);
	ck_assert_int_eq(read(fds[0], buf, sizeof(buf)), 5);
	outq_release(&q);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(reader_gone)
{
	int fds[2];
	struct outq q;

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(fds), 0);
	outq_init(&q, fds[1]);
	outq_set_impatient(&q);
	close(fds[0]);
	ck_assert_int_eq(outq_write(&q, "x", 1), -1);
	ck_assert_int_eq(errno, EPIPE);
	outq_release(&q);
	close(fds[1]);
}
END_TEST

START_TEST(full_disk)
{
	int fd = open("/dev/full", O_WRONLY);
	struct outq q;

	if (fd < 0)
		return;
	outq_init(&q, fd);
	ck_assert_int_eq(outq_write(&q, "x", 1), -1);
	ck_assert_int_eq(errno, ENOSPC);
	outq_set_impatient(&q);
	ck_assert_int_eq(outq_write(&q, "x", 1), -1);
	ck_assert_int_eq(errno, ENOSPC);
	outq_release(&q);
	close(fd);
}
END_TEST

CHECK_MAIN("outq", pipe_with_a_slow_reader, socket_with_a_slow_reader,
	blocking_socket_with_a_slow_reader, quick_readers_get_it_at_once,
	reader_gone, full_disk)

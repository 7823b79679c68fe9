#include "config.h"

#include "base/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"

#include "check-main.h"

static struct loop *loop;
static struct strbuf log_text = STRBUF_INIT;

static void begin(void)
{
	loop = loop_new(NULL);
	strbuf_reset(&log_text);
}

static void end(const char *want)
{
	ck_assert_str_eq(log_text.buf, want);
	loop_free(loop);
}

/* Arguments of callbacks. */
static char first[] = "first ";
static char second[] = "second ";
static char never[] = "never ";
static char last[] = "last";
static char x[] = "x";
static char hup[] = "hup";

static void note(void *arg)
{
	strbuf_addstr(&log_text, arg);
}

static void stop(void *arg)
{
	note(arg);
	loop_stop(loop);
}

START_TEST(timers_come_in_order)
{
	struct loop_timer t[4] = {{0}};

	begin();
	loop_timer_set(loop, &t[0], 20, stop, last);
	loop_timer_set(loop, &t[1], 0, note, first);
	loop_timer_set(loop, &t[2], 10, note, second);
	loop_timer_set(loop, &t[3], 5, note, never);
	loop_timer_clear(loop, &t[3]);
	loop_timer_clear(loop, &t[3]);
	loop_timer_set(loop, &t[1], 1, note, first); /* anew */
	loop_run(loop);
	ck_assert(!t[0].armed && !t[1].armed);
	end("first second last");
}
END_TEST

static int turns;
static struct loop_timer own;

static void again(void *arg)
{
	note(arg);
	if (++turns < 3)
		loop_timer_set(loop, &own, 0, again, arg);
	else
		loop_stop(loop);
}

START_TEST(a_timer_may_set_itself)
{
	begin();
	turns = 0;
	loop_timer_set(loop, &own, 0, again, x);
	loop_run(loop);
	end("xxx");
}
END_TEST

static struct loop_fd *watch[2];
static int pipes[2][2];

static void read_one(void *arg, int fd, short revents)
{
	char c = '-';

	(void)arg;
	if (read(fd, &c, 1) == 1)
		strbuf_addch(&log_text, c);
	else if (revents & POLLHUP)
		stop(hup);
}

START_TEST(descriptors_are_watched_to_their_end)
{
	begin();
	ck_assert_int_eq(io_pipe(pipes[0]), 0);
	loop_watch(loop, pipes[0][0], POLLIN, read_one, NULL);
	ck_assert_int_eq(io_write_all(pipes[0][1], "abc", 3), 0);
	close(pipes[0][1]);
	loop_run(loop);
	close(pipes[0][0]);
	end("abchup");
}
END_TEST

static void remove_both(void *arg, int fd, short revents)
{
	(void)arg;
	(void)fd;
	(void)revents;
	strbuf_addstr(&log_text, "removed");
	loop_unwatch(watch[0]);
	loop_unwatch(watch[1]);
	loop_stop(loop);
}

START_TEST(a_removed_watch_is_not_called)
{
	int i;

	begin();
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(io_pipe(pipes[i]), 0);
		ck_assert_int_eq(io_write_all(pipes[i][1], "x", 1), 0);
		watch[i] = loop_watch(
			loop, pipes[i][0], POLLIN, remove_both, NULL);
	}
	loop_run(loop);
	loop_once(loop, 0);
	loop_unwatch(NULL);
	end("removed");
}
END_TEST

START_TEST(a_paused_watch_reports_nothing)
{
	struct loop_fd *w;
	int i;

	begin();
	ck_assert_int_eq(io_pipe(pipes[0]), 0);
	w = loop_watch(loop, pipes[0][0], POLLIN, read_one, NULL);
	ck_assert_int_eq(io_write_all(pipes[0][1], "ab", 2), 0);
	close(pipes[0][1]);
	loop_watch_set(w, 0);
	for (i = 0; i < 3; i++)
		loop_once(loop, 0);
	ck_assert_str_eq(log_text.buf, "");
	loop_watch_set(w, POLLIN);
	loop_once(loop, 0);
	end("a");
}
END_TEST

static void on_signal(void *arg, int signo)
{
	(void)arg;
	strbuf_addf(&log_text, "signal %d ", signo);
	loop_stop(loop);
}

START_TEST(signals_are_callbacks)
{
	struct sigaction before;
	struct sigaction after;

	sigaction(SIGUSR1, NULL, &before);
	begin();
	ck_assert_int_eq(loop_signal(loop, SIGUSR1, on_signal, NULL), 0);
	raise(SIGUSR1);
	raise(SIGUSR1);
	ck_assert_str_eq(log_text.buf, ""); /* not in the handler */
	loop_run(loop);
	ck_assert_str_eq(log_text.buf, "signal 10 ");
	end("signal 10 ");
	sigaction(SIGUSR1, NULL, &after);
	ck_assert(before.sa_handler == after.sa_handler);
}
END_TEST

START_TEST(a_signal_can_be_given_back)
{
	begin();
	signal(SIGUSR2, SIG_IGN);
	ck_assert_int_eq(loop_signal(loop, SIGUSR2, on_signal, NULL), -1);
	raise(SIGUSR2); /* stays ignored */
	signal(SIGUSR2, SIG_DFL);
	ck_assert_int_eq(loop_signal(loop, SIGUSR2, on_signal, NULL), 0);
	ck_assert_int_eq(loop_signal(loop, SIGUSR2, NULL, NULL), 0);
	signal(SIGUSR2, SIG_IGN);
	raise(SIGUSR2); /* no longer ours */
	loop_once(loop, 0);
	end("");
}
END_TEST

START_TEST(a_signal_wakes_a_waiting_loop)
{
	pid_t self = getpid();
	pid_t pid;

	begin();
	ck_assert_int_eq(loop_signal(loop, SIGUSR1, on_signal, NULL), 0);
	pid = fork();
	if (pid == 0) {
		poll(NULL, 0, 20);
		kill(self, SIGUSR1);
		_exit(0);
	}
	loop_run(loop);
	end("signal 10 ");
}
END_TEST

static int before_poll(void *arg)
{
	note(arg);
	if (log_text.len >= 3)
		loop_stop(loop);
	return 1;
}

START_TEST(the_hook_runs_before_each_poll)
{
	begin();
	loop_before_poll(loop, before_poll, x);
	loop_run(loop);
	loop_before_poll(loop, NULL, NULL);
	loop_once(loop, 0);
	end("xxx");
}
END_TEST

START_TEST(one_turn_waits_no_longer_than_told)
{
	int64_t from;

	begin();
	from = loop_now_ms(loop);
	loop_once(loop, 20);
	ck_assert_int_ge(loop_now_ms(loop) - from, 19);
	end("");
	loop_free(NULL);
}
END_TEST

CHECK_MAIN("loop", timers_come_in_order, a_timer_may_set_itself,
	descriptors_are_watched_to_their_end, a_removed_watch_is_not_called,
	a_paused_watch_reports_nothing, signals_are_callbacks,
	a_signal_can_be_given_back, a_signal_wakes_a_waiting_loop,
	the_hook_runs_before_each_poll, one_turn_waits_no_longer_than_told)

#include "config.h"

#include "view/view.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"

#include "check-main.h"

#define AT(time) "{\"schema\":1,\"type\":\"text\",\"time\":\"" time "\","
#define TEXT(time, text) AT(time) "\"parent\":null,\"text\":\"" text "\"}\n"

static struct loop *loop;
static struct strbuf seen = STRBUF_INIT;
static enum view_state state;
static char path[64];

/* Its line stands in the file where the event says. */
static void check_source(const struct event *ev)
{
	char line[512];
	int fd = open(path, O_RDONLY);

	ck_assert_int_ge(fd, 0);
	ck_assert_uint_lt(ev->source.len, sizeof(line));
	ck_assert_int_eq(
		pread(fd, line, ev->source.len + 1, (off_t)ev->source.offset),
		(ssize_t)ev->source.len + 1);
	ck_assert_int_eq(line[ev->source.len], '\n');
	ck_assert_mem_is(ev->raw, line, ev->source.len);
	close(fd);
}

static int take(
	struct sink *s, const struct event *ev, int *syserr, struct err *err)
{
	(void)s;
	(void)syserr;
	(void)err;
	check_source(ev);
	if (ev->kind == EVENT_TEXT)
		strbuf_adds(&seen, ev->u.text.text);
	return 0;
}

static const struct sink_ops ops = {take, NULL};
static struct sink sink = {&ops};

static void on_bad(void *arg, uint64_t number, const char *why)
{
	(void)arg;
	(void)why;
	strbuf_addf(&seen, "!%d", (int)number);
}

static void on_state(void *arg, enum view_state s, const struct err *err)
{
	(void)arg;
	(void)err;
	state = s;
}

static void write_file(const char *data, int flags)
{
	int fd = open(path, O_WRONLY | flags);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(io_write_all(fd, data, strlen(data)), 0);
	close(fd);
}

static struct view_source *begin(const char *data, double speed, bool follow)
{
	const struct view_source_config config = {.path = path,
		.speed = speed,
		.follow = follow,
		.cwd = "/",
		.clock = &clock_system};
	const struct view_source_events events = {
		.bad_line = on_bad, .state = on_state};
	struct view_source *v;
	int fd;

	snprintf(path, sizeof(path), "/tmp/agentrun-check-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	write_file(data, 0);
	loop = loop_new(NULL);
	state = VIEW_READING;
	v = view_source_new(loop, &config, &sink, &events);
	view_source_start(v);
	return v;
}

static void turn(void)
{
	for (int i = 0; i < 20; i++)
		loop_once(loop, 0);
}

static void end(struct view_source *v)
{
	view_source_free(v);
	loop_free(loop);
	strbuf_release(&seen);
	unlink(path);
}

static const char days[] = TEXT("2026-01-01T00:00:00.000Z", "a")
	TEXT("2026-01-02T00:00:00.000Z", "b") "no event\n" TEXT(
		"2026-01-03T00:00:00.000Z", "c")
		TEXT("2026-01-04T00:00:00.000Z", "d");

START_TEST(a_replay_waits_and_steps)
{
	struct view_source *v = begin(days, 1, false);

	turn();
	ck_assert_str_eq(seen.buf, "a");
	view_source_step(v);
	turn();
	/* what has no time does not wait for itself */
	ck_assert_str_eq(seen.buf, "ab!3");
	view_source_pause(v, true);
	ck_assert(view_source_paused(v));
	view_source_step(v);
	turn();
	ck_assert_str_eq(seen.buf, "ab!3c");
	view_source_pause(v, false);
	turn();
	ck_assert_str_eq(seen.buf, "ab!3c");
	view_source_set_speed(v, 0);
	turn();
	ck_assert_str_eq(seen.buf, "ab!3cd");
	ck_assert_int_eq(state, VIEW_NO_END);
	ck_assert_int_eq((int)view_source_bad_lines(v), 1);
	view_source_step(v); /* nothing is left */
	turn();
	end(v);
}
END_TEST

START_TEST(a_stream_at_full_speed_can_be_paused)
{
	struct view_source *v = begin(days, 0, false);

	view_source_pause(v, true);
	turn();
	ck_assert_str_eq(seen.buf, "");
	ck_assert_int_eq(state, VIEW_READING);
	view_source_step(v);
	ck_assert_str_eq(seen.buf, "a");
	view_source_pause(v, false);
	turn();
	ck_assert_str_eq(seen.buf, "ab!3cd");
	ck_assert_int_eq(state, VIEW_NO_END);
	end(v);
}
END_TEST

START_TEST(a_poke_finds_what_is_new)
{
	struct view_source *v =
		begin(TEXT("2026-01-01T00:00:00.000Z", "a"), 0, true);

	turn();
	ck_assert_str_eq(seen.buf, "a");
	ck_assert(view_source_waiting(v));
	write_file(TEXT("2026-01-01T00:00:01.000Z", "b"), O_APPEND);
	view_source_poke(v);
	turn();
	ck_assert_str_eq(seen.buf, "ab");
	/* as long as before, but another stream */
	write_file(TEXT("2026-01-02T00:00:00.000Z", "x")
			   TEXT("2026-01-02T00:00:01.000Z", "y"),
		O_TRUNC);
	view_source_poke(v);
	turn();
	ck_assert_str_eq(seen.buf, "abxy");
	write_file("", O_TRUNC);
	view_source_poke(v);
	turn();
	write_file(TEXT("2026-01-03T00:00:00.000Z", "z"), 0);
	view_source_poke(v);
	turn();
	ck_assert_str_eq(seen.buf, "abxyz");
	ck_assert_int_eq(state, VIEW_READING);
	end(v);
}
END_TEST

CHECK_MAIN("source", a_replay_waits_and_steps,
	a_stream_at_full_speed_can_be_paused, a_poke_finds_what_is_new)

#include "config.h"

#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/encoding.h"
#include "base/i18n.h"
#include "base/split.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "view/convert.h"
#include "view/pace.h"

#define PIECE_DEFAULT ((size_t)256 << 10)
#define FOLLOW_POLL_MS 250
/* Reading rests while a replay holds back more than this. */
#define HELD_MAX ((size_t)1 << 20)
/* So much of a file tells two streams apart: it holds the time of the start. */
#define HEAD_SIZE 128

struct view_source {
	struct loop *loop;
	struct view_source_config config;
	struct view_source_events events;
	char *path;
	char *cwd;
	struct sink *sink;
	enum view_state state;

	/* the input */
	int fd; /* -1: not open */
	bool own_fd;
	bool regular;
	bool waiting; /* a followed file at its present end */
	bool eof;     /* nothing more will come; held lines may be left */
	bool blocked; /* the sink failed */
	struct loop_fd *watch;
	struct loop_timer poll_timer;
	dev_t dev;
	ino_t ino;
	off_t offset;
	char head[HEAD_SIZE]; /* the file's first bytes */
	size_t head_len;

	/* bytes to events */
	struct split split;
	struct arena arena;
	struct convert *convert; /* raw output, else NULL */
	uint64_t line_base;      /* lines read before split began */
	uint64_t skipped_seen;   /* of split.skipped, reported */
	uint64_t bad_lines;
	bool any;       /* the present stream has given an event */
	bool ended;     /* and its `end` */
	bool missing;   /* an earlier stream of this source had none */
	bool head_seen; /* it is known not to be another encoding */
	struct view_looks looks;

	/* replay */
	struct strbuf held; /* lines not yet due, each behind a held_line */
	size_t held_at;
	struct pace pace;
	struct loop_timer pace_timer;
	bool step;
};

/* A line, where it stands in the stream, and its number. */
struct place {
	uint64_t offset;
	uint64_t number;
};

struct held_line {
	struct place place;
	size_t len;
};

static void set_state(
	struct view_source *v, enum view_state state, const struct err *err)
{
	v->state = state;
	v->events.state(v->events.arg, state, err);
}

static void bad_line(struct view_source *v, uint64_t number, const char *why)
{
	v->bad_lines++;
	v->events.bad_line(v->events.arg, number, why);
}

/* A stream begins where another one was. */
static void begin_next(struct view_source *v, enum view_next why)
{
	struct sink *sink = NULL;

	if (v->any && !v->ended)
		v->missing = true;
	if (v->any && v->events.next)
		sink = v->events.next(v->events.arg, why, v->ended);
	if (sink)
		v->sink = sink;
	v->any = false;
	v->ended = false;
}

static void give(void *arg, const struct event *ev)
{
	struct view_source *v = arg;
	struct err err = ERR_INIT;
	int syserr = 0;

	if (v->blocked)
		return;
	if (ev->kind == EVENT_START && v->any)
		begin_next(v, VIEW_NEXT_START);
	v->any = true;
	if (ev->kind == EVENT_END)
		v->ended = true;
	if (v->sink->ops->event(v->sink, ev, &syserr, &err) == 0)
		return;
	v->blocked = true;
	if (v->watch)
		loop_watch_set(v->watch, 0);
	v->events.sink_failed(v->events.arg, syserr, &err);
}

/* What a stream is that is not what it was called: told by a line of it. */
static void look(struct view_source *v, const char *line, size_t len)
{
	if (!v->any && !v->looks.raw && !v->looks.events)
		v->looks = view_looks_of(line, len);
}

static void take_line(
	struct view_source *v, struct place place, const char *line, size_t len)
{
	struct err err = ERR_INIT;
	struct event ev;

	if (v->convert) {
		look(v, line, len);
		convert_line(v->convert, place.offset, line, len);
	} else if (event_read(&ev, &v->arena, line, len, &err) == 0) {
		ev.source = (struct raw_ref){place.offset, (uint32_t)len};
		give(v, &ev);
	} else {
		look(v, line, len);
		bad_line(v, place.number, err.local);
	}
	arena_reset(&v->arena);
}

static void new_convert(struct view_source *v)
{
	if (!v->config.from)
		return;
	convert_free(v->convert);
	v->convert =
		convert_new(v->config.from, v->cwd, v->config.clock, give, v);
}

/* Replay. */

static bool holds(const struct view_source *v)
{
	return v->held_at < v->held.len;
}

static void hold(
	struct view_source *v, struct place place, const char *line, size_t len)
{
	struct held_line h = {place, len};

	strbuf_add(&v->held, (const char *)&h, sizeof(h));
	strbuf_add(&v->held, line, len);
}

/* Gives out the first of the held lines. */
static void take_held(struct view_source *v)
{
	const char *at = v->held.buf + v->held_at;
	struct held_line h;

	memcpy(&h, at, sizeof(h));
	v->held_at += sizeof(h) + h.len;
	take_line(v, h.place, at + sizeof(h), h.len);
}

/* Milliseconds until the first of the held lines is due, -1 while paused. What
 * has no time (raw output, a bad line) is due at once. */
static int64_t held_delay(struct view_source *v, size_t *len)
{
	const char *at = v->held.buf + v->held_at;
	int64_t now = loop_now_ms(v->loop);
	struct err err = ERR_INIT;
	struct held_line h;
	struct event ev;
	int64_t time_ms = 0;

	memcpy(&h, at, sizeof(h));
	*len = h.len;
	if (!v->convert) {
		if (event_read(&ev, &v->arena, at + sizeof(h), h.len, &err) ==
			0)
			time_ms = ev.time_ms;
		arena_reset(&v->arena);
	}
	if (v->step && time_ms > 0)
		pace_jump(&v->pace, now, time_ms);
	if (v->step)
		return 0;
	if (time_ms > 0)
		return pace_delay(&v->pace, now, time_ms);
	return v->pace.paused ? -1 : 0;
}

static void rearm_reading(struct view_source *v)
{
	bool full = v->held.len - v->held_at > HELD_MAX;

	if (v->watch && !v->waiting && !v->eof && !v->blocked)
		loop_watch_set(v->watch, full ? 0 : POLLIN);
}

static void finish_source(struct view_source *v);

/* Gives out the held lines that are due, at most a piece at a time. */
static void pump(void *arg)
{
	struct view_source *v = arg;
	size_t budget = v->config.piece;

	loop_timer_clear(v->loop, &v->pace_timer);
	while (holds(v) && !v->blocked) {
		size_t len;
		int64_t delay = held_delay(v, &len);

		if (delay == 0 && (len <= budget || v->step)) {
			budget -= len <= budget ? len : budget;
			v->step = false;
			take_held(v);
			continue;
		}
		if (delay == 0 && budget == v->config.piece) {
			take_held(v); /* longer than a piece */
			budget = 0;
			continue;
		}
		if (delay >= 0)
			loop_timer_set(v->loop, &v->pace_timer, delay, pump, v);
		break;
	}
	if (!holds(v)) {
		strbuf_reset(&v->held);
		v->held_at = 0;
	} else if (v->held_at > HELD_MAX / 2) {
		strbuf_drop(&v->held, v->held_at);
		v->held_at = 0;
	}
	rearm_reading(v);
	if (v->eof && !holds(v))
		finish_source(v);
}

/* Lines. */

/* The number of the line that was completed last. */
static uint64_t line_number(const struct view_source *v)
{
	return v->line_base + v->split.lines;
}

/* Reports a line over the length limit, NUMBER. Two cannot come in one read. */
static void note_skipped(struct view_source *v, uint64_t number)
{
	if (v->split.skipped == v->skipped_seen)
		return;
	v->skipped_seen = v->split.skipped;
	bad_line(v, number, _("the line is longer than 256 MiB"));
}

static void split_line(void *arg, const char *line, size_t len)
{
	struct view_source *v = arg;
	const struct place place = {
		split_offset(&v->split, line), line_number(v)};

	note_skipped(v, place.number - 1);
	if (len == 3 && utf8_bom(line, len)) /* in a file: nothing */
		return;
	if (v->pace.paused || v->pace.speed > 0 || holds(v))
		hold(v, place, line, len);
	else
		take_line(v, place, line, len);
}

/* An unfinished last line is a line, too. */
static void end_lines(struct view_source *v)
{
	split_finish(&v->split, split_line, v);
	note_skipped(v, line_number(v));
}

/* The end of the input. */

static void close_input(struct view_source *v)
{
	loop_timer_clear(v->loop, &v->poll_timer);
	loop_unwatch(v->watch);
	v->watch = NULL;
	if (v->own_fd && v->fd >= 0)
		close(v->fd);
	v->fd = -1;
	v->waiting = false;
	v->line_base = line_number(v);
	v->skipped_seen = 0;
	split_release(&v->split);
}

/* OPENING, or reading, did not work: errno says why. */
static void fail(struct view_source *v, bool opening)
{
	const char *why = err_str(errno);
	struct err err = ERR_INIT;

	if (opening)
		err_set(&err, AR_EIO, N_("cannot open '%s': %s"), v->path, why);
	else
		err_set(&err, AR_EIO, N_("cannot read '%s': %s"), v->path, why);
	close_input(v);
	set_state(v, VIEW_FAILED, &err);
}

/* Everything was read and given out. */
static void finish_source(struct view_source *v)
{
	uint64_t skipped = v->split.skipped;
	bool unfinished = v->split.unfinished;

	if (v->state != VIEW_READING || v->blocked)
		return;
	close_input(v);
	if (v->convert && !convert_finish(v->convert, skipped, unfinished)) {
		set_state(v, VIEW_FOREIGN, NULL);
		return;
	}
	if (v->blocked)
		return;
	set_state(v, v->ended && !v->missing ? VIEW_DONE : VIEW_NO_END, NULL);
}

static bool has_name(const struct view_source *v)
{
	return strcmp(v->path, "-") != 0;
}

/* Whether what was read so far can be UTF-8. */
static bool check_head(struct view_source *v)
{
	const char *name = has_name(v) ? v->path : "stdin";
	struct err err = ERR_INIT;

	v->head_seen = true;
	if (encoding_check(name, v->head, v->head_len, &err) == 0)
		return true;
	close_input(v);
	set_state(v, VIEW_FAILED, &err);
	return false;
}

static void end_input(struct view_source *v)
{
	if (!v->head_seen && !check_head(v))
		return;
	loop_watch_set(v->watch, 0);
	loop_timer_clear(v->loop, &v->poll_timer);
	v->eof = true;
	end_lines(v);
	pump(v);
}

/* Following. */

static void check_file(void *arg);

/* A whole stream was read and given out, with nothing behind it. */
static bool is_whole(const struct view_source *v)
{
	return v->ended && !holds(v) && v->split.len == 0;
}

static void wait_for_more(struct view_source *v)
{
	v->waiting = true;
	loop_watch_set(v->watch, 0);
	loop_timer_set(v->loop, &v->poll_timer, FOLLOW_POLL_MS, check_file, v);
}

static void at_eof(struct view_source *v)
{
	if (!v->config.follow || !v->regular || is_whole(v))
		end_input(v);
	else
		wait_for_more(v);
}

static bool head_is_same(const struct view_source *v)
{
	char now[HEAD_SIZE];

	return pread(v->fd, now, v->head_len, 0) == (ssize_t)v->head_len &&
	       memcmp(now, v->head, v->head_len) == 0;
}

static void read_on(struct view_source *v)
{
	loop_timer_clear(v->loop, &v->poll_timer);
	v->waiting = false;
	rearm_reading(v);
}

static int open_input(struct view_source *v);

/* Gives out what is left of the old stream and begins the new one. */
static void restart(struct view_source *v, enum view_next why)
{
	if (why == VIEW_NEXT_REPLACED)
		end_lines(v);
	while (holds(v) && !v->blocked)
		take_held(v);
	if (v->convert)
		convert_finish(
			v->convert, v->split.skipped, v->split.unfinished);
	if (v->blocked)
		return;
	close_input(v);
	strbuf_reset(&v->held);
	v->held_at = 0;
	v->line_base = 0;
	v->offset = 0;
	v->head_len = 0;
	v->head_seen = false;
	v->looks = (struct view_looks){0};
	v->eof = false;
	v->pace.has_base = false;
	loop_timer_clear(v->loop, &v->pace_timer);
	begin_next(v, why);
	new_convert(v);
	if (open_input(v) != 0)
		fail(v, true);
}

static bool is_replaced(const struct view_source *v)
{
	struct stat st;

	return has_name(v) && stat(v->path, &st) == 0 && S_ISREG(st.st_mode) &&
	       (st.st_dev != v->dev || st.st_ino != v->ino);
}

/* Looks whether a file that is waited for has changed. */
static void check_file(void *arg)
{
	struct view_source *v = arg;
	struct stat st;

	if (fstat(v->fd, &st) != 0) {
		fail(v, false);
		return;
	}
	if (st.st_size < v->offset || !head_is_same(v)) {
		if (!has_name(v))
			(void)lseek(v->fd, 0, SEEK_SET);
		restart(v, VIEW_NEXT_TRUNCATED);
	} else if (st.st_size > v->offset) {
		read_on(v);
	} else if (is_replaced(v)) {
		restart(v, VIEW_NEXT_REPLACED);
	} else if (is_whole(v)) {
		end_input(v);
	} else {
		wait_for_more(v);
	}
}

/* Reading. */

static void keep_head(struct view_source *v, const char *data, size_t n)
{
	size_t room = HEAD_SIZE - v->head_len;

	if (v->offset != (off_t)v->head_len)
		return;
	if (n > room)
		n = room;
	memcpy(v->head + v->head_len, data, n);
	v->head_len += n;
}

static void read_piece(void *arg, int fd, short revents)
{
	struct view_source *v = arg;
	size_t avail;
	char *to = split_space(&v->split, &avail);
	ssize_t n;

	(void)revents;
	n = read(fd, to, avail < v->config.piece ? avail : v->config.piece);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) {
		fail(v, false);
		return;
	}
	if (n == 0) {
		at_eof(v);
		return;
	}
	keep_head(v, to, (size_t)n);
	if (!v->head_seen && v->head_len >= ENCODING_MIN && !check_head(v))
		return;
	if (v->events.bytes)
		v->events.bytes(v->events.arg, to, (size_t)n);
	v->offset += n;
	split_commit(&v->split, (size_t)n, split_line, v);
	note_skipped(v, line_number(v));
	if (holds(v) && !v->pace_timer.armed)
		pump(v);
	else
		rearm_reading(v);
}

/* Returns 0 or -1 with errno. */
static int open_input(struct view_source *v)
{
	struct stat st;

	v->own_fd = has_name(v);
	/* non-blocking: a FIFO opens before its writer has come */
	v->fd = v->own_fd ? open(v->path, O_RDONLY | O_NONBLOCK | O_NOCTTY |
						  O_CLOEXEC)
			  : STDIN_FILENO;
	if (v->fd < 0 || fstat(v->fd, &st) != 0)
		return -1;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	v->regular = S_ISREG(st.st_mode);
	v->dev = st.st_dev;
	v->ino = st.st_ino;
	v->watch = loop_watch(v->loop, v->fd, POLLIN, read_piece, v);
	return 0;
}

/* Life. */

struct view_source *view_source_new(struct loop *loop,
	const struct view_source_config *config, struct sink *sink,
	const struct view_source_events *events)
{
	struct view_source *v = xcalloc(1, sizeof(*v));

	v->loop = loop;
	v->config = *config;
	v->path = xstrdup(config->path);
	v->cwd = xstrdup(config->cwd ? config->cwd : "");
	v->config.path = v->path;
	v->config.cwd = v->cwd;
	if (!v->config.piece)
		v->config.piece = PIECE_DEFAULT;
	v->events = *events;
	v->sink = sink;
	v->fd = -1;
	split_init(&v->split, SPLIT_LINE_MAX);
	arena_init(&v->arena);
	strbuf_init(&v->held);
	pace_init(&v->pace, config->from ? 0 : config->speed);
	new_convert(v);
	return v;
}

void view_source_start(struct view_source *v)
{
	if (open_input(v) != 0)
		fail(v, true);
}

void view_source_free(struct view_source *v)
{
	if (!v)
		return;
	close_input(v);
	loop_timer_clear(v->loop, &v->pace_timer);
	convert_free(v->convert);
	strbuf_release(&v->held);
	arena_release(&v->arena);
	free(v->path);
	free(v->cwd);
	free(v);
}

enum view_state view_source_state(const struct view_source *v)
{
	return v->state;
}

uint64_t view_source_lines(const struct view_source *v)
{
	return line_number(v);
}

struct view_looks view_source_looks(const struct view_source *v)
{
	return v->looks;
}

uint64_t view_source_bad_lines(const struct view_source *v)
{
	return v->bad_lines;
}

bool view_source_waiting(const struct view_source *v)
{
	return v->waiting;
}

/* Goes on behind the end of a stream to which another one was appended. */
static bool read_appended(struct view_source *v)
{
	if (v->convert || open_input(v) != 0)
		return false;
	if (!head_is_same(v) || lseek(v->fd, v->offset, SEEK_SET) < 0)
		return false;
	v->split.base = (uint64_t)v->offset;
	v->eof = false;
	return true;
}

/* A file that was read to its end has grown, or another one has its name. */
static void wake(struct view_source *v)
{
	struct stat st;
	bool same;

	if (!has_name(v) || stat(v->path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	same = st.st_dev == v->dev && st.st_ino == v->ino;
	if (same && st.st_size == v->offset)
		return;
	set_state(v, VIEW_READING, NULL);
	if (!same || st.st_size < v->offset || !read_appended(v))
		restart(v, VIEW_NEXT_REPLACED);
}

void view_source_poke(struct view_source *v)
{
	if (!v->config.follow || !v->regular || v->blocked)
		return;
	if (v->waiting)
		check_file(v);
	else if (v->state == VIEW_DONE || v->state == VIEW_NO_END)
		wake(v);
}

void view_source_pause(struct view_source *v, bool paused)
{
	pace_pause(&v->pace, loop_now_ms(v->loop), paused);
	pump(v);
}

bool view_source_paused(const struct view_source *v)
{
	return v->pace.paused;
}

void view_source_step(struct view_source *v)
{
	v->step = holds(v);
	pump(v);
}

void view_source_set_speed(struct view_source *v, double speed)
{
	pace_set_speed(&v->pace, loop_now_ms(v->loop), speed);
	pump(v);
}

double view_source_speed(const struct view_source *v)
{
	return v->pace.speed;
}

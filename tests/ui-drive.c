#include "config.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/split.h"
#include "event/event.h"
#include "ui/ui.h"

/* ui-drive: feeds saved streams into the UI, for the tests of the terminal.
 *
 * usage: ui-drive [-l] [-s STAY] [-n PER_TURN] [-d DELAY_MS] [-e] [-c] FILE...
 *
 * Lines come PER_TURN at a time, DELAY_MS apart, from all files in turn; events
 * without a time get one. A line that is no JSON goes to the diagnostics.
 * -l: as a live run; -e: diagnostics enter the pane; -c: crash at the end. */
struct feed {
	struct ui_run *run;
	struct strbuf data;
	size_t at;
};

struct drive {
	struct loop *loop;
	struct ui *ui;
	struct feed *feeds;
	int count;
	int per_turn;
	int delay_ms;
	struct loop_timer timer;
	struct arena arena;
	int64_t time_ms;
	bool crash;
	bool over;
	int signo;
	bool stopping;
};

static bool feed_line(struct drive *d, struct feed *f)
{
	const char *s = f->data.buf + f->at;
	const char *nl = memchr(s, '\n', f->data.len - f->at);
	size_t len = nl ? (size_t)(nl - s) : f->data.len - f->at;
	struct strbuf line = STRBUF_INIT;
	struct sink *sink = ui_run_sink(f->run);
	struct event ev;
	struct err err = ERR_INIT;
	int syserr = 0;

	if (f->at >= f->data.len)
		return false;
	f->at += len + 1;
	strbuf_add(&line, s, len);
	if (len && *s == '{' && !strstr(line.buf, "\"time\":")) {
		/* The recorded runs leave out what differs each time. */
		strbuf_setlen(&line, len - 1);
		strbuf_addstr(&line, ",\"time\":\"2026-10-04T13:00:00.000Z\"");
		if (strstr(line.buf, "_end\"") ||
			strstr(line.buf, "\"type\":\"end\""))
			strbuf_addstr(&line, ",\"duration_ms\":12400");
		strbuf_addstr(&line, "}");
	}
	if (event_read(&ev, &d->arena, line.buf, line.len, &err) != 0) {
		strbuf_addch(&line, '\n');
		diag_write(s, len);
		diag_write("\n", 1);
	} else {
		sink->ops->event(sink, &ev, &syserr, &err);
	}
	arena_reset(&d->arena);
	strbuf_release(&line);
	return true;
}

static void turn(void *arg)
{
	struct drive *d = arg;
	bool any = false;
	int i;
	int n;

	for (n = 0; n < d->per_turn; n++) {
		for (i = 0; i < d->count; i++)
			any = feed_line(d, &d->feeds[i]) || any;
	}
	if (any) {
		loop_timer_set(d->loop, &d->timer, d->delay_ms, turn, d);
		return;
	}
	if (d->crash)
		raise(SIGSEGV);
	if (ui_done(d->ui))
		d->over = true;
}

static void on_leave(void *arg)
{
	struct drive *d = arg;

	d->over = true;
}

static void on_stop(void *arg)
{
	struct drive *d = arg;

	d->stopping = true;
}

static bool on_stopping(void *arg, int64_t *ms)
{
	struct drive *d = arg;

	*ms = 4200;
	return d->stopping;
}

static void on_signal(void *arg, int signo)
{
	struct drive *d = arg;

	d->signo = signo;
	d->over = true;
}

int main(int argc, char **argv)
{
	struct drive d = {.per_turn = 1, .delay_ms = 20};
	struct ui_config config = {
		.requests = {.leave = on_leave,
			.stop = on_stop,
			.stopping = on_stopping,
			.arg = &d},
	};
	struct err err = ERR_INIT;
	int c;
	int i;

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	bindtextdomain(PACKAGE, LOCALEDIR);
	textdomain(PACKAGE);
	while ((c = getopt(argc, argv, "ls:n:d:ecL")) != -1) {
		if (c == 'l')
			config.live = true;
		else if (c == 's')
			config.stay = (int)strtol(optarg, NULL, 10);
		else if (c == 'n')
			d.per_turn = (int)strtol(optarg, NULL, 10);
		else if (c == 'd')
			d.delay_ms = (int)strtol(optarg, NULL, 10);
		else if (c == 'e')
			config.stderr_tty = true;
		else if (c == 'L')
			config.list = true;
		else if (c == 'c')
			d.crash = true;
	}
	d.loop = loop_new(NULL);
	loop_signal(d.loop, SIGINT, on_signal, &d);
	loop_signal(d.loop, SIGTERM, on_signal, &d);
	loop_signal(d.loop, SIGHUP, on_signal, &d);
	arena_init(&d.arena);
	d.count = argc - optind;
	d.feeds = calloc((size_t)d.count + 1, sizeof(*d.feeds));
	d.ui = ui_new(d.loop, &config, &err);
	if (!d.ui) {
		fprintf(stderr, "ui-drive: %s\n", err.local);
		loop_free(d.loop);
		free(d.feeds);
		return 2;
	}
	for (i = 0; i < d.count; i++) {
		strbuf_init(&d.feeds[i].data);
		if (io_read_file(argv[optind + i], (size_t)2 << 30,
			    &d.feeds[i].data, &err) != 0) {
			ui_free(d.ui);
			fprintf(stderr, "ui-drive: %s\n", err.local);
			return 2;
		}
		d.feeds[i].run = ui_run_add(d.ui, argv[optind + i]);
	}
	loop_timer_set(d.loop, &d.timer, 0, turn, &d);
	while (!d.over)
		loop_once(d.loop, -1);
	ui_free(d.ui);
	for (i = 0; i < d.count; i++)
		strbuf_release(&d.feeds[i].data);
	free(d.feeds);
	arena_release(&d.arena);
	loop_free(d.loop);
	return d.signo ? 128 + d.signo : 0;
}

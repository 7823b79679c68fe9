/* replay: plays raw lines of a runtime through its adapter, the aggregator and
 * the jsonl (or text) output, without a process around it. The prompt, the exit
 * status and the standard error are told on the command line. For trying an
 * adapter by hand; the golden test plays the same files through the program.
 *
 *   replay [OPTION...] RUNTIME FILE
 */
#include "config.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/split.h"
#include "base/xalloc.h"
#include "event/aggregate.h"
#include "event/status.h"
#include "output/sink.h"
#include "runtime/runtime.h"

struct replay {
	const struct runtime_ops *ops;
	struct adapter *adapter;
	struct aggregate *aggregate;
	struct sink *sink;
	struct arena arena;
};

static void fail(const char *what)
{
	fprintf(stderr, "replay: %s\n", what);
	exit(2);
}

static void on_event(void *arg, const struct event *ev)
{
	struct replay *rp = arg;
	struct err err = ERR_INIT;
	int syserr = 0;

	if (rp->sink->ops->event(rp->sink, ev, &syserr, &err) < 0)
		fail(err.msg);
}

static void on_record(void *arg, const struct record *r)
{
	struct replay *rp = arg;

	aggregate_record(rp->aggregate, r);
}

static void on_line(void *arg, const char *line, size_t len)
{
	struct replay *rp = arg;
	struct record_out out = {on_record, rp};
	struct json *v = json_parse(&rp->arena, line, len);

	if (v && v->kind == JSON_OBJECT)
		rp->ops->line(rp->adapter, v, &out);
	arena_reset(&rp->arena);
}

static void play(struct replay *rp, const char *path)
{
	struct record_out out = {on_record, rp};
	struct split split;
	char buf[65536];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail("cannot open the file");
	split_init(&split, SPLIT_LINE_MAX);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		split_feed(&split, buf, (size_t)n, on_line, rp);
	split_finish(&split, on_line, rp);
	split_release(&split);
	close(fd);
	rp->ops->finish(rp->adapter, &out);
}

static void finish(struct replay *rp, const struct exit_info *ei)
{
	struct stop_info stop = {0};
	struct runtime_verdict rv = {0};
	struct strbuf detail = STRBUF_INIT;
	struct strvec warn = STRVEC_INIT;
	struct aggregate_end end = {0};

	rp->ops->verdict(rp->adapter, &rv);
	status_judge(
		rp->ops->name, &stop, ei, &rv, &end.status, &detail, &warn);
	end.exit_code = ei->known && ei->exited ? ei->code : EXIT_CODE_NULL;
	end.detail = strbuf_str(&detail);
	end.session_id = str_null();
	end.warnings = &warn;
	end.cost_expected = rp->ops->warns_cost;
	aggregate_end(rp->aggregate, &end);
	strvec_release(&warn);
	strbuf_release(&detail);
}

/* The last POINTS code points of S. */
static struct str tail(struct str s, size_t points)
{
	size_t i = s.len;

	while (i > 0 && points > 0)
		if (((unsigned char)s.ptr[--i] & 0xc0) != 0x80)
			points--;
	s.ptr += i;
	s.len -= i;
	return s;
}

static const struct runtime_image *name_images(const struct strvec *names)
{
	struct runtime_image *images = xcalloc(names->count, sizeof(*images));
	size_t i;

	for (i = 0; i < names->count; i++) {
		images[i].given = names->v[i];
		images[i].copy = names->v[i];
		images[i].media_type = "image/png";
	}
	return images;
}

int main(int argc, char **argv)
{
	struct replay rp = {0};
	struct adapter_config config = {.prompt = {NULL, 0}};
	struct exit_info ei = {.known = false};
	struct event_start start = {.network_mode = {"full", 4}};
	struct strvec images = STRVEC_INIT;
	struct strbuf errs = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool text = false;
	int c;

	config.cwd = "/nowhere";
	config.baseline = token_counts_unknown();
	while ((c = getopt(argc, argv, "p:m:i:e:x:k:rt")) != -1) {
		if (c == 'p')
			config.prompt = str_of(optarg);
		else if (c == 'm')
			config.model = optarg;
		else if (c == 'i')
			strvec_push(&images, optarg);
		else if (c == 'e' &&
			 io_read_file(optarg, (size_t)1 << 20, &errs, &err) < 0)
			fail(err.msg);
		else if (c == 'x' || c == 'k')
			ei.known = true;
		else if (c == 'r')
			config.resumed = true;
		else if (c == 't')
			text = true;
		else if (c == '?')
			fail("usage: replay [-p PROMPT] [-m MODEL] [-i IMAGE] "
			     "[-e STDERR] [-x EXIT | -k SIGNO] [-r] [-t] "
			     "RUNTIME FILE");
		if (c == 'x') {
			ei.exited = true;
			ei.code = (int)strtol(optarg, NULL, 10);
		}
		if (c == 'k')
			ei.signo = (int)strtol(optarg, NULL, 10);
	}
	if (argc - optind != 2)
		fail("RUNTIME and FILE are needed");
	rp.ops = runtime_find(argv[optind]);
	if (!rp.ops)
		fail("no such runtime");
	ei.stderr_tail = tail(strbuf_str(&errs), 500);
	config.images = name_images(&images);
	config.image_count = images.count;
	arena_init(&rp.arena);
	rp.sink = text ? text_new(1, false, "stdout")
		       : jsonl_new(1, false, "stdout");
	rp.aggregate = aggregate_new(&clock_system,
		clock_system.mono_ms(clock_system.arg), on_event, &rp);
	rp.adapter = rp.ops->adapter_new(&config);
	start.runtime = str_of(rp.ops->name);
	start.sandbox = str_of("none");
	start.model = str_of(config.model);
	start.cwd = str_of(config.cwd);
	aggregate_start(rp.aggregate, &start);
	aggregate_images(rp.aggregate, &images);
	if (!rp.ops->echoes_prompt && config.prompt.ptr)
		aggregate_prompt(rp.aggregate, config.prompt);
	play(&rp, argv[optind + 1]);
	finish(&rp, &ei);
	rp.ops->adapter_free(rp.adapter);
	aggregate_free(rp.aggregate);
	rp.sink->ops->free(rp.sink);
	arena_release(&rp.arena);
	strvec_release(&images);
	strbuf_release(&errs);
	free((void *)config.images);
	return 0;
}

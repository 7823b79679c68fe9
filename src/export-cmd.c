#include "config.h"

#include "export-cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/encoding.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/keep.h"
#include "base/log.h"
#include "base/split.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "event/event.h"
#include "output/export.h"
#include "view/detail.h"
#include "view/looks.h"

/* So many bad lines are reported one by one. */
#define BAD_SINGLE 20
#define NAMES_MAX 1000

/* A stream that is read to its end, without a loop: nobody else waits. */
struct reader {
	struct split split;
	struct arena arena;
	struct sink *sink;
	const char *shown; /* the stream's name */
	const char *name;  /* the same when bad lines are told, else NULL */
	struct keep *keep; /* of a stream that is read once; or NULL */
	uint64_t bad;
	bool any;     /* an event of the present stream was read */
	bool ended;   /* its `end`, too */
	bool missing; /* a stream before it had none */
	const struct runtime_ops *raw; /* whose raw output it looks like */
};

/* Raw output where events should be is said once, not line by line. */
static bool is_raw(struct reader *r, const char *line, size_t len)
{
	if (r->raw || r->any || !r->name)
		return r->raw != NULL;
	r->raw = view_looks_of(line, len).raw;
	if (r->raw)
		diag_error(_("%s looks like the raw output of %s: make events "
			     "of it with 'agentrun view --headless --format "
			     "jsonl --from %s'"),
			r->name, r->raw->name, r->raw->name);
	return r->raw != NULL;
}

static void bad_line(
	struct reader *r, const char *line, size_t len, const char *why)
{
	r->bad++;
	if (is_raw(r, line, len))
		return;
	if (r->name && r->bad <= BAD_SINGLE)
		diag_error(_("%s: line %" PRIu64 " is no event: %s"), r->name,
			r->split.lines, why);
}

static void take_line(void *arg, const char *line, size_t len)
{
	struct reader *r = arg;
	struct err err = ERR_INIT;
	struct event ev;
	int syserr;

	if (event_read(&ev, &r->arena, line, len, &err) != 0) {
		if (len != 3 || !utf8_bom(line, len)) /* an empty file */
			bad_line(r, line, len, err.local);
	} else {
		ev.source.offset = split_offset(&r->split, line);
		ev.source.len = (uint32_t)len;
		if (ev.kind == EVENT_START) {
			r->missing |= r->any && !r->ended;
			r->ended = false;
		}
		r->any = true;
		r->ended |= ev.kind == EVENT_END;
		(void)r->sink->ops->event(r->sink, &ev, &syserr, &err);
	}
	arena_reset(&r->arena);
}

static void reader_init(struct reader *r, const char *name, bool tell)
{
	memset(r, 0, sizeof(*r));
	split_init(&r->split, SPLIT_LINE_MAX);
	arena_init(&r->arena);
	r->sink = export_new();
	r->shown = name;
	r->name = tell ? name : NULL;
}

static void reader_release(struct reader *r)
{
	split_release(&r->split);
	arena_release(&r->arena);
	r->sink->ops->free(r->sink);
	keep_free(r->keep);
}

/* At least LEAST bytes from offset AT, fewer at the end; -1 with errno. AT < 0:
 * from where FD stands. */
static ssize_t read_some(int fd, char *to, size_t avail, size_t least, off_t at)
{
	size_t got = 0;

	while (got < least) {
		ssize_t n = at < 0 ? read(fd, to + got, avail - got)
				   : pread(fd, to + got, avail - got,
					     at + (off_t)got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/* Reads FD to its end, from offset 0 when KEEP (its offset stays). Returns 0,
 * or -1 with ERR. */
static int read_stream(struct reader *r, int fd, bool keep, struct err *err)
{
	off_t at = 0;

	for (;;) {
		size_t avail;
		char *to = split_space(&r->split, &avail);
		ssize_t n = read_some(
			fd, to, avail, at ? 1 : ENCODING_MIN, keep ? at : -1);

		if (n < 0)
			return err_set(err, AR_EIO, N_("cannot read '%s': %s"),
				r->shown, err_str(errno));
		if (n == 0)
			break;
		if (at == 0 && encoding_check(r->shown, to, (size_t)n, err) < 0)
			return -1;
		at += n;
		if (r->keep)
			keep_add(r->keep, to, (size_t)n);
		split_commit(&r->split, (size_t)n, take_line, r);
	}
	split_finish(&r->split, take_line, r);
	r->bad += r->split.skipped;
	export_bad_lines(r->sink, r->bad);
	return 0;
}

static bool is_regular(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static int write_fd(void *arg, const char *data, size_t len)
{
	return io_write_all(*(const int *)arg, data, len);
}

/* Writes into a file whose descriptor is taken over. Returns 0 or -1 with
 * errno. */
static int write_file(struct reader *r, int fd, const struct export_form *form)
{
	int failed = export_write(r->sink, form, write_fd, &fd);
	int saved = errno;

	if (close(fd) != 0 && !failed)
		return -1;
	errno = saved;
	return failed;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int write_out(struct reader *r, const struct options *o,
	const char *name, struct detail *detail)
{
	const struct export_form form = {
		strcmp(o->export_to, "html") == 0 ? EXPORT_HTML : EXPORT_MD,
		name, detail};
	const char *to = o->out ? o->out : "stdout";
	int fd = o->out ? open(o->out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				  0666)
			: dup(STDOUT_FILENO);

	if (fd >= 0 && write_file(r, fd, &form) == 0)
		return 0;
	if (!o->out && errno == EPIPE)
		return 141;
	diag_error(_("cannot write '%s': %s"), to, strerror(errno));
	return 1;
}

/* The details of the stream, ready to be asked; what is wrong with them is
 * said. */
static struct detail *open_details(
	const struct reader *r, const struct options *o, const char *path)
{
	struct detail *d;
	int percent;

	if (!o->details)
		return NULL;
	d = view_detail_saved(r->keep, path, o->run.raw);
	while (d->ops->prepare(d, &percent))
		;
	if (view_detail_problem(d))
		diag_error("%s", view_detail_problem(d));
	return d;
}

int export_cmd(const struct options *o)
{
	const char *path = o->operands.v[0];
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? _("stdin") : path;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct detail *detail = NULL;
	struct err err = ERR_INIT;
	struct reader r;
	int status = 2;

	if (fd < 0) {
		diag_error(_("cannot open '%s': %s"), path, strerror(errno));
		return 2;
	}
	reader_init(&r, name, true);
	if (o->details && (is_stdin || !is_regular(fd)))
		r.keep = keep_new(INT64_MAX);
	if (read_stream(&r, fd, false, &err) != 0) {
		diag_error("%s", err.local);
	} else if (r.raw && !r.any) {
		status = 1; /* a document would be empty */
	} else {
		if (r.bad > BAD_SINGLE)
			diag_error(_("%s: lines that are no events: %" PRIu64),
				name, r.bad);
		if (!r.ended || r.missing)
			diag_error(_("%s: no end event"), name);
		detail = open_details(&r, o, path);
		status = write_out(&r, o, base_name(name), detail);
		if (!status && (!r.ended || r.missing || r.bad ||
				       (detail && view_detail_problem(detail))))
			status = 1;
	}
	detail_free(detail);
	reader_release(&r);
	if (!is_stdin)
		close(fd);
	return status;
}

/* A file that is not there yet: NAME.html, NAME-2.html, ... */
static int open_new(const char *name, struct strbuf *path)
{
	size_t len = strlen(name);
	int fd = -1;

	if (len > 6 && strcmp(name + len - 6, ".jsonl") == 0)
		len -= 6;
	for (int n = 1; fd < 0 && n < NAMES_MAX; n++) {
		strbuf_reset(path);
		strbuf_add(path, name, len);
		if (n > 1)
			strbuf_addf(path, "-%d", n);
		strbuf_addstr(path, ".html");
		fd = open(path->buf, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

void export_key(int fd, const char *name, char *msg, size_t size)
{
	const struct export_form form = {EXPORT_HTML, name, NULL};
	struct strbuf path = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct reader r;
	int to;

	reader_init(&r, name, false);
	if (read_stream(&r, fd, true, &err) != 0) {
		snprintf(msg, size, "%s", err.local);
		goto out;
	}
	to = open_new(base_name(name), &path);
	if (to >= 0 && write_file(&r, to, &form) == 0)
		snprintf(msg, size, _("written to %s"), path.buf);
	else
		snprintf(msg, size, _("cannot write '%s': %s"), path.buf,
			strerror(errno));
out:
	reader_release(&r);
	strbuf_release(&path);
}

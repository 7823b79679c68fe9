#include "config.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crash.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/strbuf.h"

static struct outq queue = {
	.fd = STDERR_FILENO, .own_fd = -1, .pending = STRBUF_INIT};
static void (*drained_fn)(void *arg);
static void *drained_arg;
static diag_fn *hook_fn;
static void *hook_arg;
static bool debug_on;

void diag_write(const char *data, size_t len)
{
	if (hook_fn)
		hook_fn(hook_arg, data, len);
	else
		(void)outq_write(&queue, data, len);
}

static void on_queue(void *arg, int errnum)
{
	(void)arg;
	(void)errnum;
	if (drained_fn)
		drained_fn(drained_arg);
}

void diag_attach(struct loop *l)
{
	outq_init(&queue, STDERR_FILENO);
	outq_attach(&queue, l, on_queue, NULL);
}

void diag_try(void)
{
	if (!outq_queued(&queue))
		return;
	(void)outq_flush(&queue);
	outq_drop(&queue);
}

void diag_detach(void)
{
	diag_try();
	outq_release(&queue);
}

struct outq *diag_queue(void)
{
	return &queue;
}

void diag_on_drained(void (*fn)(void *arg), void *arg)
{
	drained_fn = fn;
	drained_arg = arg;
}

void diag_hook(diag_fn *fn, void *arg)
{
	hook_fn = fn;
	hook_arg = arg;
	if (!fn || !outq_queued(&queue))
		return;
	/* What waits for the terminal must not come into the view later. */
	fn(arg, queue.pending.buf + queue.sent, outq_queued(&queue));
	outq_drop(&queue);
}

/* Names of files and the like may hold what a terminal would act on. */
static void add_visible(struct strbuf *out, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c < 0x20 || c == 0x7f) {
			strbuf_addch(out, '^');
			strbuf_addch(out, (char)(c ^ 0x40));
		} else if (c == 0xc2 && i + 1 < s.len &&
			   (unsigned char)s.ptr[i + 1] < 0xa0) {
			strbuf_addstr(out, "\xef\xbf\xbd"); /* C1 */
			i++;
		} else {
			strbuf_addch(out, (char)c);
		}
	}
}

/* One write for the whole line, so that lines of several writers do not mix. */
static void write_line(const char *head, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void write_line(const char *head, const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT;
	struct strbuf sb = STRBUF_INIT;

	strbuf_vaddf(&text, fmt, ap);
	strbuf_addstr(&sb, head);
	add_visible(&sb, strbuf_str(&text));
	strbuf_addch(&sb, '\n');
	diag_write(sb.buf, sb.len);
	strbuf_release(&sb);
	strbuf_release(&text);
}

void diag_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line("agentrun: ", fmt, ap);
	va_end(ap);
}

void diag_lost(const char *name)
{
	diag_error(_("cannot write '%s': nobody reads it; the rest of the "
		     "output is lost"),
		name);
}

void log_enable(bool on)
{
	debug_on = on;
}

bool log_enabled(void)
{
	return debug_on;
}

void log_debug(const char *fmt, ...)
{
	va_list ap;

	if (!debug_on)
		return;
	va_start(ap, fmt);
	write_line("[debug] ", fmt, ap);
	va_end(ap);
}

/* No allocation here: out of memory ends up in this function, too. */
void die(const char *fmt, ...)
{
	char msg[1024];
	va_list ap;
	int n;

	crash_terminal_restore();
	memcpy(msg, "agentrun: ", 10);
	va_start(ap, fmt);
	n = vsnprintf(msg + 10, sizeof(msg) - 11, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	if ((size_t)n > sizeof(msg) - 12)
		n = (int)sizeof(msg) - 12;
	msg[10 + n] = '\n';
	if (queue.loop)
		(void)!write(outq_fd(&queue), msg, 11 + (size_t)n);
	else
		(void)io_write_all(STDERR_FILENO, msg, 11 + (size_t)n);
	abort();
}

#include "config.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"

static diag_fn *hook_fn;
static void *hook_arg;
static void (*restore_fn)(void);
static bool debug_on;

void diag_write(const char *data, size_t len)
{
	if (hook_fn)
		hook_fn(hook_arg, data, len);
	else
		(void)io_write_all(STDERR_FILENO, data, len);
}

void diag_hook(diag_fn *fn, void *arg)
{
	hook_fn = fn;
	hook_arg = arg;
}

/* One write for the whole line, so that lines of several writers do not mix. */
static void write_line(const char *head, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void write_line(const char *head, const char *fmt, va_list ap)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, head);
	strbuf_vaddf(&sb, fmt, ap);
	strbuf_addch(&sb, '\n');
	diag_write(sb.buf, sb.len);
	strbuf_release(&sb);
}

void diag_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line("agentrun: ", fmt, ap);
	va_end(ap);
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

void die_hook(void (*restore)(void))
{
	restore_fn = restore;
}

/* No allocation here: out of memory ends up in this function, too. */
void die(const char *fmt, ...)
{
	char msg[1024];
	va_list ap;
	int n;

	if (restore_fn)
		restore_fn();
	memcpy(msg, "agentrun: ", 10);
	va_start(ap, fmt);
	n = vsnprintf(msg + 10, sizeof(msg) - 11, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	if ((size_t)n > sizeof(msg) - 12)
		n = (int)sizeof(msg) - 12;
	msg[10 + n] = '\n';
	(void)io_write_all(STDERR_FILENO, msg, 11 + (size_t)n);
	abort();
}

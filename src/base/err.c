#include "config.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"

/* Formats into BUF; a message that does not fit ends in "...". */
static void format(char *buf, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static void format(char *buf, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(buf, size, fmt, ap);

	if (n >= 0 && (size_t)n >= size) {
		size_t at = size - 4;

		/* do not cut a UTF-8 sequence in two */
		while (at > 0 && ((unsigned char)buf[at] & 0xc0) == 0x80)
			at--;
		memcpy(buf + at, "...", 4);
	}
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	err->code = code;
	va_start(ap, fmt);
	format(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	format(err->local, sizeof(err->local), gettext(fmt), ap);
	va_end(ap);
	return -1;
}

static void prefix(char *msg, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static void prefix(char *msg, size_t size, const char *fmt, va_list ap)
{
	char old[sizeof(((struct err *)0)->msg)];
	size_t len;

	memcpy(old, msg, strlen(msg) + 1);
	format(msg, size, fmt, ap);
	len = strlen(msg);
	snprintf(msg + len, size - len, ": %s", old);
}

void err_prefix(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	prefix(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	prefix(err->local, sizeof(err->local), gettext(fmt), ap);
	va_end(ap);
}
#pragma GCC diagnostic pop

const char *err_str(int errnum)
{
#if defined(__GLIBC__) && \
	(__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 32))
	const char *s = strerrordesc_np(errnum);

	return s ? s : "unknown error";
#else
	return strerror(errnum);
#endif
}

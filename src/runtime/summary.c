#include "config.h"

#include "runtime/summary.h"

#include "base/utf8.h"

static bool is_control(struct str s, size_t i, size_t *len)
{
	unsigned char c = (unsigned char)s.ptr[i];

	*len = 1;
	if (c < 0x20 || c == 0x7f)
		return true;
	/* C1 controls are two bytes in UTF-8: C2 80..9F. */
	if (c != 0xc2 || i + 1 >= s.len)
		return false;
	if ((unsigned char)s.ptr[i + 1] > 0x9f)
		return false;
	*len = 2;
	return true;
}

/* Appends S with each run of control characters as one blank. */
static void add_clean(struct strbuf *out, struct str s)
{
	size_t i = 0;
	bool in_run = false;

	while (i < s.len) {
		size_t n;

		if (!is_control(s, i, &n)) {
			strbuf_addch(out, s.ptr[i]);
			in_run = false;
		} else if (!in_run) {
			strbuf_addch(out, ' ');
			in_run = true;
		}
		i += n;
	}
}

/* The byte length of the white space that S begins with. */
static size_t blank_prefix(struct str s)
{
	size_t i = 0;

	while (i < s.len) {
		size_t n = 1;

		while (i + n < s.len &&
			((unsigned char)s.ptr[i + n] & 0xc0) == 0x80)
			n++;
		if (!utf8_is_blank(s.ptr + i, n))
			break;
		i += n;
	}
	return i;
}

/* The byte length of S without the white space at its end. */
static size_t blank_suffix(struct str s)
{
	while (s.len) {
		size_t n = 1;

		while (n < s.len &&
			((unsigned char)s.ptr[s.len - n] & 0xc0) == 0x80)
			n++;
		if (!utf8_is_blank(s.ptr + s.len - n, n))
			break;
		s.len -= n;
	}
	return s.len;
}

static struct str trim(struct str s)
{
	size_t n = blank_prefix(s);

	s.ptr += n;
	s.len -= n;
	s.len = blank_suffix(s);
	return s;
}

/* Cuts OUT to SUMMARY_MAX code points, the last of them an ellipsis. */
static void cut(struct strbuf *out)
{
	if (utf8_points(out->buf, out->len) <= SUMMARY_MAX)
		return;
	strbuf_setlen(out, utf8_cut(out->buf, out->len, SUMMARY_MAX - 1));
	strbuf_addstr(out, "…");
}

/* Appends SEPARATOR and the first line of ARG that is not blank, if any. */
static void add_line(struct strbuf *out, const char *separator, struct str arg)
{
	struct strbuf clean = STRBUF_INIT;
	struct str line;
	size_t pos = 0;

	while (!str_is_null(arg) && utf8_next_line(arg, &pos, &line)) {
		strbuf_reset(&clean);
		add_clean(&clean, line);
		line = trim(strbuf_str(&clean));
		if (!line.len)
			continue;
		strbuf_addstr(out, separator);
		strbuf_adds(out, line);
		break;
	}
	strbuf_release(&clean);
}

void summary_make(struct strbuf *out, const char *prefix, struct str arg)
{
	strbuf_reset(out);
	add_clean(out, str_of(prefix));
	add_line(out, ": ", arg);
	cut(out);
}

void summary_line(struct strbuf *out, struct str arg)
{
	strbuf_reset(out);
	add_line(out, "", arg);
}

void summary_short(struct strbuf *out, struct str arg)
{
	summary_line(out, arg);
	cut(out);
}

struct str summary_relative(struct str path, struct str cwd)
{
	if (str_is_null(path) || str_is_null(cwd))
		return path;
	while (cwd.len && cwd.ptr[cwd.len - 1] == '/')
		cwd.len--;
	if (path.len < cwd.len || memcmp(path.ptr, cwd.ptr, cwd.len) != 0)
		return path;
	if (path.len == cwd.len)
		return cwd.len ? str_of(".") : path;
	if (path.ptr[cwd.len] != '/')
		return path;
	path.ptr += cwd.len;
	path.len -= cwd.len;
	while (path.len && path.ptr[0] == '/') {
		path.ptr++;
		path.len--;
	}
	return path.len ? path : str_of(".");
}

void summary_path(
	struct strbuf *out, const char *prefix, struct str path, struct str cwd)
{
	summary_make(out, prefix, summary_relative(path, cwd));
}

void summary_tool(struct strbuf *out, struct str name, struct str arg,
	bool is_path, struct str cwd)
{
	struct strbuf prefix = STRBUF_INIT;

	strbuf_adds(&prefix, name);
	if (is_path)
		summary_path(out, prefix.buf, arg, cwd);
	else
		summary_make(out, prefix.buf, arg);
	strbuf_release(&prefix);
}

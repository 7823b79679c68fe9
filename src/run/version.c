#include "config.h"

#include "run/version.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/i18n.h"
#include "base/log.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_version_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+';
}

/* A program that takes no --version may print its JSON instead, where any
 * number means something else. */
static bool is_json(struct str text)
{
	size_t i = 0;

	while (i < text.len && memchr(" \t\r\n", text.ptr[i], 4))
		i++;
	return i < text.len && text.ptr[i] == '{';
}

/* The first word in TEXT that begins as N.N, a "v" before it left out. */
static struct str find_version(struct str text)
{
	if (is_json(text))
		return str_null();
	for (size_t i = 0; i < text.len; i++) {
		size_t end = i;
		size_t dot;

		if (!is_digit(text.ptr[i]))
			continue;
		if (i > 0 && is_version_char(text.ptr[i - 1]) &&
			text.ptr[i - 1] != 'v')
			continue;
		while (end < text.len && is_digit(text.ptr[end]))
			end++;
		dot = end;
		if (dot + 1 >= text.len || text.ptr[dot] != '.' ||
			!is_digit(text.ptr[dot + 1]))
			continue;
		while (end < text.len && is_version_char(text.ptr[end]))
			end++;
		while (!is_digit(text.ptr[end - 1]) &&
			strchr(".-+", text.ptr[end - 1]))
			end--;
		return (struct str){text.ptr + i, end - i};
	}
	return str_null();
}

int version_read(struct loop *loop, const char *program, char *const *envp,
	struct strbuf *out, struct err *err)
{
	char *argv[] = {(char *)program, (char *)"--version", NULL};
	struct child_spec spec = {.path = program,
		.argv = argv,
		.envp = envp,
		.timeout_ms = VERSION_TIMEOUT_MS};
	struct strbuf text = STRBUF_INIT;
	struct strbuf errs = STRBUF_INIT;
	struct str version;
	int status;
	int ret = -1;

	if (child_collect(loop, &spec, &text, &errs, &status, err) < 0) {
		err_prefix(err, N_("cannot tell the version of '%s'"), program);
		goto done;
	}
	version = find_version(strbuf_str(&text));
	if (str_is_null(version) && WIFEXITED(status) &&
		WEXITSTATUS(status) == 0)
		version = find_version(strbuf_str(&errs));
	if (str_is_null(version)) {
		err_set(err, AR_ESTART,
			N_("'%s --version' did not tell its version"), program);
		goto done;
	}
	strbuf_adds(out, version);
	ret = 0;
done:
	strbuf_release(&text);
	strbuf_release(&errs);
	return ret;
}

/* The next identifier of *S, up to a '.'; the rest stays in *S. */
static struct str next_part(struct str *s)
{
	const char *dot = memchr(s->ptr, '.', s->len);
	struct str part = {s->ptr, dot ? (size_t)(dot - s->ptr) : s->len};
	size_t used = dot ? part.len + 1 : part.len;

	s->ptr += used;
	s->len -= used;
	return part;
}

static bool is_number(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_digit(s.ptr[i]))
			return false;
	return true;
}

/* Numbers of any length; an empty one is 0. */
static int compare_numbers(struct str a, struct str b)
{
	while (a.len && *a.ptr == '0') {
		a.ptr++;
		a.len--;
	}
	while (b.len && *b.ptr == '0') {
		b.ptr++;
		b.len--;
	}
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return a.len ? memcmp(a.ptr, b.ptr, a.len) : 0;
}

static int compare_words(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.ptr, b.ptr, n) : 0;

	if (c)
		return c;
	return a.len < b.len ? -1 : a.len > b.len;
}

/* Pre-releases: numbers come before words, more parts after fewer. */
static int compare_pre(struct str a, struct str b)
{
	while (a.len || b.len) {
		struct str x;
		struct str y;
		int c;

		if (!a.len || !b.len)
			return a.len ? 1 : -1;
		x = next_part(&a);
		y = next_part(&b);
		if (is_number(x) && is_number(y))
			c = compare_numbers(x, y);
		else if (is_number(x) != is_number(y))
			c = is_number(x) ? -1 : 1;
		else
			c = compare_words(x, y);
		if (c)
			return c;
	}
	return 0;
}

/* Cuts S at the first of "+" (dropped) and "-" (what follows goes to *PRE). */
static struct str split_version(const char *text, struct str *pre)
{
	struct str s = {text, strcspn(text, "+")};
	const char *dash = memchr(s.ptr, '-', s.len);

	*pre = str_null();
	if (dash) {
		pre->ptr = dash + 1;
		pre->len = (size_t)(s.ptr + s.len - pre->ptr);
		s.len = (size_t)(dash - s.ptr);
	}
	return s;
}

int version_compare(const char *a, const char *b)
{
	struct str pre_a;
	struct str pre_b;
	struct str x = split_version(a, &pre_a);
	struct str y = split_version(b, &pre_b);

	while (x.len || y.len) {
		int c = compare_numbers(next_part(&x), next_part(&y));

		if (c)
			return c;
	}
	if (!pre_a.ptr || !pre_b.ptr)
		return !pre_a.ptr - !pre_b.ptr; /* the release is newer */
	return compare_pre(pre_a, pre_b);
}

int runtime_version_check(struct loop *loop, const struct runtime_ops *ops,
	const char *program, char *const *envp, struct err *err)
{
	struct strbuf found = STRBUF_INIT;
	struct err unknown = ERR_INIT;
	int ret = 0;

	if (!ops->version_min)
		return 0;
	/* Only a version known to be too old is refused: one that does not
	 * tell may well do, and fails with its own words if not. */
	if (version_read(loop, program, envp, &found, &unknown) < 0) {
		log_debug("%s", unknown.msg);
		if (loop_stopped(loop)) {
			*err = unknown;
			ret = -1;
		}
	} else if (version_compare(found.buf, ops->version_min) < 0) {
		ret = err_set(err, AR_ESTART,
			N_("'%s' is %s %s, but version %s or newer is needed. "
			   "Get it with: %s"),
			program, ops->name, found.buf, ops->version_min,
			ops->install);
	}
	strbuf_release(&found);
	return ret;
}

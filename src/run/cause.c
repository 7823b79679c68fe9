#include "config.h"

#include "run/cause.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"

#define LOOK_MAX ((size_t)300)      /* of a line, for its level */
#define NODE_LINES_MAX ((size_t)10) /* of one warning of node */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* "(node:123) ": what follows it, or NULL. */
static const char *behind_node(const char *s)
{
	size_t n;

	if (strncmp(s, "(node:", 6) != 0)
		return NULL;
	n = strspn(s + 6, "0123456789");
	return n && strncmp(s + 6 + n, ") ", 2) == 0 ? s + 8 + n : NULL;
}

/* What node says behind the first warning of a process. */
static bool ends_node_warning(const char *s)
{
	return strncmp(s, "(Use `", 6) == 0 && strstr(s, " --trace-");
}

/* "warning:", "DeprecationWarning:": a word that ends so, and a colon. */
static bool is_warning_word(const char *s)
{
	size_t n = 0;

	while (is_letter(s[n]))
		n++;
	return s[n] == ':' && n >= 7 &&
	       strncasecmp(s + n - 7, "warning", 7) == 0;
}

/* The level of a log line: "WARN ", "warning:", "Warn]". The bare word must be
 * in capitals: "warn" may begin a sentence. */
static bool is_level(const char *s)
{
	bool capitals = strncmp(s, "WARN", 4) == 0;
	size_t n = strncasecmp(s, "warning", 7) == 0 ? 7
		   : strncasecmp(s, "warn", 4) == 0  ? 4
						     : 0;

	if (!n)
		return false;
	return s[n] ? strchr(":]!)|", s[n]) || (capitals && strchr(" \t", s[n]))
		    : capitals;
}

/* "npm warn deprecated ...", "npm notice" */
static bool is_package_manager(const char *s)
{
	static const char *const names[] = {"npm ", "pnpm ", "yarn ", "npx "};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);
		const char *word = s + n;

		if (strncmp(s, names[i], n) != 0)
			continue;
		word = skip_blanks(word);
		return strncasecmp(word, "warn", 4) == 0 ||
		       strncasecmp(word, "notice", 6) == 0;
	}
	return false;
}

/* A level behind the time: "2026-12-01T01:02:03Z  WARN codex_core: ...",
 * "[12:01:02] [warn] ..." */
static bool is_timed(const char *s)
{
	for (int i = 0; i < 3; i++) {
		const char *word = s + (*s == '[');

		if (is_level(word))
			return true;
		if (!is_digit(*word))
			return false;
		s = skip_blanks(word + strcspn(word, " \t"));
	}
	return is_level(s + (*s == '['));
}

/* A warning about something: "git: warning: ...", "x.c:3:5: warning: ...",
 * "/x.py:12: DeprecationWarning: ...". An error that speaks of one is none. */
static bool is_about(const char *s)
{
	const char *at = s;

	while (!is_warning_word(at)) {
		const char *next = strstr(at, ": ");

		if (!next)
			return false;
		for (; at < next; at++)
			if (strncasecmp(at, "error", 5) == 0)
				return false;
		at = skip_blanks(next + 1);
	}
	return true;
}

/* LINE without blanks and a sign like U+26A0 before it. */
static const char *skip_sign(const char *line)
{
	const char *s = skip_blanks(line);
	const char *end = s;

	while (*end & 0x80)
		end++;
	return *end == ' ' ? skip_blanks(end) : s;
}

/* LINE is cleaned: no escape sequences, what a CR has overwritten is gone. */
static bool is_warning(const char *line)
{
	const char *s = skip_sign(line);
	const char *node = behind_node(s);

	if (node && *node == '[') {
		node += strcspn(node, "]");
		node = skip_blanks(node + (*node == ']'));
	}
	return (node && is_warning_word(node)) || ends_node_warning(s) ||
	       is_package_manager(s) || is_timed(s) || is_about(s) ||
	       strstr(s, "level=warn");
}

struct sorter {
	struct strbuf drop; /* for each line 'y' or 'n' */
	struct strbuf line; /* the one at hand, cleaned */
	bool in_warning;
	bool in_node;
	size_t node_at; /* the line where it began */
};

/* Looks at one more line, without its newline. */
static void sort_line(struct sorter *s, struct str line)
{
	bool warning;

	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;
	strbuf_reset(&s->line);
	utf8_display(&s->line, line.ptr, line.len, UTF8_STDERR, 1);
	if (s->line.len > LOOK_MAX)
		strbuf_setlen(&s->line, LOOK_MAX);
	warning = is_warning(s->line.buf);
	if (utf8_is_blank(s->line.buf, s->line.len))
		s->in_warning = false;
	else if (warning || s->line.buf[0] != ' ')
		s->in_warning = warning;
	strbuf_addch(&s->drop, s->in_warning ? 'y' : 'n');
	/* A warning of node may have several lines; its own last one tells. */
	if (s->in_node && ends_node_warning(s->line.buf) &&
		s->drop.len - s->node_at <= NODE_LINES_MAX)
		memset(s->drop.buf + s->node_at, 'y', s->drop.len - s->node_at);
	if (warning) {
		s->in_node = behind_node(s->line.buf) != NULL;
		s->node_at = s->drop.len - 1;
	}
}

/* The next line of TEXT at *POS, its newline included. */
static bool next_line(const struct strbuf *text, size_t *pos, struct str *line)
{
	const char *at = text->buf + *pos;
	size_t left = text->len - *pos;
	const char *nl = left ? memchr(at, '\n', left) : NULL;

	*line = (struct str){at, nl ? (size_t)(nl + 1 - at) : left};
	*pos += line->len;
	return left > 0;
}

/* Appends the lines of TEXT that are no warnings. Returns whether some were. */
static bool without_warnings(const struct strbuf *text, struct strbuf *out)
{
	struct sorter s = {.drop = STRBUF_INIT, .line = STRBUF_INIT};
	struct str line;
	size_t pos = 0;
	size_t n = 0;
	bool some;

	while (next_line(text, &pos, &line)) {
		line.len -= line.ptr[line.len - 1] == '\n';
		sort_line(&s, line);
	}
	some = s.drop.len && memchr(s.drop.buf, 'y', s.drop.len);
	for (pos = 0; next_line(text, &pos, &line); n++)
		if (s.drop.buf[n] == 'n')
			strbuf_adds(out, line);
	strbuf_release(&s.drop);
	strbuf_release(&s.line);
	return some;
}

static void drop_blank_lines(struct strbuf *text)
{
	struct str line;
	size_t from = 0;
	size_t pos = 0;
	size_t to = 0;

	while (next_line(text, &pos, &line)) {
		if (!utf8_is_blank(line.ptr, line.len))
			to = pos;
		else if (to == 0)
			from = pos;
	}
	strbuf_setlen(text, to);
	strbuf_drop(text, from < to ? from : to);
}

/* Cuts TEXT to its last lines that fit; a longer line to its end. */
static void keep_last(struct strbuf *text)
{
	size_t left = utf8_points(text->buf, text->len);
	struct str line;
	size_t pos = 0;

	if (left <= CAUSE_POINTS)
		return;
	while (left > CAUSE_POINTS && next_line(text, &pos, &line))
		left -= utf8_points(line.ptr, line.len);
	if (!utf8_is_blank(text->buf + pos, text->len - pos)) {
		strbuf_drop(text, pos);
		drop_blank_lines(text);
		return;
	}
	drop_blank_lines(text);
	for (pos = text->len, left = 0; pos > 0 && left < CAUSE_POINTS; pos--)
		left += (text->buf[pos - 1] & 0xc0) != 0x80;
	strbuf_drop(text, pos);
}

void cause_find(struct str text, bool cut, struct strbuf *out)
{
	struct strbuf all = STRBUF_INIT;
	struct strbuf rest = STRBUF_INIT;
	const char *nl = cut ? memchr(text.ptr, '\n', text.len) : NULL;

	if (nl && nl + 1 < text.ptr + text.len) {
		text.len -= (size_t)(nl + 1 - text.ptr);
		text.ptr = nl + 1;
	}
	utf8_repair(&all, text.ptr, text.len);
	if (without_warnings(&all, &rest))
		drop_blank_lines(&rest);
	keep_last(&rest);
	strbuf_adds(out, strbuf_str(&rest));
	strbuf_release(&all);
	strbuf_release(&rest);
}

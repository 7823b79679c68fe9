#include "config.h"

#include "sandbox/git-config.h"

#include <stdbool.h>
#include <string.h>

struct parser {
	const char *at;
	const char *end;
	struct strbuf section; /* with its subsection */
	struct strbuf key;
	struct strbuf value;
};

/* The next character, -1 at the end. CR LF is LF. */
static int peek(const struct parser *p)
{
	if (p->at == p->end)
		return -1;
	if (*p->at == '\r' && p->at + 1 < p->end && p->at[1] == '\n')
		return '\n';
	return (unsigned char)*p->at;
}

static int next(struct parser *p)
{
	int c = peek(p);

	if (c == '\n' && *p->at == '\r')
		p->at++;
	if (c >= 0)
		p->at++;
	return c;
}

static bool is_alpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(int c)
{
	return is_alpha(c) || (c >= '0' && c <= '9') || c == '-';
}

static char lower(int c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void skip_blanks(struct parser *p)
{
	while (is_blank(peek(p)))
		(void)next(p);
}

static void skip_line(struct parser *p)
{
	int c;

	while ((c = next(p)) >= 0 && c != '\n')
		continue;
}

/* Behind "[": the name, and in quotes the subsection. False: badly written. */
static bool read_section(struct parser *p)
{
	int c;

	strbuf_reset(&p->section);
	while (is_name(peek(p)) || peek(p) == '.')
		strbuf_addch(&p->section, lower(next(p)));
	if (peek(p) == ']') {
		(void)next(p);
		return true;
	}
	skip_blanks(p);
	if (peek(p) != '"')
		return false;
	(void)next(p);
	strbuf_addch(&p->section, '.');
	while ((c = peek(p)) >= 0 && c != '\n') {
		(void)next(p);
		if (c == '"' && peek(p) != ']')
			return false;
		if (c == '"') {
			(void)next(p);
			return true;
		}
		if (c == '\\' && peek(p) >= 0 && peek(p) != '\n')
			c = next(p);
		if (c == '\0')
			return false; /* it would end the name */
		strbuf_addch(&p->section, (char)c);
	}
	return false;
}

/* The character behind a backslash; 0: none that git knows. */
static char unescape(int c)
{
	switch (c) {
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case 'n':
		return '\n';
	case '\\':
	case '"':
		return (char)c;
	default:
		return '\0';
	}
}

/* Behind "=": up to the end of the line, or of the last line of several. */
static bool read_value(struct parser *p)
{
	bool quoted = false;
	size_t keep = 0; /* blanks behind it may go */
	int c;

	skip_blanks(p);
	while ((c = peek(p)) >= 0 && c != '\n') {
		if (!quoted && (c == ';' || c == '#'))
			break;
		(void)next(p);
		if (c == '"') {
			quoted = !quoted;
		} else if (c == '\\' && peek(p) == '\n') {
			(void)next(p);
			continue;
		} else if (c == '\\') {
			c = unescape(peek(p));
			if (!c)
				return false;
			(void)next(p);
			strbuf_addch(&p->value, (char)c);
		} else {
			strbuf_addch(&p->value, (char)c);
			if (!quoted && is_blank(c))
				continue;
		}
		keep = p->value.len;
	}
	strbuf_setlen(&p->value, keep);
	skip_line(p);
	return true;
}

static bool read_variable(struct parser *p)
{
	strbuf_reset(&p->key);
	strbuf_reset(&p->value);
	strbuf_adds(&p->key, strbuf_str(&p->section));
	strbuf_addch(&p->key, '.');
	while (is_name(peek(p)))
		strbuf_addch(&p->key, lower(next(p)));
	while (peek(p) == ' ' || peek(p) == '\t')
		(void)next(p);
	if (peek(p) == '\n' || peek(p) < 0)
		return true;
	if (peek(p) != '=')
		return false;
	(void)next(p);
	return read_value(p);
}

void git_config_each(struct str text, git_config_fn *fn, void *arg)
{
	struct parser p = {text.ptr, text.ptr + text.len, STRBUF_INIT,
		STRBUF_INIT, STRBUF_INIT};
	bool good = true;
	int c;

	if (str_starts(text, "\xef\xbb\xbf"))
		p.at += 3;
	while ((c = peek(&p)) >= 0) {
		if (c == '\n' || is_blank(c)) {
			(void)next(&p);
		} else if (c == '#' || c == ';') {
			skip_line(&p);
		} else if (c == '[') {
			(void)next(&p);
			good = read_section(&p);
		} else {
			good = is_alpha(c) && read_variable(&p);
			if (good)
				fn(arg, p.key.buf, p.value.buf);
		}
		if (!good)
			skip_line(&p);
		good = true;
	}
	strbuf_release(&p.section);
	strbuf_release(&p.key);
	strbuf_release(&p.value);
}

#include "config.h"

#include "runtime/codex-script.h"

#include <stdbool.h>
#include <string.h>

/* Reads one word of a POSIX shell command from S at *POS into OUT (appended).
 * Returns 1, 0 at the end, -1 for a quote that is not closed. */
static int shell_word(struct str s, size_t *pos, struct strbuf *out)
{
	char quote = '\0';
	size_t i = *pos;

	while (i < s.len && strchr(" \t\n", s.ptr[i]) && s.ptr[i])
		i++;
	if (i == s.len)
		return 0;
	for (; i < s.len; i++) {
		char c = s.ptr[i];

		if (quote ? c == quote : (c == '\'' || c == '"')) {
			quote = quote ? '\0' : c;
		} else if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
			break;
		} else if (c == '\\' && quote != '\'' && i + 1 < s.len &&
			   (!quote ||
				   (s.ptr[i + 1] &&
					   strchr("\"\\$`", s.ptr[i + 1])))) {
			strbuf_addch(out, s.ptr[++i]);
		} else {
			strbuf_addch(out, c);
		}
	}
	*pos = i;
	return quote ? -1 : 1;
}

static bool is_shell(struct str word)
{
	size_t base = word.len;

	while (base > 0 && word.ptr[base - 1] != '/')
		base--;
	word.ptr += base;
	word.len -= base;
	return str_is(word, "bash") || str_is(word, "sh") ||
	       str_is(word, "zsh");
}

struct str codex_script(struct str command, struct strbuf *scratch)
{
	size_t pos = 0;

	strbuf_reset(scratch);
	if (shell_word(command, &pos, scratch) != 1 ||
		!is_shell(strbuf_str(scratch)))
		return command;
	strbuf_reset(scratch);
	if (shell_word(command, &pos, scratch) != 1 ||
		(strcmp(scratch->buf, "-lc") != 0 &&
			strcmp(scratch->buf, "-c") != 0))
		return command;
	strbuf_reset(scratch);
	if (shell_word(command, &pos, scratch) != 1)
		return command;
	while (pos < command.len)
		if (!strchr(" \t\n", command.ptr[pos++]))
			return command; /* a fourth word */
	return strbuf_str(scratch);
}

#include "config.h"

#include "ui/keys.h"

#include <string.h>
#include <unistr.h>

#include "base/i18n.h"

enum group {
#define X(id, title) GROUP_##id,
	UI_KEY_GROUPS(X)
#undef X
};

struct row {
	enum ui_request request;
	enum group group;
	const char *keys;
	const char *help;
};

static const struct row table[] = {
#define X(id, group, keys, help) {REQ_##id, GROUP_##group, keys, help},
	UI_KEYS(X)
#undef X
};

static const char *const groups[] = {
#define X(id, title) title,
	UI_KEY_GROUPS(X)
#undef X
};

static const struct {
	uint32_t key;
	const char *name;
} special[] = {
	{UIKEY_UP, "Up"},
	{UIKEY_DOWN, "Down"},
	{UIKEY_LEFT, "Left"},
	{UIKEY_RIGHT, "Right"},
	{UIKEY_PGUP, "PgUp"},
	{UIKEY_PGDN, "PgDn"},
	{UIKEY_HOME, "Home"},
	{UIKEY_END, "End"},
	{UIKEY_ENTER, "Enter"},
	{UIKEY_ESC, "Esc"},
	{UIKEY_TAB, "Tab"},
	{UIKEY_BTAB, "S-Tab"},
	{UIKEY_BACKSPACE, "Backspace"},
	{UIKEY_F1, "F1"},
	{' ', "Space"},
};

void keys_name(struct strbuf *out, uint32_t key)
{
	uint8_t buf[8];
	int n;
	size_t i;

	for (i = 0; i < sizeof(special) / sizeof(special[0]); i++) {
		if (special[i].key != key)
			continue;
		strbuf_addstr(out, special[i].name);
		return;
	}
	if (key < 0x20) {
		strbuf_addch(out, '^');
		strbuf_addch(out, (char)(key + '@'));
		return;
	}
	n = key > KEY_FIRST_SPECIAL ? -1 : u8_uctomb(buf, key, sizeof(buf));
	if (n > 0)
		strbuf_add(out, (const char *)buf, (size_t)n);
	else
		strbuf_addch(out, '?');
}

/* Whether the word NAME stands in the list KEYS. */
static bool has_word(const char *keys, struct str name)
{
	while (*keys) {
		size_t n = strcspn(keys, " ");

		if (n == name.len && memcmp(keys, name.ptr, n) == 0)
			return true;
		keys += n;
		keys += *keys == ' ';
	}
	return false;
}

enum ui_request keys_request(uint32_t key)
{
	struct strbuf name = STRBUF_INIT;
	enum ui_request found = REQ_NONE;
	size_t i;

	if (key >= UIKEY_WHEEL_UP)
		return REQ_NONE;
	keys_name(&name, key);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!has_word(table[i].keys, strbuf_str(&name)))
			continue;
		found = table[i].request;
		break;
	}
	strbuf_release(&name);
	return found;
}

void keys_each(keys_row_fn *fn, void *arg)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!i || table[i].group != table[i - 1].group)
			fn(arg, NULL, _(groups[table[i].group]));
		fn(arg, table[i].keys, _(table[i].help));
	}
}

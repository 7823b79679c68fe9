#include "config.h"

#include "tests/check-main.h"

#include "base/strbuf.h"
#include "sandbox/git-config.h"

static void on_variable(void *arg, const char *key, const char *value)
{
	strbuf_addf(arg, "%s=%s;", key, value);
}

/* What git itself gives for these (git config --list), errors aside. */
static const struct {
	const char *text;
	const char *want;
} cases[] = {
	{"", ""},
	{"[core]\n\tbare = false\n", "core.bare=false;"},
	{"[CORE]\nHooksPath = a\n", "core.hookspath=a;"},
	{"[core] hooksPath=a", "core.hookspath=a;"},
	{"[core]hooksPath = a\r\n\tb = c\r\n", "core.hookspath=a;core.b=c;"},
	{"[a \"B.c \\\" \\\\\"]\nk = v\n", "a.B.c \" \\.k=v;"},
	{"[a.B]\nk = v\n", "a.b.k=v;"},
	{"[a]\nk\n", "a.k=;"},
	{"[a]\nk =\n", "a.k=;"},
	{"[a]\nk = x y  # z\n", "a.k=x y;"},
	{"[a]\nk = x;y\n", "a.k=x;"},
	{"[a]\nk = \"x;y \" z\n", "a.k=x;y  z;"},
	{"[a]\nk = x\\\n  y\nl = z\n", "a.k=x  y;a.l=z;"},
	{"[a]\nk = \\t\\n\\\\\\\"\n", "a.k=\t\n\\\";"},
	{"; x\n# y\n[a] # z\nk = v\n", "a.k=v;"},
	{"\xef\xbb\xbf[a]\nk = v\n", "a.k=v;"},
	{"[a]\nk = v\n[b]\nk = v", "a.k=v;b.k=v;"},
	/* errors: what follows is still read */
	{"[a\nk = v\n[b]\nk = v\n", "a.k=v;b.k=v;"},
	{"[a \"b\n]\nk = v\n[c]\nk = v\n", "a.b.k=v;c.k=v;"},
	{"[a]\n1 = x\nk = v\n", "a.k=v;"},
	{"[a]\nk v\nl = w\n", "a.l=w;"},
	{"[a]\nk = \\x\nl = w\n", "a.l=w;"},
	{"[a]\nk = \"x\nl = w\n", "a.k=x;a.l=w;"},
};

START_TEST(variables)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf got = STRBUF_INIT;

		git_config_each(str_of(cases[i].text), on_variable, &got);
		ck_assert_msg(strcmp(got.buf, cases[i].want) == 0,
			"'%s' gives '%s', not '%s'", cases[i].text, got.buf,
			cases[i].want);
		strbuf_release(&got);
	}
}
END_TEST

CHECK_MAIN("git-config", variables)

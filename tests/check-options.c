#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "options.h"

#include "check-main.h"

#define WORDS_MAX 16

static struct options o;
static struct err err;

/* Parses "agentrun WORD...", split at single blanks. */
static int parse_on(bool tty, const char *line)
{
	static char copy[1024];
	static char *argv[WORDS_MAX];
	int argc = 1;
	char *p = copy;

	ck_assert(strlen(line) < sizeof(copy));
	memcpy(copy, line, strlen(line) + 1);
	argv[0] = (char *)"agentrun";
	while (*p) {
		ck_assert(argc < WORDS_MAX - 1);
		argv[argc++] = p;
		p += strcspn(p, " ");
		if (*p)
			*p++ = '\0';
	}
	argv[argc] = NULL;
	options_release(&o);
	options_init(&o);
	err = (struct err)ERR_INIT;
	return options_parse(&o, argc, argv, tty, &err);
}

static int parse(const char *line)
{
	return parse_on(false, line);
}

#define good(line) ck_assert_msg(parse(line) == 0, "%s: %s", line, err.msg)

/* Must be refused with a message that holds WHAT. */
#define bad(line, what)                                                    \
	do {                                                               \
		ck_assert_msg(parse(line) < 0, "accepted: %s", line);      \
		ck_assert_int_eq(err.code, AR_EUSAGE);                     \
		ck_assert_msg(                                             \
			strstr(err.msg, what), "%s: '%s'", line, err.msg); \
	} while (0)

START_TEST(defaults)
{
	good("claude-code");
	ck_assert_int_eq(o.command, COMMAND_RUN);
	ck_assert_str_eq(o.run.runtime->name, "claude-code");
	ck_assert_int_eq(o.format, FORMAT_JSONL);
	ck_assert_int_eq(o.run.sandbox, SANDBOX_ON);
	ck_assert_int_eq(o.run.network, RUNTIME_NETWORK_NONE);
	ck_assert_int_eq(o.stay, STAY_AUTO);
	ck_assert_ptr_null(o.run.prompt);
	ck_assert_int_eq(o.run.timeout_ms, 0);
}
END_TEST

START_TEST(forms)
{
	good("codex --cwd /tmp -p hi --model=x");
	ck_assert_str_eq(o.run.cwd, "/tmp");
	ck_assert_str_eq(o.run.prompt, "hi");
	ck_assert_str_eq(o.run.model, "x");
	good("codex -C/tmp -mx");
	ck_assert_str_eq(o.run.cwd, "/tmp");
	ck_assert_str_eq(o.run.model, "x");
	good("codex --prompt=a=b");
	ck_assert_str_eq(o.run.prompt, "a=b");
	/* before and after the operand */
	good("--format text claude-code --headless");
	ck_assert_str_eq(o.runtime, "claude-code");
	ck_assert_int_eq(o.format, FORMAT_TEXT);
	ck_assert(o.headless);
	good("pi --prompt=");
	ck_assert_str_eq(o.run.prompt, "");
}
END_TEST

START_TEST(abbreviations)
{
	good("pi --time 3");
	ck_assert_int_eq(o.run.timeout_ms, 3000);
	/* unique among the options of a run, though not among all */
	good("pi --fo text");
	ck_assert_int_eq(o.format, FORMAT_TEXT);
	good("--fo text pi");
	ck_assert_int_eq(o.format, FORMAT_TEXT);
	ck_assert_str_eq(o.runtime, "pi");
	bad("pi --max 3", "'--max' is ambiguous: --max-turns --max-tokens");
	/* one that is complete is not ambiguous */
	good("pi --prompt x");
	good("pi --env A=b --env-file x");
	ck_assert_str_eq(o.run.env.v[0], "eA=b");
	ck_assert_str_eq(o.run.env.v[1], "fx");
}
END_TEST

START_TEST(rest_goes_to_the_runtime)
{
	good("dsh -p x -- --format text -p -- y");
	ck_assert_int_eq(o.run.runtime_args.count, 5);
	ck_assert_str_eq(o.run.runtime_args.v[0], "--format");
	ck_assert_str_eq(o.run.runtime_args.v[3], "--");
	ck_assert_int_eq(o.format, FORMAT_JSONL);
	bad("dsh word", "unexpected argument 'word'");
	good("view -- -p");
	ck_assert_str_eq(o.operands.v[0], "-p");
	good("view -");
	ck_assert_str_eq(o.operands.v[0], "-");
}
END_TEST

START_TEST(unknown_things)
{
	bad("claude-code --bogus", "unknown option '--bogus'");
	bad("claude-code --bogus=x", "unknown option '--bogus'");
	bad("claude-code -x", "unknown option '-x'");
	bad("claude-code --headless=yes", "'--headless' takes no value");
	bad("claude-code --cwd", "'--cwd' needs a value");
	bad("claude-code -C", "'-C' needs a value");
	bad("claude-code --follow",
		"'--follow' does not belong to 'agentrun RUNTIME'");
	bad("view --prompt x", "'--prompt' does not belong to 'agentrun view'");
	bad("claude", "unknown runtime 'claude'; choose one of claude-code");
	bad("", "which runtime?");
	bad("--headless", "which runtime?");
	bad("view --from x", "unknown runtime 'x'");
	bad("doctor x", "unknown runtime 'x'");
	bad("demo x", "unexpected argument 'x'");
	ck_assert_int_eq(o.command, COMMAND_DEMO);
}
END_TEST

START_TEST(counts)
{
	good("pi --max-turns 1 --max-tokens 9223372036854775807");
	ck_assert(o.run.max_turns == 1 && o.run.max_tokens == INT64_MAX);
	bad("pi --max-turns 0", "--max-turns must be a whole number");
	bad("pi --max-turns -1", "not '-1'");
	bad("pi --max-turns 1.5", "not '1.5'");
	bad("pi --max-turns=", "not ''");
	bad("pi --max-turns 3x", "not '3x'");
	bad("pi --max-turns +3", "not '+3'");
	bad("pi --max-tokens 9223372036854775808", "whole number");
	bad("pi --max-tokens 0x10", "whole number");
}
END_TEST

START_TEST(decimals)
{
	good("pi --timeout 0.5 --max-usd 0.50");
	ck_assert_int_eq(o.run.timeout_ms, 500);
	ck_assert_str_eq(o.run.timeout_text, "0.5");
	ck_assert_str_eq(o.run.max_usd_text, "0.50");
	ck_assert(o.run.max_usd > 0.49 && o.run.max_usd < 0.51);
	good("pi --timeout .0001");
	ck_assert_int_eq(o.run.timeout_ms, 1);
	good("pi --timeout 2.");
	ck_assert_int_eq(o.run.timeout_ms, 2000);
	good("pi --timeout 99999999999999999999999");
	ck_assert(o.run.timeout_ms > INT64_C(1) << 40);
	bad("pi --timeout 0", "--timeout must be a number of seconds above 0");
	bad("pi --timeout 0.0", "not '0.0'");
	bad("pi --timeout -1", "not '-1'");
	bad("pi --timeout 1e3", "not '1e3'");
	bad("pi --timeout inf", "not 'inf'");
	bad("pi --timeout nan", "not 'nan'");
	bad("pi --timeout .", "not '.'");
	bad("pi --timeout 1,5", "not '1,5'");
	bad("pi --timeout 5s", "not '5s'");
	bad("pi --max-usd 0", "--max-usd must be an amount above 0");
	bad("pi --max-usd $1", "not '$1'");
}
END_TEST

START_TEST(words)
{
	good("codex --sandbox native");
	ck_assert_int_eq(o.run.sandbox, SANDBOX_NATIVE);
	good("codex --sandbox=relax --network full");
	ck_assert_int_eq(o.run.sandbox, SANDBOX_RELAX);
	ck_assert_int_eq(o.run.network, RUNTIME_NETWORK_FULL);
	bad("codex --sandbox On",
		"--sandbox must be one of on|relax|off|native, not 'On'");
	bad("codex --network some", "--network must be one of");
	bad("codex --format json", "--format must be one of jsonl|text|rich");
	bad("codex --format=", "not ''");
	bad("codex --cwd=", "--cwd must not be empty");
}
END_TEST

START_TEST(rules_between_options)
{
	bad("pi -p x --prompt-file y", "exclude each other");
	bad("pi --prompt-file y -p x", "exclude each other");
	bad("pi --resume 1", "--resume needs --session-dir");
	good("pi --resume 1 --session-dir d");
	good("pi --allow-host a.example --allow-host b.example:80");
	ck_assert_int_eq(o.run.network, RUNTIME_NETWORK_CUSTOM);
	ck_assert_int_eq(o.run.allow_host.count, 2);
	good("pi --allow-host localhost:1 --network full");
	ck_assert_int_eq(o.run.network, RUNTIME_NETWORK_FULL);
	bad("pi --allow-host a.example --network none", "contradict");
	bad("pi --network custom", "needs at least one --allow-host");
	bad("pi --env =x", "--env needs KEY");
	bad("export x", "needs --to md or --to html");
	bad("export --to md", "takes one FILE");
	bad("export --to md a b", "takes one FILE");
	good("export --to html -o y x");
	ck_assert_str_eq(o.export_to, "html");
	ck_assert_str_eq(o.out, "y");
}
END_TEST

START_TEST(formats)
{
	ck_assert_int_eq(parse_on(true, "pi"), 0);
	ck_assert_int_eq(o.format, FORMAT_RICH);
	ck_assert_int_eq(parse_on(true, "pi --headless"), 0);
	ck_assert_int_eq(o.format, FORMAT_TEXT);
	ck_assert_int_eq(parse_on(true, "pi --format jsonl"), 0);
	ck_assert_int_eq(o.format, FORMAT_JSONL);
	good("pi --format rich");
	ck_assert_int_eq(o.format, FORMAT_TEXT);
	good("pi --stay --no-stay");
	ck_assert_int_eq(o.stay, STAY_NO);
}
END_TEST

START_TEST(speeds)
{
	good("demo");
	ck_assert(o.speed >= 1 && o.speed <= 1);
	good("demo --speed 0");
	ck_assert(o.speed <= 0);
	good("view x");
	ck_assert(o.speed <= 0);
	good("view --speed 2.5 x");
	ck_assert(o.speed > 2.4 && o.speed < 2.6);
	bad("demo --speed fast", "--speed must be a number");
}
END_TEST

START_TEST(sandbox_from_the_environment)
{
	setenv("AGENTRUN_SANDBOX", "off", 1);
	good("pi");
	ck_assert_int_eq(o.run.sandbox, SANDBOX_OFF);
	good("pi --sandbox relax");
	ck_assert_int_eq(o.run.sandbox, SANDBOX_RELAX);
	setenv("AGENTRUN_SANDBOX", "", 1);
	good("pi");
	ck_assert_int_eq(o.run.sandbox, SANDBOX_ON);
	setenv("AGENTRUN_SANDBOX", "no", 1);
	bad("pi", "AGENTRUN_SANDBOX must be one of");
	good("view x");
	unsetenv("AGENTRUN_SANDBOX");
}
END_TEST

START_TEST(help_and_version)
{
	good("--help");
	ck_assert_int_eq(o.command, COMMAND_HELP);
	ck_assert_int_eq(o.help_for, COMMAND_HELP);
	good("view --help --bogus");
	ck_assert_int_eq(o.help_for, COMMAND_VIEW);
	good("pi --help");
	ck_assert_int_eq(o.command, COMMAND_HELP);
	ck_assert_int_eq(o.help_for, COMMAND_RUN);
	good("--version");
	ck_assert_int_eq(o.command, COMMAND_VERSION);
	bad("pi --bogus --help", "unknown option");
}
END_TEST

/* Every option is in the help of some command, and no line is too wide. */
START_TEST(help_is_complete)
{
	static const enum command all[] = {COMMAND_HELP, COMMAND_RUN,
		COMMAND_VIEW, COMMAND_EXPORT, COMMAND_DOCTOR, COMMAND_DEMO};
	struct strbuf list = STRBUF_INIT;
	struct strbuf help = STRBUF_INIT;
	const char *p;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		options_help(&help, all[i]);
	options_list(&list);
	for (p = list.buf; *p;) {
		size_t len = strcspn(p, "\n");
		char name[64];

		ck_assert(len < sizeof(name));
		memcpy(name, p, len);
		name[len] = '\0';
		ck_assert_msg(strstr(help.buf, name), "%s", name);
		p += len + 1;
	}
	for (p = help.buf; *p;) {
		size_t len = strcspn(p, "\n");

		ck_assert_msg(len <= 80, "%.*s", (int)len, p);
		p += len + 1;
	}
	strbuf_release(&list);
	strbuf_release(&help);
}
END_TEST

static enum format scan(bool tty, const char *a, const char *b, const char *c)
{
	char *argv[] = {
		(char *)"agentrun", (char *)a, (char *)b, (char *)c, NULL};
	int argc = 1;

	while (argv[argc])
		argc++;
	return options_scan_format(argc, argv, tty);
}

START_TEST(format_scan)
{
	ck_assert_int_eq(scan(false, "--bad", NULL, NULL), FORMAT_JSONL);
	ck_assert_int_eq(scan(true, "--bad", NULL, NULL), FORMAT_TEXT);
	ck_assert_int_eq(scan(false, "--format", "text", NULL), FORMAT_TEXT);
	ck_assert_int_eq(scan(false, "--format=text", "-z", NULL), FORMAT_TEXT);
	ck_assert_int_eq(scan(false, "--format=rich", NULL, NULL), FORMAT_TEXT);
	ck_assert_int_eq(
		scan(true, "--format=jsonl", NULL, NULL), FORMAT_JSONL);
	ck_assert_int_eq(scan(false, "--format=x", NULL, NULL), FORMAT_JSONL);
	ck_assert_int_eq(scan(false, "--", "--format", "text"), FORMAT_JSONL);
	ck_assert_int_eq(scan(false, "--format", NULL, NULL), FORMAT_JSONL);
}
END_TEST

CHECK_MAIN("options", defaults, forms, abbreviations, rest_goes_to_the_runtime,
	unknown_things, counts, decimals, words, rules_between_options, formats,
	speeds, sandbox_from_the_environment, help_and_version,
	help_is_complete, format_scan)

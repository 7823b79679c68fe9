#include "config.h"

#include "option-table.h"

#include <string.h>

#include "base/i18n.h"

#define RUN TAKES_RUN
#define VIEW TAKES_VIEW
#define EXPORT TAKES_EXPORT
#define DOCTOR TAKES_DOCTOR
#define DEMO TAKES_DEMO
#define ALL TAKES_ALL

const struct option_def option_table[OPTION_COUNT] = {
	{OPT_CWD, 'C', "cwd", "DIR", RUN,
		N_("work in DIR (default: the current directory)")},
	{OPT_PROMPT, 'p', "prompt", "TEXT", RUN, N_("the prompt")},
	{OPT_PROMPT_FILE, 0, "prompt-file", "FILE", RUN,
		N_("read the prompt from FILE (default: from stdin)")},
	{OPT_IMAGE, 0, "image", "FILE", RUN,
		N_("a PNG, JPEG, GIF or WebP that goes with the prompt;\n"
		   "repeatable")},
	{OPT_MODEL, 'm', "model", "ID", RUN,
		N_("the model, passed on as it is")},
	{OPT_EFFORT, 0, "effort", "LEVEL", RUN,
		N_("how hard to think, where the runtime has that")},
	{OPT_NO_SUBAGENTS, 0, "no-subagents", NULL, RUN,
		N_("switch subagents off")},
	{OPT_MAX_TURNS, 0, "max-turns", "N", RUN | DEMO,
		N_("stop when the main agent makes more than N model calls")},
	{OPT_MAX_TOKENS, 0, "max-tokens", "N", RUN | DEMO,
		N_("stop at N tokens, cache and subagents included")},
	{OPT_MAX_USD, 0, "max-usd", "X", RUN | DEMO,
		N_("stop at a reported cost of X dollars")},
	{OPT_TIMEOUT, 0, "timeout", "SECONDS", RUN | DEMO,
		N_("stop after SECONDS (a decimal is allowed)")},
	{OPT_SANDBOX, 0, "sandbox", "on|relax|off|native", RUN,
		N_("on: no sandbox, no run (default); relax: without one\n"
		   "when it cannot start; native: codex's own")},
	{OPT_NETWORK, 0, "network", "none|full|custom", RUN,
		N_("hosts the agent reaches: only the model's (default),\n"
		   "every public one, or those of --allow-host")},
	{OPT_ALLOW_HOST, 0, "allow-host", "HOST[:PORT]", RUN,
		N_("allow this host, too; repeatable")},
	{OPT_DENY_READ, 0, "deny-read", "PATH", RUN,
		N_("hide PATH from the agent; repeatable")},
	{OPT_ALLOW_READ, 0, "allow-read", "PATH", RUN,
		N_("drop PATH from the default list of hidden paths;\n"
		   "repeatable")},
	{OPT_ENV, 0, "env", "KEY[=VALUE]", RUN,
		N_("set a variable, or pass the caller's; repeatable")},
	{OPT_ENV_FILE, 0, "env-file", "FILE", RUN,
		N_("set the KEY=VALUE lines of FILE; repeatable")},
	{OPT_INHERIT_ENV, 0, "inherit-env", NULL, RUN,
		N_("pass the caller's whole environment")},
	{OPT_PATH, 0, "path", "DIR", RUN,
		N_("put DIR first in the runtime's PATH; repeatable")},
	{OPT_SESSION_DIR, 0, "session-dir", "DIR", RUN,
		N_("save the session below DIR")},
	{OPT_RESUME, 0, "resume", "ID", RUN,
		N_("go on with session ID of --session-dir")},
	{OPT_FROM, 0, "from", "RUNTIME", VIEW,
		N_("FILE is raw output of RUNTIME, not events")},
	{OPT_FOLLOW, 0, "follow", NULL, VIEW,
		N_("keep reading a file that grows")},
	{OPT_DIR, 0, "dir", "DIR", VIEW, N_("show every *.jsonl in DIR")},
	{OPT_SPEED, 0, "speed", "N", VIEW | DEMO,
		N_("replay N times as fast as it was; 0: at once")},
	{OPT_TO, 0, "to", "md|html", EXPORT, N_("the kind of document")},
	{OPT_OUT, 'o', "out", "FILE", EXPORT,
		N_("write to FILE (default: stdout)")},
	{OPT_JSON, 0, "json", NULL, DOCTOR, N_("print the findings as JSON")},
	{OPT_FORMAT, 0, "format", "jsonl|text|rich", RUN | VIEW | DEMO,
		N_("output (default: rich on a terminal, else jsonl)")},
	{OPT_HEADLESS, 0, "headless", NULL, RUN | VIEW | DEMO,
		N_("never take over the terminal: rich becomes text")},
	{OPT_STAY, 0, "stay", NULL, RUN | VIEW | DEMO,
		N_("the full-screen view stays open at the end")},
	{OPT_NO_STAY, 0, "no-stay", NULL, RUN | VIEW | DEMO,
		N_("the full-screen view leaves at the end")},
	{OPT_COLOR, 0, "color", "auto|dark|light|mono|never", RUN | VIEW | DEMO,
		N_("colours of the full-screen view: for this background,\n"
		   "attributes only, or none of both (default: auto)")},
	{OPT_CHOP, 'S', "chop-long-lines", NULL, RUN | VIEW | DEMO,
		N_("the full-screen view does not wrap lines (key: Z)")},
	{OPT_RAW, 0, "raw", "FILE", RUN | VIEW | EXPORT | DEMO,
		N_("the runtime's stdout, byte for byte: written to FILE;\n"
		   "view and export read details from it (default: the\n"
		   "x.raw.jsonl beside x.jsonl)")},
	{OPT_KEEP_DETAIL, 0, "keep-detail", "SIZE", RUN | VIEW | DEMO,
		N_("the full-screen view keeps so much raw output where\n"
		   "no file has it (default: 1G; 0: none)")},
	{OPT_DETAILS, 0, "details", NULL, EXPORT,
		N_("with inputs and results of tool calls")},
	{OPT_SAVE, 0, "save", "FILE", RUN | DEMO,
		N_("write the events as jsonl to FILE, besides the output")},
	{OPT_DEBUG, 0, "debug", NULL, RUN | VIEW | DEMO,
		N_("[debug] lines on stderr; keep the temporary folder")},
	{OPT_DRY_RUN, 0, "dry-run", NULL, RUN,
		N_("check everything, print the command, start nothing")},
	{OPT_HELP, 'h', "help", NULL, ALL, N_("print this help and exit")},
	{OPT_VERSION, 'V', "version", NULL, ALL,
		N_("print the version and exit")},
};

static const struct {
	enum command command;
	const char *name;
	const char *usage;
	const char *what;
} commands[] = {
	{COMMAND_RUN, NULL, "RUNTIME [OPTION...] [-- RUNTIME-ARG...]",
		N_("Runs an agent in a sandbox and prints one event stream.")},
	{COMMAND_VIEW, "view", "view [OPTION...] [FILE...|-]",
		N_("Shows or converts saved, growing or piped streams.")},
	{COMMAND_EXPORT, "export",
		"export --to md|html [--details] [-o OUT] FILE",
		N_("Writes a saved stream as a document.")},
	{COMMAND_DOCTOR, "doctor", "doctor [--json] [RUNTIME...]",
		N_("Checks executable, login, sandbox and network.")},
	{COMMAND_DEMO, "demo", "demo [OPTION...]",
		N_("Plays a recorded run: no account, no network.")},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

const char *option_command_word(enum command command)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (commands[i].command == command && commands[i].name)
			return commands[i].name;
	}
	return "RUNTIME";
}

enum command option_command_of(const char *word)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (commands[i].name && strcmp(commands[i].name, word) == 0)
			return commands[i].command;
	}
	return COMMAND_RUN;
}

void option_runtime_names(struct strbuf *out)
{
	for (size_t i = 0; runtime_table[i]; i++) {
		if (i)
			strbuf_addstr(out, ", ");
		strbuf_addstr(out, runtime_table[i]->name);
	}
}

#define HELP_COLUMN 26

static void help_option(struct strbuf *out, const struct option_def *d)
{
	size_t start = out->len;
	const char *line = _(d->help);

	if (d->letter)
		strbuf_addf(out, "  -%c, --%s", d->letter, d->name);
	else
		strbuf_addf(out, "      --%s", d->name);
	if (d->arg)
		strbuf_addf(out, "=%s", d->arg);
	if (out->len - start > HELP_COLUMN - 2) {
		strbuf_addch(out, '\n');
		start = out->len;
	}
	while (*line) {
		size_t len = strcspn(line, "\n");

		strbuf_addf(out, "%*s%.*s\n",
			(int)(HELP_COLUMN - (out->len - start)), "", (int)len,
			line);
		line += len + (line[len] == '\n');
		start = out->len;
	}
}

static void help_program(struct strbuf *out)
{
	struct strbuf names = STRBUF_INIT;

	option_runtime_names(&names);
	strbuf_addstr(
		out, _("agentrun: run coding agents in a sandbox, as one event "
		       "stream\n\n"));
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		strbuf_addf(out, "  agentrun %s\n      %s\n", commands[i].usage,
			_(commands[i].what));
	strbuf_addf(out, _("\nRUNTIME is one of %s.\n"), names.buf);
	strbuf_addstr(out, _("\nOptions of a run (each subcommand has its own "
			     "--help):\n"));
	strbuf_release(&names);
}

void options_help(struct strbuf *out, enum command command)
{
	enum command shown = command;

	if (command == COMMAND_HELP || command == COMMAND_VERSION) {
		help_program(out);
		shown = COMMAND_RUN;
	}
	for (size_t i = 0; shown == command && i < COMMAND_COUNT; i++) {
		if (commands[i].command == shown)
			strbuf_addf(out, _("Usage: agentrun %s\n%s\n\n"),
				commands[i].usage, _(commands[i].what));
	}
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (option_table[i].commands & (1u << shown))
			help_option(out, &option_table[i]);
	}
	if (shown == COMMAND_RUN)
		strbuf_addstr(out,
			_("\nExit status: 0 finished, 1 failed, 2 rejected, "
			  "3 timeout, 4 limit,\n130 or 143 interrupted, "
			  "141 the reader of stdout went away.\n"
			  "AGENTRUN_SANDBOX stands for --sandbox.\n"));
}

void options_list(struct strbuf *out)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		strbuf_addf(out, "--%s\n", option_table[i].name);
}

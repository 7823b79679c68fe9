#include "config.h"

#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xalloc.h"

enum option_id {
	OPT_CWD,
	OPT_PROMPT,
	OPT_PROMPT_FILE,
	OPT_MODEL,
	OPT_EFFORT,
	OPT_IMAGE,
	OPT_NO_SUBAGENTS,
	OPT_MAX_TURNS,
	OPT_MAX_TOKENS,
	OPT_MAX_USD,
	OPT_TIMEOUT,
	OPT_SANDBOX,
	OPT_NETWORK,
	OPT_ALLOW_HOST,
	OPT_DENY_READ,
	OPT_ALLOW_READ,
	OPT_ENV,
	OPT_ENV_FILE,
	OPT_INHERIT_ENV,
	OPT_PATH,
	OPT_SESSION_DIR,
	OPT_RESUME,
	OPT_FROM,
	OPT_FOLLOW,
	OPT_DIR,
	OPT_SPEED,
	OPT_TO,
	OPT_OUT,
	OPT_JSON,
	OPT_FORMAT,
	OPT_HEADLESS,
	OPT_STAY,
	OPT_NO_STAY,
	OPT_RAW,
	OPT_SAVE,
	OPT_DEBUG,
	OPT_DRY_RUN,
	OPT_HELP,
	OPT_VERSION
};

/* Which commands take an option. */
#define RUN (1u << COMMAND_RUN)
#define VIEW (1u << COMMAND_VIEW)
#define EXPORT (1u << COMMAND_EXPORT)
#define DOCTOR (1u << COMMAND_DOCTOR)
#define DEMO (1u << COMMAND_DEMO)
#define ALL (RUN | VIEW | EXPORT | DOCTOR | DEMO)

struct option_def {
	enum option_id id;
	char letter; /* or '\0' */
	const char *name;
	const char *arg; /* NULL: takes none */
	unsigned commands;
	const char *help; /* '\n' separates lines */
};

/* The one table, in the order of --help. */
static const struct option_def table[] = {
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
		N_("stop when the main agent begins more than N model calls")},
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
		N_("output format (default: rich on a terminal, else jsonl)")},
	{OPT_HEADLESS, 0, "headless", NULL, RUN | VIEW | DEMO,
		N_("never take over the terminal: rich becomes text")},
	{OPT_STAY, 0, "stay", NULL, RUN | VIEW | DEMO,
		N_("the full-screen view stays open at the end")},
	{OPT_NO_STAY, 0, "no-stay", NULL, RUN | VIEW | DEMO,
		N_("the full-screen view leaves at the end")},
	{OPT_RAW, 0, "raw", "FILE", RUN | DEMO,
		N_("write the runtime's stdout, byte for byte, to FILE")},
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

#define TABLE_COUNT (sizeof(table) / sizeof(table[0]))

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
	{COMMAND_EXPORT, "export", "export --to md|html [-o OUT] FILE",
		N_("Writes a saved stream as a document.")},
	{COMMAND_DOCTOR, "doctor", "doctor [--json] [RUNTIME...]",
		N_("Checks executable, login, sandbox and network.")},
	{COMMAND_DEMO, "demo", "demo [OPTION...]",
		N_("Plays a recorded run: no account, no network.")},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

void run_request_init(struct run_request *rq)
{
	memset(rq, 0, sizeof(*rq));
	rq->sandbox = SANDBOX_ON;
	rq->network = RUNTIME_NETWORK_NONE;
}

void run_request_release(struct run_request *rq)
{
	strvec_release(&rq->runtime_args);
	strvec_release(&rq->images);
	strvec_release(&rq->allow_host);
	strvec_release(&rq->deny_read);
	strvec_release(&rq->allow_read);
	strvec_release(&rq->env);
	strvec_release(&rq->path);
}

void options_init(struct options *o)
{
	memset(o, 0, sizeof(*o));
	o->command = COMMAND_RUN;
	run_request_init(&o->run);
}

void options_release(struct options *o)
{
	strvec_release(&o->operands);
	run_request_release(&o->run);
}

/* What is collected on the way and judged when the line has been read. */
struct parse {
	struct options *o;
	struct err *err;
	bool format_given;
	bool network_given;
	bool speed_given;
	bool done; /* --help or --version: what follows is not looked at */
};

/* A decimal number without sign, exponent or anything else. */
static int parse_decimal(const char *s, double *value)
{
	size_t digits = strspn(s, "0123456789");
	const char *p = s + digits;

	if (*p == '.') {
		size_t more = strspn(p + 1, "0123456789");

		digits += more;
		p += 1 + more;
	}
	if (!digits || *p)
		return -1;
	*value = strtod(s, NULL);
	return isfinite(*value) ? 0 : -1;
}

static int parse_count(
	const char *name, const char *s, int64_t *value, struct err *err)
{
	long long n;

	errno = 0;
	n = strtoll(s, NULL, 10);
	if (!*s || s[strspn(s, "0123456789")] || errno || n < 1)
		return err_set(err, AR_EUSAGE,
			N_("--%s must be a whole number of at least 1, "
			   "not '%s'"),
			name, s);
	*value = n;
	return 0;
}

/* The index of S in the '|' list WORDS, or -1 with ERR. */
static int parse_word(
	const char *name, const char *words, const char *s, struct err *err)
{
	const char *p = words;
	int index = 0;

	while (*p) {
		size_t len = strcspn(p, "|");

		if (strlen(s) == len && strncmp(p, s, len) == 0)
			return index;
		index++;
		p += len + (p[len] == '|');
	}
	return err_set(err, AR_EUSAGE, N_("%s must be one of %s, not '%s'"),
		name, words, s);
}

#define SANDBOX_WORDS "on|relax|off|native"

static int parse_timeout(struct options *o, const char *s, struct err *err)
{
	double seconds;
	double ms;

	if (parse_decimal(s, &seconds) < 0 || seconds <= 0)
		return err_set(err, AR_EUSAGE,
			N_("--timeout must be a number of seconds above 0, "
			   "not '%s'"),
			s);
	/* 1e12 s: far beyond any run, and still exact in milliseconds. */
	ms = (seconds < 1e12 ? seconds : 1e12) * 1000;
	o->run.timeout_ms = (int64_t)ms;
	if ((double)o->run.timeout_ms < ms)
		o->run.timeout_ms++;
	o->run.timeout_text = s;
	return 0;
}

static int parse_usd(struct options *o, const char *s, struct err *err)
{
	if (parse_decimal(s, &o->run.max_usd) < 0 || o->run.max_usd <= 0)
		return err_set(err, AR_EUSAGE,
			N_("--max-usd must be an amount above 0, not '%s'"), s);
	o->run.max_usd_text = s;
	return 0;
}

static int parse_speed(struct parse *p, const char *s)
{
	p->speed_given = true;
	if (parse_decimal(s, &p->o->speed) < 0)
		return err_set(p->err, AR_EUSAGE,
			N_("--speed must be a number, not '%s'"), s);
	return 0;
}

static int parse_prompt(
	const char **place, const char *other, const char *s, struct err *err)
{
	if (other)
		return err_set(err, AR_EUSAGE,
			N_("--prompt and --prompt-file exclude each other; "
			   "give one of them"));
	*place = s;
	return 0;
}

/* --env KEY[=VALUE]: the key is checked here, where the option is known. */
static int parse_env(struct options *o, const char *s, struct err *err)
{
	if (!*s || *s == '=')
		return err_set(err, AR_EUSAGE,
			N_("--env needs KEY or KEY=VALUE, not '%s'"), s);
	strvec_pushf(&o->run.env, "e%s", s);
	return 0;
}

static int parse_filled(
	const char *name, const char **place, const char *s, struct err *err)
{
	if (!*s)
		return err_set(err, AR_EUSAGE,
			N_("--%s must not be empty; leave it away instead"),
			name);
	*place = s;
	return 0;
}

static int parse_enum(
	struct parse *p, const struct option_def *d, const char *s)
{
	struct options *o = p->o;
	struct strbuf name = STRBUF_INIT;
	int n;

	strbuf_addf(&name, "--%s", d->name);
	n = parse_word(name.buf, d->arg, s, p->err);
	strbuf_release(&name);
	if (n < 0)
		return -1;
	if (d->id == OPT_SANDBOX) {
		o->run.sandbox = (enum sandbox_mode)n;
	} else if (d->id == OPT_NETWORK) {
		o->run.network = (enum runtime_network)n;
		p->network_given = true;
	} else if (d->id == OPT_FORMAT) {
		o->format = (enum format)n;
		p->format_given = true;
	} else {
		o->export_to = s;
	}
	return 0;
}

/* Takes one option. ARG is NULL exactly when the option takes none. */
static int take_option(
	struct parse *p, const struct option_def *d, const char *arg)
{
	struct options *o = p->o;
	struct run_request *rq = &o->run;
	struct err *err = p->err;

	switch (d->id) {
	case OPT_CWD:
		return parse_filled(d->name, &rq->cwd, arg, err);
	case OPT_PROMPT:
		return parse_prompt(&rq->prompt, rq->prompt_file, arg, err);
	case OPT_PROMPT_FILE:
		return parse_prompt(&rq->prompt_file, rq->prompt, arg, err);
	case OPT_MODEL:
		return parse_filled(d->name, &rq->model, arg, err);
	case OPT_EFFORT:
		return parse_filled(d->name, &rq->effort, arg, err);
	case OPT_IMAGE:
		strvec_push(&rq->images, arg);
		return 0;
	case OPT_NO_SUBAGENTS:
		rq->no_subagents = true;
		return 0;
	case OPT_MAX_TURNS:
		return parse_count(d->name, arg, &rq->max_turns, err);
	case OPT_MAX_TOKENS:
		return parse_count(d->name, arg, &rq->max_tokens, err);
	case OPT_MAX_USD:
		return parse_usd(o, arg, err);
	case OPT_TIMEOUT:
		return parse_timeout(o, arg, err);
	case OPT_SANDBOX:
	case OPT_NETWORK:
	case OPT_FORMAT:
	case OPT_TO:
		return parse_enum(p, d, arg);
	case OPT_ALLOW_HOST:
		strvec_push(&rq->allow_host, arg);
		return 0;
	case OPT_DENY_READ:
		strvec_push(&rq->deny_read, arg);
		return 0;
	case OPT_ALLOW_READ:
		strvec_push(&rq->allow_read, arg);
		return 0;
	case OPT_ENV:
		return parse_env(o, arg, err);
	case OPT_ENV_FILE:
		strvec_pushf(&rq->env, "f%s", arg);
		return 0;
	case OPT_INHERIT_ENV:
		rq->inherit_env = true;
		return 0;
	case OPT_PATH:
		strvec_push(&rq->path, arg);
		return 0;
	case OPT_SESSION_DIR:
		return parse_filled(d->name, &rq->session_dir, arg, err);
	case OPT_RESUME:
		return parse_filled(d->name, &rq->resume, arg, err);
	case OPT_FROM:
		o->runtime = arg;
		return 0;
	case OPT_FOLLOW:
		o->follow = true;
		return 0;
	case OPT_DIR:
		return parse_filled(d->name, &o->dir, arg, err);
	case OPT_SPEED:
		return parse_speed(p, arg);
	case OPT_OUT:
		return parse_filled(d->name, &o->out, arg, err);
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_HEADLESS:
		o->headless = true;
		return 0;
	case OPT_STAY:
		o->stay = STAY_YES;
		return 0;
	case OPT_NO_STAY:
		o->stay = STAY_NO;
		return 0;
	case OPT_RAW:
		return parse_filled(d->name, &rq->raw, arg, err);
	case OPT_SAVE:
		return parse_filled(d->name, &rq->save, arg, err);
	case OPT_DEBUG:
		o->debug = rq->debug = true;
		return 0;
	case OPT_DRY_RUN:
		rq->dry_run = true;
		return 0;
	case OPT_HELP:
	case OPT_VERSION:
		p->done = true;
		o->help_for = o->command;
		o->command = d->id == OPT_HELP ? COMMAND_HELP : COMMAND_VERSION;
		return 0;
	}
	return -1;
}

/* getopt_long's tables for the options that a command of MASK takes. */
struct getopt_table {
	struct option longs[TABLE_COUNT + 1];
	char shorts[2 * TABLE_COUNT + 3];
};

#define LONG_BASE 256 /* val of a long option: its row + this */

static void getopt_table_fill(struct getopt_table *g, unsigned mask)
{
	size_t n = 0;
	char *s = g->shorts;

	memset(g, 0, sizeof(*g));
	/* '-': operands come in order, so that they stay apart from what
	 * follows "--"; ':': a missing argument is told apart. */
	*s++ = '-';
	*s++ = ':';
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		if (!(table[i].commands & mask))
			continue;
		g->longs[n].name = table[i].name;
		g->longs[n].has_arg =
			table[i].arg ? required_argument : no_argument;
		g->longs[n++].val = LONG_BASE + (int)i;
		if (table[i].letter) {
			*s++ = table[i].letter;
			if (table[i].arg)
				*s++ = ':';
		}
	}
}

static void getopt_rewind(void)
{
	opterr = 0;
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__) || \
	defined(__NetBSD__)
	optreset = 1;
	optind = 1;
#else
	optind = 0; /* also forgets the middle of a cluster of short ones */
#endif
}

/* The row of what getopt returned, or NULL. */
static const struct option_def *def_of(int c)
{
	if (c >= LONG_BASE)
		return &table[c - LONG_BASE];
	for (size_t i = 0; c > 0 && i < TABLE_COUNT; i++) {
		if (table[i].letter == c)
			return &table[i];
	}
	return NULL;
}

static const char *command_word(enum command c)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (commands[i].command == c && commands[i].name)
			return commands[i].name;
	}
	return "RUNTIME";
}

/* How many long options of the commands in MASK begin with LEN bytes of NAME;
 * one that is the same counts alone. */
static size_t count_matches(
	const char *name, size_t len, unsigned mask, struct strbuf *list)
{
	size_t n = 0;

	for (size_t i = 0; i < TABLE_COUNT; i++) {
		if (!(table[i].commands & mask) ||
			strncmp(table[i].name, name, len) != 0)
			continue;
		if (n++)
			strbuf_addch(list, ' ');
		strbuf_addf(list, "--%s", table[i].name);
	}
	return n;
}

/* Says what is wrong with the option getopt has stumbled over. WORD is where
 * it stood. */
static int bad_option(enum command command, const char *word, struct err *err)
{
	struct strbuf list = STRBUF_INIT;
	const char *name = word + 2;
	size_t len;
	int ret;

	if (strncmp(word, "--", 2) != 0)
		return err_set(err, AR_EUSAGE,
			N_("unknown option '-%c'; see 'agentrun --help'"),
			optopt > 0 && optopt < 128 ? optopt : '?');
	len = strcspn(name, "=");
	if (optopt >= LONG_BASE)
		ret = err_set(err, AR_EUSAGE,
			N_("option '--%s' takes no value; write it without "
			   "'='"),
			table[optopt - LONG_BASE].name);
	else if (count_matches(name, len, 1u << command, &list) > 1)
		ret = err_set(err, AR_EUSAGE,
			N_("option '--%.*s' is ambiguous: %s"), (int)len, name,
			list.buf);
	else if (count_matches(name, len, ALL, &list) > 0)
		ret = err_set(err, AR_EUSAGE,
			N_("option '--%.*s' does not belong to 'agentrun %s'; "
			   "see 'agentrun %s --help'"),
			(int)len, name, command_word(command),
			command == COMMAND_RUN ? "claude-code"
					       : command_word(command));
	else
		ret = err_set(err, AR_EUSAGE,
			N_("unknown option '--%.*s'; see 'agentrun --help'"),
			(int)len, name);
	strbuf_release(&list);
	return ret;
}

static int missing_value(const char *word, struct err *err)
{
	if (strncmp(word, "--", 2) == 0)
		return err_set(
			err, AR_EUSAGE, N_("option '%s' needs a value"), word);
	return err_set(err, AR_EUSAGE, N_("option '-%c' needs a value"),
		optopt > 0 && optopt < 128 ? optopt : '?');
}

static enum command command_of(const char *word)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (commands[i].name && strcmp(commands[i].name, word) == 0)
			return commands[i].command;
	}
	return COMMAND_RUN;
}

/* The word that says what is to be done: RUNTIME or a subcommand, NULL when
 * there is none. Nearly always argv[1]; else options stand before it. An option
 * that cannot be told without knowing the command may swallow its value as an
 * operand here: then only a known word will do. */
static const char *first_operand(int argc, char **argv)
{
	struct getopt_table g;
	const char *first = NULL;
	bool doubt = false;
	int c;

	getopt_table_fill(&g, ALL);
	getopt_rewind();
	while ((c = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		const struct option_def *d = def_of(c);

		if (c == '?')
			doubt = true;
		if (c == 1 && (!doubt || command_of(optarg) != COMMAND_RUN ||
				      runtime_find(optarg)))
			return optarg;
		if (c == 1 && !first)
			first = optarg;
		if (d && (d->id == OPT_HELP || d->id == OPT_VERSION))
			break;
	}
	return first;
}

static void add_runtime_names(struct strbuf *out)
{
	for (size_t i = 0; runtime_table[i]; i++) {
		if (i)
			strbuf_addstr(out, ", ");
		strbuf_addstr(out, runtime_table[i]->name);
	}
}

static int unknown_runtime(const char *name, struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	int ret;

	add_runtime_names(&names);
	if (name)
		ret = err_set(err, AR_EUSAGE,
			N_("unknown runtime '%s'; choose one of %s"), name,
			names.buf);
	else
		ret = err_set(err, AR_EUSAGE,
			N_("which runtime? Choose one of %s, or see "
			   "'agentrun --help'"),
			names.buf);
	strbuf_release(&names);
	return ret;
}

static void find_command(struct options *o, const char *word)
{
	o->command = word ? command_of(word) : COMMAND_RUN;
	if (o->command == COMMAND_RUN)
		o->runtime = word;
}

static int take_operand(struct parse *p, const char *word, bool *command_seen)
{
	struct options *o = p->o;

	if (!*command_seen) {
		*command_seen = true;
		return 0;
	}
	if (o->command == COMMAND_RUN)
		return err_set(p->err, AR_EUSAGE,
			N_("unexpected argument '%s'; the prompt goes behind "
			   "--prompt, arguments for the runtime behind '--'"),
			word);
	if (o->command == COMMAND_DEMO)
		return err_set(p->err, AR_EUSAGE,
			N_("unexpected argument '%s'; 'agentrun demo' takes "
			   "only options"),
			word);
	strvec_push(&o->operands, word);
	return 0;
}

static int parse_words(struct parse *p, int argc, char **argv)
{
	struct options *o = p->o;
	struct getopt_table g;
	bool command_seen = false;
	int c;

	getopt_table_fill(&g, 1u << o->command);
	getopt_rewind();
	while (!p->done) {
		const struct option_def *d;
		int at = optind ? optind : 1;
		int ret;

		c = getopt_long(argc, argv, g.shorts, g.longs, NULL);
		if (c == -1)
			break;
		if (c == 1)
			ret = take_operand(p, optarg, &command_seen);
		else if (c == '?')
			ret = bad_option(o->command, argv[at], p->err);
		else if (c == ':')
			ret = missing_value(argv[at], p->err);
		else {
			d = def_of(c);
			ar_assert(d); /* getopt gives what the table has */
			ret = take_option(p, d, optarg);
		}
		if (ret < 0)
			return -1;
	}
	for (int i = optind; !p->done && i < argc; i++) {
		if (o->command == COMMAND_RUN)
			strvec_push(&o->run.runtime_args, argv[i]);
		else if (take_operand(p, argv[i], &command_seen) < 0)
			return -1;
	}
	return 0;
}

/* AGENTRUN_SANDBOX stands for --sandbox where that is not given. */
static int sandbox_from_env(struct options *o, struct err *err)
{
	const char *s = getenv("AGENTRUN_SANDBOX");
	int n;

	if (!s || !*s)
		return 0;
	n = parse_word("AGENTRUN_SANDBOX", SANDBOX_WORDS, s, err);
	if (n < 0)
		return -1;
	o->run.sandbox = (enum sandbox_mode)n;
	return 0;
}

static int check_run(struct parse *p)
{
	struct options *o = p->o;
	struct run_request *rq = &o->run;

	if (o->command == COMMAND_RUN) {
		rq->runtime = o->runtime ? runtime_find(o->runtime) : NULL;
		if (!rq->runtime)
			return unknown_runtime(o->runtime, p->err);
	}
	if (rq->allow_host.count && !p->network_given)
		rq->network = RUNTIME_NETWORK_CUSTOM;
	if (rq->allow_host.count && rq->network == RUNTIME_NETWORK_NONE)
		return err_set(p->err, AR_EUSAGE,
			N_("--allow-host and --network none contradict each "
			   "other; leave --network away"));
	if (!rq->allow_host.count && rq->network == RUNTIME_NETWORK_CUSTOM)
		return err_set(p->err, AR_EUSAGE,
			N_("--network custom needs at least one --allow-host "
			   "HOST"));
	if (rq->resume && !rq->session_dir)
		return err_set(p->err, AR_EUSAGE,
			N_("--resume needs --session-dir DIR, where the "
			   "session was saved"));
	return 0;
}

static int check_other(struct parse *p)
{
	struct options *o = p->o;

	if (o->command == COMMAND_EXPORT && !o->export_to)
		return err_set(p->err, AR_EUSAGE,
			N_("'agentrun export' needs --to md or --to html"));
	if (o->command == COMMAND_EXPORT && o->operands.count != 1)
		return err_set(p->err, AR_EUSAGE,
			N_("'agentrun export' takes one FILE, not %zu"),
			o->operands.count);
	if (o->command == COMMAND_VIEW && o->runtime &&
		!runtime_find(o->runtime))
		return unknown_runtime(o->runtime, p->err);
	for (size_t i = 0;
		o->command == COMMAND_DOCTOR && i < o->operands.count; i++) {
		if (!runtime_find(o->operands.v[i]))
			return unknown_runtime(o->operands.v[i], p->err);
	}
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, bool stdout_tty,
	struct err *err)
{
	struct parse p = {.o = o, .err = err};

	find_command(o, first_operand(argc, argv));
	if (o->command == COMMAND_RUN && sandbox_from_env(o, err) < 0)
		return -1;
	if (parse_words(&p, argc, argv) < 0)
		return -1;
	if (o->command == COMMAND_HELP && o->help_for == COMMAND_RUN &&
		!o->runtime)
		o->help_for = COMMAND_HELP;
	if (p.done)
		return 0;
	if (!p.format_given)
		o->format = stdout_tty ? FORMAT_RICH : FORMAT_JSONL;
	if (o->format == FORMAT_RICH && (!stdout_tty || o->headless))
		o->format = FORMAT_TEXT;
	if (o->command == COMMAND_DEMO && !p.speed_given)
		o->speed = 1;
	if (o->command == COMMAND_RUN || o->command == COMMAND_DEMO)
		return check_run(&p);
	return check_other(&p);
}

enum format options_scan_format(int argc, char **argv, bool stdout_tty)
{
	enum format format = stdout_tty ? FORMAT_TEXT : FORMAT_JSONL;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *value = NULL;

		if (strncmp(argv[i], "--format=", 9) == 0)
			value = argv[i] + 9;
		else if (strcmp(argv[i], "--format") == 0 && i + 1 < argc)
			value = argv[++i];
		if (!value)
			continue;
		if (strcmp(value, "jsonl") == 0)
			format = FORMAT_JSONL;
		else if (strcmp(value, "text") == 0 ||
			 strcmp(value, "rich") == 0)
			format = FORMAT_TEXT;
	}
	return format;
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

	add_runtime_names(&names);
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
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		if (table[i].commands & (1u << shown))
			help_option(out, &table[i]);
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
	for (size_t i = 0; i < TABLE_COUNT; i++)
		strbuf_addf(out, "--%s\n", table[i].name);
}

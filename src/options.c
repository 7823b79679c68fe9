#include "config.h"

#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "option-table.h"
#include "option-value.h"

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
	o->keep_detail = (uint64_t)1 << 30;
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

#define SANDBOX_WORDS "on|relax|off|native"

static int parse_timeout(struct options *o, const char *s, struct err *err)
{
	double seconds;
	double ms;

	if (option_decimal(s, &seconds) < 0 || seconds <= 0)
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
	if (option_decimal(s, &o->run.max_usd) < 0 || o->run.max_usd <= 0)
		return err_set(err, AR_EUSAGE,
			N_("--max-usd must be an amount above 0, not '%s'"), s);
	o->run.max_usd_text = s;
	return 0;
}

static int parse_speed(struct parse *p, const char *s)
{
	p->speed_given = true;
	if (option_decimal(s, &p->o->speed) < 0)
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

static int parse_enum(
	struct parse *p, const struct option_def *d, const char *s)
{
	struct options *o = p->o;
	struct strbuf name = STRBUF_INIT;
	int n;

	strbuf_addf(&name, "--%s", d->name);
	n = option_word(name.buf, d->arg, s, p->err);
	strbuf_release(&name);
	if (n < 0)
		return -1;
	if (d->id == OPT_SANDBOX) {
		o->run.sandbox = (enum sandbox_mode)n;
	} else if (d->id == OPT_NETWORK) {
		o->run.network = (enum runtime_network)n;
		p->network_given = true;
	} else if (d->id == OPT_COLOR) {
		o->color = (enum theme_choice)n;
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
		return option_filled(d->name, &rq->cwd, arg, err);
	case OPT_PROMPT:
		return parse_prompt(&rq->prompt, rq->prompt_file, arg, err);
	case OPT_PROMPT_FILE:
		return parse_prompt(&rq->prompt_file, rq->prompt, arg, err);
	case OPT_MODEL:
		return option_filled(d->name, &rq->model, arg, err);
	case OPT_EFFORT:
		return option_filled(d->name, &rq->effort, arg, err);
	case OPT_IMAGE:
		strvec_push(&rq->images, arg);
		return 0;
	case OPT_NO_SUBAGENTS:
		rq->no_subagents = true;
		return 0;
	case OPT_MAX_TURNS:
		return option_count(d->name, arg, &rq->max_turns, err);
	case OPT_MAX_TOKENS:
		return option_count(d->name, arg, &rq->max_tokens, err);
	case OPT_MAX_USD:
		return parse_usd(o, arg, err);
	case OPT_TIMEOUT:
		return parse_timeout(o, arg, err);
	case OPT_SANDBOX:
	case OPT_NETWORK:
	case OPT_FORMAT:
	case OPT_COLOR:
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
		return option_filled(d->name, &rq->session_dir, arg, err);
	case OPT_RESUME:
		return option_filled(d->name, &rq->resume, arg, err);
	case OPT_FROM:
		o->runtime = arg;
		return 0;
	case OPT_FOLLOW:
		o->follow = true;
		return 0;
	case OPT_DIR:
		return option_filled(d->name, &o->dir, arg, err);
	case OPT_SPEED:
		return parse_speed(p, arg);
	case OPT_OUT:
		return option_filled(d->name, &o->out, arg, err);
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
	case OPT_CHOP:
		o->chop = true;
		return 0;
	case OPT_RAW:
		return option_filled(d->name, &rq->raw, arg, err);
	case OPT_KEEP_DETAIL:
		return option_size(d->name, arg, &o->keep_detail, err);
	case OPT_DETAILS:
		o->details = true;
		return 0;
	case OPT_SAVE:
		return option_filled(d->name, &rq->save, arg, err);
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
	struct option longs[OPTION_COUNT + 1];
	char shorts[2 * OPTION_COUNT + 3];
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
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (!(option_table[i].commands & mask))
			continue;
		g->longs[n].name = option_table[i].name;
		g->longs[n].has_arg =
			option_table[i].arg ? required_argument : no_argument;
		g->longs[n++].val = LONG_BASE + (int)i;
		if (option_table[i].letter) {
			*s++ = option_table[i].letter;
			if (option_table[i].arg)
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
		return &option_table[c - LONG_BASE];
	for (size_t i = 0; c > 0 && i < OPTION_COUNT; i++) {
		if (option_table[i].letter == c)
			return &option_table[i];
	}
	return NULL;
}

/* How many long options of the commands in MASK begin with LEN bytes of NAME;
 * one that is the same counts alone. */
static size_t count_matches(
	const char *name, size_t len, unsigned mask, struct strbuf *list)
{
	size_t n = 0;

	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (!(option_table[i].commands & mask) ||
			strncmp(option_table[i].name, name, len) != 0)
			continue;
		if (n++)
			strbuf_addch(list, ' ');
		strbuf_addf(list, "--%s", option_table[i].name);
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
			option_table[optopt - LONG_BASE].name);
	else if (count_matches(name, len, 1u << command, &list) > 1)
		ret = err_set(err, AR_EUSAGE,
			N_("option '--%.*s' is ambiguous: %s"), (int)len, name,
			list.buf);
	else if (count_matches(name, len, TAKES_ALL, &list) > 0)
		ret = err_set(err, AR_EUSAGE,
			N_("option '--%.*s' does not belong to 'agentrun %s'; "
			   "see 'agentrun %s --help'"),
			(int)len, name, option_command_word(command),
			command == COMMAND_RUN ? "claude-code"
					       : option_command_word(command));
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

	getopt_table_fill(&g, TAKES_ALL);
	getopt_rewind();
	while ((c = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		const struct option_def *d = def_of(c);

		if (c == '?')
			doubt = true;
		if (c == 1 &&
			(!doubt || option_command_of(optarg) != COMMAND_RUN ||
				runtime_find(optarg)))
			return optarg;
		if (c == 1 && !first)
			first = optarg;
		if (d && (d->id == OPT_HELP || d->id == OPT_VERSION))
			break;
	}
	return first;
}

static int unknown_runtime(const char *name, struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	int ret;

	option_runtime_names(&names);
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
	o->command = word ? option_command_of(word) : COMMAND_RUN;
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
	n = option_word("AGENTRUN_SANDBOX", SANDBOX_WORDS, s, err);
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

/* --raw of view: the raw output of the one saved run. */
static int check_raw(struct parse *p)
{
	struct options *o = p->o;

	if (!o->run.raw || o->command != COMMAND_VIEW)
		return 0;
	if (o->runtime)
		return err_set(p->err, AR_EUSAGE,
			N_("--raw and --from contradict each other: with "
			   "--from FILE is the raw output itself"));
	if (o->dir || o->operands.count > 1)
		return err_set(p->err, AR_EUSAGE,
			N_("--raw belongs to one FILE; of several each may "
			   "have its raw output beside it: x.raw.jsonl beside "
			   "x.jsonl"));
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
	if (check_raw(&p) < 0)
		return -1;
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

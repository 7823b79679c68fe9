#ifndef AGENTRUN_OPTIONS_H
#define AGENTRUN_OPTIONS_H

#include "base/err.h"
#include "base/strvec.h"

#include <stdbool.h>
#include <stdint.h>

/* options: the command line. One table (options.c) gives the parser
 * (getopt_long), --help and the tests that compare man page and completions. */
enum command {
	COMMAND_RUN, /* agentrun RUNTIME ... */
	COMMAND_VIEW,
	COMMAND_EXPORT,
	COMMAND_DOCTOR,
	COMMAND_DEMO,
	COMMAND_HELP,
	COMMAND_VERSION
};

enum format {
	FORMAT_JSONL,
	FORMAT_TEXT,
	FORMAT_RICH
};
enum sandbox_mode {
	SANDBOX_ON,
	SANDBOX_RELAX,
	SANDBOX_OFF,
	SANDBOX_NATIVE
};
enum network_mode {
	NETWORK_NONE,
	NETWORK_FULL,
	NETWORK_CUSTOM
};
enum stay {
	STAY_AUTO,
	STAY_YES,
	STAY_NO
};

struct options {
	enum command command;
	const char *runtime; /* RUNTIME, --from, or NULL */
	struct strvec
		operands; /* FILEs of view and export, runtimes of doctor */
	struct strvec runtime_args; /* behind "--" */

	const char *cwd;
	const char *prompt;
	const char *prompt_file;
	const char *model;
	const char *effort;
	struct strvec images;
	int64_t max_turns;  /* 0: none */
	int64_t max_tokens; /* 0: none */
	double max_usd;     /* 0: none */
	const char *max_usd_text;
	int64_t timeout_ms;       /* 0: none */
	const char *timeout_text; /* as written */
	enum sandbox_mode sandbox;
	enum network_mode network;
	struct strvec allow_host;
	struct strvec deny_read;
	struct strvec allow_read;
	struct strvec env; /* --env and --env-file in order, tagged:
			      "e" KEY[=VALUE], "f" FILE */
	bool inherit_env;
	struct strvec path;
	bool no_subagents;
	const char *session_dir;
	const char *resume;
	enum format format; /* after the rules of interface 1: rich only if
			       it can be */
	bool headless;
	enum stay stay;
	const char *raw;
	const char *save;
	bool debug;
	bool dry_run;

	/* view, demo, export, doctor */
	bool follow;
	const char *dir;
	double speed;          /* 0: at once */
	const char *export_to; /* "md" or "html" */
	const char *out;
	bool json;

	struct strvec owned; /* strings the fields above may point into */
};

void options_init(struct options *o);
void options_release(struct options *o);

/* The format that a usage error is reported in: found by a scan before parsing
 * (interface 1), with the default for where stdout goes. */
enum format options_scan_format(int argc, char **argv, bool stdout_tty);

/* Parses. Returns 0 or -1 with ERR (AR_EUSAGE: what, and how to mend it). ARGV
 * is borrowed for the life of O. */
int options_parse(struct options *o, int argc, char **argv, bool stdout_tty,
	struct err *err);

/* --help of COMMAND (translated) and of the program; '\n'-ended text. */
struct strbuf;
void options_help(struct strbuf *out, enum command command);

/* Long names of all options, for the tests: "--cwd", ... one per line. */
void options_list(struct strbuf *out);

#endif

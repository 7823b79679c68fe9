#ifndef AGENTRUN_OPTIONS_H
#define AGENTRUN_OPTIONS_H

#include "base/err.h"
#include "base/strvec.h"
#include "run/request.h"
#include "ui/theme.h"

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
enum stay {
	STAY_AUTO,
	STAY_YES,
	STAY_NO
};

struct options {
	enum command command;
	enum command help_for;  /* COMMAND_HELP: of this one; COMMAND_HELP
				   itself: of the program */
	const char *runtime;    /* RUNTIME, --from, or NULL */
	struct strvec operands; /* FILEs of view and export, runtimes of
				   doctor */
	struct run_request run; /* a run, and what demo shares with it */

	enum format format; /* after the rules of interface 1: rich only if
			       it can be */
	bool headless;
	enum stay stay;
	enum theme_choice color;
	bool chop;
	bool debug;

	uint64_t keep_detail; /* bytes of raw output that the view keeps */

	/* view, demo, export, doctor; --raw is run.raw in all of them */
	bool follow;
	const char *dir;
	double speed;          /* 0: at once */
	const char *export_to; /* "md" or "html" */
	const char *out;
	bool details; /* of export */
	bool json;
};

void options_init(struct options *o);
void options_release(struct options *o);

/* The format that a usage error is reported in, never rich: found by a scan
 * before parsing (interface 1), with the default for where stdout goes. */
enum format options_scan_format(int argc, char **argv, bool stdout_tty);

/* Parses. Returns 0 or -1 with ERR (AR_EUSAGE: what, and how to mend it);
 * o->command is right in either case. ARGV is borrowed for the life of O.
 * AGENTRUN_SANDBOX is read here. */
int options_parse(struct options *o, int argc, char **argv, bool stdout_tty,
	struct err *err);

/* --help of COMMAND (translated), COMMAND_HELP for the program; '\n'-ended
 * text. */
struct strbuf;
void options_help(struct strbuf *out, enum command command);

/* Long names of all options, for the tests: "--cwd", ... one per line. */
void options_list(struct strbuf *out);

#endif

#ifndef AGENTRUN_OPTION_TABLE_H
#define AGENTRUN_OPTION_TABLE_H

#include "base/strbuf.h"
#include "options.h"

/* option-table: the one list of options. The parser (options.c), --help and the
 * tests of man page and completions all read it. */
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
	OPT_COLOR,
	OPT_CHOP,
	OPT_RAW,
	OPT_KEEP_DETAIL,
	OPT_DETAILS,
	OPT_SAVE,
	OPT_DEBUG,
	OPT_DRY_RUN,
	OPT_HELP,
	OPT_VERSION
};

/* Which commands take an option. */
#define TAKES_RUN (1u << COMMAND_RUN)
#define TAKES_VIEW (1u << COMMAND_VIEW)
#define TAKES_EXPORT (1u << COMMAND_EXPORT)
#define TAKES_DOCTOR (1u << COMMAND_DOCTOR)
#define TAKES_DEMO (1u << COMMAND_DEMO)
#define TAKES_ALL \
	(TAKES_RUN | TAKES_VIEW | TAKES_EXPORT | TAKES_DOCTOR | TAKES_DEMO)

struct option_def {
	enum option_id id;
	char letter; /* or '\0' */
	const char *name;
	const char *arg; /* NULL: takes none */
	unsigned commands;
	const char *help; /* '\n' separates lines */
};

#define OPTION_COUNT ((size_t)OPT_VERSION + 1)

/* In the order of --help. */
extern const struct option_def option_table[OPTION_COUNT];

/* The word of a subcommand, "RUNTIME" for a run. */
const char *option_command_word(enum command command);

/* The command that WORD names; COMMAND_RUN when it names none. */
enum command option_command_of(const char *word);

/* "claude-code, codex, pi, dsh" */
void option_runtime_names(struct strbuf *out);

#endif

#ifndef AGENTRUN_RUNTIME_RUNTIME_H
#define AGENTRUN_RUNTIME_RUNTIME_H

#include "base/err.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "event/content.h"
#include "event/record.h"
#include "event/status.h"

/* runtime: one agent CLI. To add one: write src/runtime/NAME.c with one const
 * table, name it in runtime.c, in the man page and in the tests. Nothing else
 * in src/ knows a runtime by name. */

/* An image of the prompt, checked and copied (run/image). */
struct runtime_image {
	const char *given;      /* as the user wrote it */
	const char *copy;       /* absolute path with a plain name ("1.png") */
	const char *media_type; /* "image/png" */
};

/* How the runtime is boxed in; it decides about its own sandbox flags. */
enum runtime_box {
	RUNTIME_BOX_NONE,  /* nothing around it */
	RUNTIME_BOX_OURS,  /* bubblewrap or seatbelt */
	RUNTIME_BOX_NATIVE /* its own sandbox (codex) */
};

enum runtime_network {
	RUNTIME_NETWORK_NONE,
	RUNTIME_NETWORK_FULL,
	RUNTIME_NETWORK_CUSTOM
};

/* What a command line is made from. All borrowed. */
struct runtime_request {
	const char *program; /* absolute path of the executable */
	const char *cwd;     /* real absolute path */
	struct str prompt;   /* valid UTF-8, not blank */
	const char *model;   /* or NULL */
	const char *effort;  /* or NULL */
	const struct runtime_image *images;
	size_t image_count;
	bool no_subagents;
	enum runtime_box box;
	enum runtime_network network;
	const char *tmp_dir; /* private folder of the run, for small files */
	const char
		*state_dir; /* private state folder, or NULL: the user's own */
	const char *resume_id;   /* or NULL */
	const char *resume_file; /* absolute, inside state_dir; or NULL */
	bool keep_session;       /* --session-dir was given */
	const struct strvec *extra_args; /* behind "--" */
};

struct runtime_command {
	struct strvec argv; /* argv[0] is request->program */
	struct strvec env; /* KEY=VALUE, set on top of the passed environment */
	struct strbuf input; /* what is written to its stdin, then EOF */
};

/* State of one stream of raw lines. */
struct adapter;

struct adapter_config {
	const char *cwd;   /* agentrun's working directory, for summaries */
	const char *model; /* --model or NULL */
	struct str prompt; /* what was sent; null for recorded output */
	size_t image_count;
	const struct runtime_image *images;
	bool resumed;                 /* --resume */
	struct token_counts baseline; /* codex: the thread's total before */
};

/* What doctor runs to see a login (cheap, no network). */
struct runtime_login {
	const char *const
		*args;          /* status command behind the program, or NULL */
	const char *ok_text;    /* must stand in its output; NULL: exit 0 */
	const char *const *env; /* one of these variables set is a login */
	const char *const *files; /* or one of these JSON files below the state
				     folder, when it holds a key or a token */
	const char *file_root;    /* in this member; NULL: anywhere */
	const char *fix;          /* "run 'claude' and log in" (N_) */
	/* Further variables, which the settings in this state folder name; may
	 * be NULL. */
	void (*env_names)(const char *settings, struct strvec *names);
};

/* The runtime's own folder of state and what a fresh private copy needs
 * (design: sandbox 4, STATE). */
struct runtime_state {
	const char *env;         /* "CLAUDE_CONFIG_DIR": names the folder; the
				    run sets it to a private one */
	const char *home;        /* ".claude": default below $HOME */
	const char *const *copy; /* settings and credentials, relative;
				    NULL-ended; "../NAME": beside it */
	const char *const *credentials; /* of these, copied back when rotated */
};

/* What tells a line of this runtime from others: its `type` (a final '*' stands
 * for any ending) and a member that it has, or NULL. */
struct runtime_line {
	const char *type;
	const char *with;
};

struct runtime_ops {
	const char *name;        /* "claude-code" */
	const char *program;     /* "claude", looked for in PATH */
	const char *version_min; /* "0.1.6" or NULL: any version will do */
	const char *install;     /* how to get it, for doctor */
	int stop_signal;         /* the clean one (decisions 4) */
	bool reports_cost;       /* --max-usd is possible */
	bool warns_cost;         /* cost_unknown is a warning */
	bool has_effort;
	bool has_native_sandbox;
	bool on_node; /* started by node, whose warnings then are in stderr */
	bool echoes_prompt;
	const char *const *env_pass; /* names, or prefixes that end in '*' */
	const char *const *hosts;    /* implied hosts, port 443 */
	const char *const *base_url_env; /* variables that replace hosts[0] */
	struct runtime_state state;
	struct runtime_login login;

	/* The model servers that the user's settings name, as URLs appended to
	 * URLS: SETTINGS is a state folder (it may be missing), MODEL may be
	 * NULL, ENV is the runtime's. The first takes the place of hosts[0].
	 * May be NULL. */
	void (*base_urls)(const char *settings, const char *model,
		const struct strvec *env, struct strvec *urls);

	/* Fills CMD (initialised by the caller). Returns 0, or -1 with ERR: a
	 * request that this runtime cannot serve. */
	int (*command)(const struct runtime_request *rq,
		struct runtime_command *cmd, struct err *err);

	struct adapter *(*adapter_new)(const struct adapter_config *config);
	void (*adapter_free)(struct adapter *ad);

	const struct runtime_line *lines; /* ended by a NULL type */

	/* One raw line as a tree; LINE's memory lives until the call returns.
	 */
	void (*line)(struct adapter *ad, const struct json *line,
		const struct record_out *out);

	/* The output is over: usage of open calls, held-back starts. */
	void (*finish)(struct adapter *ad, const struct record_out *out);

	/* Adds to C what a tool call or a subagent was given and gave back, as
	 * far as the lines of Q hold it. Knows nothing of a stream. */
	void (*content)(const struct content_query *q, struct content *c);

	/* The verdict of the stream so far (also says whether the final result
	 * was given). Borrowed from AD. */
	void (*verdict)(const struct adapter *ad, struct runtime_verdict *rv);

	/* Sessions (decisions 27). All paths are relative to the state folder.
	 * session_list: the files and folders that make session ID, 0 found: no
	 * record was left. */
	int (*session_list)(const char *state_dir, const char *cwd,
		const char *id, struct strvec *paths, struct err *err);

	/* Where PATH (one of session_list's, saved with working directory
	 * OLD_CWD) goes for working directory CWD; -1 with ERR when this
	 * runtime forbids it. */
	int (*session_place)(const char *path, const char *old_cwd,
		const char *cwd, struct strbuf *to, struct err *err);

	/* After the files lie in STATE_DIR: adapts them (pi rewrites cwd) and
	 * tells the file that the command line names, if any (into FILE,
	 * relative), and codex's BASELINE. May be NULL. */
	int (*session_open)(const char *state_dir, const struct strvec *paths,
		const char *cwd, struct strbuf *file,
		struct token_counts *baseline, struct err *err);
};

extern const struct runtime_ops runtime_claude_code;
extern const struct runtime_ops runtime_codex;
extern const struct runtime_ops runtime_pi;
extern const struct runtime_ops runtime_dsh;

/* All of them, NULL at the end. */
extern const struct runtime_ops *const runtime_table[];

/* By name, or NULL. */
const struct runtime_ops *runtime_find(const char *name);

/* Whether OBJECT is a line of OPS: one of its own, and no event of ours. */
bool runtime_has_line(const struct runtime_ops *ops, const struct json *object);

/* The only runtime that OBJECT can be a line of; NULL when there are none, or
 * several. */
const struct runtime_ops *runtime_of_line(const struct json *object);

#endif

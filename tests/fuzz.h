#ifndef AGENTRUN_TESTS_FUZZ_H
#define AGENTRUN_TESTS_FUZZ_H

/* fuzz: rules that hold for every input from outside. Each reader of outside
 * bytes is one target, a table in a file tests/fuzz-THING.c; to add one, write
 * the table and name it in FUZZ_TARGETS.
 *
 * All targets are in one program, which is built twice: with libFuzzer (make
 * fuzz), and with a plain main that plays files and random mutations of them
 * (fuzz-replay.c, in check). A broken rule aborts by ar_assert. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "base/str.h"
#include "base/strbuf.h"

#define FUZZ_MAX ((size_t)16 << 10)

struct fuzz_target {
	const char *name;
	/* The first inputs besides those of tests/corpus/NAME: a pattern of
	 * the shell below tests/, or NULL. */
	const char *seeds;
	/* Plays one input. DATA is borrowed and ends with no NUL; ARG is the
	 * table's. The same input does the same each time. */
	void (*play)(const void *arg, const char *data, size_t len);
	const void *arg;
	size_t max; /* bytes of an input; 0: FUZZ_MAX */
	bool json;  /* lines or one document of JSON: mutated as trees, too */
	const char *const *words; /* that mean something; NULL-ended or NULL */
};

#if WITH_UI
#define FUZZ_TARGETS_UI(X)       \
	X(fuzz_keys)             \
	X(fuzz_markdown)         \
	X(fuzz_screen)           \
	X(fuzz_terminfo)         \
	X(fuzz_view)             \
	X(fuzz_view_claude_code) \
	X(fuzz_view_codex)       \
	X(fuzz_view_dsh)         \
	X(fuzz_view_pi)
#else
#define FUZZ_TARGETS_UI(X)
#endif
#define FUZZ_TARGETS(X)             \
	X(fuzz_claude_code)         \
	X(fuzz_codex)               \
	X(fuzz_pi)                  \
	X(fuzz_dsh)                 \
	X(fuzz_codex_config)        \
	X(fuzz_credentials)         \
	X(fuzz_ctl)                 \
	X(fuzz_details_claude_code) \
	X(fuzz_details_codex)       \
	X(fuzz_details_pi)          \
	X(fuzz_details_dsh)         \
	X(fuzz_endpoint)            \
	X(fuzz_env_file)            \
	X(fuzz_event)               \
	X(fuzz_explain)             \
	X(fuzz_export)              \
	X(fuzz_git)                 \
	X(fuzz_git_config)          \
	X(fuzz_image)               \
	X(fuzz_json)                \
	X(fuzz_netrule)             \
	X(fuzz_options)             \
	X(fuzz_pi_settings)         \
	X(fuzz_proxy_client)        \
	X(fuzz_proxy_request)       \
	X(fuzz_proxy_response)      \
	X(fuzz_proxy_upstream)      \
	X(fuzz_session)             \
	X(fuzz_sockets)             \
	X(fuzz_source)              \
	X(fuzz_status)              \
	X(fuzz_stderr)              \
	X(fuzz_summary)             \
	X(fuzz_time)                \
	X(fuzz_unescape)            \
	X(fuzz_upstream)            \
	X(fuzz_utf8)                \
	X(fuzz_version)             \
	FUZZ_TARGETS_UI(X)

#define X(target) extern const struct fuzz_target target;
FUZZ_TARGETS(X)
#undef X

/* All of them, NULL at the end. */
extern const struct fuzz_target *const fuzz_targets[];
const struct fuzz_target *fuzz_find(const char *name); /* or NULL */

/* "NAME MAX SEEDS" of each target, one a line, on stdout. */
void fuzz_list(void);

/* Once, before the first input: locale, time zone, no terminal. */
void fuzz_setup(void);

/* A small generator of numbers. What a target chooses by itself (the size of
 * pieces, a width) comes from the input's own bytes: fuzz_choice. */
struct fuzz_rand {
	uint64_t state;
};

struct fuzz_rand fuzz_choice(const char *data, size_t len);
uint64_t fuzz_next(struct fuzz_rand *r);
size_t fuzz_below(struct fuzz_rand *r, size_t n); /* 0..n-1; n > 0 */

/* Mutates the LEN bytes at DATA in place and returns the new length, at most
 * MAX. */
size_t fuzz_mutate(const struct fuzz_target *t, char *data, size_t len,
	size_t max, uint64_t seed);

/* fuzz-tree.c: the same for JSON as trees. False: nothing in it is JSON. */
bool fuzz_mutate_json(
	struct strbuf *out, const char *data, size_t len, struct fuzz_rand *r);

/* The next line of *REST without its '\n'; false at the end. */
bool fuzz_line(struct str *rest, struct str *line);

/* The part of *REST before the line "==", which is taken off; all of it when
 * there is none. For targets that read several files. */
struct str fuzz_part(struct str *rest);

/* A private folder for targets that read files, the same for the life of the
 * process and removed at its end; and a file in it. NAME may hold slashes. */
const char *fuzz_folder(void);
void fuzz_write(const char *name, struct str data);

/* No byte of it acts on a terminal: valid UTF-8, no C0 but '\n' and (TABS)
 * '\t', no DEL, no C1. */
void fuzz_check_clean(struct str s, bool tabs);

#endif

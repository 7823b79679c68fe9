#ifndef AGENTRUN_EVENT_CONTENT_H
#define AGENTRUN_EVENT_CONTENT_H

#include "base/arena.h"
#include "base/json.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* content: what a tool call or a subagent was given and gave back, as parts
 * that can be shown. Events hold none of it: an adapter makes it from the
 * lines of raw output (runtime_ops.content) when somebody wants to see it.
 *
 * Texts are valid UTF-8 as the runtime wrote them: escape sequences, control
 * characters and NUL included. Whoever shows them cleans them. */
enum part_kind {
	PART_COMMAND, /* a shell command */
	PART_PATH,
	PART_TEXT,   /* Markdown */
	PART_PLAIN,  /* as it stands */
	PART_OUTPUT, /* what went to a terminal, escape sequences included */
	PART_FILE,   /* text of a file from line FIRST on; name: its path */
	PART_DIFF,   /* lines of a unified diff; name: the file's path */
	PART_JSON,   /* value */
	PART_IMAGE,  /* media type as text, size, width, height */
	PART_FIELD,  /* one short value */
	PART_NOTE    /* a sentence of agentrun's own about what is missing */
};

struct part {
	enum part_kind kind;
	bool result;       /* it was given back, not given in */
	const char *title; /* English, to be translated; or NULL */
	struct str name;   /* a name from outside: key, path; or null */
	struct str text;
	const struct json *value;
	int64_t first;  /* of PART_FILE, from 1 */
	int64_t size;   /* of PART_IMAGE, bytes */
	int64_t width;  /* pixels, 0: not known */
	int64_t height; /* pixels */
};

struct content {
	struct part *v;
	size_t count;
	size_t cap;
	bool result; /* what is added from now on is of the result */
	struct arena arena;
};

void content_init(struct content *c);
void content_release(struct content *c);

/* Each adds one part. Strings and trees are borrowed and must live as long as
 * C (its arena is for what is made); TITLE for ever. The part is valid until
 * the next call. */
struct part *content_add(struct content *c, enum part_kind kind,
	const char *title, struct str text);
void content_json(struct content *c, const char *title, const struct json *v);

/* A short value: a text, number or boolean of a runtime; null adds nothing. */
void content_field(struct content *c, const char *title, const struct json *v);

/* A text that may be JSON: an object or array is one, else it is of KIND. */
void content_guess(struct content *c, enum part_kind kind, const char *title,
	struct str text);

/* The change from FROM to TO of file PATH, with all unchanged lines in
 * between. */
void content_change(
	struct content *c, struct str path, struct str from, struct str to);

/* An image of MEDIA type in base64. */
void content_image(struct content *c, struct str media, struct str base64);

/* Of object V the members that are not in TAKEN (ended by NULL), as one object:
 * a copy of the outermost level in C's arena; NULL when nothing is left. */
const struct json *content_rest(
	struct content *c, const struct json *v, const char *const *taken);

/* True when a part behind the first FROM is of the result, or of the input;
 * notes aside. */
bool content_has(const struct content *c, size_t from, bool result);

/* A copy that lives as long as C. */
struct str content_keep(struct content *c, const struct strbuf *sb);

/* What content is wanted of, and the trees of the lines that may hold it, in
 * their order: those of its events, and others that name its ID. */
struct content_query {
	bool is_agent; /* a subagent, else a tool call */
	struct str id;
	struct str name; /* of the tool, as the event says it; may be null */
	const struct json *const *lines;
	size_t count;
};

#endif

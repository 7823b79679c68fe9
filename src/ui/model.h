#ifndef AGENTRUN_UI_MODEL_H
#define AGENTRUN_UI_MODEL_H

#include "base/strbuf.h"
#include "event/event.h"
#include "output/textfmt.h"
#include "ui/agents.h"
#include "ui/doc.h"
#include "ui/trail.h"

#include <stdbool.h>
#include <stdint.h>

/* model: one run as the UI knows it: the lines of its text format, which event
 * (item) each line came from, its agents and its sums. Knows no terminal.
 *
 * Texts, prompts and results are Markdown: their lines are rendered, or, on
 * demand, their source. What the text format prints of them, and the source,
 * are kept beside. */
enum item_kind {
	ITEM_NOTE,
	ITEM_PROMPT, /* then the images */
	ITEM_TOOL,
	ITEM_TEXT, /* then the "… (+N lines)" line */
	ITEM_AGENT_START,
	ITEM_AGENT_END,
	ITEM_NET,
	ITEM_RESULT,
	ITEM_END, /* [warn] and [end] */
	ITEM_STDERR,
	ITEM_PLAIN /* lines of help and of an item's own page */
};

enum item_flag {
	ITEM_FAILED = 1,   /* error, a failed subagent or run */
	ITEM_DENIED = 2,   /* denied call or connection */
	ITEM_UNKNOWN = 4,  /* a call without a word on its success */
	ITEM_CUT_LINE = 8, /* the last line is "… (+N lines)" */
	ITEM_FULL = 16,    /* the reader unfolded it */
	ITEM_PART = 32     /* PLAIN: a part of a detail begins */
};

struct item {
	uint32_t line;  /* its first one */
	uint32_t agent; /* whose label the line carries */
	uint32_t time;  /* ms after model.first_ms */
	uint32_t aux;   /* TOOL: its ms; AGENT_START: the new agent; NET: port;
			   PLAIN: the part of a detail; PROMPT, TEXT, RESULT:
			   index into texts */
	uint16_t name;  /* TOOL: index into names; NET: its reason there */
	uint8_t kind;
	uint8_t flags;
};

/* A text, prompt or result; offsets in kept. */
struct model_text {
	size_t at;     /* what the text format prints */
	size_t source; /* the cleaned text */
	size_t extra;  /* lines behind it: images */
	size_t end;
	uint32_t head; /* bytes before the text in its head: "[main] text " */
	uint32_t images;
	int wanted; /* columns that its tables take, 0 without one */
};

struct model {
	struct doc doc;
	struct item *items;
	size_t item_count;
	size_t item_cap;
	struct trail trail;
	struct agents agents;
	struct textfmt *fmt;
	char **names;
	size_t name_count;
	struct strmap name_map; /* index + 1 as the object */
	char *runtime;          /* owned, or NULL before `start` */
	char *label;            /* owned: the prompt's first line, or NULL */
	int64_t first_ms;
	int64_t last_ms;   /* time of the newest event */
	int64_t last_mono; /* when it came */
	bool began;        /* any event was seen */
	bool ended;
	bool still; /* nothing more will come: the clock stands */
	enum end_status status;
	int64_t duration_ms;
	struct token_counts used;
	size_t denied;
	size_t failed;
	struct strbuf stderr_part; /* an unfinished line */
	struct model_text *texts;
	size_t text_count;
	size_t text_cap;
	struct strbuf kept;
	int cols; /* that tables may take */
	bool show_source;
	struct strbuf lines; /* scratch: an event's text format */
	struct strbuf text;  /* scratch: a cleaned text */
};

#define MODEL_NO_ITEM SIZE_MAX

void model_init(struct model *m);
void model_release(struct model *m);

/* Takes an event that came at MONO ms. */
void model_event(struct model *m, const struct event *ev, int64_t mono);

/* Bytes of standard error; whole lines become items. FINISH: also the rest. */
void model_stderr(struct model *m, const char *s, size_t len);
void model_stderr_finish(struct model *m);

/* A line of its own (pages). */
void model_plain(struct model *m, struct str line);

/* An item (ITEM_PLAIN) of part AUX of a detail; its lines are then added to the
 * doc by the caller. */
void model_part(struct model *m, uint32_t aux, uint8_t flags);

/* The cleaned text of item I, null if it has none; borrowed until the next
 * event. */
struct str model_source(const struct model *m, size_t i);

/* The lines behind it: the images of a prompt. */
struct str model_extra(const struct model *m, size_t i);

/* Shows texts for a pane of COLS columns, rendered or as their source. True:
 * the lines of the doc are others now, the items are the same (pane_keep). */
bool model_show(struct model *m, int cols, bool source);

/* model-text.c: a text, prompt or result that came. */
struct model_new_text {
	enum item_kind kind;
	uint32_t agent;
	struct str lines; /* what the text format prints of it */
	size_t head;      /* bytes before the text in their first one */
	struct str raw;
	struct str extra; /* '\n'-ended lines behind it, cleaned */
	size_t images;
};

void model_add_text(struct model *m, const struct model_new_text *t);
struct item *model_add_item(struct model *m, enum item_kind kind);

/* The line behind item I's last one. */
size_t model_item_end(const struct model *m, size_t i);

/* The item that LINE belongs to. */
size_t model_item_of(const struct model *m, size_t line);

/* The wall clock of the stream, moved on since its newest event. */
int64_t model_now(const struct model *m, int64_t mono);

/* How long the run takes or took. */
int64_t model_elapsed(const struct model *m, int64_t mono);

/* The model shown for an agent, null if unknown; borrowed until the next event.
 */
struct str model_of(const struct model *m, uint32_t agent);

/* The text format as --format text prints it on a terminal: item I, '\n'-ended.
 */
void model_transcript(const struct model *m, size_t i, struct strbuf *out);

#endif

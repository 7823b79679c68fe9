#ifndef AGENTRUN_OUTPUT_MARKDOWN_H
#define AGENTRUN_OUTPUT_MARKDOWN_H

#include "base/str.h"

#include <stdbool.h>

/* markdown: walks through a Markdown text (CommonMark with GitHub's tables,
 * task lists, strikethrough and bare links; md4c parses). One walker for the
 * screen and the HTML document.
 *
 * Raw HTML is text. Entities are decoded and cleaned for display; a name that
 * is not known stays as it was written. A line break of the source is one of
 * the text: people who write prompts mean it.
 *
 * Time and what is said are linear in the length of the text, whatever is in
 * it: long texts are parsed in pieces, nesting is cut at MARKDOWN_DEPTH (the
 * text inside stays), and a piece that would say much more than it holds (links
 * by reference, rows without cells) or that the parser refuses is plain text.
 */
#define MARKDOWN_DEPTH 16

enum markdown_kind {
	MARKDOWN_PARA,
	MARKDOWN_HEADING, /* number: 1 to 6 */
	MARKDOWN_QUOTE,
	MARKDOWN_LIST, /* number: of the first item, -1: bullets */
	MARKDOWN_ITEM, /* task */
	MARKDOWN_CODE, /* text: the language; its text has '\n'-ended lines */
	MARKDOWN_RULE,
	MARKDOWN_TABLE, /* number: columns */
	MARKDOWN_ROW,   /* head */
	MARKDOWN_CELL,  /* align, head */
	MARKDOWN_EM,
	MARKDOWN_STRONG,
	MARKDOWN_STRIKE,
	MARKDOWN_VERBATIM, /* `code` */
	MARKDOWN_LINK,     /* text: the target */
	MARKDOWN_IMAGE     /* text: the target; inside: the alternative text */
};

enum markdown_align {
	MARKDOWN_LEFT,
	MARKDOWN_CENTER,
	MARKDOWN_RIGHT
};

enum markdown_task {
	MARKDOWN_NO_TASK,
	MARKDOWN_OPEN,
	MARKDOWN_DONE
};

struct markdown_node {
	enum markdown_kind kind;
	int number;
	bool loose; /* LIST: blank lines between its items */
	bool head;
	enum markdown_align align;
	enum markdown_task task;
	struct str text; /* borrowed until the call returns */
};

/* Each entered node is left. Text holds '\n' for a line break, but not in cells
 * and headings; it is in nodes of one of the kinds PARA, HEADING, CODE, CELL
 * and ITEM, or in spans inside of them. */
struct markdown_ops {
	void (*enter)(void *arg, const struct markdown_node *node);
	void (*leave)(void *arg, enum markdown_kind kind);
	void (*text)(void *arg, struct str text);
};

/* Where the part of TEXT that begins at FROM ends: a walk through each part
 * alone takes a bounded time, and says what a walk through all does. */
size_t markdown_part(struct str text, size_t from);

void markdown_walk(struct str text, const struct markdown_ops *ops, void *arg);

#endif

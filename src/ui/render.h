#ifndef AGENTRUN_UI_RENDER_H
#define AGENTRUN_UI_RENDER_H

#include "base/str.h"
#include "base/strbuf.h"
#include "output/markdown.h"
#include "ui/doc.h"

#include <stdbool.h>

/* render: a Markdown text as lines with styles, for a pane that wraps them.
 * What a line is does not depend on the width of the pane; only tables do. */
struct render_line {
	struct str text;
	int indent; /* of further rows */
	const struct span *spans;
	size_t span_count;
	bool verbatim; /* of a code block, table or rule: it begins a row */
};

typedef void render_fn(void *arg, const struct render_line *line);

/* Gives the lines of TEXT, which is cleaned (utf8_display), in order; they are
 * borrowed until FN returns. Tables fit in COLS columns; returns how many they
 * want, 0 without one: nothing changes for another width that is larger. */
int render_markdown(struct str text, int cols, render_fn *fn, void *arg);

/* The lines of TEXT as they are. */
void render_source(struct str text, render_fn *fn, void *arg);

/* A line that is being made; parts of it have styles. */
struct render_piece {
	struct strbuf text;
	struct span *spans;
	size_t count;
	size_t cap;
};

void render_piece_add(struct render_piece *p, struct str s, uint32_t style);
void render_piece_reset(struct render_piece *p);
void render_piece_release(struct render_piece *p);

/* The same for a part of another piece: the bytes FROM..TO of OTHER, of whose
 * spans those from *SPAN on are behind FROM; *SPAN moves on. */
void render_piece_copy(struct render_piece *p, const struct render_piece *other,
	size_t from, size_t to, size_t *span);

/* render-table.c: a table, collected cell by cell and laid out at its end. */
struct render_cell {
	size_t from; /* of the table's piece */
	size_t to;
	size_t span; /* its first one, or the next */
	enum markdown_align align;
	bool head;
	bool last; /* of its row */
};

struct render_table {
	struct render_piece piece;
	struct render_cell *cells;
	size_t count;
	size_t cap;
};

/* Gives the lines of the table, which fit into COLS if that can be; returns the
 * columns it wants. */
int render_table(const struct render_table *t, int cols,
	void (*line)(void *arg, const struct render_piece *p), void *arg);
void render_table_release(struct render_table *t);

#endif

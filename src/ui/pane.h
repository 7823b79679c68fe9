#ifndef AGENTRUN_UI_PANE_H
#define AGENTRUN_UI_PANE_H

#include "ui/grid.h"
#include "ui/lens.h"
#include "ui/search.h"

/* pane: the place of a reader in what a lens shows, and its drawing.
 *
 * The top is kept as a line and a row in it, so that neither new lines nor
 * another width move the reader. While it follows, the last row is shown and
 * there is no cursor; else the cursor is the selected line. */
#define PANE_MARK 512

struct pane {
	struct lens lens;
	struct search search;
	size_t top_line;
	uint32_t top_row;
	size_t cursor; /* ROWS_NONE while following */
	bool follow;
	int left;   /* first column that is shown, when lines are chopped */
	int widest; /* columns of the widest line on the screen, then */
	bool times; /* time stamps */
	bool quiet; /* no cursor is drawn (help) */
	int margin; /* columns left of the text */
	int rows;
	int cols;
	size_t seen; /* lines there were when following ended */
	/* Offsets of every PANE_MARK-th row of one line, so that a line of
	 * megabytes is not walked through for every frame. */
	size_t mark_line;
	struct wrap mark_wrap;
	size_t *marks;
	size_t mark_count;
	size_t mark_cap;
};

#define PANE_TIME 9 /* columns of a time stamp: "13:00:03 " */

void pane_init(struct pane *p, struct model *m, uint32_t agent);
void pane_release(struct pane *p);

/* Lays out for this size and keeps the place. To be called before everything
 * below when the model or the size may have changed. */
void pane_sync(struct pane *p, int rows, int cols);

/* Scrolls by DELTA rows; downwards beyond the end follows. */
void pane_scroll(struct pane *p, int delta);

/* Moves the cursor to the next shown line (DIR 1 or -1), scrolling through
 * lines that are taller than the pane. */
void pane_move(struct pane *p, int dir);

void pane_home(struct pane *p);
void pane_follow(struct pane *p);
void pane_stop_following(struct pane *p);

/* Brings LINE, a shown one, to the screen and selects it. */
void pane_goto(struct pane *p, size_t line);

/* The next item (DIR 1 or -1) that is shown and has one of FLAGS (0: any).
 * False when there is none. */
bool pane_next_item(struct pane *p, int dir, uint8_t flags);

/* The selected item: of the cursor, else the last one shown; MODEL_NO_ITEM when
 * nothing is shown. */
size_t pane_item(const struct pane *p);

/* Lines that came below since the reader left the end. */
size_t pane_new_lines(const struct pane *p);

/* The next match of the search in direction DIR is selected, its text unfolded
 * if need be. False when there is none. */
bool pane_search(struct pane *p, int dir, bool *wrapped);

/* Everything laid out anew: the lens was given other conditions. The reader's
 * line stays on the screen if it is still shown. */
void pane_relayout(struct pane *p);

/* Where the reader is, said by items: what model_show may change is between. */
struct pane_place {
	size_t top_item;
	size_t top_line; /* behind the item's first one */
	size_t cursor_item;
	size_t cursor_line;
	size_t below;
};

struct pane_place pane_keep(const struct pane *p);
void pane_restore(struct pane *p, const struct pane_place *place);

/* Unfolds or folds the selected item. */
void pane_fold(struct pane *p);

/* Wraps or chops the lines. Chopped, DIR -1 and 1 shift them by half a screen.
 */
void pane_chop(struct pane *p, bool on);
void pane_shift(struct pane *p, int dir);

/* Columns left of the text: time stamps, or the margin; the last of them has
 * the mark of the selected line. */
int pane_left(const struct pane *p);

void pane_draw(struct pane *p, struct grid *g, int y);

#endif

#ifndef AGENTRUN_UI_INSPECT_H
#define AGENTRUN_UI_INSPECT_H

#include "event/detail.h"
#include "ui/pane.h"
#include "ui/parts.h"

/* inspect: what is behind the selected item, in a pane of its own below the
 * run's or beside it. Contents are made when an item is shown, in pieces. */
struct inspect {
	struct model model; /* its lines */
	struct pane pane;
	struct content content;
	struct parts parts;
	struct strbuf title;

	const struct model *of; /* the run's */
	struct detail *detail;  /* the run's, or NULL */
	size_t item;            /* MODEL_NO_ITEM: nothing is shown */
	uint8_t bad;            /* its ITEM_FAILED or ITEM_DENIED */
	unsigned stamp;         /* of the item's state then */

	bool open;
	bool focus;   /* keys act in it */
	bool whole;   /* it is to have the screen for itself */
	bool alone;   /* it has: also where there is no room for two */
	bool other;   /* on the other side than the size suggests */
	bool raw;     /* the raw lines */
	bool waiting; /* the details are being prepared */
	bool more;    /* lines are still to be made */
	int percent;
};

/* Where it is: the rows and columns left for the run, and its own place. */
struct inspect_place {
	bool beside;
	int run_rows; /* 0: the run is not to be seen */
	int run_cols;
	int y; /* its title */
	int x;
	int rows; /* the title included */
	int cols;
};

void inspect_init(struct inspect *in);
void inspect_release(struct inspect *in);

/* Shows item I of M; does nothing when that is shown as it is now. D may be
 * NULL. */
void inspect_show(
	struct inspect *in, const struct model *m, struct detail *d, size_t i);

/* Texts are for a pane of COLS columns, rendered or as their source. To be
 * called before inspect_show. */
void inspect_fit(struct inspect *in, int cols, bool source);

/* Nothing is shown any more. */
void inspect_close(struct inspect *in);

/* Shows it anew (raw or not). */
void inspect_again(struct inspect *in);

/* Goes on with what was begun: preparing the details, then for about BUDGET
 * bytes making lines. */
void inspect_work(struct inspect *in, size_t budget);

/* There is more to go on with. */
static inline bool inspect_busy(const struct inspect *in)
{
	return in->waiting || in->more;
}

/* Makes all lines that are still to be made. */
void inspect_finish(struct inspect *in);

/* What is selected: the part under the cursor, or with ALL everything. Appends
 * it; false when nothing is there. */
bool inspect_text(struct inspect *in, bool all, struct strbuf *out);

/* Its place in an area of ROWS x COLS. */
struct inspect_place inspect_place(
	const struct inspect *in, int rows, int cols);

/* inspect-item.c: what the model knows of an item, as parts, and what is asked
 * of the run's detail. */
void inspect_facts(
	struct content *c, const struct model *m, struct detail *d, size_t i);

/* What the event of a tool call says: for when nothing else is known. */
void inspect_tool_facts(struct content *c, const struct model *m, size_t i);

/* The last text of a subagent: for when the runtime tells no other result. */
void inspect_last_text(struct content *c, const struct model *m, size_t item);

bool inspect_ask(const struct model *m, size_t i, struct detail_ask *ask);
void inspect_title(struct strbuf *out, const struct model *m, size_t i);

/* A number that changes when what inspect_facts says does. */
unsigned inspect_stamp(const struct model *m, size_t i);

/* The text of an item without label and indentation. */
void item_text(const struct model *m, size_t item, struct strbuf *out);

#endif

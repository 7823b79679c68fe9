#ifndef AGENTRUN_UI_KEYS_H
#define AGENTRUN_UI_KEYS_H

#include "base/strbuf.h"

#include <stdint.h>

/* keys: one table gives the requests, their keys, and the help. A key is named
 * as in the table: a printable character itself, ^X, or a word. */
#define UI_KEYS(X)                                                            \
	X(DOWN, MOVE, "j Down ^E", N_("one line down"))                       \
	X(UP, MOVE, "k Up ^Y", N_("one line up"))                             \
	X(PAGE_DOWN, MOVE, "Space PgDn ^F", N_("one page down"))              \
	X(PAGE_UP, MOVE, "b PgUp ^B", N_("one page up"))                      \
	X(HALF_DOWN, MOVE, "d ^D", N_("half a page down"))                    \
	X(HALF_UP, MOVE, "u ^U", N_("half a page up"))                        \
	X(HOME, MOVE, "g Home", N_("to the top"))                             \
	X(END, MOVE, "G End", N_("to the end, and follow"))                   \
	X(FOLLOW, MOVE, "f F", N_("follow on and off"))                       \
	X(NEXT_ITEM, MOVE, "}", N_("next item"))                              \
	X(PREV_ITEM, MOVE, "{", N_("previous item"))                          \
	X(NEXT_ERROR, MOVE, "e", N_("next error or denial"))                  \
	X(PREV_ERROR, MOVE, "E", N_("previous error or denial"))              \
	X(OPEN, LOOK, "Enter", N_("open what is selected"))                   \
	X(BACK, LOOK, "Esc", N_("back one level"))                            \
	X(RAW, LOOK, "R", N_("details: the raw lines, and back"))             \
	X(WHOLE, LOOK, "z", N_("details on the whole screen, and back"))      \
	X(SIDE, LOOK, "x", N_("details below or beside"))                     \
	X(FOLD, LOOK, "o", N_("show this text in full, and back"))            \
	X(FOLD_ALL, LOOK, "O", N_("show all texts in full, and back"))        \
	X(SOURCE, LOOK, "M", N_("texts as their Markdown source, and back"))  \
	X(CHOP, LOOK, "Z", N_("chop long lines, and wrap them again"))        \
	X(LEFT, LOOK, "Left", N_("chopped lines: half a screen left"))        \
	X(RIGHT, LOOK, "Right", N_("chopped lines: half a screen right"))     \
	X(SEARCH, LOOK, "/", N_("search"))                                    \
	X(SEARCH_NEXT, LOOK, "n", N_("next match"))                           \
	X(SEARCH_PREV, LOOK, "N", N_("previous match"))                       \
	X(FILTER, LOOK, "&",                                                  \
		N_("show only some lines: by text, kind or agent"))           \
	X(TIMES, LOOK, "t", N_("time stamps on and off"))                     \
	X(FOCUS, AGENTS, "Tab S-Tab", N_("to details, list of agents, back")) \
	X(AGENT, AGENTS, "1 2 3 4 5 6 7 8 9", N_("transcript of subagent N")) \
	X(ALL, AGENTS, "0", N_("back to all agents"))                         \
	X(NEXT_AGENT, AGENTS, "]", N_("next subagent"))                       \
	X(PREV_AGENT, AGENTS, "[", N_("previous subagent"))                   \
	X(SHOW, AGENTS, "a", N_("list all, running or failed ones"))          \
	X(SORT, AGENTS, "s", N_("sort the list by the next column"))          \
	X(REVERSE, AGENTS, "S", N_("sort the other way round"))               \
	X(COPY, RUN, "y", N_("copy the selected item (OSC 52)"))              \
	X(EXPORT, RUN, "w", N_("write the details to a file, else the run"))  \
	X(PIPE, RUN, "|", N_("pipe the details into a command"))              \
	X(PAGER, RUN, "v", N_("open the details in $VISUAL or $PAGER"))       \
	X(PAUSE, RUN, "p", N_("replay: pause and go on"))                     \
	X(STEP, RUN, ".", N_("replay: next event"))                           \
	X(SLOWER, RUN, "<", N_("replay: slower"))                             \
	X(FASTER, RUN, ">", N_("replay: faster"))                             \
	X(MOUSE, RUN, "m", N_("mouse wheel on and off"))                      \
	X(REPAINT, RUN, "r ^L", N_("draw the screen anew"))                   \
	X(HELP, RUN, "? h F1", N_("this help"))                               \
	X(QUIT, RUN, "q", N_("back, or leave"))                               \
	X(INTERRUPT, RUN, "^C", N_("stop the run; again: at once"))           \
	X(SUSPEND, RUN, "^Z", N_("suspend; fg comes back"))                   \
	X(ABORT, RUN, "^\\", N_("leave hard, if nothing else helps"))

#define UI_KEY_GROUPS(X)           \
	X(MOVE, N_("Moving"))      \
	X(LOOK, N_("Looking"))     \
	X(AGENTS, N_("Subagents")) \
	X(RUN, N_("Run and screen"))

enum ui_request {
#define X(id, group, keys, help) REQ_##id,
	UI_KEYS(X)
#undef X
	REQ_NONE
};

/* Keys that are no character. */
enum ui_key {
	KEY_FIRST_SPECIAL = 0x110000,
	UIKEY_UP,
	UIKEY_DOWN,
	UIKEY_LEFT,
	UIKEY_RIGHT,
	UIKEY_PGUP,
	UIKEY_PGDN,
	UIKEY_HOME,
	UIKEY_END,
	UIKEY_ENTER,
	UIKEY_ESC,
	UIKEY_TAB,
	UIKEY_BTAB,
	UIKEY_BACKSPACE,
	UIKEY_F1,
	UIKEY_WHEEL_UP,
	UIKEY_WHEEL_DOWN,
	UIKEY_CLICK,  /* the left button */
	UIKEY_PASTED, /* a character follows that was pasted */
	UIKEY_OTHER
};

/* The request of a key (a code point or an enum ui_key), REQ_NONE if it has
 * none. */
enum ui_request keys_request(uint32_t key);

/* The name of a key as the table writes it. */
void keys_name(struct strbuf *out, uint32_t key);

/* Calls FN for each row of the help: group headings have KEYS NULL. */
typedef void keys_row_fn(void *arg, const char *keys, const char *help);
void keys_each(keys_row_fn *fn, void *arg);

#endif

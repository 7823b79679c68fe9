#ifndef AGENTRUN_UI_STATE_H
#define AGENTRUN_UI_STATE_H

#include "base/outq.h"
#include "ui/grid.h"
#include "ui/inspect.h"
#include "ui/keys.h"
#include "ui/list.h"
#include "ui/model.h"
#include "ui/pane.h"
#include "ui/runs.h"
#include "ui/ui.h"

/* state: what the parts of the UI share: runs, places, what is open. */

/* Where a reader is in one run; made when it is first shown. */
struct run_view {
	struct pane all;
	struct pane sub; /* transcript of AGENT, when that is not AGENT_MAIN */
	uint32_t agent;
	struct list list;
};

struct ui_run {
	struct sink sink; /* first: this is a sink */
	struct ui *ui;
	char *name;
	char *note;            /* or NULL */
	struct detail *detail; /* or NULL */
	struct model model;
	struct run_view *view; /* or NULL */
	size_t printed;        /* items that were written to stdout */
};

/* Help: lines of its own over the whole screen. */
struct page {
	struct model model;
	struct pane pane;
	char *title; /* owned */
	bool is_help;
};

enum prompt_kind {
	PROMPT_NONE,
	PROMPT_SEARCH,
	PROMPT_FILTER,
	PROMPT_WRITE, /* the name of a file */
	PROMPT_PIPE,  /* a command */
	PROMPT_LEAVE  /* one key: detach, stop, continue */
};

struct prompt {
	enum prompt_kind kind;
	struct strbuf text;
};

#define MESSAGE_MS 5000
#define FRAME_MS 33    /* frames are at least this far apart */
#define SUSPEND_MS 500 /* for the terminal to take what gives it back */
#define SPINNER_MS 100

struct ui {
	struct loop *loop;
	struct ui_config config;
	struct loop_fd *watch;
	struct loop_timer late_keys; /* for the rest of a key */
	struct outq out;             /* stdout: frames, later transcripts */
	struct ui_run **runs;
	size_t run_count;
	size_t run_cap;
	struct ui_run *run; /* the open one; NULL: the list of runs */
	struct runs_list list;
	struct page *page;      /* or NULL */
	struct inspect inspect; /* of the open run */
	struct grid part;       /* a part of the screen, while it is drawn */
	struct prompt prompt;
	struct strbuf last_search;
	struct strbuf message;
	int64_t message_until;
	struct grid grid;
	int64_t now;  /* monotonic ms, of the present turn */
	int64_t wall; /* the same moment by the calendar */
	int64_t last_frame;
	bool dirty;
	bool focus_list; /* keys act on the list of agents */
	bool times;
	bool chop; /* long lines are one row */
	bool mouse;
	bool utf8;
	bool touched;    /* a key was pressed */
	bool resumed;    /* by ourselves: SIGCONT needs nothing more */
	bool open;       /* the terminal is ours */
	bool away;       /* but another job's for a while */
	int64_t stop_at; /* when SIGSTOP comes at the latest; 0: none is due */
	bool detached;   /* events are printed as text now */
	bool done;
	struct handover
		*handover;    /* a program that has the terminal, or NULL */
	struct strbuf early;  /* stderr before the first run */
	struct ui_run *about; /* whom stderr is about; NULL: the first run */
};

/* A UI without a terminal (tests draw it); ui_new adds the terminal. */
struct ui *ui_create(struct loop *loop, const struct ui_config *config);

/* The view of a run, made if need be. */
struct run_view *ui_view(struct ui_run *run);
struct pane *ui_pane(struct ui *ui);     /* where the keys act; or NULL */
struct pane *ui_run_pane(struct ui *ui); /* transcript or run; or NULL */

void ui_message(struct ui *ui, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Draws everything for ROWS x COLS into ui->grid. */
void ui_draw(struct ui *ui, int rows, int cols);

/* One key. */
void ui_key(struct ui *ui, uint32_t key, bool pasted);

/* Shows the texts of RUN for a pane of COLS columns, rendered or as their
 * source; readers keep their places. */
void ui_show(struct ui_run *run, int cols, bool source);

/* Opens RUN (NULL: the list). */
void ui_open_run(struct ui *ui, struct ui_run *run);

/* Opens the transcript of AGENT; AGENT_MAIN: everything. */
void ui_open_agent(struct ui *ui, uint32_t agent);

/* Keys while a prompt is open (prompt.c). */
void prompt_open(struct ui *ui, enum prompt_kind kind);
void prompt_key(struct ui *ui, uint32_t key);

/* The line of a PROMPT_WRITE or PROMPT_PIPE was accepted (request.c). */
void request_accept(struct ui *ui, enum prompt_kind kind, struct str line);

/* handover.c: gives TEXT away. The terminal is another program's meanwhile; the
 * loop goes on. */
void handover_write(struct ui *ui, struct str name, struct str text);
void handover_pipe(struct ui *ui, struct str command, struct str text);
void handover_pager(struct ui *ui, struct str text);
/* Starts what was asked for, and looks whether it has ended. Returns the ms
 * after which it wants to be called again; -1: nothing is under way. */
int handover_work(struct ui *ui);
void handover_release(struct ui *ui); /* ends what is under way */

/* Gives the terminal back as soon as it takes that; who does so says when it is
 * to be taken again. */
void ui_leave_terminal(struct ui *ui);

/* Leaves the terminal for a while (Ctrl-Z). */
void ui_suspend(struct ui *ui);

/* The UI may be left; tells the owner. */
void ui_leave(struct ui *ui);

/* Gives out some more of the transcripts: to stdout, what came on stderr to
 * fd 2, the next piece when the last has been taken. True when nothing is left
 * to give out, or stdout has failed. leave_waits: whether the last piece has to
 * be taken first. */
bool leave_print(struct ui *ui);
bool leave_waits(const struct ui *ui);

/* Pages (page.c, help.c). */
struct page *page_new(const char *title, bool is_help);
void page_free(struct page *p);
void page_add(struct page *p, struct str line);
struct page *help_page(void);

/* The bottom row (bar.c). */
void bar_draw(struct ui *ui, struct grid *g, int y);
struct str bar_frame(const struct ui *ui); /* the spinner's present frame */
void prompt_draw(struct ui *ui, struct grid *g, int y);

#endif

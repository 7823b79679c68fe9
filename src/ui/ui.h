#ifndef AGENTRUN_UI_UI_H
#define AGENTRUN_UI_UI_H

#include "base/err.h"
#include "base/loop.h"
#include "event/detail.h"
#include "output/sink.h"
#include "ui/theme.h"

#include <stdbool.h>
#include <stdint.h>

/* ui: the full-screen view of one or several runs. A sink of the same events as
 * jsonl and text; it parses and decides nothing about a run. */
struct ui;
struct ui_run;

/* What the keys may ask of the owner; NULL members are not offered. */
struct ui_requests {
	/* "Stop the run" in the leave dialog: as SIGINT. (Ctrl-C itself is a
	 * signal, ISIG stays on: the owner handles it as without a UI.) */
	void (*stop)(void *arg);
	/* The reader detached: the UI has already given the terminal back,
	 * printed the transcripts, and its sinks go on as text by themselves
	 * (ui_detach). Only tells. */
	void (*detach)(void *arg);
	/* Leave for good (q at the end; a viewer's q). */
	void (*leave)(void *arg);
	/* How a stop stands: true while stopping, with ms until SIGKILL. */
	bool (*stopping)(void *arg, int64_t *kill_in_ms);
	/* Replay: pause/step/slower/faster of one run's source; may give a
	 * message for the bar. */
	void (*replay)(void *arg, struct ui_run *run, int what, char *msg,
		size_t size);
	/* w: write RUN as a document; gives the message for the bar. */
	void (*export_run)(
		void *arg, struct ui_run *run, char *msg, size_t size);
	void *arg;
};

enum ui_replay {
	UI_REPLAY_PAUSE,
	UI_REPLAY_STEP,
	UI_REPLAY_SLOWER,
	UI_REPLAY_FASTER
};

struct ui_config {
	bool live; /* a run of ours, not a viewer */
	int stay;  /* 0 auto, 1 stay, -1 leave at once */
	enum theme_choice color;
	bool chop;       /* long lines are chopped at first */
	bool stderr_tty; /* diagnostics enter the pane */
	bool list;       /* the list of runs comes first, also for one run */
	/* So long ui_free waits for a terminal that takes nothing; may change
	 * meanwhile. NULL: OUTQ_GRACE_MS. */
	const int64_t *grace_ms;
	struct ui_requests requests;
};

/* Takes over the terminal of stdout. NULL with ERR when it cannot be used: the
 * caller then goes on with text. */
struct ui *ui_new(
	struct loop *loop, const struct ui_config *config, struct err *err);

/* Gives the terminal back and writes the transcripts to stdout exactly as
 * --format text prints them on a terminal; frees. Waits for the terminal in the
 * loop, so not to be called from there. */
void ui_free(struct ui *ui);

/* Gives the terminal back and prints the transcripts, as fast as the terminal
 * takes them; the sinks of the runs
 * live on and print each further event as text until ui_free, which then prints
 * nothing more. */
void ui_detach(struct ui *ui);

/* A run that is shown. NAME: the file, or the runtime. The sink belongs to the
 * UI (its free is a no-op until ui_free). */
struct ui_run *ui_run_add(struct ui *ui, const char *name);
struct sink *ui_run_sink(struct ui_run *run);

/* Where the details of RUN's events come from; D is freed with the run. */
void ui_run_set_detail(struct ui_run *run, struct detail *d);

/* From now on diagnostics are about RUN and enter its pane; before the first
 * call it is the first run's. */
void ui_run_diagnose(struct ui_run *run);

/* State words for the list of runs and the bar: "no end event", "3 bad lines",
 * "paused", or NULL. */
void ui_run_set_note(struct ui_run *run, const char *note);

/* Nothing more will come, or not now (a stream that stopped, a paused replay):
 * the run's clocks stand still. */
void ui_run_set_still(struct ui_run *run, bool still);

/* True once the UI may be left (end of a run, reader following, or a key), or
 * was (detached). */
bool ui_done(const struct ui *ui);

#endif

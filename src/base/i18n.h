#ifndef AGENTRUN_BASE_I18N_H
#define AGENTRUN_BASE_I18N_H

/* Marks for translation. Only help, errors to people and the labels of the UI
 * are translated; never jsonl, the text format, log lines. */
#include <libintl.h>

#define _(s) gettext(s)
#define N_(s) (s)

#endif

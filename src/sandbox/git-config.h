#ifndef AGENTRUN_SANDBOX_GIT_CONFIG_H
#define AGENTRUN_SANDBOX_GIT_CONFIG_H

#include "base/strbuf.h"

/* git-config: reads the text of a git configuration file as git does
 * (git-config(1), SYNTAX), to know what git would run.
 *
 * What git would refuse is passed over up to the end of its line: it never
 * hides what follows. */

/* KEY is "section.name" or "section.subsection.name", section and name in lower
 * case. VALUE: "" where there is none. Both borrowed; a NUL in them ends
 * them. */
typedef void git_config_fn(void *arg, const char *key, const char *value);

/* Calls FN for each variable, in order: of some git takes the last one. */
void git_config_each(struct str text, git_config_fn *fn, void *arg);

#endif

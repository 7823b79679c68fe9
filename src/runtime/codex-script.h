#ifndef AGENTRUN_RUNTIME_CODEX_SCRIPT_H
#define AGENTRUN_RUNTIME_CODEX_SCRIPT_H

#include "base/str.h"
#include "base/strbuf.h"

/* codex-script: codex shows a command as its arguments, quoted and joined:
 * "/bin/bash -lc 'ls | wc'". Gives the script, made in SCRATCH, when these are
 * a shell (bash, sh, zsh), -lc or -c, and one word; else COMMAND as it is
 * (runtime page: codex 2). */
struct str codex_script(struct str command, struct strbuf *scratch);

#endif

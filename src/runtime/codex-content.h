#ifndef AGENTRUN_RUNTIME_CODEX_CONTENT_H
#define AGENTRUN_RUNTIME_CODEX_CONTENT_H

#include "event/content.h"

/* codex-content: runtime_ops.content of codex (runtime page: codex 2). */
void codex_content(const struct content_query *q, struct content *c);

#endif

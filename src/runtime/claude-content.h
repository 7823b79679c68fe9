#ifndef AGENTRUN_RUNTIME_CLAUDE_CONTENT_H
#define AGENTRUN_RUNTIME_CLAUDE_CONTENT_H

#include "event/content.h"

/* claude-content: runtime_ops.content of claude-code (runtime page:
 * claude-code 2). */
void claude_content(const struct content_query *q, struct content *c);

#endif

#ifndef AGENTRUN_RUNTIME_DSH_CONTENT_H
#define AGENTRUN_RUNTIME_DSH_CONTENT_H

#include "event/content.h"

/* dsh-content: runtime_ops.content of dsh (runtime page: dsh). */
void dsh_content(const struct content_query *q, struct content *c);

#endif

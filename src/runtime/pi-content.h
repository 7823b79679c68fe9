#ifndef AGENTRUN_RUNTIME_PI_CONTENT_H
#define AGENTRUN_RUNTIME_PI_CONTENT_H

#include "event/content.h"

/* pi-content: runtime_ops.content of pi (runtime page: pi). */
void pi_content(const struct content_query *q, struct content *c);

#endif

#ifndef AGENTRUN_VIEW_LOOKS_H
#define AGENTRUN_VIEW_LOOKS_H

#include "runtime/runtime.h"

#include <stdbool.h>
#include <stddef.h>

/* looks: what a line is that is not what it should be. */
struct view_looks {
	const struct runtime_ops *raw; /* output of this runtime, or NULL */
	bool events;                   /* events of ours */
};

struct view_looks view_looks_of(const char *line, size_t len);

#endif

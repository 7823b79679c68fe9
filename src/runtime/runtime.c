#include "config.h"

#include "runtime/runtime.h"

#include <string.h>

const struct runtime_ops *const runtime_table[] = {
	&runtime_claude_code,
	&runtime_codex,
	&runtime_pi,
	&runtime_dsh,
	NULL,
};

const struct runtime_ops *runtime_find(const char *name)
{
	size_t i;

	for (i = 0; runtime_table[i]; i++)
		if (!strcmp(runtime_table[i]->name, name))
			return runtime_table[i];
	return NULL;
}

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

static bool is_like(const struct runtime_line *l, const struct json *object)
{
	struct str type = json_str(object, "type");
	size_t n = strlen(l->type);
	bool any_end = l->type[n - 1] == '*';

	n -= any_end;
	return !str_is_null(type) &&
	       (any_end ? type.len >= n : type.len == n) &&
	       memcmp(type.ptr, l->type, n) == 0 &&
	       (!l->with || json_get(object, l->with));
}

bool runtime_has_line(const struct runtime_ops *ops, const struct json *object)
{
	if (json_get(object, "schema"))
		return false;
	for (const struct runtime_line *l = ops->lines; l->type; l++)
		if (is_like(l, object))
			return true;
	return false;
}

const struct runtime_ops *runtime_of_line(const struct json *object)
{
	const struct runtime_ops *found = NULL;

	for (size_t i = 0; runtime_table[i]; i++) {
		if (!runtime_has_line(runtime_table[i], object))
			continue;
		if (found)
			return NULL;
		found = runtime_table[i];
	}
	return found;
}

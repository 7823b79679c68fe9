#include "config.h"

#include "view/looks.h"

#include "runtime/feed.h"

static void take_object(
	void *arg, const struct json *object, size_t at, size_t len)
{
	struct view_looks *looks = arg;

	(void)at;
	(void)len;
	if (!looks->raw)
		looks->raw = runtime_of_line(object);
	looks->events = looks->events || json_get(object, "schema");
}

struct view_looks view_looks_of(const char *line, size_t len)
{
	struct view_looks looks = {NULL, false};
	struct feed feed;

	feed_init(&feed);
	feed_line(&feed, line, len, take_object, &looks);
	feed_release(&feed);
	return looks;
}

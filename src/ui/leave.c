#include "config.h"

#include <unistd.h>

#include "base/io.h"
#include "ui/state.h"

#define CHUNK ((size_t)64 << 10)

static int flush(struct strbuf *sb, int fd)
{
	int ret = sb->len ? io_write_all(fd, sb->buf, sb->len) : 0;

	strbuf_reset(sb);
	return ret;
}

int leave_print(struct ui_run *run, bool only_stderr)
{
	const struct model *m = &run->model;
	struct strbuf sb = STRBUF_INIT;
	int fd = STDOUT_FILENO;
	int ret = 0;

	for (; run->printed < m->item_count && ret == 0; run->printed++) {
		int to = m->items[run->printed].kind == ITEM_STDERR
				 ? STDERR_FILENO
				 : STDOUT_FILENO;

		if (only_stderr && to == STDOUT_FILENO)
			continue;
		if (to != fd || sb.len >= CHUNK)
			ret = flush(&sb, fd);
		fd = to;
		if (ret == 0)
			model_transcript(m, run->printed, &sb);
	}
	if (ret == 0)
		ret = flush(&sb, fd);
	strbuf_release(&sb);
	return ret;
}

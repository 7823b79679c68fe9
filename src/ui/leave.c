#include "config.h"

#include <unistd.h>

#include "base/log.h"
#include "ui/state.h"

#define CHUNK ((size_t)64 << 10)
#define CHUNKS 16 /* at a time: signals are served in between */

/* Where an item goes; -1: nowhere. A viewer of many runs leaves no transcripts:
 * the files are all there. What was wrong with them is nowhere else. */
static int item_fd(const struct ui *ui, const struct ui_run *run, size_t item)
{
	if (run->model.items[item].kind == ITEM_STDERR)
		return STDERR_FILENO;
	if (!ui->config.live && ui->run_count > 1)
		return -1;
	return STDOUT_FILENO;
}

/* Where both go to one terminal, one waits for the other. */
bool leave_waits(const struct ui *ui)
{
	return outq_queued(&ui->out) ||
	       (ui->config.stderr_tty && outq_queued(diag_queue()));
}

/* The next items that go to the same place. */
static void print_piece(struct ui *ui, struct ui_run *run)
{
	const struct model *m = &run->model;
	struct strbuf sb = STRBUF_INIT;
	int fd = -1;

	for (; run->printed < m->item_count && sb.len < CHUNK; run->printed++) {
		int to = item_fd(ui, run, run->printed);

		if (to < 0)
			continue;
		if (fd >= 0 && to != fd)
			break;
		fd = to;
		model_transcript(m, run->printed, &sb);
	}
	if (fd == STDERR_FILENO)
		diag_write(sb.buf, sb.len);
	else if (fd >= 0)
		(void)outq_write(&ui->out, sb.buf, sb.len);
	strbuf_release(&sb);
}

bool leave_print(struct ui *ui)
{
	int pieces = 0;

	for (size_t i = 0; i < ui->run_count; i++) {
		struct ui_run *run = ui->runs[i];

		while (run->printed < run->model.item_count) {
			if (ui->out.errnum)
				return true;
			if (leave_waits(ui) || pieces++ == CHUNKS)
				return false;
			print_piece(ui, run);
		}
	}
	return true;
}

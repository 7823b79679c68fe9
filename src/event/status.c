#include "config.h"

#include "event/status.h"

#include <signal.h>

#include "base/child.h"
#include "base/strvec.h"
#include "base/utf8.h"

enum {
	EXIT_FAILED = 1,
	EXIT_REJECTED = 2,
	EXIT_TIMEOUT = 3,
	EXIT_LIMIT = 4,
	EXIT_SIGNAL = 128
};

static const char *const words[] = {
	[END_FINISHED] = "finished",
	[END_FAILED] = "failed",
	[END_INTERRUPTED] = "interrupted",
	[END_TIMEOUT] = "timeout",
	[END_LIMIT] = "limit",
	[END_REJECTED] = "rejected",
};

const char *status_word(enum end_status status)
{
	return words[status];
}

int status_from_word(struct str word, enum end_status *status)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (str_is(word, words[i])) {
			*status = (enum end_status)i;
			return 0;
		}
	}
	return -1;
}

int status_exit(enum end_status status, int signo)
{
	switch (status) {
	case END_FINISHED:
		return 0;
	case END_FAILED:
		return EXIT_FAILED;
	case END_INTERRUPTED:
		return EXIT_SIGNAL + (signo == SIGHUP ? SIGTERM : signo);
	case END_TIMEOUT:
		return EXIT_TIMEOUT;
	case END_LIMIT:
		return EXIT_LIMIT;
	case END_REJECTED:
		return EXIT_REJECTED;
	}
	return EXIT_FAILED;
}

void status_signal(int signo, struct strbuf *detail)
{
	if (signo != SIGINT && signo != SIGTERM && signo != SIGHUP)
		strbuf_addf(detail, "stopped by %s", child_signal_name(signo));
}

static bool has_content(struct str s)
{
	return s.ptr && !utf8_is_blank(s.ptr, s.len);
}

/* The best there is to say about a failure (spec: detail; decisions 5). */
static void failure_detail(const char *runtime, const struct exit_info *ei,
	const struct runtime_verdict *rv, struct strbuf *detail)
{
	bool judged = ei->known;

	if (has_content(rv->message)) {
		strbuf_adds(detail, rv->message);
		return;
	}
	if (has_content(ei->stderr_tail))
		strbuf_adds(detail, ei->stderr_tail);
	else if (judged && !ei->exited)
		strbuf_addf(detail, "%s was killed by %s", runtime,
			child_signal_name(ei->signo));
	else if (judged && ei->code != 0)
		strbuf_addf(
			detail, "%s exited with code %d", runtime, ei->code);
	else
		strbuf_addf(detail, "%s ended without a result", runtime);
	if (rv->success || !has_content(rv->remark))
		return;
	while (detail->len && detail->buf[detail->len - 1] == '\n')
		strbuf_setlen(detail, detail->len - 1);
	strbuf_addstr(detail, "; ");
	strbuf_adds(detail, rv->remark);
}

void status_judge(const char *runtime, const struct stop_info *stop,
	const struct exit_info *exit_info, const struct runtime_verdict *rv,
	enum end_status *status, struct strbuf *detail, struct strvec *warn)
{
	struct exit_info ei = *exit_info;

	if (stop->after_result) {
		strvec_push(warn, "stopped_after_result");
		/* How it ended was our doing, and says nothing. */
		ei.known = false;
	}
	if (stop->signo) {
		*status = END_INTERRUPTED;
		status_signal(stop->signo, detail);
	} else if (stop->timeout) {
		*status = END_TIMEOUT;
		strbuf_addf(detail, "--timeout %s reached", stop->timeout_text);
	} else if (stop->limit) {
		*status = END_LIMIT;
		strbuf_adds(detail, stop->limit_text);
	} else if (stop->output_failure.ptr) {
		*status = END_FAILED;
		strbuf_adds(detail, stop->output_failure);
	} else if (!rv->success || (ei.known && (!ei.exited || ei.code != 0))) {
		*status = END_FAILED;
		failure_detail(runtime, &ei, rv, detail);
		if (rv->success && ei.exited)
			strvec_pushf(warn, "exit_after_result:%d", ei.code);
	} else {
		*status = END_FINISHED;
	}
}

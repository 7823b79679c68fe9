#include "config.h"

#include <signal.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "event/status.h"
#include "tests/check-main.h"

/* The one judgement of a run, as a table. */

struct verdict_case {
	const char *name;
	struct stop_info stop;
	struct exit_info exit;
	struct runtime_verdict rv;
	enum end_status status;
	const char *detail;
	const char *warn; /* the only warning, or NULL */
};

#define S(s)                     \
	{                        \
		s, sizeof(s) - 1 \
	}
#define EXITED(n)                                           \
	{                                                   \
		.known = true, .exited = true, .code = (n), \
		.stderr_tail = S("")                        \
	}
#define KILLED(n)                                             \
	{                                                     \
		.known = true, .exited = false, .signo = (n), \
		.stderr_tail = S("")                          \
	}
#define GOOD                                   \
	{                                      \
		.success = true, .final = true \
	}

static const struct verdict_case cases[] = {
	{"good", {0}, EXITED(0), GOOD, END_FINISHED, "", NULL},
	{"good, recorded", {0}, {.known = false}, GOOD, END_FINISHED, "", NULL},
	{"no result", {0}, EXITED(0), {0}, END_FAILED,
		"claude-code ended without a result", NULL},
	{"no result, recorded", {0}, {.known = false}, {0}, END_FAILED,
		"claude-code ended without a result", NULL},
	{"exit code", {0}, EXITED(3), {0}, END_FAILED,
		"claude-code exited with code 3", NULL},
	{"killed", {0}, KILLED(SIGSEGV), {0}, END_FAILED,
		"claude-code was killed by SIGSEGV", NULL},
	{"killed after a good result", {0}, KILLED(SIGKILL), GOOD, END_FAILED,
		"claude-code was killed by SIGKILL", NULL},
	{"exit after a good result", {0}, EXITED(7), GOOD, END_FAILED,
		"claude-code exited with code 7", "exit_after_result:7"},
	{"its own message", {0}, EXITED(1), {.message = S("API Error\n")},
		END_FAILED, "API Error\n", NULL},
	{"a blank message is none", {0}, EXITED(1), {.message = S(" \n")},
		END_FAILED, "claude-code exited with code 1", NULL},
	{"message before stderr", {0},
		{.known = true,
			.exited = true,
			.code = 1,
			.stderr_tail = S("tail")},
		{.message = S("own")}, END_FAILED, "own", NULL},
	{"stderr as it is", {0},
		{.known = true,
			.exited = true,
			.code = 1,
			.stderr_tail = S("no such option\n")},
		{0}, END_FAILED, "no such option\n", NULL},
	{"stderr of a killed one", {0},
		{.known = true, .signo = SIGABRT, .stderr_tail = S("oops")},
		{0}, END_FAILED, "oops", NULL},
	{"a blank stderr is none", {0},
		{.known = true,
			.exited = true,
			.code = 1,
			.stderr_tail = S("\n\n")},
		{0}, END_FAILED, "claude-code exited with code 1", NULL},
	{"a remark on the output", {0}, EXITED(0), {.remark = S("cut off")},
		END_FAILED, "claude-code ended without a result; cut off",
		NULL},
	{"a remark behind stderr", {0},
		{.known = true,
			.exited = true,
			.code = 1,
			.stderr_tail = S("no such option\n")},
		{.remark = S("cut off")}, END_FAILED, "no such option; cut off",
		NULL},
	{"no remark behind its own message", {0}, EXITED(1),
		{.message = S("own"), .remark = S("cut off")}, END_FAILED,
		"own", NULL},
	{"no remark on a good result", {0}, EXITED(7),
		{.success = true, .remark = S("cut off")}, END_FAILED,
		"claude-code exited with code 7", "exit_after_result:7"},
	{"interrupted", {.signo = SIGINT}, EXITED(0), {.message = S("aborted")},
		END_INTERRUPTED, "", NULL},
	{"interrupted wins over timeout",
		{.signo = SIGTERM,
			.timeout = true,
			.timeout_text = "5",
			.limit = true,
			.limit_text = S("--max-turns 3 reached: 4")},
		KILLED(SIGKILL), {0}, END_INTERRUPTED, "", NULL},
	{"timeout wins over limit",
		{.timeout = true,
			.timeout_text = "0.50",
			.limit = true,
			.limit_text = S("--max-turns 3 reached: 4")},
		KILLED(SIGKILL), GOOD, END_TIMEOUT, "--timeout 0.50 reached",
		NULL},
	{"limit wins over failure",
		{.limit = true, .limit_text = S("--max-turns 3 reached: 4")},
		EXITED(143), {.message = S("aborted")}, END_LIMIT,
		"--max-turns 3 reached: 4", NULL},
	{"limit after a good result",
		{.limit = true, .limit_text = S("--max-usd 0.50 reached: 0.6")},
		EXITED(0), GOOD, END_LIMIT, "--max-usd 0.50 reached: 0.6",
		NULL},
	{"a write failed",
		{.output_failure = S("cannot write 'x': No space left")},
		KILLED(SIGTERM), GOOD, END_FAILED,
		"cannot write 'x': No space left", NULL},
	{"stopped after a good result", {.after_result = true},
		{.known = true, .signo = SIGKILL, .stopped = true}, GOOD,
		END_FINISHED, "", "stopped_after_result"},
	{"stopped after a bad result", {.after_result = true},
		{.known = true, .exited = true, .code = 143, .stopped = true},
		{.final = true, .message = S("turn failed")}, END_FAILED,
		"turn failed", "stopped_after_result"},
	{"interrupted after the result",
		{.after_result = true, .signo = SIGINT}, KILLED(SIGKILL), GOOD,
		END_INTERRUPTED, "", "stopped_after_result"},
};

static void judge(const struct verdict_case *c)
{
	struct strbuf detail = STRBUF_INIT;
	struct strvec warn = STRVEC_INIT;
	enum end_status status;

	status_judge("claude-code", &c->stop, &c->exit, &c->rv, &status,
		&detail, &warn);
	ck_assert_msg(status == c->status, "%s: got %s", c->name,
		status_word(status));
	ck_assert_msg(strcmp(detail.buf, c->detail) == 0, "%s: got '%s'",
		c->name, detail.buf);
	ck_assert_msg(warn.count == (c->warn ? 1 : 0), "%s: %zu warnings",
		c->name, warn.count);
	if (c->warn)
		ck_assert_str_eq(warn.v[0], c->warn);
	strbuf_release(&detail);
	strvec_release(&warn);
}

START_TEST(the_first_row_that_holds)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		judge(&cases[i]);
}
END_TEST

START_TEST(words_go_there_and_back)
{
	static const char *const words[] = {"finished", "failed", "interrupted",
		"timeout", "limit", "rejected"};
	enum end_status status;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		ck_assert_int_eq(
			status_from_word(str_of(words[i]), &status), 0);
		ck_assert_str_eq(status_word(status), words[i]);
	}
	ck_assert_int_eq(status_from_word(str_of("Finished"), &status), -1);
	ck_assert_int_eq(status_from_word(str_of(""), &status), -1);
	ck_assert_int_eq(status_from_word(str_null(), &status), -1);
	ck_assert_int_eq(
		status_from_word((struct str){"limit\0", 6}, &status), -1);
}
END_TEST

START_TEST(exit_statuses)
{
	ck_assert_int_eq(status_exit(END_FINISHED, 0), 0);
	ck_assert_int_eq(status_exit(END_FAILED, 0), 1);
	ck_assert_int_eq(status_exit(END_REJECTED, 0), 2);
	ck_assert_int_eq(status_exit(END_TIMEOUT, 0), 3);
	ck_assert_int_eq(status_exit(END_LIMIT, 0), 4);
	ck_assert_int_eq(status_exit(END_INTERRUPTED, SIGINT), 130);
	ck_assert_int_eq(status_exit(END_INTERRUPTED, SIGTERM), 143);
	ck_assert_int_eq(status_exit(END_INTERRUPTED, SIGHUP), 143);
}
END_TEST

CHECK_MAIN("status", the_first_row_that_holds, words_go_there_and_back,
	exit_statuses)

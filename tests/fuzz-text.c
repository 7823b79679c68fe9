/* fuzz-text: short texts from outside that are read into something: the
 * argument of a tool, a command, a time, a version, an address, what a program
 * said before it died. */
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "doctor-probe.h"
#include "event/status.h"
#include "fuzz.h"
#include "run/cause.h"
#include "run/image.h"
#include "run/version.h"
#include "runtime/codex-script.h"
#include "runtime/summary.h"
#include "sandbox/explain.h"

/* --- summary: the adapters give repaired text --- */

static void check_summary(const struct strbuf *out, bool is_cut)
{
	fuzz_check_clean(strbuf_str(out), false);
	ar_assert(!memchr(out->buf, '\n', out->len));
	if (is_cut)
		ar_assert(utf8_points(out->buf, out->len) <= SUMMARY_MAX);
}

static void play_summary(const void *arg, const char *data, size_t len)
{
	struct strbuf text = STRBUF_INIT;
	struct strbuf out = STRBUF_INIT;
	struct strbuf scratch = STRBUF_INIT;
	struct str rest;
	struct str first;
	struct str second;

	(void)arg;
	utf8_repair(&text, data, len);
	rest = strbuf_str(&text);
	first = fuzz_part(&rest);
	second = fuzz_part(&rest);
	summary_make(&out, "Bash", first);
	check_summary(&out, true);
	ar_assert(str_starts(strbuf_str(&out), "Bash"));
	summary_line(&out, first);
	check_summary(&out, false);
	summary_path(&out, "Read", first, second);
	check_summary(&out, true);
	summary_tool(&out, second, first, false, str_null());
	check_summary(&out, true);
	first = codex_script(first, &scratch);
	ar_assert(utf8_valid(first.ptr, first.len));
	strbuf_release(&text);
	strbuf_release(&out);
	strbuf_release(&scratch);
}

static const char *const summary_words[] = {"/bin/bash -lc '", "'", "\"", "\\",
	"bash -c ", "zsh", "/work/", "==\n", "\n\n", "\xe2\x80\xa9", NULL};

const struct fuzz_target fuzz_summary = {
	.name = "summary",
	.play = play_summary,
	.max = 2048,
	.words = summary_words,
};

/* --- time --- */

static void play_time(const void *arg, const char *data, size_t len)
{
	char text[CLOCK_TIME_LEN + 1];
	char again[CLOCK_TIME_LEN + 1];
	int64_t ms = 0;
	int64_t back = 0;

	(void)arg;
	if (clock_parse(data, len, &ms) < 0)
		return;
	clock_format(ms, text);
	ar_assert(strlen(text) == CLOCK_TIME_LEN);
	ar_assert(clock_parse(text, CLOCK_TIME_LEN, &back) == 0);
	/* An offset leads beyond the years that can be written. */
	ar_assert(back == ms || strncmp(text, "0000-", 5) == 0 ||
		  strncmp(text, "9999-", 5) == 0);
	clock_format(back, again);
	ar_assert(strcmp(text, again) == 0);
}

static const char *const time_words[] = {"2026-10-04T13:00:00.850Z",
	"0000-01-01T00:00:00Z", "9999-12-31T23:59:60.999999999+23:59", "T", "t",
	"Z", "+00:00", "-23:59", "-02-29", ".5", ":60", NULL};

const struct fuzz_target fuzz_time = {
	.name = "time",
	.play = play_time,
	.max = 64,
	.words = time_words,
};

/* --- version: an order --- */

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void play_version(const void *arg, const char *data, size_t len)
{
	struct str rest = {data, len};
	struct strbuf v[3] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	int ab;
	int bc;

	(void)arg;
	for (int i = 0; i < 3; i++) {
		struct str line = str_null();

		if (fuzz_line(&rest, &line))
			strbuf_adds(&v[i], line);
	}
	ab = sign(version_compare(v[0].buf, v[1].buf));
	bc = sign(version_compare(v[1].buf, v[2].buf));
	ar_assert(version_compare(v[0].buf, v[0].buf) == 0);
	ar_assert(ab == -sign(version_compare(v[1].buf, v[0].buf)));
	if (ab == bc)
		ar_assert(sign(version_compare(v[0].buf, v[2].buf)) == ab);
	if (ab == 0)
		ar_assert(sign(version_compare(v[0].buf, v[2].buf)) == bc);
	for (int i = 0; i < 3; i++)
		strbuf_release(&v[i]);
}

static const char *const version_words[] = {
	"0.1.6", "1.2.3", "-rc.2", "-rc", "+build", ".0", "\n", NULL};

const struct fuzz_target fuzz_version = {
	.name = "version",
	.play = play_version,
	.max = 128,
	.words = version_words,
};

/* --- endpoint --- */

static void play_endpoint(const void *arg, const char *data, size_t len)
{
	struct endpoint e;

	(void)arg;
	if (endpoint_parse(&e, (struct str){data, len}) < 0) {
		ar_assert(!e.host);
		return;
	}
	ar_assert(e.host[0] && e.port);
	ar_assert(!strpbrk(e.host, "/?#@[]"));
	endpoint_release(&e);
}

static const char *const endpoint_words[] = {"http://", "https://", "user:pw@",
	"[::1]", ":443", ":0", ":65536", "/v1", "?", "#", "a.b", NULL};

const struct fuzz_target fuzz_endpoint = {
	.name = "endpoint",
	.play = play_endpoint,
	.max = 512,
	.words = endpoint_words,
};

/* --- explain: what bubblewrap said --- */

static void play_explain(const void *arg, const char *data, size_t len)
{
	struct err err = ERR_INIT;
	struct strbuf said = STRBUF_INIT;

	(void)arg;
	strbuf_add(&said, data, len);
	explain_bwrap(said.buf, &err);
	ar_assert(err.code == AR_ESANDBOX || err.code == AR_ERACE);
	ar_assert(str_starts(str_of(err.msg), "sandbox: "));
	ar_assert(!strchr(err.msg, '\n'));
	strbuf_release(&said);
}

static const char *const explain_words[] = {"bwrap: ", "exceeded (ENOSPC)",
	"No permissions to creating new namespace",
	"setting up uid map: Permission denied", "loopback: Failed RTM_NEWADDR",
	"Can't mount proc on /newroot/proc", "Can't mkdir ", "Unknown option",
	"Can't create file at ", "\n", NULL};

const struct fuzz_target fuzz_explain = {
	.name = "explain",
	.play = play_explain,
	.max = 4096,
	.words = explain_words,
};

/* --- status: what is known of the end of a run --- */

static void play_status(const void *arg, const char *data, size_t len)
{
	struct fuzz_rand r = fuzz_choice(data, len);
	struct strbuf text = STRBUF_INIT;
	struct strbuf detail = STRBUF_INIT;
	struct strvec warn = STRVEC_INIT;
	struct exit_info ei = {.known = fuzz_below(&r, 2),
		.exited = fuzz_below(&r, 2),
		.code = (int)fuzz_below(&r, 256),
		.signo = 1 + (int)fuzz_below(&r, 64)};
	struct runtime_verdict rv = {.success = fuzz_below(&r, 2)};
	struct stop_info stop = {.after_result = fuzz_below(&r, 2)};
	enum end_status status;
	struct str rest;

	(void)arg;
	utf8_repair(&text, data, len);
	rest = strbuf_str(&text);
	ei.stderr_tail = fuzz_part(&rest);
	rv.message = fuzz_below(&r, 2) ? fuzz_part(&rest) : str_null();
	status_judge("pi", &stop, &ei, &rv, &status, &detail, &warn);
	ar_assert(status == END_FINISHED || status == END_FAILED);
	ar_assert((status == END_FAILED) == (detail.len > 0));
	ar_assert(status == END_FAILED ||
		  (rv.success && (stop.after_result || !ei.known ||
					 (ei.exited && ei.code == 0))));
	ar_assert(utf8_valid(detail.buf, detail.len));
	ar_assert(status == END_FINISHED ||
		  !utf8_is_blank(detail.buf, detail.len));
	strvec_release(&warn);
	strbuf_release(&detail);
	strbuf_release(&text);
}

const struct fuzz_target fuzz_status = {
	.name = "status",
	.seeds = "golden/*/*/stderr.txt",
	.play = play_status,
	.max = 8192,
};

/* --- image: the first bytes of one --- */

static void play_image(const void *arg, const char *data, size_t len)
{
	const char *type = image_media_type(data, len);

	(void)arg;
	ar_assert(!type || (len >= 3 && str_starts(str_of(type), "image/")));
	/* More of it changes nothing once 12 bytes are there. */
	if (len > 12)
		ar_assert(type == image_media_type(data, 12));
}

static const char *const image_words[] = {"\x89PNG\r\n\x1a\n", "\xff\xd8\xff",
	"GIF87a", "GIF89a", "RIFF", "WEBP", NULL};

const struct fuzz_target fuzz_image = {
	.name = "image",
	.play = play_image,
	.max = 32,
	.words = image_words,
};

/* --- the cause on stderr --- */

static void play_stderr(const void *arg, const char *data, size_t len)
{
	struct strbuf out = STRBUF_INIT;
	struct strbuf again = STRBUF_INIT;
	struct str text = {data, len};

	(void)arg;
	cause_find(text, len % 2 == 1, &out);
	ar_assert(utf8_valid(out.buf, out.len));
	ar_assert(utf8_points(out.buf, out.len) <= CAUSE_POINTS);
	/* What was found is no warning. */
	cause_find(strbuf_str(&out), false, &again);
	ar_assert(again.len <= out.len);
	strbuf_release(&out);
	strbuf_release(&again);
}

static const char *const stderr_words[] = {"(node:1) ", "[X-Y] ",
	"Warning: ", "(Use `node --trace-warnings", "\n", "\n\n", "\r", "warn ",
	"npm ", "notice", "2026-12-01T01:02:03Z  ", "WARN ",
	": warning: ", "error", "\033[33m", "level=warn", "\xe2\x9a\xa0 ",
	"    at x\n", NULL};

const struct fuzz_target fuzz_stderr = {
	.name = "stderr",
	.seeds = "golden/*/*/stderr.txt",
	.play = play_stderr,
	.words = stderr_words,
};

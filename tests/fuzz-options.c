/* fuzz-options: the command line. Words are separated by NUL or newline. Either
 * it is taken and its values keep their promises, or it is refused with a
 * message; the command is known in both cases. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "fuzz.h"
#include "options.h"

#define WORDS_MAX 64

static void check_taken(const struct options *o)
{
	const struct run_request *rq = &o->run;

	if (o->command != COMMAND_RUN && o->command != COMMAND_DEMO)
		return;
	ar_assert(o->command == COMMAND_DEMO || rq->runtime);
	ar_assert(!(rq->prompt && rq->prompt_file));
	ar_assert(rq->max_turns >= 0 && rq->max_tokens >= 0);
	ar_assert(rq->max_usd >= 0 && rq->timeout_ms >= 0);
	ar_assert(!rq->timeout_ms == !rq->timeout_text);
	ar_assert(!rq->resume || rq->session_dir);
	ar_assert(!rq->allow_host.count || rq->network != RUNTIME_NETWORK_NONE);
	for (size_t i = 0; i < rq->env.count; i++)
		ar_assert(rq->env.v[i][0] == 'e' || rq->env.v[i][0] == 'f');
}

static void play(const void *arg, const char *data, size_t size)
{
	char *argv[WORDS_MAX + 2] = {(char *)"agentrun"};
	struct strbuf words = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct options o;
	int argc = 1;

	(void)arg;
	strbuf_add(&words, data, size);
	for (size_t i = 0; i < words.len; i++) {
		if (words.buf[i] == '\n')
			words.buf[i] = '\0';
	}
	for (size_t at = 0; at < words.len && argc <= WORDS_MAX;
		at += strlen(words.buf + at) + 1)
		argv[argc++] = words.buf + at;
	argv[argc] = NULL;
	options_init(&o);
	(void)options_scan_format(argc, argv, size & 1);
	if (options_parse(&o, argc, argv, size & 1, &err) == 0)
		check_taken(&o);
	else
		ar_assert(err.code == AR_EUSAGE && err.msg[0]);
	ar_assert(o.command <= COMMAND_VERSION);
	options_release(&o);
	strbuf_release(&words);
}

static const char *const words[] = {"claude-code\n", "codex\n", "pi\n", "dsh\n",
	"view\n", "export\n", "doctor\n", "demo\n", "help\n", "--from\n",
	"--prompt\n", "--prompt-file\n", "--sandbox\n", "off\n", "native\n",
	"relax\n", "--network\n", "full\n", "none\n", "--allow-host\n",
	"example.com\n", "--deny-read\n", "--env\n", "--env-file\n",
	"--timeout\n", "--max-turns\n", "--max-tokens\n", "--max-usd\n",
	"--session-dir\n", "--resume\n", "--format\n", "text\n", "jsonl\n",
	"rich\n", "--headless\n", "--follow\n", "--speed\n", "--dir\n",
	"--out\n", "--to\n", "md\n", "html\n", "--json\n", "--image\n",
	"--cwd\n", "--model\n", "--dry-run\n", "--\n", "1\n", "0\n", "1e3\n",
	"=", NULL};

const struct fuzz_target fuzz_options = {
	.name = "options",
	.max = 2048,
	.play = play,
	.words = words,
};

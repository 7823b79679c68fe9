/* fuzz-replay: the targets without libFuzzer, built by any compiler.
 *
 *   fuzz-replay list
 *   fuzz-replay TARGET [-m N] [-s SEED] FILE...
 *
 * Plays each file, then N mutations of them. The same arguments play the same
 * inputs. An input that breaks a rule, or takes longer than INPUT_S, is left in
 * the file fuzz-TARGET.bin of the current folder, and the program aborts. */
#include "config.h"

#include "fuzz.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/xalloc.h"

#define FILE_MAX ((size_t)4 << 20)
#define MUTANT_MAX ((size_t)1 << 20)
#define ROUNDS_MAX 4 /* mutations on top of each other */
#define INPUT_S 20

static const struct fuzz_target *target;
static struct str input;

/* Under way to an abort: keeps what did it. */
static void keep_input(void)
{
	char name[128];
	FILE *f;

	snprintf(name, sizeof(name), "fuzz-%s.bin", target->name);
	f = fopen(name, "wb");
	if (!f)
		return;
	fwrite(input.ptr, 1, input.len, f);
	fclose(f);
}

static void on_signal(int signo)
{
	signal(SIGABRT, SIG_DFL);
	keep_input();
	if (signo == SIGALRM)
		die("%s: an input takes more than %d s", target->name, INPUT_S);
	raise(signo);
}

/* In a block of just that size, so that a byte read behind it is seen by those
 * who look (valgrind, asan). */
static void play(const char *data, size_t len)
{
	char *exact = xmalloc(len);

	if (len)
		memcpy(exact, data, len);
	input = (struct str){exact, len};
	alarm(INPUT_S);
	target->play(target->arg, exact, len);
	alarm(0);
	free(exact);
}

static void play_mutant(struct strbuf *files, size_t count, uint64_t seed)
{
	static char data[MUTANT_MAX];
	struct fuzz_rand r = {seed};
	const struct strbuf *from = &files[fuzz_below(&r, count)];
	size_t rounds = 1 + fuzz_below(&r, ROUNDS_MAX);
	size_t max = target->max ? target->max : FUZZ_MAX;
	size_t len = from->len;

	if (len > max)
		return; /* only played as it is */
	memcpy(data, from->buf, len);
	while (rounds--)
		len = fuzz_mutate(target, data, len, max, fuzz_next(&r));
	play(data, len);
}

int main(int argc, char **argv)
{
	struct strbuf *files;
	uint64_t seed = 1;
	uint64_t mutants = 0;
	size_t count = 0;
	int c;

	fuzz_setup();
	if (argc > 1 && strcmp(argv[1], "list") == 0) {
		fuzz_list();
		return 0;
	}
	target = fuzz_find(argv[1]);
	if (!target)
		die("usage: fuzz-replay list | TARGET [-m N] [-s SEED] "
		    "FILE...");
	for (optind = 2; (c = getopt(argc, argv, "m:s:")) != -1;) {
		if (c == 'm')
			mutants = strtoull(optarg, NULL, 10);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 10);
	}
	signal(SIGABRT, on_signal);
	signal(SIGSEGV, on_signal);
	signal(SIGALRM, on_signal);
	files = xcalloc((size_t)(argc - optind) + 1, sizeof(*files));
	strbuf_init(&files[count++]); /* nothing is an input, too */
	for (int i = optind; i < argc; i++) {
		struct err err = ERR_INIT;

		strbuf_init(&files[count]);
		if (io_read_file(argv[i], FILE_MAX, &files[count++], &err) < 0)
			die("%s", err.msg);
	}
	for (size_t i = 0; i < count; i++)
		play(files[i].buf, files[i].len);
	for (uint64_t i = 0; i < mutants; i++)
		play_mutant(files, count, seed * 1000003 + i);
	for (size_t i = 0; i < count; i++)
		strbuf_release(&files[i]);
	free(files);
	return 0;
}

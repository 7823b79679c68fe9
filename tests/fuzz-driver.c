/* fuzz-driver: the targets under libFuzzer.
 *
 *   fuzz list            the targets
 *   fuzz TARGET [libFuzzer's options] [CORPUS]... */
#include "config.h"

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t max, unsigned seed);

static const struct fuzz_target *target;

/* libFuzzer starts itself anew for some of its modes, without our word: it
 * stands in the environment, too. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char **v = *argv;

	fuzz_setup();
	if (*argc > 1 && strcmp(v[1], "list") == 0) {
		fuzz_list();
		exit(0);
	}
	target = fuzz_find(*argc > 1 ? v[1] : NULL);
	if (target) {
		setenv("FUZZ_TARGET", target->name, 1);
		memmove(v + 1, v + 2, (size_t)(*argc - 1) * sizeof(*v));
		(*argc)--;
	} else {
		target = fuzz_find(getenv("FUZZ_TARGET"));
	}
	if (!target)
		die("usage: fuzz list | TARGET [OPTION]... [CORPUS]...");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	target->play(target->arg, (const char *)data, size);
	return 0;
}

/* Half of the time libFuzzer's own, which learns from what is compared. */
size_t LLVMFuzzerCustomMutator(
	uint8_t *data, size_t size, size_t max, unsigned seed)
{
	if (seed & 1)
		return LLVMFuzzerMutate(data, size, max);
	return fuzz_mutate(target, (char *)data, size, max, seed >> 1);
}

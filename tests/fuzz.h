#ifndef AGENTRUN_TESTS_FUZZ_H
#define AGENTRUN_TESTS_FUZZ_H

/* fuzz: what the fuzzers share. `make fuzz` builds them with clang and runs
 * each for a while; a broken rule aborts, and libFuzzer keeps the input. */
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif

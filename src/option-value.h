#ifndef AGENTRUN_OPTION_VALUE_H
#define AGENTRUN_OPTION_VALUE_H

#include "base/err.h"

#include <stdint.h>

/* option-value: what stands behind an option. Each returns 0 (option_word: an
 * index) or -1 with ERR (AR_EUSAGE), which names option --NAME. */

/* A decimal number without sign, exponent or anything else; gives no ERR. */
int option_decimal(const char *s, double *value);

/* A whole number of at least 1. */
int option_count(
	const char *name, const char *s, int64_t *value, struct err *err);

/* Bytes: a whole number, with K, M or G in powers of 1024. */
int option_size(
	const char *name, const char *s, uint64_t *value, struct err *err);

/* The index of S in the '|' list WORDS. NAME is said as it is. */
int option_word(
	const char *name, const char *words, const char *s, struct err *err);

/* Anything but the empty string; borrowed. */
int option_filled(
	const char *name, const char **place, const char *s, struct err *err);

#endif

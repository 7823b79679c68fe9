#ifndef AGENTRUN_EVENT_USAGE_H
#define AGENTRUN_EVENT_USAGE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strmap;

/* usage: token counts and cost, one call's or a sum by model (spec: usage). */

#define COUNT_UNKNOWN INT64_C(-1) /* null: not reported */

struct token_counts {
	int64_t input; /* without cache hits; >= 0 or COUNT_UNKNOWN */
	int64_t output;
	int64_t cache_read;
	int64_t cache_write;
	double cost_usd; /* NAN: not reported */
};

struct usage_model {
	char *model;      /* owned; "unknown" when the runtime named none */
	size_t model_len; /* a NUL may stand inside */
	struct token_counts counts;
};

/* A sum. sum adds only what was reported; what no source reported stays
 * unknown. models is in order of first appearance. */
struct usage {
	struct token_counts sum;
	struct usage_model *models;
	size_t count;
	size_t cap;
	struct strmap *index; /* only when there are many models */
};

struct token_counts token_counts_unknown(void);
bool token_counts_known(const struct token_counts *c); /* any field reported */

/* input + cache_read + cache_write, COUNT_UNKNOWN when one is unknown. */
int64_t token_counts_context(const struct token_counts *c);

/* The sum of the three input counts that are known; COUNT_UNKNOWN if none. */
int64_t token_counts_in(const struct token_counts *c);

/* All four counts that are known, 0 if none; saturating. */
int64_t token_counts_total(const struct token_counts *c);

/* Adds what is known in B to A, saturating. A cost that is negative or not
 * finite counts as unknown. */
void token_counts_add(struct token_counts *a, const struct token_counts *b);

void usage_init(struct usage *u);
void usage_release(struct usage *u);
void usage_reset(struct usage *u);

/* Adds one call of MODEL (null: "unknown") to its model and to the sum. */
void usage_add(struct usage *u, struct str model, const struct token_counts *c);

#endif

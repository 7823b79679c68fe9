#ifndef AGENTRUN_RUN_LIMITS_H
#define AGENTRUN_RUN_LIMITS_H

#include "base/strbuf.h"
#include "event/aggregate.h"
#include "run/request.h"

#include <stdbool.h>

/* limits: --max-turns, --max-tokens, --max-usd, looked at after each raw line
 * (decisions 7). True when one is reached; DETAIL then says which, its value
 * and the actual one ("--max-turns 3 reached: 4"), nothing else in it. */
bool limits_reached(const struct run_request *rq, const struct aggregate *a,
	struct strbuf *detail);

#endif

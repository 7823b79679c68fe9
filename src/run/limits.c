#include "config.h"

#include "run/limits.h"

#include <inttypes.h>
#include <math.h>

bool limits_reached(const struct run_request *rq, const struct aggregate *a,
	struct strbuf *detail)
{
	int64_t calls = aggregate_main_calls(a);
	int64_t tokens = aggregate_tokens(a);
	double usd = aggregate_cost(a);

	strbuf_reset(detail);
	/* The call that is one too many has begun; those that were allowed are
	 * complete. */
	if (rq->max_turns && calls > rq->max_turns)
		strbuf_addf(detail, "--max-turns %" PRId64 " reached: %" PRId64,
			rq->max_turns, calls);
	else if (rq->max_tokens && tokens >= rq->max_tokens)
		strbuf_addf(detail,
			"--max-tokens %" PRId64 " reached: %" PRId64,
			rq->max_tokens, tokens);
	else if (rq->max_usd > 0 && !isnan(usd) && usd >= rq->max_usd)
		strbuf_addf(detail, "--max-usd %s reached: %.4f",
			rq->max_usd_text, usd);
	return detail->len > 0;
}

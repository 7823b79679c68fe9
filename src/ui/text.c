#include "config.h"

#include "ui/text.h"

#include <stdio.h>
#include <time.h>

void text_time(char out[TEXT_TIME_SIZE], int64_t wall_ms)
{
	time_t t = (time_t)(wall_ms / 1000);
	struct tm tm;

	out[0] = '\0';
	if (localtime_r(&t, &tm))
		snprintf(out, TEXT_TIME_SIZE, "%02d:%02d:%02d", tm.tm_hour % 24,
			tm.tm_min % 60, tm.tm_sec % 61);
}

void text_clock(struct strbuf *out, int64_t ms)
{
	int64_t s = ms > 0 ? ms / 1000 : 0;

	if (s >= 3600)
		strbuf_addf(out, "%lld:%02d:%02d", (long long)(s / 3600),
			(int)(s / 60 % 60), (int)(s % 60));
	else
		strbuf_addf(out, "%d:%02d", (int)(s / 60), (int)(s % 60));
}

void text_age(struct strbuf *out, int64_t ms)
{
	int64_t s = ms > 0 ? ms / 1000 : 0;

	if (s < 60)
		strbuf_addf(out, "%ds", (int)s);
	else if (s < 3600)
		strbuf_addf(out, "%dm", (int)(s / 60));
	else if (s < 86400)
		strbuf_addf(out, "%dh", (int)(s / 3600));
	else
		strbuf_addf(out, "%lldd", (long long)(s / 86400));
}

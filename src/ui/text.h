#ifndef AGENTRUN_UI_TEXT_H
#define AGENTRUN_UI_TEXT_H

#include "base/strbuf.h"

#include <stdint.h>

/* text: small pieces of text of the UI's own areas. */
#define TEXT_TIME_SIZE 16

/* "13:00:03", local time. */
void text_time(char out[TEXT_TIME_SIZE], int64_t wall_ms);

/* "0:12", "1:02:03". */
void text_clock(struct strbuf *out, int64_t ms);

/* "12s", "5m", "3h", "2d": how long ago. */
void text_age(struct strbuf *out, int64_t ms);

#endif

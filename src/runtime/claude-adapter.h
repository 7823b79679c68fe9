#ifndef AGENTRUN_RUNTIME_CLAUDE_ADAPTER_H
#define AGENTRUN_RUNTIME_CLAUDE_ADAPTER_H

#include "runtime/runtime.h"

/* claude-adapter: the lines of claude-code (runtime page: claude-code 2 to 6)
 * as records; the functions of runtime_claude_code. */
struct adapter *claude_adapter_new(const struct adapter_config *config);
void claude_adapter_free(struct adapter *ad);
void claude_line(struct adapter *ad, const struct json *line,
	const struct record_out *out);
void claude_finish(struct adapter *ad, const struct record_out *out);
void claude_verdict(const struct adapter *ad, struct runtime_verdict *rv);

#endif

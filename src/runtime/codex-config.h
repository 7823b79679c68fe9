#ifndef AGENTRUN_RUNTIME_CODEX_CONFIG_H
#define AGENTRUN_RUNTIME_CODEX_CONFIG_H

#include "base/strvec.h"

/* codex-config: what agentrun reads of codex's config.toml, below the state
 * folder SETTINGS; nothing when there is none. */

/* As runtime_ops.base_urls says. */
void codex_base_urls(const char *settings, const char *model,
	const struct strvec *env, struct strvec *urls);

/* As runtime_login.env_names says: the variables that hold the keys of model
 * providers. */
void codex_key_names(const char *settings, struct strvec *names);

#endif

#ifndef AGENTRUN_RUNTIME_PI_HOSTS_H
#define AGENTRUN_RUNTIME_PI_HOSTS_H

#include "base/strvec.h"

/* pi-hosts: which servers a run of pi talks to; it knows many providers, and a
 * run uses one. As runtime_ops.base_urls says: the provider that MODEL
 * ("provider/id") or the settings name, by the user's models.json or by what pi
 * knows itself; when none is named, all that a key or a login is there for. */
void pi_base_urls(const char *settings, const char *model,
	const struct strvec *env, struct strvec *urls);

/* As runtime_login.env_names says: an apiKey of models.json may be the name of
 * a variable. */
void pi_key_names(const char *settings, struct strvec *names);

#endif

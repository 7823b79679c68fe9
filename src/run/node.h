#ifndef AGENTRUN_RUN_NODE_H
#define AGENTRUN_RUN_NODE_H

#include "base/strvec.h"

/* node: what runtimes made with node get on top.
 *
 * node says on every start that its way to a proxy (NODE_USE_ENV_PROXY) is
 * experimental, which buries what the runtime says on stderr. The option of
 * NODE_OPTIONS that silences that one warning is known since node 20.11; an
 * older one refuses to start with it, be it the runtime's or that of a command
 * of the agent. So every node in the PATH must know it. */

/* Adds the option in ENV to the NODE_OPTIONS that stand there; not to empty
 * ones, by which the user says that there shall be none. PATH_DIRS: the
 * folders of the run's PATH. The programs there are read, not started: an agent
 * may have put them there. */
void node_silence(struct strvec *env, const struct strvec *path_dirs);

#endif

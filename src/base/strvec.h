#ifndef AGENTRUN_BASE_STRVEC_H
#define AGENTRUN_BASE_STRVEC_H

#include <stddef.h>

/* strvec: a list of owned C strings, for argv, environments and paths.
 *
 * Invariant: v[count] == NULL once anything was pushed, so v can be given to
 * execve(); v is NULL while the list never held anything. */
struct strvec {
	char **v;
	size_t count;
	size_t cap;
};

#define STRVEC_INIT        \
	{                  \
		NULL, 0, 0 \
	}

void strvec_init(struct strvec *sv);
void strvec_release(struct strvec *sv);
void strvec_push(struct strvec *sv, const char *s); /* copies */
void strvec_take(struct strvec *sv, char *s);       /* takes over */
void strvec_pushf(struct strvec *sv, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void strvec_push_all(struct strvec *sv, const struct strvec *from);
void strvec_remove(struct strvec *sv, size_t index);     /* keeps the order */
int strvec_find(const struct strvec *sv, const char *s); /* index or -1 */

/* Environment lists of KEY=VALUE: sets (replacing in place), drops and finds by
 * key. strvec_env_get returns the value, borrowed, or NULL. */
void strvec_env_set(struct strvec *sv, const char *key, const char *value);
void strvec_env_unset(struct strvec *sv, const char *key);
const char *strvec_env_get(const struct strvec *sv, const char *key);

#endif

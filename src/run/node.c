#include "config.h"

#include "run/node.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/strbuf.h"

#define OPTION "--disable-warning"
#define VALUE OPTION "=UNDICI-EHPA"
#define PIECE ((size_t)1 << 18)
#define PROGRAM_MAX ((off_t)1 << 30)

/* A program that takes the option holds the word. */
static bool holds_option(int fd)
{
	const size_t overlap = sizeof(OPTION) - 2;
	struct strbuf buf = STRBUF_INIT;
	bool found = false;
	ssize_t n;

	while (!found &&
		(n = read(fd, strbuf_reserve(&buf, PIECE), PIECE)) > 0) {
		strbuf_setlen(&buf, buf.len + (size_t)n);
		found = memmem(buf.buf, buf.len, OPTION, sizeof(OPTION) - 1);
		if (buf.len > overlap)
			strbuf_drop(&buf, buf.len - overlap);
	}
	strbuf_release(&buf);
	return found;
}

/* Whether the node in DIR, if there is one, takes the option. LAST: the one
 * looked at before; /bin is often /usr/bin. */
static bool dir_is_good(const char *dir, struct stat *last)
{
	struct strbuf path = STRBUF_INIT;
	struct stat sb;
	bool good = true;
	int fd = -1;

	strbuf_addf(&path, "%s/node", dir);
	if (access(path.buf, X_OK) == 0 && stat(path.buf, &sb) == 0 &&
		S_ISREG(sb.st_mode) &&
		(sb.st_ino != last->st_ino || sb.st_dev != last->st_dev)) {
		fd = open(path.buf, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		good = fd >= 0 && sb.st_size < PROGRAM_MAX && holds_option(fd);
		*last = sb;
	}
	if (!good)
		log_debug("'%s' does not know %s", path.buf, OPTION);
	if (fd >= 0)
		close(fd);
	strbuf_release(&path);
	return good;
}

void node_silence(struct strvec *env, const struct strvec *path_dirs)
{
	const char *own = strvec_env_get(env, "NODE_OPTIONS");
	struct strbuf value = STRBUF_INIT;
	struct stat last = {0};
	bool good = !own || (*own && !strstr(own, VALUE));

	for (size_t i = 0; good && i < path_dirs->count; i++)
		good = dir_is_good(path_dirs->v[i], &last);
	if (good) {
		strbuf_addf(
			&value, "%s%s" VALUE, own ? own : "", own ? " " : "");
		strvec_env_set(env, "NODE_OPTIONS", value.buf);
	}
	strbuf_release(&value);
}

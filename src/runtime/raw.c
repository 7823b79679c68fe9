#include "config.h"

#include "runtime/raw.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

struct search {
	const char *prefix;
	const char *suffix;
	bool folder;
	struct strvec *paths;
};

static bool name_fits(const struct search *s, const char *name)
{
	size_t len = strlen(name);
	size_t before = strlen(s->prefix);
	size_t after = strlen(s->suffix);

	return len >= before + after && strncmp(name, s->prefix, before) == 0 &&
	       strcmp(name + len - after, s->suffix) == 0;
}

/* Looks at the entries of the folder FD (taken over), PATH below the state
 * folder. */
static void search_folder(
	const struct search *s, int fd, const char *path, int depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (!dir) {
		close(fd);
		return;
	}
	while ((e = readdir(dir)) != NULL) {
		struct strbuf sub = STRBUF_INIT;
		bool is_dir;
		int child;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		is_dir = S_ISDIR(st.st_mode);
		strbuf_addf(&sub, "%s/%s", path, e->d_name);
		if (name_fits(s, e->d_name) &&
			(s->folder ? is_dir : S_ISREG(st.st_mode))) {
			strvec_push(s->paths, sub.buf);
		} else if (is_dir && depth > 0) {
			child = openat(dirfd(dir), e->d_name,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					O_CLOEXEC);
			if (child >= 0)
				search_folder(s, child, sub.buf, depth - 1);
		}
		strbuf_release(&sub);
	}
	closedir(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void raw_find_sessions(const char *state_dir, const char *prefix,
	const char *suffix, bool folder, int depth, struct strvec *paths)
{
	const struct search s = {prefix, suffix, folder, paths};
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int state_fd = open(state_dir, flags);
	int fd;

	if (state_fd < 0)
		return;
	fd = openat(state_fd, "sessions", flags);
	close(state_fd);
	if (fd < 0)
		return;
	search_folder(&s, fd, "sessions", depth);
	if (paths->count)
		qsort(paths->v, paths->count, sizeof(*paths->v), by_name);
}

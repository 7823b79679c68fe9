#include "config.h"

#include "sandbox/landlock.h"

#include <sys/stat.h>

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#endif

#if defined(LANDLOCK_ACCESS_FS_REFER) && defined(STATX_MNT_ID)
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf.h"
#include "sandbox/plan.h"

#define MOUNTINFO_MAX ((size_t)16 << 20)

/* Renaming between folders is refused wherever it is not allowed. */
#define HANDLED (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REFER)

/* ID: of the mount; another one may cover it. */
static void allow(int rules, const char *path, uint64_t id)
{
	struct landlock_path_beneath_attr rule = {.allowed_access = HANDLED};
	struct statx st;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return;
	if (statx(rule.parent_fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MNT_ID,
		    &st) == 0 &&
		(st.stx_mask & STATX_MNT_ID) && st.stx_mnt_id == id) {
		if (!S_ISDIR(st.stx_mode))
			rule.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE;
		(void)syscall(SYS_landlock_add_rule, rules,
			LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	}
	close(rule.parent_fd);
}

/* A line of mountinfo: "ID ID DEV ROOT POINT rw,..." */
static void allow_mount(int rules, char *line)
{
	char *field[6] = {NULL};
	size_t i;

	for (i = 0; i < 6; i++)
		field[i] = strsep(&line, " ");
	if (!field[5] || strncmp(field[5], "rw", 2) != 0)
		return;
	plan_unescape(field[4]);
	allow(rules, field[4], strtoull(field[0], NULL, 10));
}

static int allow_mounts(int rules)
{
	struct strbuf text = STRBUF_INIT;
	char *rest;
	char *line;
	int ret;

	ret = io_read_file("/proc/self/mountinfo", MOUNTINFO_MAX, &text, NULL);
	rest = text.buf;
	while (ret == 0 && (line = strsep(&rest, "\n")))
		allow_mount(rules, line);
	strbuf_release(&text);
	return ret;
}

int landlock_confine(void)
{
	struct landlock_ruleset_attr attr = {.handled_access_fs = HANDLED};
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
		LANDLOCK_CREATE_RULESET_VERSION);
	int saved;
	int rules;
	int ret;

	if (version < 2)
		return 0;
	rules = (int)syscall(
		SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (rules < 0)
		return -1;
	ret = allow_mounts(rules);
	if (ret == 0 &&
		(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
			syscall(SYS_landlock_restrict_self, rules, 0) < 0))
		ret = -1;
	saved = errno;
	close(rules);
	errno = saved;
	return ret;
}
#else
int landlock_confine(void)
{
	return 0;
}
#endif

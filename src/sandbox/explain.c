#include "config.h"

#include "sandbox/explain.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/i18n.h"

enum reason {
	REASON_NOT_ALLOWED,
	REASON_USED_UP,
	REASON_APPARMOR,
	REASON_NESTED_ROOT,
	REASON_PROC,
	REASON_MOUNT,
	REASON_OLD,
	REASON_OTHER
};

/* What bubblewrap says, and what that means (design: sandbox 8). The first row
 * that stands in its message counts. */
static const struct {
	const char *said;
	enum reason reason;
} table[] = {
	{"exceeded (ENOSPC)", REASON_USED_UP},
	{"No space left", REASON_USED_UP},
	{"No permissions to creat", REASON_NOT_ALLOWED},
	{"setting up uid map: Permission denied", REASON_APPARMOR},
	{"loopback: Failed RTM_NEWADDR", REASON_APPARMOR},
	{"setting up uid map: Operation not permitted", REASON_NESTED_ROOT},
	{"mount proc on", REASON_PROC},
	{"Failed to make / slave", REASON_MOUNT},
	{"nknown option", REASON_OLD},
};

static enum reason find_reason(const char *said)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strstr(said, table[i].said))
			return table[i].reason;
	return REASON_OTHER;
}

/* Its own words: the last line. */
static const char *own_words(const char *said)
{
	const char *line = strrchr(said, '\n');

	line = line ? line + 1 : said;
	if (strncmp(line, "bwrap: ", 7) == 0)
		line += 7;
	return *line ? line : "bubblewrap ended without a word";
}

int explain_missing(struct err *err)
{
	return err_set(err, AR_ESANDBOX,
		N_("sandbox: bubblewrap is not installed. Install it with "
		   "'apt install bubblewrap', 'dnf install bubblewrap' or "
		   "'pacman -S bubblewrap'. Or run without a sandbox: "
		   "--sandbox off"));
}

/* A socket or folder that was to be masked has gone since it was seen. */
static bool is_race(const char *said)
{
	return strstr(said, "Can't create file at ") ||
	       strstr(said, "Can't mkdir ") ||
	       strstr(said, "Can't find source path ");
}

void explain_bwrap(const char *said, struct err *err)
{
	switch (find_reason(said)) {
	case REASON_NOT_ALLOWED:
		err_set(err, AR_ESANDBOX,
			N_("sandbox: user namespaces are not allowed here. "
			   "Allow them with 'sysctl "
			   "kernel.unprivileged_userns_clone=1', in a "
			   "container "
			   "with 'docker run --security-opt "
			   "seccomp=unconfined'. Or run without a sandbox: "
			   "--sandbox off"));
		break;
	case REASON_USED_UP:
		err_set(err, AR_ESANDBOX,
			N_("sandbox: the limit of namespaces is 0 or used up, "
			   "or this already runs in a sandbox. Raise it with "
			   "'sysctl user.max_user_namespaces=15000'. Or run "
			   "without a sandbox: --sandbox off"));
		break;
	case REASON_APPARMOR:
		err_set(err, AR_ESANDBOX,
			N_("sandbox: AppArmor restricts user namespaces. Give "
			   "bwrap an AppArmor profile with 'userns,', or turn "
			   "that off with 'sysctl "
			   "kernel.apparmor_restrict_unprivileged_userns=0'. "
			   "Or run without a sandbox: --sandbox off"));
		break;
	case REASON_NESTED_ROOT:
		err_set(err, AR_ESANDBOX,
			N_("sandbox: root inside another sandbox cannot make "
			   "one. Run agentrun as an ordinary user. Or run "
			   "without a sandbox: --sandbox off"));
		break;
	case REASON_PROC:
		err_set(err, AR_ESANDBOX,
			N_("sandbox: the container hides parts of /proc. Show "
			   "them with 'docker run --security-opt "
			   "systempaths=unconfined'. Or run without a sandbox: "
			   "--sandbox off"));
		break;
	case REASON_MOUNT:
		err_set(err, AR_ESANDBOX,
			N_("sandbox: mount() is not allowed here. In a "
			   "container allow it with 'docker run --security-opt "
			   "seccomp=unconfined'. Or run without a sandbox: "
			   "--sandbox off"));
		break;
	case REASON_OLD:
		err_set(err, AR_ESANDBOX,
			N_("sandbox: bubblewrap is too old. Install 0.6 or "
			   "newer. Or run without a sandbox: --sandbox off"));
		break;
	case REASON_OTHER:
		err_set(err, is_race(said) ? AR_ERACE : AR_ESANDBOX,
			N_("sandbox: %s. Or run without a sandbox: --sandbox "
			   "off"),
			own_words(said));
		break;
	}
}

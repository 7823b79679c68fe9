#include "config.h"

#include "sandbox/caps.h"

#if defined(__linux__)
#include <errno.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"

/* Drops the bounding set. Returns whether that worked: it takes a capability
 * that AppArmor may keep from us. */
static bool drop_bounding(void)
{
	bool empty = true;
	int cap;

	for (cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1 &&
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			empty = false;
	return empty;
}

int caps_drop(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
	bool bounding_empty = drop_bounding();

	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	memset(none, 0, sizeof(none));
	if (syscall(SYS_capset, &head, none) < 0)
		return -1;
	/* Either of the two keeps an exec, by root too, from getting them
	 * back. */
	if (!bounding_empty && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
		errno = EPERM;
		return -1;
	}
	return 0;
}

void caps_seal_mounts(void)
{
	/* A mount namespace of this user namespace: the one bubblewrap made
	 * belongs to the one above. */
	if (unshare(CLONE_NEWNS) < 0 ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		log_debug("mounts of the host may appear inside");
}

int caps_cover(const char *path)
{
	return mount("/dev/null", path, NULL, MS_BIND, NULL);
}

int caps_own_network(void)
{
	struct ifreq ifr = {.ifr_name = "lo"};
	int ret = -1;
	int fd;

	if (unshare(CLONE_NEWNET) < 0)
		return -1;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (fd < 0)
		return -1;
	if (ioctl(fd, SIOCGIFFLAGS, &ifr) == 0) {
		ifr.ifr_flags |= IFF_UP;
		ret = ioctl(fd, SIOCSIFFLAGS, &ifr);
	}
	close(fd);
	return ret < 0 ? -1 : 0;
}
#else
int caps_cover(const char *path)
{
	(void)path;
	return 0;
}

int caps_own_network(void)
{
	return 0;
}

int caps_drop(void)
{
	return 0;
}

void caps_seal_mounts(void)
{
}
#endif

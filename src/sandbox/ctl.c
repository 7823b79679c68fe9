#include "config.h"

#include "sandbox/ctl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#if !defined(MSG_NOSIGNAL)
#define MSG_NOSIGNAL 0
#endif
#if !defined(MSG_CMSG_CLOEXEC)
#define MSG_CMSG_CLOEXEC 0
#endif

union ctl_cmsg {
	struct cmsghdr align;
	char buf[CMSG_SPACE(sizeof(int))];
};

int ctl_send(int sock, enum ctl_kind kind, int value, int fd)
{
	struct ctl_msg m = {(int32_t)kind, value};
	struct iovec iov = {&m, sizeof(m)};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};
	union ctl_cmsg control;
	ssize_t n;

	if (fd >= 0) {
		struct cmsghdr *c;

		memset(&control, 0, sizeof(control));
		h.msg_control = control.buf;
		h.msg_controllen = sizeof(control.buf);
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(int));
	}
	do
		n = sendmsg(sock, &h, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -1 : 0;
}

int ctl_recv(int sock, struct ctl_msg *msg, int *fd)
{
	struct iovec iov = {msg, sizeof(*msg)};
	union ctl_cmsg control;
	struct msghdr h = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *c;
	/* Linux tells once that the peer went without reading all it was sent,
	 * and does so before what the peer had sent: the status, perhaps. */
	int reset = 0;
	ssize_t n;

	*fd = -1;
	do
		n = recvmsg(sock, &h, MSG_CMSG_CLOEXEC);
	while (n < 0 && (errno == EINTR || (errno == ECONNRESET && !reset++)));
	if (n < 0)
		return errno == ECONNRESET ? 0 : -1;
	for (c = CMSG_FIRSTHDR(&h); c; c = CMSG_NXTHDR(&h, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(fd, CMSG_DATA(c), sizeof(int));
	if (*fd >= 0)
		(void)fcntl(*fd, F_SETFD, FD_CLOEXEC);
	if (n != (ssize_t)sizeof(*msg)) {
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
		return 0;
	}
	return 1;
}

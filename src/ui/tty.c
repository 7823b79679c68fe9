#include "config.h"

#include "ui/tty.h"

#include <fcntl.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#include <unistd.h>

bool tty_is_ours(int fd)
{
	pid_t group = tcgetpgrp(fd);

	return group < 0 || group == getpgrp();
}

void tty_full_screen(int fd, const struct termios *before)
{
	struct termios t = *before;

	t.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR | IXON);
	t.c_oflag &= ~(tcflag_t)ONLCR;
#ifdef TABDLY
	t.c_oflag &= ~(tcflag_t)TABDLY;
#endif
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
	t.c_lflag |= ISIG | NOFLSH;
	t.c_cc[VMIN] = 0;
	t.c_cc[VTIME] = 0;
	(void)tcsetattr(fd, TCSANOW, &t);
}

void tty_restore(int fd, const struct termios *before)
{
	if (tty_is_ours(fd))
		(void)tcsetattr(fd, TCSANOW, before);
}

void tty_flush(int fd)
{
	if (tty_is_ours(fd))
		(void)tcflush(fd, TCOFLUSH);
}

void tty_forget_keys(int fd)
{
	if (tty_is_ours(fd))
		(void)tcflush(fd, TCIFLUSH);
}

FILE *tty_memory(void)
{
	FILE *file = NULL;
#if defined(__linux__)
	int fd = memfd_create("agentrun-screen", MFD_CLOEXEC);

	file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (fd >= 0 && !file)
		close(fd);
#endif
	if (!file)
		file = tmpfile();
	if (file)
		(void)fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
	return file;
}

#include "config.h"

#include "sandbox/seccomp.h"

#if defined(__linux__)
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#elif defined(__i386__)
#define NATIVE_ARCH AUDIT_ARCH_I386
#elif defined(__arm__)
#define NATIVE_ARCH AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE_ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define NATIVE_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define NATIVE_ARCH AUDIT_ARCH_S390X
#endif

#define FIELD(name) ((uint32_t)offsetof(struct seccomp_data, name))
/* The low half of argument N: all values below are 32 bits wide, and the kernel
 * looks at no more of them. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARG_LOW(n) (FIELD(args) + 8u * (n))
#else
#define ARG_LOW(n) (FIELD(args) + 8u * (n) + 4u)
#endif

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define FAIL_WITH(err) \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)(err))
#define PASS BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* When the accumulator is VALUE: run the next statement, else skip it. */
#define WHEN(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, 1)
/* When it has one of BITS: run the next statement, else skip it. */
#define WHEN_SET(bits) \
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), 0, 1)
/* When the accumulator is not VALUE: skip N statements. */
#define UNLESS_SKIP(value, n) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, (n))

/* The working directory lies on the host: a set-user-ID file in it would lend
 * its owner's rights to anyone there. So a call that gives a file the mode in
 * argument ARG must not set that bit. The calls that create files need no rule
 * (and openat2 could have none): such a file loses the bit with its first
 * byte. */
#define NO_SUID(nr, arg)                                           \
	UNLESS_SKIP(nr, 4), LOAD(ARG_LOW(arg)), WHEN_SET(S_ISUID), \
		FAIL_WITH(EPERM), PASS
#define X32_BIT 0x40000000u
#if !defined(AF_VSOCK)
#define AF_VSOCK 40
#endif
#if !defined(TIOCLINUX)
#define TIOCLINUX 0x541C
#endif
#define SYS_FCHMODAT2 452 /* the same on every architecture */
#if !defined(SYS_io_uring_setup)
#define SYS_io_uring_setup 425
#endif

int seccomp_confine(void)
{
#if defined(NATIVE_ARCH)
	static const struct sock_filter code[] = {
		LOAD(FIELD(arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0),
		FAIL_WITH(ENOSYS),
		LOAD(FIELD(nr)),
#if defined(__x86_64__)
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
		FAIL_WITH(ENOSYS),
#endif
		/* The session keyring is inherited from the outside. */
		WHEN(SYS_keyctl),
		FAIL_WITH(EPERM),
		WHEN(SYS_add_key),
		FAIL_WITH(EPERM),
		WHEN(SYS_request_key),
		FAIL_WITH(EPERM),
		/* Would do the socket() below without asking this filter. */
		WHEN(SYS_io_uring_setup),
		FAIL_WITH(ENOSYS),
#if defined(SYS_chmod)
		NO_SUID(SYS_chmod, 1),
#endif
		NO_SUID(SYS_fchmod, 1),
		NO_SUID(SYS_fchmodat, 2),
		NO_SUID(SYS_FCHMODAT2, 2),
		/* vsock knows no namespaces: it reaches the host of a VM. */
		UNLESS_SKIP(SYS_socket, 4),
		LOAD(ARG_LOW(0)),
		WHEN(AF_VSOCK),
		FAIL_WITH(EAFNOSUPPORT),
		PASS,
		/* Typing into a terminal. */
		UNLESS_SKIP(SYS_ioctl, 5),
		LOAD(ARG_LOW(1)),
		WHEN(TIOCSTI),
		FAIL_WITH(EPERM),
		WHEN(TIOCLINUX),
		FAIL_WITH(EPERM),
		PASS,
	};
	struct sock_fprog prog = {
		.len = sizeof(code) / sizeof(code[0]),
		.filter = (struct sock_filter *)code,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
#else
	/* An architecture whose number is not known here: no filter at all
	 * rather than one that refuses everything. */
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
}
#else
int seccomp_confine(void)
{
	return 0;
}
#endif

#ifndef AGENTRUN_BASE_ERR_H
#define AGENTRUN_BASE_ERR_H

/* err: what a library function says when it fails. The caller gives the
 * storage, last parameter, and alone decides where the message goes: into
 * end.detail (msg, English always) or to a person (local, translated).
 *
 * Messages: lower case, no full stop, subject in single quotes, first what
 * failed, then why; a rejection adds how to mend it. */
enum err_code {
	AR_OK,
	AR_EUSAGE,   /* the command line or its values */
	AR_EIO,      /* a system call failed */
	AR_EFORMAT,  /* data is not what it must be */
	AR_ESTART,   /* a program could not be started */
	AR_ESANDBOX, /* no sandbox here; --sandbox relax goes on without it */
	AR_ERACE     /* the same, but only since something changed meanwhile:
			another try may do */
};

struct err {
	enum err_code code;
	char msg[1024];
	char local[1024];
};

#define ERR_INIT              \
	{                     \
		AR_OK, "", "" \
	}

/* Sets code and both messages. FMT is marked N_() at the call (xgettext
 * knows err_set:3); it is used as it is for msg and through gettext for local.
 * ERR may be NULL. Always returns -1, so that `return err_set(...)` reads. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts a context and ": " before both messages. */
void err_prefix(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The English description of ERRNUM, whatever the locale ("No such file or
 * directory"); static storage. */
const char *err_str(int errnum);

#endif

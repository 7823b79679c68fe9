#ifndef AGENTRUN_SANDBOX_PLAN_H
#define AGENTRUN_SANDBOX_PLAN_H

#include "base/err.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "sandbox/sandbox.h"

#include <stdbool.h>
#include <stddef.h>

/* plan: what the box shows of the file system, and the bwrap options that make
 * it so. Gathering looks at the system; the rest is text. */
enum plan_kind {
	/* In the order of their strength: of two for one path the later one
	 * wins. */
	PLAN_PIN,       /* as it is, but it cannot be moved away */
	PLAN_RO,        /* bind PATH on itself, read-only */
	PLAN_RW,        /* bind PATH on itself */
	PLAN_RO_FIRM,   /* read-only inside something writable */
	PLAN_MASK_FILE, /* /dev/null in its place */
	PLAN_MASK_DIR   /* an empty folder in its place */
};

struct plan_mount {
	char *path; /* real and absolute */
	enum plan_kind kind;
};

struct plan_fs;

struct plan {
	struct plan_mount *mounts;
	size_t count;
	size_t cap;
	bool look_only; /* set before plan_gather: changes nothing on disk */
	char *cwd;
	/* Protected git folders that had no commondir file at the start. */
	struct strvec git_dirs;
	bool private_tmp; /* /tmp, /var/tmp, /run are there to be hidden */
	bool private_var_tmp;
	bool private_run;
	struct plan_fs *fs; /* plan-alias.c: what is mounted */
	size_t fs_count;
	bool fs_read;
	bool shared_cwd; /* holds more than a project: the home folder, /tmp */
	bool low_ports;  /* a port below 1024 is to be bound inside */
	bool root;       /* the user of the run is */
	bool setuid_bwrap; /* it gives no capabilities to init */
};

void plan_init(struct plan *p);
void plan_release(struct plan *p);

/* Adds a mount, PATH copied. */
void plan_add(struct plan *p, const char *path, enum plan_kind kind);

/* Fills P from the system. Returns 0, or -1 with ERR (AR_EUSAGE): a denied path
 * that the run cannot do without. */
int plan_gather(
	struct plan *p, const struct sandbox_spec *spec, struct err *err);

/* Masks the unix sockets there are now. */
void plan_sockets(struct plan *p);

/* Masks the unix sockets listed in TABLE (the text of /proc/net/unix). */
void plan_mask_sockets(struct plan *p, const char *table);

/* plan-alias.c: appends to OUT the other paths of REAL, or of parts of it,
 * where its file system is mounted a second time. */
void plan_aliases(struct plan *p, const char *real, struct strvec *out);
void plan_aliases_release(struct plan *p);

/* Undoes in place the "\040" that a path of mountinfo has for a blank. */
void plan_unescape(char *s);

/* Keeps the folders from PATH up to, not including, TOP in their places: what
 * is mounted in one must not be moved away with it. */
void plan_pin(struct plan *p, const char *path, const char *top);

/* plan-git.c: protects what git runs commands from. May create an empty hooks
 * folder, so that none can be made inside. */
void plan_git(struct plan *p, const char *cwd);

/* Sorts the mounts and drops the hidden ones; called by plan_argv. */
void plan_order(struct plan *p);

/* Appends the options for bwrap, without the command. DISABLE_USERNS: bwrap
 * knows --disable-userns. Changes nothing but the order of the mounts. */
void plan_argv(struct plan *p, bool disable_userns, struct strvec *out);

/* Reads up to MAX bytes of a regular file; never waits for a FIFO that someone
 * put there. Returns 0 or -1. */
int plan_read_file(const char *path, size_t max, struct strbuf *out);

/* True when PATH is TOP or lies below it; both absolute. */
bool plan_is_below(const char *path, const char *top);

#endif

#ifndef AGENTRUN_SANDBOX_SEATBELT_H
#define AGENTRUN_SANDBOX_SEATBELT_H

#include "base/strbuf.h"
#include "base/strvec.h"
#include "sandbox/sandbox.h"

/* seatbelt: the macOS sandbox. The profile is text and is made, and tested,
 * everywhere; the launcher is compiled on macOS only, and was never run there
 * by those who wrote it. */

/* Appends the profile for /usr/bin/sandbox-exec -p, and to DEFINES the values
 * of its parameters ("CWD=/x") for -D. Seatbelt compares paths as text, so the
 * ones that exist are given as they really are (/private/tmp). */
void seatbelt_profile(struct strbuf *profile, struct strvec *defines,
	const struct sandbox_spec *spec);

#endif

#ifndef AGENTRUN_TESTS_CHINESE_H
#define AGENTRUN_TESTS_CHINESE_H

/* chinese: the program in Chinese, on a machine that has nothing for it.
 *
 * The catalogue is the one of the build. The locale cannot be C.UTF-8, whose
 * messages are those of C since glibc 2.39, whatever LANGUAGE says; but the
 * same one by another name can, and LOCPATH lets that lie anywhere. */
#include <libintl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

/* glibc's C.UTF-8. A C library without this folder takes any name. */
#define CHINESE_FROM "/usr/lib/locale/C.utf8"

/* The catalogue of the build or, from a tarball, of the source. */
static inline bool chinese_catalogue(char path[PATH_MAX])
{
	static const char *const tops[] = {"top_builddir", "top_srcdir"};
	char file[PATH_MAX];
	const char *top;
	size_t i;

	for (i = 0; i < sizeof(tops) / sizeof(*tops); i++) {
		top = getenv(tops[i]);
		snprintf(
			file, sizeof(file), "%s/po/zh_CN.gmo", top ? top : ".");
		if (realpath(file, path))
			return true;
	}
	return false;
}

/* From here on this process speaks Chinese. What that needs is laid into DIR:
 * the caller's, absolute, removed by the caller. False when it cannot be. */
static inline bool chinese_begin(const char *dir)
{
	char mo[PATH_MAX];
	char to[PATH_MAX];

	if (!chinese_catalogue(mo) || strlen(dir) > 1000)
		return false;
	snprintf(to, sizeof(to), "%s/zh_CN/LC_MESSAGES", dir);
	if (io_mkdirs(to, 0700) < 0)
		return false;
	snprintf(to, sizeof(to), "%s/zh_CN/LC_MESSAGES/" PACKAGE ".mo", dir);
	if (symlink(mo, to) < 0)
		return false;
	snprintf(to, sizeof(to), "%s/zh_CN.UTF-8", dir);
	if (access(CHINESE_FROM, R_OK) == 0 && symlink(CHINESE_FROM, to) < 0)
		return false;
	setenv("LOCPATH", dir, 1);
	setenv("LANGUAGE", "zh_CN", 1);
	if (!setlocale(LC_ALL, "zh_CN.UTF-8"))
		return false;
	setlocale(LC_NUMERIC, "C");
	bindtextdomain(PACKAGE, dir);
	bind_textdomain_codeset(PACKAGE, "UTF-8");
	textdomain(PACKAGE);
	return true;
}

#endif

#include "config.h"

#include "option-value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

int option_decimal(const char *s, double *value)
{
	size_t digits = strspn(s, "0123456789");
	const char *p = s + digits;

	if (*p == '.') {
		size_t more = strspn(p + 1, "0123456789");

		digits += more;
		p += 1 + more;
	}
	if (!digits || *p)
		return -1;
	*value = strtod(s, NULL);
	return isfinite(*value) ? 0 : -1;
}

int option_count(
	const char *name, const char *s, int64_t *value, struct err *err)
{
	long long n;

	errno = 0;
	n = strtoll(s, NULL, 10);
	if (!*s || s[strspn(s, "0123456789")] || errno || n < 1)
		return err_set(err, AR_EUSAGE,
			N_("--%s must be a whole number of at least 1, "
			   "not '%s'"),
			name, s);
	*value = n;
	return 0;
}

int option_size(
	const char *name, const char *s, uint64_t *value, struct err *err)
{
	static const char units[] = "KMG";
	size_t digits = strspn(s, "0123456789");
	const char *unit = s[digits] ? strchr(units, s[digits]) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	unsigned long long n;

	errno = 0;
	n = strtoull(s, NULL, 10);
	if (!digits || s[digits + (unit != NULL)] || errno ||
		n > (uint64_t)INT64_MAX >> shift)
		return err_set(err, AR_EUSAGE,
			N_("--%s must be a number of bytes, with K, M or G "
			   "behind it if need be, not '%s'"),
			name, s);
	*value = (uint64_t)n << shift;
	return 0;
}

int option_word(
	const char *name, const char *words, const char *s, struct err *err)
{
	const char *p = words;
	int index = 0;

	while (*p) {
		size_t len = strcspn(p, "|");

		if (strlen(s) == len && strncmp(p, s, len) == 0)
			return index;
		index++;
		p += len + (p[len] == '|');
	}
	return err_set(err, AR_EUSAGE, N_("%s must be one of %s, not '%s'"),
		name, words, s);
}

int option_filled(
	const char *name, const char **place, const char *s, struct err *err)
{
	if (!*s)
		return err_set(err, AR_EUSAGE,
			N_("--%s must not be empty; leave it away instead"),
			name);
	*place = s;
	return 0;
}

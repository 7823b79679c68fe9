#ifndef AGENTRUN_OUTPUT_EXPORT_H
#define AGENTRUN_OUTPUT_EXPORT_H

#include "base/strbuf.h"
#include "event/detail.h"
#include "output/sink.h"

/* export: a stream as one document that stands by itself, HTML or Markdown.
 *
 * A sink that keeps what the document shows; it is written when all is there.
 * Several streams behind one another (a further `start`) become several parts.
 *
 * Nothing from outside acts as markup, loads anything or hides: HTML is escaped
 * and forbids scripts and loading by a Content-Security-Policy; in Markdown
 * outside strings stand in code spans and fences longer than any run of
 * backticks in them. Controls and bidi controls are made visible. */
enum export_kind {
	EXPORT_MD,
	EXPORT_HTML
};

/* Never fails to take an event. */
struct sink *export_new(void);

/* So many lines of the stream were no events: the document says so. */
void export_bad_lines(struct sink *s, uint64_t count);

/* Takes the document piece by piece; returns 0, or -1 to stop. */
typedef int export_fn(void *arg, const char *data, size_t len);

/* How it is written. */
struct export_form {
	enum export_kind kind;
	const char *name;      /* stands for a stream without a prompt */
	struct detail *detail; /* NULL: without inputs and results of calls */
};

/* Writes the document. Returns 0 or what FN returned. */
int export_write(const struct sink *s, const struct export_form *form,
	export_fn *fn, void *arg);

#endif

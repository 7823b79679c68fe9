#ifndef AGENTRUN_UI_PARTS_H
#define AGENTRUN_UI_PARTS_H

#include "base/jsonw.h"
#include "base/sgr.h"
#include "event/content.h"
#include "ui/model.h"

/* parts: content as lines of a model, made piece by piece, so that a result of
 * megabytes keeps nobody waiting. Each part is one or several items
 * (ITEM_PLAIN, aux: its index), the first of which has ITEM_PART. Everything is
 * cleaned. */
struct parts {
	struct model *m;
	const struct content *c;
	size_t at;      /* the part that is being made */
	size_t pos;     /* bytes of its text that are done */
	int64_t number; /* of the next line of a file */
	int gutter;     /* columns of the numbers */
	bool said_result;
	bool begun; /* the part */
	struct sgr look;
	struct json_lines json; /* of a part that is a tree */
	struct strbuf made;     /* its line */
	struct strbuf line;
	int wanted; /* columns that tables take, 0 without one */
	struct span *spans;
	size_t span_count;
	size_t span_cap;
};

/* Both are borrowed. */
void parts_init(struct parts *p, struct model *m, const struct content *c);
void parts_release(struct parts *p);

/* Goes on for about BUDGET bytes. True while there is more. */
bool parts_feed(struct parts *p, size_t budget);

/* What a part holds, for copies and files: not cleaned, JSON indented. */
void parts_text(const struct part *part, struct strbuf *out);

#endif

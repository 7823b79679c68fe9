#ifndef AGENTRUN_RUN_IMAGE_H
#define AGENTRUN_RUN_IMAGE_H

#include "base/err.h"
#include "base/strvec.h"
#include "runtime/runtime.h"

#include <stddef.h>

/* image: the files of --image (spec: interface 1).
 *
 * image_list_open looks at all of them before anything is started; the copies
 * with plain names are made later, when the temporary folder exists. The files
 * stay open in between, so what was checked is what is copied. */
#define IMAGE_SIZE_MAX ((size_t)20 << 20)

struct image_list {
	struct runtime_image *v; /* in the order given */
	size_t count;
	int *fds;            /* the open originals, -1 once copied */
	struct strvec owned; /* strings of v */
};

void image_list_init(struct image_list *list);
void image_list_release(struct image_list *list);

/* Opens and checks each of GIVEN (relative to the present directory): a regular
 * file that can be read, not empty, at most IMAGE_SIZE_MAX, PNG, JPEG, GIF or
 * WebP by its first bytes. Sets given and media_type. -1 with ERR (AR_EUSAGE):
 * which file, what is wrong, and what would do. */
int image_list_open(
	struct image_list *list, const struct strvec *given, struct err *err);

/* Writes the copies DIR/1.png, DIR/2.jpg, ... (0600) and sets copy. DIR is
 * absolute and private. -1 with ERR. */
int image_list_copy(struct image_list *list, const char *dir, struct err *err);

/* "image/png" and so on by the first bytes, NULL when it is none of the four.
 * 12 bytes are enough. */
const char *image_media_type(const char *data, size_t len);

#endif

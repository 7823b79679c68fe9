#ifndef AGENTRUN_EVENT_IMAGE_SIZE_H
#define AGENTRUN_EVENT_IMAGE_SIZE_H

#include "base/str.h"

#include <stdint.h>

/* image-size: what the first bytes of an image in base64 say. */

/* The bytes that BASE64 stands for. */
int64_t image_bytes(struct str base64);

/* Width and height in pixels of a PNG, GIF, WebP or JPEG (whose header must
 * stand in its first 64 KiB); 0 when they cannot be seen. */
void image_size(struct str base64, int64_t *width, int64_t *height);

#endif

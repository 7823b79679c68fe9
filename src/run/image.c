#include "config.h"

#include "run/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/io.h"
#include "base/xalloc.h"

/* The longest mark stands in the first 12 bytes ("RIFF....WEBP"). */
#define HEAD_LEN 12

static const struct {
	const char *media_type;
	const char *extension;
} kinds[] = {
	{"image/png", "png"},
	{"image/jpeg", "jpg"},
	{"image/gif", "gif"},
	{"image/webp", "webp"},
};

void image_list_init(struct image_list *list)
{
	list->v = NULL;
	list->count = 0;
	list->fds = NULL;
	strvec_init(&list->owned);
}

void image_list_release(struct image_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->fds[i] >= 0)
			close(list->fds[i]);
	free(list->v);
	free(list->fds);
	strvec_release(&list->owned);
	image_list_init(list);
}

const char *image_media_type(const char *data, size_t len)
{
	struct str s = {data, len};

	if (str_starts(s, "\x89PNG\r\n\x1a\n"))
		return kinds[0].media_type;
	if (str_starts(s, "\xff\xd8\xff"))
		return kinds[1].media_type;
	if (str_starts(s, "GIF87a") || str_starts(s, "GIF89a"))
		return kinds[2].media_type;
	if (len >= HEAD_LEN && memcmp(data, "RIFF", 4) == 0 &&
		memcmp(data + 8, "WEBP", 4) == 0)
		return kinds[3].media_type;
	return NULL;
}

/* Opens one file and looks at its first bytes. Returns the descriptor or -1. */
static int open_image(
	const char *path, const char **media_type, struct err *err)
{
	/* Not blocking: a FIFO without a writer must not hold us. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char head[HEAD_LEN];
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return err_set(err, AR_EUSAGE,
			N_("cannot read the image '%s': %s. Give --image a "
			   "PNG, JPEG, GIF or WebP file"),
			path, err_str(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set(err, AR_EUSAGE,
			N_("the image '%s' is not a regular file. Give "
			   "--image a PNG, JPEG, GIF or WebP file"),
			path);
		goto fail;
	}
	if ((uintmax_t)st.st_size > IMAGE_SIZE_MAX) {
		err_set(err, AR_EUSAGE,
			N_("the image '%s' has %jd bytes, more than the "
			   "allowed %zu (20 MiB). Make it smaller"),
			path, (intmax_t)st.st_size, IMAGE_SIZE_MAX);
		goto fail;
	}
	n = pread(fd, head, sizeof(head), 0);
	if (n < 0) {
		err_set(err, AR_EUSAGE, N_("cannot read the image '%s': %s"),
			path, err_str(errno));
		goto fail;
	}
	*media_type = image_media_type(head, (size_t)n);
	if (*media_type)
		return fd;
	err_set(err, AR_EUSAGE,
		N_("'%s' is no PNG, JPEG, GIF or WebP image by its first "
		   "bytes. Convert it to one of these"),
		path);
fail:
	close(fd);
	return -1;
}

int image_list_open(
	struct image_list *list, const struct strvec *given, struct err *err)
{
	list->v = xcalloc(given->count, sizeof(*list->v));
	list->fds = xcalloc(given->count, sizeof(*list->fds));
	for (size_t i = 0; i < given->count; i++) {
		struct runtime_image *image = &list->v[i];
		int fd = open_image(given->v[i], &image->media_type, err);

		if (fd < 0)
			return -1;
		list->fds[i] = fd;
		list->count++;
		strvec_push(&list->owned, given->v[i]);
		image->given = list->owned.v[list->owned.count - 1];
	}
	return 0;
}

static const char *extension_of(const char *media_type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].media_type, media_type) == 0)
			return kinds[i].extension;
	return "img";
}

/* Copies from IN's start to PATH, which must be new. The size is checked again:
 * the file may have grown. */
static int copy_image(
	int in, const char *given, const char *path, struct err *err)
{
	int out = open(path,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	size_t total = 0;
	char buf[65536];
	ssize_t n;

	if (out < 0)
		return err_set(err, AR_EIO, N_("cannot write '%s': %s"), path,
			err_str(errno));
	while ((n = pread(in, buf, sizeof(buf), (off_t)total)) > 0) {
		total += (size_t)n;
		if (total > IMAGE_SIZE_MAX) {
			err_set(err, AR_EUSAGE,
				N_("the image '%s' has more than the allowed "
				   "%zu bytes (20 MiB). Make it smaller"),
				given, IMAGE_SIZE_MAX);
			goto fail;
		}
		if (io_write_all(out, buf, (size_t)n) < 0) {
			err_set(err, AR_EIO, N_("cannot write '%s': %s"), path,
				err_str(errno));
			goto fail;
		}
	}
	if (n < 0) {
		err_set(err, AR_EIO, N_("cannot read the image '%s': %s"),
			given, err_str(errno));
		goto fail;
	}
	if (close(out) < 0)
		return err_set(err, AR_EIO, N_("cannot write '%s': %s"), path,
			err_str(errno));
	return 0;
fail:
	close(out);
	return -1;
}

int image_list_copy(struct image_list *list, const char *dir, struct err *err)
{
	for (size_t i = 0; i < list->count; i++) {
		struct runtime_image *image = &list->v[i];

		/* Plain names: codex splits its argument at a comma. */
		strvec_pushf(&list->owned, "%s/%zu.%s", dir, i + 1,
			extension_of(image->media_type));
		image->copy = list->owned.v[list->owned.count - 1];
		if (copy_image(list->fds[i], image->given, image->copy, err) <
			0)
			return -1;
		close(list->fds[i]);
		list->fds[i] = -1;
	}
	return 0;
}

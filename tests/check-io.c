#include "config.h"

#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check-main.h"

static struct strbuf root = STRBUF_INIT;
static struct strbuf scratch[4];

static void begin(void)
{
	struct err err = ERR_INIT;

	strbuf_reset(&root);
	ck_assert_int_eq(io_temp_dir(&root, &err), 0);
}

static void end(void)
{
	ck_assert_int_eq(io_remove_tree(root.buf), 0);
	ck_assert_int_eq(access(root.buf, F_OK), -1);
}

/* A path below the root; four of them may be in use at a time. */
static const char *at(const char *name)
{
	static size_t next;
	struct strbuf *sb = &scratch[next++ % 4];

	if (!sb->buf)
		strbuf_init(sb);
	strbuf_reset(sb);
	strbuf_addf(sb, "%s/%s", root.buf, name);
	return sb->buf;
}

static void put(const char *name, const char *data)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(
		io_replace_file(at(name), data, strlen(data), 0644, &err), 0);
}

static void holds(const char *name, const char *want)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	ck_assert_int_eq(io_read_file(at(name), 1 << 20, &sb, &err), 0);
	ck_assert_str_eq(sb.buf, want);
	strbuf_release(&sb);
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

START_TEST(a_write_waits_for_a_slow_reader)
{
	const size_t len = 1 << 20;
	char *data = calloc(1, len);
	int fds[2];
	int status;
	pid_t pid;

	ck_assert_int_eq(io_pipe(fds), 0);
	ck_assert_int_eq(io_set_nonblock(fds[1], true), 0);
	pid = fork();
	if (pid == 0) {
		size_t got = 0;
		ssize_t n;

		close(fds[1]);
		while ((n = read(fds[0], data, 3000)) > 0)
			got += (size_t)n;
		_exit(got == len ? 0 : 1);
	}
	close(fds[0]);
	ck_assert_int_eq(io_write_all(fds[1], data, len), 0);
	close(fds[1]);
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	free(data);
}
END_TEST

START_TEST(a_write_tells_of_a_closed_pipe)
{
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(io_pipe(fds), 0);
	ck_assert_int_eq(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(fds[1], F_GETFD), FD_CLOEXEC);
	close(fds[0]);
	ck_assert_int_eq(io_write_all(fds[1], "x", 1), -1);
	ck_assert_int_eq(errno, EPIPE);
	close(fds[1]);
}
END_TEST

START_TEST(nonblock_goes_on_and_off)
{
	int fds[2];

	ck_assert_int_eq(io_pipe(fds), 0);
	ck_assert_int_eq(io_set_nonblock(fds[0], true), 0);
	ck_assert(fcntl(fds[0], F_GETFL) & O_NONBLOCK);
	ck_assert_int_eq(io_set_nonblock(fds[0], false), 0);
	ck_assert(!(fcntl(fds[0], F_GETFL) & O_NONBLOCK));
	ck_assert_int_eq(io_set_nonblock(-1, true), -1);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(a_file_is_read_up_to_a_limit)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	begin();
	put("f", "12345");
	strbuf_addstr(&sb, ">");
	ck_assert_int_eq(io_read_file(at("f"), 5, &sb, &err), 0);
	ck_assert_str_eq(sb.buf, ">12345");
	ck_assert_int_eq(io_read_file(at("f"), 4, &sb, &err), -1);
	ck_assert_int_eq(err.code, AR_EIO);
	ck_assert_ptr_nonnull(strstr(err.msg, "File too large"));
	ck_assert_str_eq(sb.buf, ">12345");
	ck_assert_int_eq(io_read_file(at("none"), 4, &sb, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "No such file or directory"));
	ck_assert_int_eq(io_read_file(root.buf, 4, &sb, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "Is a directory"));
	ck_assert_int_eq(io_read_file("/dev/null", 0, &sb, NULL), 0);
	strbuf_release(&sb);
	end();
}
END_TEST

/* Settings may be anything: nobody may ever write into it. */
START_TEST(a_fifo_is_not_waited_for)
{
	struct strbuf sb = STRBUF_INIT;
	int fd;

	begin();
	ck_assert_int_eq(mkfifo(at("fifo"), 0600), 0);
	ck_assert_int_eq(io_read_file(at("fifo"), 100, &sb, NULL), -1);
	ck_assert_int_eq(errno, ESPIPE);
	fd = open(at("fifo"), O_RDWR);
	ck_assert_int_eq(io_write_all(fd, "through", 7), 0);
	ck_assert_int_eq(io_read_file(at("fifo"), 100, &sb, NULL), -1);
	ck_assert_int_eq(sb.len, 0);
	close(fd);
	strbuf_release(&sb);
	end();
}
END_TEST

START_TEST(directories_are_made_on_the_way)
{
	begin();
	umask(0);
	ck_assert_int_eq(io_mkdirs(at("a//b/c/"), 0700), 0);
	ck_assert_int_eq(io_mkdirs(at("a/b/c"), 0755), 0);
	ck_assert_uint_eq(mode_of(at("a/b/c")), 0700);
	put("file", "");
	ck_assert_int_eq(io_mkdirs(at("file/x"), 0700), -1);
	ck_assert_int_eq(errno, ENOTDIR);
	ck_assert_int_eq(io_mkdirs(at("file"), 0700), -1);
	end();
}
END_TEST

START_TEST(a_temporary_directory_is_private)
{
	struct strbuf path = STRBUF_INIT;
	struct err err = ERR_INIT;

	begin();
	ck_assert_uint_eq(mode_of(root.buf), 0700);
	setenv("TMPDIR", root.buf, 1);
	ck_assert_int_eq(io_temp_dir(&path, &err), 0);
	ck_assert(strncmp(path.buf, root.buf, root.len) == 0);
	strbuf_reset(&path);
	setenv("TMPDIR", at("none"), 1);
	ck_assert_int_eq(io_temp_dir(&path, &err), -1);
	ck_assert_str_eq(path.buf, "");
	ck_assert_ptr_nonnull(strstr(err.msg, "none"));
	/* A relative one would be another place for the runtime. */
	setenv("TMPDIR", ".", 1);
	ck_assert_int_eq(io_temp_dir(&path, &err), 0);
	ck_assert(strncmp(path.buf, "/tmp/", 5) == 0);
	ck_assert_int_eq(io_remove_tree(path.buf), 0);
	strbuf_release(&path);
	end();
}
END_TEST

START_TEST(removal_never_follows_links)
{
	begin();
	ck_assert_int_eq(io_mkdirs(at("keep/dir"), 0700), 0);
	put("keep/file", "kept");
	ck_assert_int_eq(io_mkdirs(at("gone/sub"), 0700), 0);
	ck_assert_int_eq(symlink("../../keep", at("gone/sub/link")), 0);
	ck_assert_int_eq(symlink("../keep/file", at("gone/flink")), 0);
	ck_assert_int_eq(io_remove_tree(at("gone")), 0);
	ck_assert_int_eq(access(at("gone"), F_OK), -1);
	holds("keep/file", "kept");
	/* A link itself: only the link goes. */
	ck_assert_int_eq(symlink("keep", at("link")), 0);
	ck_assert_int_eq(io_remove_tree(at("link")), 0);
	holds("keep/file", "kept");
	ck_assert_int_eq(io_remove_tree(at("none")), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(io_remove_tree(at("keep/file")), 0);
	end();
}
END_TEST

START_TEST(removal_takes_closed_directories)
{
	begin();
	ck_assert_int_eq(io_mkdirs(at("a/b/c"), 0700), 0);
	put("a/b/c/f", "x");
	ck_assert_int_eq(chmod(at("a/b/c/f"), 0), 0);
	ck_assert_int_eq(chmod(at("a/b/c"), 0), 0);
	ck_assert_int_eq(chmod(at("a/b"), 0), 0);
	ck_assert_int_eq(chmod(at("a"), 0500), 0);
	end();
}
END_TEST

START_TEST(removal_takes_trees_deeper_than_descriptors)
{
	int i;

	begin();
	ck_assert_int_eq(chdir(root.buf), 0);
	for (i = 0; i < 3000; i++) {
		ck_assert_int_eq(mkdir("directory", 0700), 0);
		ck_assert_int_eq(chdir("directory"), 0);
	}
	ck_assert_int_eq(mkdir("two", 0700), 0);
	ck_assert_int_eq(mkdir("two/three", 0700), 0);
	ck_assert_int_eq(mkdir("four", 0700), 0);
	ck_assert_int_eq(chdir("/"), 0);
	end();
}
END_TEST

START_TEST(removal_takes_wide_trees)
{
	char name[64];
	int i;

	begin();
	for (i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "w/d%d/e", i);
		ck_assert_int_eq(io_mkdirs(at(name), 0700), 0);
		snprintf(name, sizeof(name), "w/f%d", i);
		ck_assert_int_eq(symlink("nowhere", at(name)), 0);
	}
	end();
}
END_TEST

START_TEST(a_copy_keeps_bytes_and_mode)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	begin();
	ck_assert_int_eq(io_replace_file(at("a"), "x\0y", 3, 0755, &err), 0);
	ck_assert_int_eq(io_copy_file(at("a"), at("b"), &err), 0);
	ck_assert_uint_eq(mode_of(at("b")), 0755);
	ck_assert_int_eq(io_read_file(at("b"), 10, &sb, &err), 0);
	ck_assert_mem_is(strbuf_str(&sb), "x\0y", 3);
	put("b", "a longer one than before");
	ck_assert_int_eq(chmod(at("a"), 0444), 0);
	ck_assert_int_eq(io_copy_file(at("a"), at("b"), &err), 0);
	ck_assert_uint_eq(mode_of(at("b")), 0644);
	strbuf_reset(&sb);
	ck_assert_int_eq(io_read_file(at("b"), 10, &sb, &err), 0);
	ck_assert_uint_eq(sb.len, 3);
	ck_assert_int_eq(mkfifo(at("fifo"), 0600), 0);
	ck_assert_int_eq(io_copy_file(at("fifo"), at("c"), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "not a regular file"));
	ck_assert_int_eq(io_copy_file(at("none"), at("c"), &err), -1);
	ck_assert_int_eq(io_copy_file(at("a"), at("no/c"), &err), -1);
	strbuf_release(&sb);
	end();
}
END_TEST

START_TEST(a_tree_is_copied_without_links)
{
	struct err err = ERR_INIT;

	begin();
	ck_assert_int_eq(io_mkdirs(at("a/sub/empty"), 0700), 0);
	put("a/one", "1");
	put("a/sub/two", "2");
	ck_assert_int_eq(symlink("/etc/passwd", at("a/link")), 0);
	ck_assert_int_eq(symlink("..", at("a/sub/up")), 0);
	ck_assert_int_eq(mkfifo(at("a/fifo"), 0600), 0);
	ck_assert_int_eq(io_copy_tree(at("a"), at("b"), &err), 0);
	holds("b/one", "1");
	holds("b/sub/two", "2");
	ck_assert_int_eq(access(at("b/sub/empty"), F_OK), 0);
	ck_assert_int_eq(access(at("b/link"), F_OK), -1);
	ck_assert_int_eq(access(at("b/fifo"), F_OK), -1);
	ck_assert_int_eq(access(at("b/sub/up"), F_OK), -1);
	ck_assert_int_eq(io_copy_tree(at("none"), at("c"), &err), -1);
	ck_assert_int_eq(symlink("a", at("l")), 0);
	ck_assert_int_eq(io_copy_tree(at("l"), at("c"), &err), -1);
	end();
}
END_TEST

START_TEST(a_file_is_replaced_at_once)
{
	struct err err = ERR_INIT;
	struct dirent *e;
	DIR *dir;
	int count = 0;

	begin();
	put("f", "old");
	ck_assert_int_eq(io_replace_file(at("f"), "new", 3, 0600, &err), 0);
	holds("f", "new");
	ck_assert_uint_eq(mode_of(at("f")), 0600);
	ck_assert_int_eq(mkdir(at("d"), 0700), 0);
	put("d/x", "");
	ck_assert_int_eq(io_replace_file(at("d"), "x", 1, 0600, &err), -1);
	ck_assert_int_eq(io_replace_file(at("no/f"), "x", 1, 0600, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "no/f"));
	/* No temporary file stays behind. */
	dir = opendir(root.buf);
	while ((e = readdir(dir)))
		count++;
	closedir(dir);
	ck_assert_int_eq(count, 4);
	ck_assert_int_eq(chdir(root.buf), 0);
	ck_assert_int_eq(io_replace_file("rel", "r", 1, 0600, &err), 0);
	holds("rel", "r");
	ck_assert_int_eq(chdir("/"), 0);
	end();
}
END_TEST

CHECK_MAIN("io", a_write_waits_for_a_slow_reader,
	a_write_tells_of_a_closed_pipe, nonblock_goes_on_and_off,
	a_file_is_read_up_to_a_limit, a_fifo_is_not_waited_for,
	directories_are_made_on_the_way, a_temporary_directory_is_private,
	removal_never_follows_links, removal_takes_closed_directories,
	removal_takes_trees_deeper_than_descriptors, removal_takes_wide_trees,
	a_copy_keeps_bytes_and_mode, a_tree_is_copied_without_links,
	a_file_is_replaced_at_once)

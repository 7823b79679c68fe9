#include "config.h"

#include "check-main.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/version.h"

/* Each is older than the next (semver 11). */
static const char *const in_order[] = {"0.0.9", "0.1.0-rc.8", "0.1.5-rc.2",
	"0.1.5", "0.1.6-alpha", "0.1.6-alpha.1", "0.1.6-alpha.beta",
	"0.1.6-beta", "0.1.6-beta.2", "0.1.6-beta.11", "0.1.6-rc.1", "0.1.6",
	"0.1.7-rc.2", "0.1.10", "0.2", "0.2.1-1", "0.2.1-rc.2", "0.2.1",
	"0.10.0", "1.0.0", "2", "99999999999999999999.1"};
#define COUNT (sizeof(in_order) / sizeof(in_order[0]))

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

START_TEST(test_order)
{
	for (size_t i = 0; i < COUNT; i++)
		for (size_t k = 0; k < COUNT; k++)
			ck_assert_msg(
				sign(version_compare(in_order[i],
					in_order[k])) == (i > k) - (i < k),
				"%s and %s", in_order[i], in_order[k]);
}
END_TEST

START_TEST(test_equal)
{
	static const char *const pairs[][2] = {{"1", "1.0.0"},
		{"1.2", "1.2.0.0"}, {"1.2.3+build", "1.2.3"},
		{"1.2.3-rc.1+a-b", "1.2.3-rc.1+c"}, {"01.002", "1.2"},
		{"", "0"}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		ck_assert_int_eq(version_compare(pairs[i][0], pairs[i][1]), 0);
}
END_TEST

static char *no_env[] = {(char *)"PATH=/usr/bin:/bin", NULL};

/* Makes PATH, a template for mkstemp(), a program that prints TEXT. */
static void make_program(char *path, const char *text)
{
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	fprintf(f, "#!/bin/sh\ncat <<'END'\n%s\nEND\n", text);
	fchmod(fd, 0700);
	fclose(f);
}

/* What a program that prints TEXT tells as its version. */
static int read_from(const char *text, struct strbuf *out)
{
	char path[] = "/tmp/agentrun-check-XXXXXX";
	struct loop *loop = loop_new(NULL);
	struct err err = ERR_INIT;
	int ret;

	make_program(path, text);
	strbuf_reset(out);
	ret = version_read(loop, path, no_env, out, &err);
	unlink(path);
	loop_free(loop);
	return ret;
}

START_TEST(test_read)
{
	static const char *const cases[][2] = {
		{"2.1.332 (Claude Code)", "2.1.332"},
		{"codex-cli 0.171.0", "0.171.0"}, {"1.6.0", "1.6.0"},
		{"v0.2.1-rc.2", "0.2.1-rc.2"},
		{"dsh 0.1.0-rc.8, node 22", "0.1.0-rc.8"},
		{"warning: node v22.1.0 is old\ndsh 1.0", "22.1.0"},
		{"x86 build 7\nversion 1.2.3.", "1.2.3"}};
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(read_from(cases[i][0], &out), 0);
		ck_assert_str_eq(out.buf, cases[i][1]);
	}
	ck_assert_int_eq(read_from("no number", &out), -1);
	ck_assert_int_eq(read_from("", &out), -1);
	ck_assert_int_eq(read_from("42", &out), -1);
	ck_assert_int_eq(read_from("{\"type\":\"x\",\"n\":0.05}", &out), -1);
	strbuf_release(&out);
}
END_TEST

/* Only a version that is known can be too old. */
START_TEST(test_check)
{
	static const struct {
		const char *text;
		int ret;
	} cases[] = {{"dsh 0.1.6", 0}, {"0.2.1-rc.2", 0}, {"0.1.5", -1},
		{"0.1.6-rc.1", -1}, {"", 0}, {"unknown", 0},
		{"\n{\"type\":\"session\",\"n\":0.05}", 0}};
	const struct runtime_ops ops = {
		.name = "dsh", .version_min = "0.1.6", .install = "npm"};
	struct loop *loop = loop_new(NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char path[] = "/tmp/agentrun-check-XXXXXX";
		struct err err = ERR_INIT;

		make_program(path, cases[i].text);
		ck_assert_msg(runtime_version_check(loop, &ops, path, no_env,
				      &err) == cases[i].ret,
			"%s", cases[i].text);
		unlink(path);
	}
	loop_free(loop);
}
END_TEST

CHECK_MAIN("version", test_order, test_equal, test_read, test_check)

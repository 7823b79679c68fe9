#include "config.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/loop.h"
#include "base/strvec.h"
#include "sandbox/sandbox.h"

/* box: runs a command in a box of agentrun and shows what comes out.
 *
 *   box [-n] [-C CWD] [-d DENIED]... [-s STATE] [-l PORT]... -- COMMAND ARG...
 *
 * -n: without a sandbox. Exit status: the command's, 128 + N for signal N; 99
 * and the reason on stderr when it never ran. */
extern char **environ;

struct state {
	struct loop *loop;
	const struct sandbox_ops *ops;
	struct sandbox *box;
	int fds[2];
	struct loop_fd *watch[2];
	int open;
	bool over;
	int status;
};

static void check_end(struct state *s)
{
	if (s->over && s->open == 0)
		loop_stop(s->loop);
}

static void on_data(void *arg, int fd, short revents)
{
	struct state *s = arg;
	int which = fd == s->fds[1];
	char buf[65536];
	ssize_t n = read(fd, buf, sizeof(buf));

	(void)revents;
	if (n > 0) {
		(void)io_write_all(which + 1, buf, (size_t)n);
		return;
	}
	if (n < 0)
		return;
	loop_unwatch(s->watch[which]);
	close(fd);
	s->open--;
	check_end(s);
}

static void on_running(void *arg)
{
	struct state *s = arg;
	int in;
	int i;

	s->ops->pipes(s->box, &in, &s->fds[0], &s->fds[1]);
	close(in);
	s->open = 2;
	for (i = 0; i < 2; i++)
		s->watch[i] =
			loop_watch(s->loop, s->fds[i], POLLIN, on_data, s);
}

static void on_failed(void *arg, const struct err *err)
{
	struct state *s = arg;

	fprintf(stderr, "%s\n", err->msg);
	s->status = 99 << 8;
	loop_stop(s->loop);
}

static void on_listener(void *arg, int fd, uint16_t port)
{
	(void)arg;
	(void)port;
	close(fd);
}

static void on_exited(void *arg, int status)
{
	struct state *s = arg;

	s->status = status;
	s->over = true;
	check_end(s);
}

int main(int argc, char **argv)
{
	static const struct sandbox_events events = {
		.running = on_running,
		.failed = on_failed,
		.listener = on_listener,
		.exited = on_exited,
	};
	struct state s = {.ops = &sandbox_bwrap};
	struct strvec dirs = STRVEC_INIT;
	struct strvec denied = STRVEC_INIT;
	struct sandbox_spec spec = {.path_dirs = &dirs, .deny_read = &denied};
	struct err err = ERR_INIT;
	char cwd[PATH_MAX];
	uint16_t ports[8];
	int c;

	if (argc > 1 && strcmp(argv[1], "--sandbox-init") == 0)
		return sandbox_init_main(argc, argv);
	spec.cwd = getcwd(cwd, sizeof(cwd));
	spec.loopback_ports = ports;
	spec.proxy_port = 61080;
	while ((c = getopt(argc, argv, "+nC:d:s:l:")) != -1) {
		switch (c) {
		case 'n':
			s.ops = &sandbox_none;
			break;
		case 'C':
			spec.cwd = realpath(optarg, cwd);
			break;
		case 'd':
			strvec_push(&denied, optarg);
			break;
		case 's':
			spec.state_dir = optarg;
			break;
		case 'l':
			if (spec.loopback_count < 8)
				ports[spec.loopback_count++] =
					(uint16_t)strtoul(optarg, NULL, 10);
			break;
		default:
			return 98;
		}
	}
	if (optind >= argc || !spec.cwd)
		return 98;
	spec.program = argv[optind];
	spec.argv = argv + optind;
	spec.envp = environ;
	spec.home = getenv("HOME");
	s.loop = loop_new(NULL);
	s.box = s.ops->start(s.loop, &spec, &events, &s, &err);
	if (s.box)
		loop_run(s.loop);
	else
		on_failed(&s, &err);
	if (s.box)
		s.ops->free(s.box);
	loop_free(s.loop);
	strvec_release(&dirs);
	strvec_release(&denied);
	return WIFEXITED(s.status) ? WEXITSTATUS(s.status)
				   : 128 + WTERMSIG(s.status);
}

#include "config.h"

#include "doctor-probe.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/private.h"
#include "base/signals.h"
#include "base/xalloc.h"
#include "sandbox/netrule.h"
#include "sandbox/proxy-http.h"
#include "sandbox/sandbox.h"

#define PROXY_PORT 61080

/* The sandbox */

struct trial {
	struct err *err;
	bool failed;
	bool over;
	bool late;
	int wait_status;
};

static void on_running(void *arg)
{
	(void)arg;
}

static void on_failed(void *arg, const struct err *err)
{
	struct trial *t = arg;

	t->failed = true;
	*t->err = *err;
}

static void on_listener(void *arg, int fd, uint16_t port)
{
	(void)arg;
	(void)port;
	close(fd);
}

static void on_exited(void *arg, int wait_status)
{
	struct trial *t = arg;

	t->over = true;
	t->wait_status = wait_status;
}

static void on_timeout(void *arg)
{
	*(bool *)arg = true;
}

static void close_pipes(const struct sandbox_ops *ops, struct sandbox *s)
{
	int fds[3];

	ops->pipes(s, &fds[0], &fds[1], &fds[2]);
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static int judge_trial(
	const struct trial *t, const char *program, struct err *err)
{
	if (t->over && WIFEXITED(t->wait_status) &&
		WEXITSTATUS(t->wait_status) == 0)
		return 0;
	if (t->over)
		return err_set(err, AR_ESANDBOX,
			N_("the sandbox started, but '%s' failed in it"),
			program);
	if (!t->failed)
		err_set(err, AR_ESANDBOX,
			N_("the sandbox did not end within %d seconds"),
			PROBE_TIMEOUT_MS / 1000);
	return -1;
}

/* Runs SPEC to its end. */
static int try_sandbox(struct loop *loop, const struct sandbox_ops *ops,
	const struct sandbox_spec *spec, struct err *err)
{
	static const struct sandbox_events events = {
		on_running, on_failed, on_listener, on_exited};
	struct trial t = {.err = err};
	struct loop_timer timer = {0};
	struct sandbox *s = ops->start(loop, spec, &events, &t, err);

	if (!s)
		return -1;
	close_pipes(ops, s);
	loop_timer_set(loop, &timer, PROBE_TIMEOUT_MS, on_timeout, &t.late);
	while (!t.failed && !t.over && !t.late && !loop_stopped(loop))
		(void)loop_once(loop, -1);
	loop_timer_clear(loop, &timer);
	ops->free(s);
	return judge_trial(&t, spec->program, err);
}

int probe_sandbox(struct loop *loop, char *const *envp, struct strbuf *out,
	struct err *err)
{
	const struct sandbox_ops *ops = sandbox_default();
	char *argv[] = {(char *)"true", NULL};
	struct strvec none = STRVEC_INIT;
	struct strbuf program = STRBUF_INIT;
	struct private_dir dir;
	struct err left = ERR_INIT;
	struct sandbox_spec spec = {.argv = argv,
		.envp = envp,
		.path_dirs = &none,
		.deny_read = &none,
		.proxy_port = PROXY_PORT};
	int ret = -1;

	private_init(&dir);
	if (strcmp(ops->name, "none") == 0) {
		err_set(err, AR_ESANDBOX,
			N_("there is no sandbox for this system. Use "
			   "--sandbox off"));
		goto done;
	}
	if (child_find("true", "/usr/bin:/bin:/run/current-system/sw/bin",
		    &program) < 0) {
		err_set(err, AR_ESANDBOX, N_("there is no 'true' to try with"));
		goto done;
	}
	if (private_open_temp(&dir, err) < 0)
		goto done;
	spec.program = program.buf;
	spec.cwd = dir.path;
	ret = try_sandbox(loop, ops, &spec, err);
	if (ret == 0)
		strbuf_addstr(out, ops->name);
done:
	if (private_close(&dir, &left) < 0)
		diag_error("%s", left.local);
	strbuf_release(&program);
	return ret;
}

/* The network */

int endpoint_parse(struct endpoint *e, struct str url)
{
	unsigned long port = 443;
	char host[256];
	const char *at;
	char *rest;
	char *end;
	int ret = -1;

	e->host = NULL;
	if (!url.ptr || memchr(url.ptr, '\0', url.len))
		return -1;
	if (str_starts(url, "http://"))
		port = 80;
	rest = xstrndup(url.ptr, url.len);
	at = strstr(rest, "://");
	at = at ? at + 3 : rest;
	memmove(rest, at, strlen(at) + 1);
	rest[strcspn(rest, "/?#")] = '\0';
	at = strrchr(rest, '@'); /* a password is not shown */
	if (at)
		memmove(rest, at + 1, strlen(at));
	end = rest[0] == '[' ? strchr(rest, ']') : NULL;
	end = strchr(end ? end : rest, ':');
	if (end) {
		*end = '\0';
		port = strtoul(end + 1, &end, 10);
		if (*end || port == 0 || port > 65535)
			goto done;
	}
	if (netrule_normalise(str_of(rest), host) < 0)
		goto done;
	e->host = xstrdup(host);
	e->port = (uint16_t)port;
	ret = 0;
done:
	free(rest);
	return ret;
}

void endpoint_release(struct endpoint *e)
{
	free(e->host);
	e->host = NULL;
}

/* Asks the proxy FD for a connection: reads the head of its answer, behind
 * which a proxy that connected says nothing until it is spoken to. */
static int ask_proxy(int fd, const struct endpoint *e, struct strbuf *why)
{
	struct strbuf text = STRBUF_INIT;
	char head[1024];
	size_t len = 0;
	ssize_t n = 1;
	int status;

	proxy_add_connect(&text, e->host, e->port, NULL);
	if (io_write_all(fd, text.buf, text.len) == 0)
		while (n > 0 && len < sizeof(head) - 1 &&
			!proxy_head_length(head, len, 0)) {
			n = read(fd, head + len, sizeof(head) - 1 - len);
			len += n > 0 ? (size_t)n : 0;
		}
	strbuf_release(&text);
	head[len] = '\0';
	status = proxy_response_status(head, len);
	if (status >= 200 && status <= 299)
		return 0;
	head[strcspn(head, "\r\n")] = '\0';
	strbuf_addf(why, "the proxy answers '%s'", head);
	return -1;
}

/* Runs in a process of its own, because a look-up cannot be stopped. */
static int connect_now(const struct endpoint *e, const struct endpoint *proxy,
	struct strbuf *why)
{
	const struct endpoint *to = proxy ? proxy : e;
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;
	char service[8];
	int fd = -1;
	int code;

	snprintf(service, sizeof(service), "%u", to->port);
	code = getaddrinfo(to->host, service, &hints, &list);
	if (code) {
		strbuf_addstr(why, gai_strerror(code));
		return -1;
	}
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
		if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) < 0) {
			strbuf_reset(why);
			strbuf_addstr(why, err_str(errno));
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (fd < 0)
		return -1;
	code = proxy ? ask_proxy(fd, e, why) : 0;
	close(fd);
	return code;
}

/* What the process says, until it ends. */
struct answer {
	struct strbuf *out;
	bool over;
	bool late;
};

static void on_answer(void *arg, int fd, short revents)
{
	struct answer *a = arg;
	ssize_t n = read(fd, strbuf_reserve(a->out, 1024), 1024);

	(void)revents;
	if (n > 0)
		strbuf_setlen(a->out, a->out->len + (size_t)n);
	else if (n == 0 || errno != EINTR)
		a->over = true;
}

/* Returns false when the time was over before, or a signal came. */
static bool collect(struct loop *loop, int fd, struct strbuf *out)
{
	struct answer a = {.out = out};
	struct loop_timer timer = {0};
	struct loop_fd *watch = loop_watch(loop, fd, POLLIN, on_answer, &a);

	loop_timer_set(loop, &timer, PROBE_TIMEOUT_MS, on_timeout, &a.late);
	while (!a.over && !a.late && !loop_stopped(loop))
		(void)loop_once(loop, -1);
	loop_timer_clear(loop, &timer);
	loop_unwatch(watch);
	return a.over;
}

int probe_connect(struct loop *loop, const struct endpoint *e,
	const struct endpoint *proxy, struct err *err)
{
	struct strbuf why = STRBUF_INIT;
	int status = 0;
	bool in_time;
	int fds[2];
	pid_t pid;

	if (io_pipe(fds) < 0)
		return err_set(err, AR_EIO, "%s", err_str(errno));
	pid = signals_fork();
	if (pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return err_set(err, AR_EIO, "%s", err_str(errno));
	}
	if (pid == 0) {
		bool ok;

		signals_reset();
		ok = connect_now(e, proxy, &why) == 0;
		(void)!write(fds[1], why.buf, why.len);
		_exit(ok ? 0 : 1);
	}
	close(fds[1]);
	in_time = collect(loop, fds[0], &why);
	close(fds[0]);
	if (!in_time)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (!in_time)
		err_set(err, AR_EIO, N_("no answer within %d seconds"),
			PROBE_TIMEOUT_MS / 1000);
	else if (!WIFEXITED(status) || WEXITSTATUS(status))
		err_set(err, AR_EIO, "%s", why.buf);
	strbuf_release(&why);
	return in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0
									: -1;
}

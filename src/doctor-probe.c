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
#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/loop.h"
#include "base/xalloc.h"
#include "sandbox/netrule.h"
#include "sandbox/proxy-http.h"
#include "sandbox/sandbox.h"

#define PROXY_PORT 61080

/* The sandbox */

struct trial {
	struct loop *loop;
	struct err *err;
	bool failed;
	bool over;
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
	loop_stop(t->loop);
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
	loop_stop(t->loop);
}

static void on_timeout(void *arg)
{
	struct trial *t = arg;

	loop_stop(t->loop);
}

static void close_pipes(const struct sandbox_ops *ops, struct sandbox *s)
{
	int fds[3];

	ops->pipes(s, &fds[0], &fds[1], &fds[2]);
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Runs SPEC to its end. */
static int try_sandbox(const struct sandbox_ops *ops,
	const struct sandbox_spec *spec, struct err *err)
{
	static const struct sandbox_events events = {
		on_running, on_failed, on_listener, on_exited};
	struct trial t = {.loop = loop_new(), .err = err};
	struct loop_timer timer = {0};
	struct sandbox *s = ops->start(t.loop, spec, &events, &t, err);
	int ret = -1;

	if (!s)
		goto done;
	close_pipes(ops, s);
	loop_timer_set(t.loop, &timer, PROBE_TIMEOUT_MS, on_timeout, &t);
	if (!t.failed && !t.over)
		loop_run(t.loop);
	loop_timer_clear(t.loop, &timer);
	ops->free(s);
	if (t.over && WIFEXITED(t.wait_status) &&
		WEXITSTATUS(t.wait_status) == 0)
		ret = 0;
	else if (t.over)
		err_set(err, AR_ESANDBOX,
			N_("the sandbox started, but '%s' failed in it"),
			spec->program);
	else if (!t.failed)
		err_set(err, AR_ESANDBOX,
			N_("the sandbox did not end within %d seconds"),
			PROBE_TIMEOUT_MS / 1000);
done:
	loop_free(t.loop);
	return ret;
}

int probe_sandbox(char *const *envp, struct strbuf *out, struct err *err)
{
	const struct sandbox_ops *ops = sandbox_default();
	char *argv[] = {(char *)"true", NULL};
	struct strvec none = STRVEC_INIT;
	struct strbuf program = STRBUF_INIT;
	struct strbuf dir = STRBUF_INIT;
	struct sandbox_spec spec = {.argv = argv,
		.envp = envp,
		.path_dirs = &none,
		.deny_read = &none,
		.proxy_port = PROXY_PORT};
	char *real = NULL;
	int ret = -1;

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
	if (io_temp_dir(&dir, err) < 0)
		goto done;
	real = realpath(dir.buf, NULL);
	spec.program = program.buf;
	spec.cwd = real ? real : dir.buf;
	ret = try_sandbox(ops, &spec, err);
	(void)io_remove_tree(dir.buf);
	if (ret == 0)
		strbuf_addstr(out, ops->name);
done:
	free(real);
	strbuf_release(&program);
	strbuf_release(&dir);
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

/* Reads what the process says until it ends or the time is over. */
static bool collect(int fd, struct strbuf *out)
{
	const int64_t end =
		clock_system.mono_ms(clock_system.arg) + PROBE_TIMEOUT_MS;
	ssize_t n = 1;

	while (n > 0) {
		int64_t left = end - clock_system.mono_ms(clock_system.arg);
		struct pollfd p = {fd, POLLIN, 0};
		int got = poll(&p, 1, left > 0 ? (int)left : 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		n = read(fd, strbuf_reserve(out, 1024), 1024);
		if (n > 0)
			strbuf_setlen(out, out->len + (size_t)n);
	}
	return true;
}

int probe_connect(
	const struct endpoint *e, const struct endpoint *proxy, struct err *err)
{
	struct strbuf why = STRBUF_INIT;
	int status = 0;
	bool in_time;
	int fds[2];
	pid_t pid;

	if (io_pipe(fds) < 0)
		return err_set(err, AR_EIO, "%s", err_str(errno));
	pid = fork();
	if (pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return err_set(err, AR_EIO, "%s", err_str(errno));
	}
	if (pid == 0) {
		bool ok = connect_now(e, proxy, &why) == 0;

		(void)!write(fds[1], why.buf, why.len);
		_exit(ok ? 0 : 1);
	}
	close(fds[1]);
	in_time = collect(fds[0], &why);
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

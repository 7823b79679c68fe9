#include "config.h"

#include "sandbox/resolver.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/xalloc.h"

#define THREADS_MAX 16
#define STACK_SIZE ((size_t)256 << 10) /* nsswitch modules want some */
#define LIMIT_MS 10000

/* What a thread works on and gives back: it belongs to the thread until its
 * address has gone through the pipe. */
struct job {
	uint64_t id;
	int pipe; /* a descriptor of its own: the resolver may be gone */
	char *host;
	uint16_t port;
	int error; /* of getaddrinfo */
	size_t count;
	struct resolver_address v[RESOLVER_ADDRESSES_MAX];
};

struct resolver_query {
	struct resolver *r;
	struct resolver_query *next;
	uint64_t id;
	bool started;
	char *host;
	uint16_t port;
	resolver_fn *fn;
	void *arg;
	struct loop_timer limit;
};

struct resolver {
	struct loop *loop;
	struct resolver_query *queries; /* oldest first */
	uint64_t last_id;
	size_t threads;
	int pipe[2];
	struct loop_fd *watch;
};

static void job_free(struct job *j)
{
	if (j->pipe >= 0)
		close(j->pipe);
	free(j->host);
	free(j);
}

/* Only what belongs to the job may be touched here. */
static void *work(void *arg)
{
	struct job *j = arg;
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;
	struct addrinfo *a;
	char port[8];
	int pipe_fd = j->pipe;
	ssize_t n;

	snprintf(port, sizeof(port), "%u", (unsigned)j->port);
	j->error = getaddrinfo(j->host, port, &hints, &list);
	for (a = j->error ? NULL : list; a && j->count < RESOLVER_ADDRESSES_MAX;
		a = a->ai_next) {
		struct resolver_address *to = &j->v[j->count++];

		memcpy(&to->sa, a->ai_addr, a->ai_addrlen);
		to->len = a->ai_addrlen;
	}
	if (list)
		freeaddrinfo(list);
	j->pipe = -1;
	do
		n = write(pipe_fd, &j, sizeof(j));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		job_free(j); /* nobody waits any more */
	close(pipe_fd);
	return NULL;
}

/* Starts a thread that no signal ever interrupts. */
static int start_thread(struct job *j)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all;
	sigset_t old;
	int ret;

	if (pthread_attr_init(&attr) != 0)
		return -1;
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attr, STACK_SIZE);
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&thread, &attr, work, j);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	(void)pthread_attr_destroy(&attr);
	return ret == 0 ? 0 : -1;
}

static void query_free(struct resolver_query *q)
{
	loop_timer_clear(q->r->loop, &q->limit);
	free(q->host);
	free(q);
}

static void unlink_query(struct resolver_query *q)
{
	struct resolver_query **at = &q->r->queries;

	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
}

static void finish(struct resolver_query *q, const struct resolver_address *v,
	size_t count, const char *why)
{
	resolver_fn *fn = q->fn;
	void *arg = q->arg;

	unlink_query(q);
	query_free(q);
	fn(arg, v, count, why);
}

static void on_limit(void *arg)
{
	finish(arg, NULL, 0, "the name server does not answer");
}

static void start_query(struct resolver *r, struct resolver_query *q)
{
	struct job *j = xcalloc(1, sizeof(*j));

	q->started = true;
	j->id = q->id;
	j->port = q->port;
	j->host = xstrdup(q->host);
	j->pipe = fcntl(r->pipe[1], F_DUPFD_CLOEXEC, 3);
	if (j->pipe < 0 || start_thread(j) < 0) {
		job_free(j);
		/* Fails like a lookup does: from the loop. */
		loop_timer_set(r->loop, &q->limit, 0, on_limit, q);
		return;
	}
	r->threads++;
}

static void start_waiting(struct resolver *r)
{
	struct resolver_query *q;

	for (q = r->queries; q && r->threads < THREADS_MAX; q = q->next)
		if (!q->started)
			start_query(r, q);
}

/* An answer, perhaps a late one that nobody waits for. */
static void on_answer(void *arg, int fd, short revents)
{
	struct resolver *r = arg;
	struct resolver_query *q;
	struct job *j;

	(void)revents;
	if (read(fd, &j, sizeof(j)) != (ssize_t)sizeof(j))
		return;
	r->threads--;
	start_waiting(r);
	for (q = r->queries; q && q->id != j->id; q = q->next)
		;
	if (q)
		finish(q, j->v, j->error ? 0 : j->count,
			j->error ? gai_strerror(j->error) : "no address");
	job_free(j);
}

struct resolver *resolver_new(struct loop *loop)
{
	struct resolver *r = xcalloc(1, sizeof(*r));

	if (io_pipe(r->pipe) < 0 || io_set_nonblock(r->pipe[0], true) < 0) {
		free(r);
		return NULL;
	}
	r->loop = loop;
	r->watch = loop_watch(loop, r->pipe[0], POLLIN, on_answer, r);
	return r;
}

void resolver_free(struct resolver *r)
{
	struct job *j;

	if (!r)
		return;
	while (r->queries) {
		struct resolver_query *q = r->queries;

		r->queries = q->next;
		query_free(q);
	}
	loop_unwatch(r->watch);
	while (read(r->pipe[0], &j, sizeof(j)) == (ssize_t)sizeof(j))
		job_free(j);
	close(r->pipe[0]);
	close(r->pipe[1]);
	free(r);
}

struct resolver_query *resolver_lookup(struct resolver *r, const char *host,
	uint16_t port, resolver_fn *fn, void *arg)
{
	struct resolver_query *q = xcalloc(1, sizeof(*q));
	struct resolver_query **at = &r->queries;

	q->r = r;
	q->id = ++r->last_id;
	q->host = xstrdup(host);
	q->port = port;
	q->fn = fn;
	q->arg = arg;
	while (*at)
		at = &(*at)->next;
	*at = q;
	loop_timer_set(r->loop, &q->limit, LIMIT_MS, on_limit, q);
	start_waiting(r);
	return q;
}

void resolver_cancel(struct resolver_query *q)
{
	if (!q)
		return;
	unlink_query(q);
	query_free(q);
}

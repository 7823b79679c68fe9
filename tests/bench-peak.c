/* bench-peak: runs a command and prints the most memory it had, in KiB, on
 * standard error. A program of its own, because a child begins with what its
 * parent had, and Python has more than agentrun. */
#include "config.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage used;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = fork();
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid ||
		getrusage(RUSAGE_CHILDREN, &used) < 0)
		return 1;
	fprintf(stderr, "%ld\n", used.ru_maxrss);
	return 0;
}

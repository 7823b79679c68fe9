#ifndef AGENTRUN_TESTS_LINEAR_H
#define AGENTRUN_TESTS_LINEAR_H

/* linear: the shapes of t-linear.sh that are not text. They do without the work
 * of reading and writing, so that a loop over all of something shows in fewer
 * of them. */
struct linear_direct {
	const char *name; /* NULL: the end of the table */
	int n;            /* the smaller size */
	void (*work)(int n);
};

extern const struct linear_direct linear_direct[];

#endif

#ifndef AGENTRUN_VIEW_PACE_H
#define AGENTRUN_VIEW_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* pace: when an event of a recorded run is due in a replay. Event times are
 * wall clock ms of the recording, NOW is monotonic ms of ours. */
#define PACE_SPEED_MIN (1.0 / 64)
#define PACE_SPEED_MAX 1024.0

struct pace {
	double speed; /* 0: everything is due at once */
	bool paused;
	bool has_base; /* recording time BASE_EVENT is our time BASE_MONO */
	int64_t base_event;
	int64_t base_mono;
};

void pace_init(struct pace *p, double speed);

/* Milliseconds until an event of time AT is due: 0 now, -1 never (paused), at
 * most an hour (ask again then). The first event asked for is due at once. */
int64_t pace_delay(struct pace *p, int64_t now, int64_t at);

/* Both keep the place in the recording. */
void pace_set_speed(struct pace *p, int64_t now, double speed);
void pace_pause(struct pace *p, int64_t now, bool paused);

/* The event of time AT was given out early: go on from there. */
void pace_jump(struct pace *p, int64_t now, int64_t at);

#endif

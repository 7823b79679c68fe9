#include "config.h"

#include "view/pace.h"

#define DELAY_MAX_MS 3600000.0

static double clamp_speed(double speed)
{
	if (!(speed > 0))
		return 0;
	if (speed < PACE_SPEED_MIN)
		return PACE_SPEED_MIN;
	return speed > PACE_SPEED_MAX ? PACE_SPEED_MAX : speed;
}

void pace_init(struct pace *p, double speed)
{
	p->speed = clamp_speed(speed);
	p->paused = false;
	p->has_base = false;
	p->base_event = 0;
	p->base_mono = 0;
}

void pace_jump(struct pace *p, int64_t now, int64_t at)
{
	p->has_base = true;
	p->base_event = at;
	p->base_mono = now;
}

/* Makes the present place in the recording the new base. */
static void rebase(struct pace *p, int64_t now)
{
	double place;

	if (!p->has_base)
		return;
	place = (double)p->base_event;
	if (!p->paused)
		place += (double)(now - p->base_mono) * p->speed;
	/* a double beyond int64_t cannot be converted */
	if (place < 9e18)
		p->base_event = (int64_t)place;
	p->base_mono = now;
}

int64_t pace_delay(struct pace *p, int64_t now, int64_t at)
{
	double ms;

	if (p->paused)
		return -1;
	if (!(p->speed > 0))
		return 0;
	if (!p->has_base)
		pace_jump(p, now, at);
	/* in doubles: the times come from outside and may be anything */
	ms = ((double)at - (double)p->base_event) / p->speed -
	     (double)(now - p->base_mono);
	if (!(ms > 0))
		return 0;
	if (ms > DELAY_MAX_MS)
		return (int64_t)DELAY_MAX_MS;
	return (int64_t)ms + 1;
}

void pace_set_speed(struct pace *p, int64_t now, double speed)
{
	rebase(p, now);
	p->speed = clamp_speed(speed);
}

void pace_pause(struct pace *p, int64_t now, bool paused)
{
	rebase(p, now);
	p->paused = paused;
}

#include "config.h"

#include "sandbox/sandbox.h"

const struct sandbox_ops *sandbox_default(void)
{
#if defined(__APPLE__)
	return &sandbox_seatbelt;
#else
	return &sandbox_bwrap;
#endif
}

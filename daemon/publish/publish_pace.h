/* When the publisher looks into the ring. Nothing wakes it, since waking is a system call that the
 * cycle would pay; instead it knows the period and wakes by itself just after the next result is
 * due. */
#ifndef PUBLISH_PACE_H
#define PUBLISH_PACE_H

#include <stdint.h>

/* The instant to sleep until. Just after the next result is due; when that is already late, soon,
 * and the later it is the longer, up to one period. [any] `newest_ns`: when the newest result was
 * handed over. All on CLOCK_MONOTONIC, ns. */
int64_t publish_next_look(int64_t newest_ns, int64_t period_ns, int64_t now_ns);

#endif

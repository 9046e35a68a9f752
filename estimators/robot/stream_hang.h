/* A driver that goes on writing while its bus hangs: the whole frame stands there once more, to the
 * bit, under a fresh stamp, for as long as that lasts.
 *
 * Of many sensors some always change by noise, at rest as in motion; where they have been seen to,
 * a frame that does not is none. Where frames repeat themselves ordinarily, of sensors without
 * noise or of few bits at rest, of such that are read more often than they measure (sensor_hold.h),
 * nothing is said. */
#ifndef STREAM_HANG_H
#define STREAM_HANG_H

#include "common/arena.h"
#include "robot/repeats.h"
#include "robot/sensor_frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_hang {
  size_t bytes; /* of a frame's numbers */
  void *last;   /* [bytes] those of the newest */
  int64_t t_ns; /* its stamp */
  struct repeats repeats;
};

/* [start] On a failed arena `last` is NULL. */
void stream_hang_init(struct stream_hang *hang, size_t bytes, struct arena *arena);

/* Whether a frame that is fresh is the last one once more. [real-time] numbers: [bytes]; moving:
 * the robot does. Once for each frame. */
bool stream_hangs(struct stream_hang *hang, const struct stream_stamp *stamp, const void *numbers,
                  bool moving);

#endif

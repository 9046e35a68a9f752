/* Sensor frames for offline work, from a recording or from the running robot's shared memory. */
#ifndef FRAME_SOURCE_H
#define FRAME_SOURCE_H

#include "generation.h"
#include "robot/sensor_frame.h"

#include <stdbool.h>

struct frame_source;

/* Opens the recording at `path`, or with NULL the segment that the configuration names, as an
 * onlooker. Returns an exit code (commands.h) after saying why on standard error when it is not
 * CTL_OK. */
int frame_source_open(struct frame_source **source, const struct generation *generation,
                      const char *path);

/* The next frame, valid until the next call; NULL at the end of a recording, or when a live robot
 * has been silent for a second. */
const struct sensor_frame *frame_source_next(struct frame_source *source);

/* True when frames come from the running robot. */
bool frame_source_is_live(const struct frame_source *source);

void frame_source_close(struct frame_source *source); /* NULL is allowed */

#endif

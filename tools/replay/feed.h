/* Writes sensor frames into propriod's shared memory, as four drivers would.
 *
 * A stream that cannot be opened, or whose segment disappears, is tried again once a second; the
 * robot goes on moving meanwhile. */
#ifndef FEED_H
#define FEED_H

#include "robot/joint_stream.h"
#include "robot/sensor_frame.h"

#include "propriod/shm.h"

struct feed {
  const struct joint_stream *joints; /* how the daemon's configuration has them; NULL: plain */
  size_t n_joints;                   /* of the model */
  const char *segment;               /* as for propriod_shm_path(); borrowed */
  struct feed_stream {
    uint32_t count; /* joints, IMUs, cells or wrench sensors */
    bool wanted;    /* the robot has this stream */
    bool open;
    struct propriod_shm shm;
    char why[PROPRIOD_SHM_REASON]; /* it is not open; "" before the first try */
    uint64_t written;              /* samples */
    int64_t next_try_ns;
  } stream[PROPRIOD_SHM_STREAMS];
};

/* Prepares; opens nothing yet. [start] `count` of each stream as the daemon's configuration has it;
 * 0 for one that the robot has not. */
void feed_init(struct feed *feed, const char *segment, const uint32_t count[PROPRIOD_SHM_STREAMS]);

/* Writes what is fresh, and opens what is not open yet. [any] Stamps and `now_ns`:
 * CLOCK_MONOTONIC. */
void feed_write(struct feed *feed, const struct sensor_frame *frame, int64_t now_ns);

/* The first reason why something wanted is not open, or NULL. [any] */
const char *feed_complaint(const struct feed *feed);

void feed_close(struct feed *feed);

#endif

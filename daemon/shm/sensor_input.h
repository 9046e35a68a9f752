/* From the segment to what the estimators take: every cycle one consistent struct sensor_frame.
 *
 * Frames that are torn, corrupt or wrongly stamped are refused and counted, and the last good
 * values stay with `fresh` false. What a sensor measured is passed on raw: judging values is the
 * estimators' work; judging that a whole frame of a known instant arrived is done here. */
#ifndef SENSOR_INPUT_H
#define SENSOR_INPUT_H

#include "common/arena.h"
#include "common/diagnostics.h"
#include "robot/joint_stream.h"
#include "robot/sensor_frame.h"
#include "shm/segment.h"
#include "shm/stream_clock.h"
#include "shm/stream_reader.h"

#include <stdbool.h>
#include <stdint.h>

/* A stamp may lie so far in the future: drivers that stamp with a distributed clock are right to
 * some microseconds, and what is beyond a period is another clock. */
#define STAMP_FUTURE_LIMIT_NS 1000000

/* What the stamps of a stream are. */
enum stamp_meaning {
  STAMP_SAMPLED, /* the instants of sampling */
  STAMP_ARRIVAL  /* those of arrival: a clock is fitted to them (stream_clock.h) */
};

struct sensor_input_settings {
  char segment[SEGMENT_NAME_SIZE]; /* as for propriod_shm_path() */
  enum stamp_meaning stamp[PROPRIOD_SHM_STREAMS];
  double limit_s[PROPRIOD_SHM_STREAMS]; /* a stream is stale when its newest sample is older */
};

struct sensor_input {
  const struct segment *segment; /* read now; NULL: none yet */
  struct stream_reader reader[PROPRIOD_SHM_STREAMS];
  enum stamp_meaning meaning[PROPRIOD_SHM_STREAMS];
  struct stream_clock clock[PROPRIOD_SHM_STREAMS];
  int64_t limit_ns[PROPRIOD_SHM_STREAMS];
  int64_t looked_ns[PROPRIOD_SHM_STREAMS]; /* when the last new frame was found */
  int64_t pace_ns; /* least time between two looks of a wait but the first; 0: at every frame */
  struct sensor_frame frame;
  struct joint_stream joints;                    /* how their driver has them */
  size_t n_joints;                               /* of the model; 0: the stream's order is it */
  double sorted[3][MODEL_MAX_JOINTS];            /* q, dq and tau of the frame, then */
  struct imu_triads limb[PROPRIOD_SHM_MAX_IMUS]; /* of the frame: IMUs beside the first */
  struct diagnostics *diagnostics;
};

/* [start] `count` per stream as in the segment. BAD_ARGUMENT, NO_MEMORY as stream_reader_init(). */
enum status sensor_input_init(struct sensor_input *input,
                              const struct sensor_input_settings *settings,
                              const uint32_t count[PROPRIOD_SHM_STREAMS],
                              struct diagnostics *diagnostics, struct arena *arena);

/* From now on joints are the model's, whatever order, signs and zeros their driver has. [start] */
void sensor_input_sort(struct sensor_input *input, const struct joint_stream *joints,
                       size_t n_joints);

/* Reads `segment`, whose counts are those of init, from now on. Cheap when it is the same as
 * before. [real-time] */
void sensor_input_attach(struct sensor_input *input, const struct segment *segment);

/* A new cycle: nothing is fresh. [real-time] */
void sensor_input_begin(struct sensor_input *input);

/* Sleeps until a good joints frame stamped `not_before_ns` or later has come (true), or until
 * `deadline_ns` (false; an earlier frame may have come); both CLOCK_MONOTONIC. The cycle's only
 * waiting; one futex call, more when what came was no good or too early, but no more than one every
 * `pace_ns` after the first few, however often a driver writes. [real-time] */
bool sensor_input_wait(struct sensor_input *input, int64_t not_before_ns, int64_t deadline_ns);

/* Takes what the streams have at `now_ns`; the frame's arrays belong to the input and hold until
 * the next call. [real-time] The frame's t_ns is left to the caller. */
struct sensor_frame *sensor_input_take(struct sensor_input *input, int64_t now_ns);

#endif

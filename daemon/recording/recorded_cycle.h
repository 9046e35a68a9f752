/* One cycle of the daemon as it is recorded: what the pipeline took, and what became of it. */
#ifndef RECORDED_CYCLE_H
#define RECORDED_CYCLE_H

#include "pipeline.h"
#include "robot/sensor_frame.h"

#include "propriod/shm_layout.h"

#include <stdint.h>

/* Bits of `flags`: what happened beside the step. */
#define CYCLE_SWAPPED    1u   /* before the step, the pipeline of `generation` took over */
#define CYCLE_OVERLOADED 2u   /* the machine did not keep up: `ok` was published as `degraded` */
#define CYCLE_CHOSE      4u   /* after the step, the cells in `chosen` were chosen */
#define CYCLE_FORGOT     8u   /* after the step, the inertial estimator began again */
#define CYCLE_HAS_DIGEST 16u  /* `digest` is known */
#define CYCLE_HAS_RESULT 32u  /* `result` is there */
#define CYCLE_RESET      64u  /* the published estimate has jumped */
#define CYCLE_FIRST      128u /* the first step of the daemon: nothing was estimated before */
#define CYCLE_STATUS     (7u << 8) /* enum propriod_status of `state`, as published */

static inline uint32_t cycle_status_bits(enum propriod_status status) {
  return (uint32_t)status << 8 & CYCLE_STATUS;
}
static inline enum propriod_status cycle_status(uint32_t flags) {
  return (enum propriod_status)((flags & CYCLE_STATUS) >> 8);
}

struct recorded_cycle {
  struct sensor_frame frame;                /* its t_ns is the instant of the estimate */
  int64_t woken_ns;                         /* when the cycle ran, CLOCK_MONOTONIC; 0: unknown */
  int64_t arrival_ns[PROPRIOD_SHM_STREAMS]; /* commit of each stream's newest frame; 0: unknown */
  uint32_t flags;                           /* CYCLE_* */
  uint32_t generation;                      /* of the configuration in use; 1: that of the start */
  uint64_t lost;                  /* cycles of the daemon before this one that were not recorded */
  uint64_t digest;                /* of what was published (result_digest.h) */
  const uint64_t *chosen;         /* [(n_cells + 63) / 64] a bit a cell; with CYCLE_CHOSE */
  const struct estimates *result; /* with CYCLE_HAS_RESULT; in the ring also for MCAP, or NULL */
};

/* What a reader may leave out, since most of a recording is that. */
enum { RECORDED_SKIN = 1, RECORDED_INERTIA = 2 };

/* The streams' stamps by number, as their bits count. [any] */
static inline struct stream_stamp *recorded_stamp(struct sensor_frame *frame, unsigned kind) {
  struct stream_stamp *const stamps[PROPRIOD_SHM_STREAMS] = {
      &frame->joints.stamp, &frame->imu.stamp, &frame->skin.stamp, &frame->wrench.stamp};
  return stamps[kind];
}

#endif

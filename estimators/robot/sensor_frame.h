/* What the sensors said, as the estimators take it: one consistent frame a cycle, already in the
 * model's order and in SI.
 *
 * A stream that has brought nothing new since the last cycle has `fresh` false and keeps its last
 * values. Every stream carries the instant at which it was sampled. Values are raw: gating is the
 * estimators' work. */
#ifndef SENSOR_FRAME_H
#define SENSOR_FRAME_H

#include "math/spatial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One stream's envelope. */
struct stream_stamp {
  bool present; /* the stream has delivered at least once and is not stale */
  bool fresh;   /* new since the previous frame */
  uint64_t seq; /* writer's count of commits */
  int64_t t_ns; /* CLOCK_MONOTONIC instant of sampling */
};

struct joints_reading {
  struct stream_stamp stamp;
  double *q;   /* [n_joints] rad or m; NaN where the encoder gave none */
  double *dq;  /* [n_joints] rad/s or m/s, or NULL: the stream has no velocities */
  double *tau; /* [n_joints] N m or N, joint side, or NULL: the stream has no efforts */
};

/* What an IMU measures at least; an axis that it did not give is NaN. */
struct imu_triads {
  vec3 specific_force; /* m/s^2, IMU frame */
  vec3 angular_rate;   /* rad/s, IMU frame */
};

struct imu_reading {
  struct stream_stamp stamp;
  vec3 specific_force; /* m/s^2, IMU frame */
  vec3 angular_rate;   /* rad/s, IMU frame */
  bool has_orientation;
  quat orientation; /* R of the IMU frame in a gravity-aligned world frame */
  size_t n_limbs;
  const struct imu_triads *limb; /* [n_limbs] the other IMUs of the same frame, robot.limb */
};

/* Bits of a cell's flags as the driver sets them. */
#define CELL_VALID     1u /* the three accelerations are a measurement */
#define CELL_PROXIMITY 2u /* proximity is a measurement */
#define CELL_FORCE     4u /* force is a measurement */

struct skin_reading {
  struct stream_stamp stamp;
  size_t n_cells;
  float *acceleration; /* [n_cells][3] m/s^2, cell frame, raw */
  uint8_t *flags;      /* [n_cells] CELL_* bits */
  float *proximity;    /* [n_cells] 0 (free) .. 1 (touching), or NULL */
  float *force;        /* [n_cells] N, normal, or NULL */
};

struct wrench_reading {
  struct stream_stamp stamp;
  size_t n_sensors;
  struct force *wrench; /* [n_sensors] sensor frame: moment about its origin, force on the robot */
  size_t n_switches;
  const struct force *contact; /* [n_switches] force z: 1 touches, 0 does not, NaN not known */
};

struct sensor_frame {
  int64_t t_ns; /* CLOCK_MONOTONIC instant of this cycle, the one that the estimate is for */
  struct joints_reading joints;
  struct imu_reading imu;
  struct skin_reading skin;
  struct wrench_reading wrench;
};

#endif

/* Static poses in a stream of sensor frames: what every cell read while nothing moved, and where
 * gravity was.
 *
 * For the calibration of skin accelerometers: the robot takes one pose after another and rests in
 * each; every rest gives one mean reading per cell. At rest all specific forces are gravity's, so
 * the base's direction of gravity and the joints' positions say what each cell should have read. */
#ifndef POSE_COLLECTOR_H
#define POSE_COLLECTOR_H

#include "body/kinematics.h"
#include "common/arena.h"
#include "common/status.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"

struct pose_collector_settings {
  double rest_s;      /* s of rest that make a pose */
  double joint_still; /* rad or m: largest deviation of a joint from the start of the rest */
  double rate_still;  /* rad/s: largest angular rate of the base */
  double
      apart; /* rad: a pose counts if gravity has moved by this in some link since the last one */
  size_t max_poses;
};

struct pose_collector_settings pose_collector_defaults(void);

struct pose_collector {
  struct pose_collector_settings settings;
  const struct robot *robot;
  struct kinematics kin;
  size_t n_poses;
  vec3 *raw;       /* [n_cells][max_poses] m/s^2: mean raw reading, cell frame */
  vec3 *expected;  /* [n_cells][max_poses] m/s^2: specific force of rest, nominal cell frame */
  size_t *n_valid; /* [n_cells] poses in which the cell was valid; their readings come first */
  vec3 *sum;       /* [n_cells] of the rest under way */
  size_t *n_sum;   /* [n_cells] */
  double *q_start, *q_sum; /* [n_joints] */
  vec3 *last_gravity;      /* [n_links] unit vectors in link coordinates, of the last pose */
  vec3 force_sum;
  size_t n_force, n_joint_frames;
  int64_t rest_ns; /* start of the rest under way, 0 for none */
};

/* [start] `robot` must outlive the collector. OUT_OF_RANGE: a setting that is not positive. */
enum status pose_collector_init(struct pose_collector *collector, const struct robot *robot,
                                const struct pose_collector_settings *settings,
                                struct arena *arena);

/* Takes one frame; true when it completed a pose. [worker] */
bool pose_collector_step(struct pose_collector *collector, const struct sensor_frame *frame);

#endif

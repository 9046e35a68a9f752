/* What a log of another program holds: samples of joints and of one IMU, in the robot's order, each
 * with its own stamp. Importers fill it, in any order; written as a recording they are cycles. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "common/message.h"
#include "common/status.h"
#include "robot/robot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct imu_sample {
  int64_t t_ns;
  double specific_force[3]; /* m/s^2 */
  double angular_rate[3];   /* rad/s */
  double orientation[4];    /* x y z w; NaN: unknown */
};

struct samples {
  const struct robot *robot;
  size_t n_joint_samples, joint_room, n_imu_samples, imu_room;
  int64_t *joint_t_ns;    /* [n_joint_samples] */
  double *joint;          /* [n_joint_samples][3][n_joints] q, dq, tau; NaN: none */
  struct imu_sample *imu; /* [n_imu_samples] */
  bool has_velocity, has_effort, has_orientation;
};

/* Room for one more sample, its numbers NaN; NULL: out of memory. [start] `joint` [3][n_joints]. */
double *samples_add_joints(struct samples *samples, int64_t t_ns);
struct imu_sample *samples_add_imu(struct samples *samples, int64_t t_ns);

/* Writes a recording: a cycle at each sample of the joints, with the newest IMU sample before it.
 * [start] Stamps are kept as they are, except that those of a log that begins at zero or below are
 * moved to begin at one second. STATUS_TOO_FEW: no joints; STATUS_REFUSED with the reason. */
enum status samples_write(struct samples *samples, const char *path, struct message *error);

void samples_free(struct samples *samples);

#endif

/* Joint drives as they are: what a driver sends as effort, made a torque at the joint, and how far
 * that may be from the truth. */
#ifndef INERTIAL_DRIVES_H
#define INERTIAL_DRIVES_H

#include "common/status.h"
#include "model/model.h"
#include "robot/joint_numbers.h"

#include <stdbool.h>
#include <stddef.h>

enum drive_effort {
  DRIVE_TORQUE, /* N m or N at the joint side */
  DRIVE_CURRENT /* A, made a torque by the gain, which must be told */
};

/* A value of each joint as configured: none, one for all, or one for each. */
struct drive_list {
  double value[MODEL_MAX_JOINTS];
  size_t n;
};

struct drive_settings {
  enum drive_effort effort;
  struct drive_list gain;         /* N m or N per unit of effort; none: 1 */
  struct drive_list gain_error;   /* share, one deviation; none: 0 */
  struct drive_list offset;       /* N m or N: of the torque at zero; none: 0 */
  struct drive_list offset_error; /* N m or N, one deviation; none: the filter's bias_torque */
  struct drive_list viscous;      /* N m s/rad; none: the model's */
  struct drive_list coulomb;      /* N m or N; none: the model's */
  struct drive_list dead_zone;    /* rad/s or m/s: slower than this, it may stick; none: 0.05 */
  struct drive_list noise;        /* N m or N, of a block; none: the filter's torque_noise */
  struct joint_numbers noise_of;  /* the same of some joints, by name */
};

/* One joint's drive. */
struct inertial_drive {
  double gain, gain_error, offset, offset_error, viscous, coulomb, dead_zone, noise;
};

/* Fills drive [n_joints], or NULL, from the settings, the model and two defaults (N m). [start]
 * STATUS_BAD_ARGUMENT: a list that has neither one value nor one for each joint, or currents
 * without a gain. */
enum status inertial_drives_set(const struct drive_settings *settings, const struct model *model,
                                double noise, double offset_error, struct inertial_drive *drive);

/* Torque at the joint side for an effort, N m or N. [any] */
static inline double inertial_drive_torque(const struct inertial_drive *drive, double effort) {
  return drive->gain * effort - drive->offset;
}

/* What friction takes at the rate dq, N m or N. [any] */
double inertial_drive_friction(const struct inertial_drive *drive, double dq);

/* How far friction may be from that, N m or N, one deviation: a drive that may stick has any
 * friction between both senses. [any] */
double inertial_drive_error(const struct inertial_drive *drive, double dq);

#endif

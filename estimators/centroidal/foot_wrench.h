/* What the ground does to each foot: from force sensors on the feet, or from the torques of the
 * legs' joints.
 *
 * The torques that a leg needs beyond those of the motion itself hold its contact:
 * J^T w = tau_motion - tau_measured, where tau_motion comes from inverse dynamics without contact,
 * rotor inertia and friction included. Directions that a leg's joints do not feel (a stretched
 * knee, the moments of a point foot) keep what was expected of them. */
#ifndef FOOT_WRENCH_H
#define FOOT_WRENCH_H

#include "body/rnea.h"
#include "common/status.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"

enum foot_source { FOOT_UNKNOWN, FOOT_BY_TORQUES, FOOT_BY_SENSORS };

struct foot_wrench_settings {
  double torque_sd; /* N m: of a measured torque, friction that the model misses included */
  double force_sd;  /* of the weight: how far a foot's force may be from the expected one */
  double moment_sd; /* m: times the weight, the same of its moment about the sole's middle */
};

struct foot_wrench_settings foot_wrench_defaults(void);

/* Wrenches of the world on the feet, about the soles' origins, base axes. */
struct foot_wrenches {
  enum foot_source source;
  struct force wrench_B[ROBOT_MAX_FEET]; /* N m, N */
  double load_sd[ROBOT_MAX_FEET];        /* N: of its upward force, by what tells it; sensors: 0 */
};

struct foot_wrench {
  struct foot_wrench_settings settings;
  const struct robot *robot;
  struct rnea rnea;
  double *tau; /* [n_joints] N m: of the motion without contacts */
};

/* [start] OUT_OF_RANGE: a setting that is not positive; statuses of rnea_init. */
enum status foot_wrench_init(struct foot_wrench *feet, const struct robot *robot,
                             const struct foot_wrench_settings *settings, struct arena *arena);

/* From sensors on the feet's links, all that a foot has. [real-time] TOO_FEW: a foot has none, or
 * one whose reading is no wrench; STALE: no reading. */
enum status foot_wrench_by_sensors(const struct foot_wrench *feet, const struct kinematics *kin,
                                   const struct wrench_reading *reading, struct foot_wrenches *out);

/* From joint torques. [real-time]
 *   kin       of this instant, with accelerations
 *   inertia   [n_links]
 *   effort    [n_joints] N m or N, joint side, as measured
 *   expected_B [n_feet] N: force that each foot is expected to carry, base axes
 *   up_B      unit, base axes
 *   weight    N
 * SINGULAR: the equations of a leg do not factor; statuses of rnea_step. */
enum status foot_wrench_by_torques(struct foot_wrench *feet, const struct kinematics *kin,
                                   const struct inertia *inertia, const double *effort,
                                   const vec3 *expected_B, vec3 up_B, double weight,
                                   struct foot_wrenches *out);

/* All feet together, about the point `at_B` (m, base axes). [any] */
struct force foot_wrench_sum(const struct foot_wrench *feet, const struct kinematics *kin,
                             const struct foot_wrenches *wrenches, vec3 at_B);

#endif

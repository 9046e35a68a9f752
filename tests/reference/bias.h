/* Torques that do not come from joint accelerations: gravity, centrifugal and Coriolis forces. */
#ifndef BIAS_H
#define BIAS_H

#include "body/rnea.h"

struct bias {
  struct kinematics kin;
  struct rnea rnea;
};

/* [start] STATUS_NO_MEMORY when the arena is full. */
enum status bias_init(struct bias *bias, const struct model *model, struct arena *arena);

/* Torques of the motion with ddq = 0: gravity, centrifugal and Coriolis together. [real-time]
 * motion: ddq is not read; base.a_B as in motion.h (bolted down: (0, 0, 9.81) in the world).
 * inertia, base, tau and statuses: as rnea_step, without drives. */
enum status bias_step(struct bias *bias, const struct robot_motion *motion,
                      const struct inertia *inertia, struct force *base, double *tau);

/* Torques that hold the robot still against gravity. [real-time]
 * q: [n_joints]. up_B: 9.81 m/s^2 along the world's up axis, base coordinates. */
enum status bias_gravity(struct bias *bias, const double *q, vec3 up_B,
                         const struct inertia *inertia, struct force *base, double *tau);

#endif

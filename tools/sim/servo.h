/* Stiff joint servos: what turns a reference posture into drive torques. */
#ifndef SERVO_H
#define SERVO_H

#include "sim_physics.h"

struct servo {
  size_t n_joints;
  double kp[MODEL_MAX_JOINTS];      /* N m/rad or N/m */
  double kd[MODEL_MAX_JOINTS];      /* N m s/rad or N s/m */
  double tau_max[MODEL_MAX_JOINTS]; /* N m or N */
  double tau[MODEL_MAX_JOINTS];     /* N m or N: the last command */
};

/* Chooses gains from the inertia that each joint moves at the present posture and, for joints of
 * legs, from the weight that they balance; within what the integration step keeps stable. Legs so
 * light at the foot that this would not carry the robot, as those are whose drives' rotors nobody
 * has described, get drives that look ahead (physics_look_ahead) and all the gain they need.
 * [start] After `physics_look`. `carries[j]`: joint j belongs to a leg; `leg_length` m. */
void servo_init(struct servo *servo, struct physics *physics, const bool *carries,
                double leg_length);

/* The largest integration step at which friction takes no more than the whole speed at once, s, of
 * joints as they move together: beyond, they tremble. Joints of legs do not count. [start] After
 * `physics_look`. */
double servo_longest_step(const struct physics *physics, const bool *carries);

/* Torques towards the reference q_ref, dq_ref [n_joints] at the physics' present state. [any] */
void servo_step(struct servo *servo, const struct physics *physics, const double *q_ref,
                const double *dq_ref);

#endif

/* How the robot moves at one instant: the input of every algorithm over the tree. */
#ifndef MOTION_H
#define MOTION_H

#include "math/spatial.h"

/* The base link's motion. Velocities and accelerations are those of the base link's origin in base
 * coordinates.
 *
 * `a_B.lin` is the *proper* acceleration, what an ideal accelerometer at the origin would read:
 * R_WB^T (a_W - g). At rest it is +9.81 m/s^2 along the world's up axis. Gravity is the same for
 * every body, so nothing else in the tree needs to know the orientation (equations.md 0). A fixed
 * base at rest: v_B = 0, a_B.ang = 0, a_B.lin = R_WB^T (0, 0, 9.81). */
struct base_motion {
  struct pose X_WB;  /* pose of the base in the world; only world-frame outputs use it */
  struct motion v_B; /* rad/s, m/s */
  struct motion
      a_B; /* rad/s^2, m/s^2: angular acceleration and proper classical linear acceleration */
};

/* The whole robot. The arrays belong to the caller; NULL stands for zeros where a function says
 * so. */
struct robot_motion {
  struct base_motion base;
  const double *q;   /* [n_joints] rad or m */
  const double *dq;  /* [n_joints] rad/s or m/s */
  const double *ddq; /* [n_joints] rad/s^2 or m/s^2 */
};

/* Acceleration of the point at `r` (m) of a rigid body whose origin moves with `a` and `omega`
 * (rad/s), all in one frame that turns with the body: a + alpha x r + omega x (omega x r). Proper
 * when `a.lin` is proper; from the point back to the origin with -r. @eq Leboutet22 134 [any] */
static inline vec3 point_acceleration(const struct motion *a, vec3 omega, vec3 r) {
  return vec3_add(a->lin, vec3_add(vec3_cross(a->ang, r), vec3_cross(omega, vec3_cross(omega, r))));
}

#endif

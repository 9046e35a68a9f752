/* Kinematics to second order: pose, velocity and acceleration of every link of the tree.
 *
 * One pass per instant serves everybody: inverse dynamics, mass matrix, Jacobians, momentum and
 * regressor all read what `kinematics_update` computed. Base coordinates throughout, so that
 * nothing depends on where the robot stands; link coordinates beside them, because that is where
 * sensors and inertias live.
 *
 * Linear accelerations are proper (specific force, gravity included, see motion.h) and classical:
 * the second derivative of the position of the link's origin, not the spatial acceleration. */
#ifndef KINEMATICS_H
#define KINEMATICS_H

#include "common/arena.h"
#include "math/link_lanes.h"
#include "model/model.h"
#include "model/motion.h"

/* Beyond these magnitudes nothing is a robot's motion, and squares and sines mean nothing. */
#define MOTION_LIMIT_Q    1e6  /* rad or m */
#define MOTION_LIMIT_RATE 1e12 /* rad/s, m/s, rad/s^2, m/s^2 */

/* How much of the motion the last update computed. */
enum kinematics_order { KINEMATICS_NONE, KINEMATICS_POSITION, KINEMATICS_ACCELERATION };

struct kinematics {
  const struct model *model;
  struct joint_lanes *joint; /* [n_joints] constants, by kinematics_init */
  enum kinematics_order order;
  struct base_motion base; /* as given to the last update */

  size_t n_padded; /* n_joints up to a multiple of SINCOS_WIDTH */

  /* [n_padded] by kinematics_update */
  double *q, *dq, *ddq; /* copies of the input */
  double *sin_q, *cos_q;

  /* by kinematics_update and kinematics_update_position */
  struct pose *X_BL;       /* [n_links] pose of the link frame in the base frame */
  struct link_lanes *link; /* [n_links] everything, in the form of vector registers: for algorithms
                            * over the tree. Others read it through the functions below. */
};

/* Prepares the constants of `model`, which must outlive `kin`. [start]
 * STATUS_NO_MEMORY when the arena is full. */
enum status kinematics_init(struct kinematics *kin, const struct model *model, struct arena *arena);

/* Pose, velocity and acceleration of every link. [real-time]
 * motion: q [n_joints]; dq, ddq [n_joints] or NULL for zeros; base motion as in motion.h.
 * Everything in `kin` is written, or nothing unless STATUS_OK.
 * STATUS_NOT_FINITE: NaN or Inf in the input. STATUS_OUT_OF_RANGE: beyond MOTION_LIMIT_*.
 * STATUS_BAD_ARGUMENT: q is NULL.
 * Leboutet (141)-(142), with prismatic joints. */
enum status kinematics_update(struct kinematics *kin, const struct robot_motion *motion);

/* Poses and axes only, for callers that need no velocities (mass matrix, centre of mass).
 * [real-time]
 * q: [n_joints]. Velocities and accelerations in `kin` become void (KINEMATICS_POSITION).
 * Statuses as above. */
enum status kinematics_update_position(struct kinematics *kin, const double *q);

/* Velocity of a link and proper acceleration of its origin: rad/s, m/s, rad/s^2, m/s^2. [any]
 * _B: base coordinates; _L: link coordinates. After kinematics_update. */
static inline struct motion kinematics_v_B(const struct kinematics *kin, size_t link) {
  return v6_motion(&kin->link[link].v);
}
static inline struct motion kinematics_a_B(const struct kinematics *kin, size_t link) {
  return v6_motion(&kin->link[link].a);
}
static inline struct motion kinematics_v_L(const struct kinematics *kin, size_t link) {
  return v6_motion(&kin->link[link].v_L);
}
static inline struct motion kinematics_a_L(const struct kinematics *kin, size_t link) {
  return v6_motion(&kin->link[link].a_L);
}

/* A joint's axis as a spatial motion in base coordinates about the *base* origin. [any]
 * Revolute [z; p x z], prismatic [0; z]. After either update. */
static inline struct motion kinematics_S_B(const struct kinematics *kin, size_t joint) {
  return v6_motion(&kin->link[joint + 1].S);
}

#endif

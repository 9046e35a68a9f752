/* The simulated bodies: MuJoCo's state behind our names, indices and frames.
 *
 * Known of MuJoCo 2.2.2 and respected here: `mj_step` leaves accelerations one step behind the
 * positions, so a step is taken in two halves, `physics_forward` (everything of one instant) and
 * `physics_integrate`. `qacc` is the realised acceleration only with Euler's integrator and without
 * joint damping, so friction acts as a torque (that of dynamics/joint_drive.h). A free joint's
 * angular velocity is in body coordinates, its linear velocity in world coordinates. MuJoCo's world
 * is the ground, flat at z = 0: on a ramp it is gravity that leans. */
#ifndef SIM_PHYSICS_H
#define SIM_PHYSICS_H

#include "mjcf.h"
#include "model/joint_drive.h"
#include "robot/robot.h"

struct physics {
  const struct robot *robot;
  mjModel *m;
  mjData *d;
  bool hold_base;
  vec3 gravity;                    /* m/s^2 */
  int body[MODEL_MAX_JOINTS + 1];  /* MuJoCo's body of each link */
  int qpos[MODEL_MAX_JOINTS];      /* address of each joint's position */
  int dof[MODEL_MAX_JOINTS];       /* address of each joint's velocity */
  struct inertia *inertia;         /* [n_links] as simulated now, with what the links carry */
  double tau[MODEL_MAX_JOINTS];    /* N m or N, drive torque of the last forward step */
  double ahead[MODEL_MAX_JOINTS];  /* kg m^2 or kg: what physics_look_ahead was told */
  vec3 push_force_W, push_point_W; /* N, m: external force on the base link */
};

/* Compiles the robot. [start] `physics` owns what it takes until `physics_free`. */
enum status physics_init(struct physics *physics, const struct robot *robot,
                         const struct mjcf_options *options, struct message *error);
void physics_free(struct physics *physics);

/* Puts the robot at rest at this base pose (ignored where the base is held) and joint positions
 * [n_joints], and forgets contacts. [any] */
void physics_place(struct physics *physics, const struct pose *X_WB, const double *q);

/* The first half of a step: everything that depends on positions and velocities. [any] */
void physics_look(struct physics *physics);

/* Has the drive of joint j look ahead: its torque is tau - inertia * ddq from now on, with the
 * acceleration that comes of it. [start] Before a look. With inertia = dt (kd + dt kp), kg m^2 or
 * kg, a servo's torque is that of the position and velocity at the end of the step, the implicit
 * Euler method, which is stable however light the link. */
void physics_look_ahead(struct physics *physics, size_t j, double inertia);

/* The second half: accelerations and contact forces under the drive torques tau [n_joints] and
 * friction. [any] physics->tau has the torques that acted. */
void physics_forward(struct physics *physics, const double *tau);

/* Goes on by one integration step. [any] false when numbers have blown up. */
bool physics_integrate(struct physics *physics);

/* With a held base: puts the joints into this motion [n_joints each] and computes the drive torques
 * that it takes. [any] */
void physics_prescribe(struct physics *physics, double t, const double *q, const double *dq,
                       const double *ddq);

/* Replaces a link's inertia (about its origin, link coordinates), which must be physical.
 * [any] */
void physics_set_inertia(struct physics *physics, size_t link, const struct inertia *Y);

/* Sets an external force on the base link. [any] */
void physics_push(struct physics *physics, vec3 force_W, vec3 point_W);

/* State of joint j. [any] */
double physics_q(const struct physics *physics, size_t j);
double physics_dq(const struct physics *physics, size_t j);
double physics_ddq(const struct physics *physics, size_t j);

struct pose physics_link_pose(const struct physics *physics, size_t link); /* in W */

/* Angular and linear velocity, and angular and *proper* linear acceleration, of a link's origin in
 * link coordinates. The second needs `physics_accelerations` once per instant. [any] */
struct motion physics_link_velocity(const struct physics *physics, size_t link);
struct motion physics_link_acceleration(const struct physics *physics, size_t link);
void physics_accelerations(struct physics *physics);

/* What all contacts on a link (-1: on any) do to the robot: moment about the world's origin and
 * force, world axes. [any] After `physics_forward`. */
struct force physics_contact_wrench(const struct physics *physics, int link);

#endif

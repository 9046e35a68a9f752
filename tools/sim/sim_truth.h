/* What the simulated robot really did at one instant: the reference that estimates are held
 * against.
 *
 * Taken between forward dynamics and integration, so positions, velocities, accelerations and
 * forces belong to the same instant and obey the equations of motion to rounding. Frames: W world
 * (z up, ground at z = 0), B base link. */
#ifndef SIM_TRUTH_H
#define SIM_TRUTH_H

#include "model/motion.h"
#include "robot/robot.h"

struct sim_truth {
  int64_t t_ns; /* the instant, in the clock of the frames' stamps */
  size_t n_joints;
  const double *q;   /* [n_joints] rad or m */
  const double *dq;  /* [n_joints] rad/s or m/s */
  const double *ddq; /* [n_joints] rad/s^2 or m/s^2, as realised by the integrator */
  const double *tau; /* [n_joints] N m or N, drive torque at the joint side: what accelerates links
                        and rotor, overcomes friction and carries the contacts */

  struct base_motion base;  /* pose in W; velocity and proper acceleration of the origin in B */
  vec3 base_velocity_W;     /* m/s, base origin */
  vec3 base_acceleration_W; /* m/s^2, base origin, gravity not included */

  double mass;                  /* kg, whole robot with what it carries */
  vec3 com_W;                   /* m */
  vec3 com_velocity_W;          /* m/s */
  vec3 com_acceleration_W;      /* m/s^2 */
  vec3 angular_momentum_W;      /* kg m^2/s about the centre of mass */
  vec3 angular_momentum_rate_W; /* N m */

  size_t n_feet;
  struct force foot_wrench[ROBOT_MAX_FEET]; /* ground on foot, sole frame, about its origin */
  bool foot_contact[ROBOT_MAX_FEET];        /* the ground carries something of this foot */
  bool foot_planned[ROBOT_MAX_FEET];        /* the motion intends this foot to carry */
  struct pose foot_W[ROBOT_MAX_FEET];       /* pose of the sole frame */
  struct force ground_W; /* all contacts together, about the world's origin, on the robot */
  bool cop_valid;        /* the ground pushes with more than SIM_COP_FORCE_MIN */
  vec3 cop_W;            /* m, at the height of the soles that carry */

  vec3 push_force_W; /* N, external force of the push scenario; zero otherwise */
  vec3 push_point_W; /* m, where it acts */

  bool payload_attached;
  size_t payload_link;    /* index of the link that carries it */
  struct inertia payload; /* about that link's origin, link coordinates; zero when put down */
  const struct inertia *inertia; /* [n_links] of every link with what it carries */

  vec3 gyro_bias; /* rad/s, of the first IMU, its axes: what it would read at rest as the base
                     stands */

  bool fallen; /* the base is tilted beyond 60 degrees or lower than half its standing height */
};

#define SIM_COP_FORCE_MIN 5.0 /* N: below, the centre of pressure is not defined usefully */

#endif

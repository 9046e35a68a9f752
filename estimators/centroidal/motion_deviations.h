/* One standard deviation of the centre of mass, of the momentum, and of their derivatives: what the
 * joint filter's covariance makes of them.
 *
 * The centroidal momentum matrix A carries errors of the motion, order by order, into those of the
 * whole: of position to m dc, of rates to the momentum, of accelerations to its rate. So with C the
 * covariance of one order (motion_covariance.h)
 *
 *   cov = B C B^T,  B = R_WB [-S(y) A],
 *
 * y what is carried into the world, whose axes an error of the attitude turns. What errors of the
 * positions do to velocities by way of the lever arms is left out: it is smaller by their size
 * times the robot's rates. To that comes what the model does not know of the bodies
 * (model_doubt.h).
 *
 * One pair of vectors is done at a step, each every fifth; in a blow the acceleration comes first.
 */
#ifndef MOTION_DEVIATIONS_H
#define MOTION_DEVIATIONS_H

#include "body/centroidal.h"
#include "centroidal/model_doubt.h"
#include "common/arena.h"
#include "common/status.h"
#include "joints/joint_filter.h"
#include "joints/motion_covariance.h"
#include "propriod/state.h"
#include "robot/robot.h"

struct motion_deviations {
  struct model_doubt_settings model;
  struct composite composite;
  size_t n_joints, size, stride; /* of C */
  bool floating;
  double *A;          /* [6][6 + n] centroidal momentum matrix, base axes */
  double *C, *B, *BC; /* [size][stride], [6][stride], [6][stride] */
  unsigned turn;      /* steps made in turn */
  bool hurries;       /* the last was not in turn */

  vec3 com_in_base, com, velocity, acceleration; /* m, m, m/s, m/s^2: the first in base axes */
  vec3 momentum, momentum_rate;                  /* kg m^2/s, N m: angular */
  vec3 dcm;                                      /* m */
  vec3 com_by_model; /* m, world axes: of the centre of mass against the base, by the model alone */
  double wrench[6][6]; /* N m, N: covariance of [momentum's rate; force], world axes */
};

/* [start] On a counting arena only counts. STATUS_NO_MEMORY; OUT_OF_RANGE: a setting. */
enum status motion_deviations_init(struct motion_deviations *deviations, const struct robot *robot,
                                   const struct model_doubt_settings *model, struct arena *arena);

/* Renews the deviations of one order. [real-time]
 *   filter      NULL: nobody knows, STATUS_TOO_FEW
 *   kin         of this instant, base without linear velocity; inertia: [n_links]
 *   centroidal  of this instant
 *   load        kg: that the model does not have. Not in the wrench: that is the model's robot's,
 *               against which sensors are judged
 *   height      m: of the centre of mass above the ground
 * Statuses of composite_step and motion_covariance: then everything is as it was. */
enum status motion_deviations_step(struct motion_deviations *deviations,
                                   const struct joint_filter *filter, const struct kinematics *kin,
                                   const struct inertia *inertia,
                                   const struct centroidal *centroidal, const mat3 *R_WB,
                                   double load, double height);

/* Writes the deviations of motion, and their bit once all are known. [real-time] */
void motion_deviations_publish(const struct motion_deviations *deviations,
                               struct propriod_centroidal *out);

#endif

/* Joint motions that tell as much as they can about bodies and drives.
 *
 *   q_j(t) = centre_j + sum_h a_jh sin(h w t) + b_jh cos(h w t),   w = 2 pi / period
 *
 * with velocity and acceleration zero at both ends, within the limits of position, velocity,
 * acceleration and torque, clear of the ground and of the robot itself. What is maximised is log
 * det of the base parameters' information, whitened by the torques' noise, in nats: half of it is
 * by how many nats the parameters' ellipsoid of uncertainty shrinks. @eq Leboutet22 154 */
#ifndef EXCITATION_DESIGN_H
#define EXCITATION_DESIGN_H

#include "identify/fit/base_parameters.h"
#include "identify/fit/clearance.h"
#include "identify/rows/row_set.h"

enum { DESIGN_HARMONICS = 6, DESIGN_RANDOM = 60 };

struct design_settings {
  double period;       /* s */
  double acceleration; /* rad/s^2 or m/s^2: limit of every joint */
  double share;        /* of the limits of position, velocity and torque that may be used */
  double torque_noise; /* share of a joint's greatest torque: one deviation of a row */
  double seconds;      /* of processor time, to improve */
  unsigned seed;
  struct clearance *clearance; /* kept at every millisecond; NULL: nothing is in the way */
};

struct design_settings design_defaults(void);

struct excitation_design {
  size_t n_joints;
  double period;
  double centre[MODEL_MAX_JOINTS];
  double a[MODEL_MAX_JOINTS][DESIGN_HARMONICS], b[MODEL_MAX_JOINTS][DESIGN_HARMONICS];
  double information; /* nats: log det of the best */
  double of_random;   /* the best of DESIGN_RANDOM random ones, within the same limits */
  double condition;   /* of the whitened base regressor */
  double criterion;   /* (154), with k1 = 1 and k2 = 1 */
  size_t tried;
};

/* Finds a motion. [start] `clock` says the processor time used so far, s. sd: [base->n_base]
 * predicted standard deviations. STATUS_TOO_FEW: some base parameter no motion within the limits
 * tells, or no posture is clear; STATUS_NO_MEMORY. */
enum status excitation_design_find(const struct unknowns *unknowns,
                                   const struct base_parameters *base, vec3 up,
                                   const struct design_settings *settings, double (*clock)(void),
                                   struct excitation_design *design, double *sd);

/* Position, velocity and acceleration of joint j at t. */
void excitation_design_at(const struct excitation_design *design, size_t j, double t, double *q,
                          double *dq, double *ddq);

#endif

/* Joint motions that tell as much as they can about bodies and drives.
 *
 *   q_j(t) = centre_j + sum_h a_jh sin(h w t) + b_jh cos(h w t),   w = 2 pi / period
 *
 * with velocity and acceleration zero at both ends, within the limits of position, velocity,
 * acceleration and torque, clear of the ground and of the robot itself. What is maximised is log
 * det of the base parameters' information, whitened by the torques' noise, in nats (half of it is
 * by how many nats the parameters' ellipsoid of uncertainty shrinks), or what is minimised is the
 * thesis' criterion, of condition number and least singular value. @eq Leboutet22 154 */
#ifndef EXCITATION_DESIGN_H
#define EXCITATION_DESIGN_H

#include "identify/fit/base_parameters.h"
#include "identify/fit/clearance.h"
#include "identify/rows/row_set.h"

enum { DESIGN_HARMONICS = 12 /* at most */, DESIGN_RANDOM = 60 };

enum design_aim { AIM_INFORMATION, AIM_CONDITION, DESIGN_AIMS };
extern const char *const design_aim_name[DESIGN_AIMS];

struct design_settings {
  double period;       /* s */
  int harmonics;       /* of the period: 2 .. DESIGN_HARMONICS */
  enum design_aim aim; /* log det of the information, or (154) */
  double acceleration; /* rad/s^2 or m/s^2: limit of every joint */
  double share;        /* of the limits of position, velocity and torque that may be used */
  double torque_noise; /* share of a joint's greatest torque: one deviation of a row */
  double seconds;      /* of processor time, to improve */
  unsigned seed;
  void (*progress)(double share, double gained); /* of the search, and worth beyond random motions,
                                                    now and then; NULL: nobody asks */
  struct clearance *clearance; /* kept at every millisecond; NULL: nothing is in the way */
};

struct design_settings design_defaults(void);

struct excitation_design {
  size_t n_joints;
  double period;
  int harmonics;
  double centre[MODEL_MAX_JOINTS];
  double a[MODEL_MAX_JOINTS][DESIGN_HARMONICS], b[MODEL_MAX_JOINTS][DESIGN_HARMONICS];
  double information; /* nats: log det */
  double worth;       /* by what was aimed at: log det, or minus the logarithm of (154) */
  double of_random;   /* the same of the best of DESIGN_RANDOM random ones, within its limits */
  double condition;   /* of the whitened base regressor */
  double criterion;   /* (154), k1 = k2 = 1 */
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

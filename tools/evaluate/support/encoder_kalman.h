/* What can be had from an encoder alone: Kalman filters of one joint with white noise on the last
 * of 3 derivatives (null jerk) or 4 (null snap). */
#ifndef ENCODER_KALMAN_H
#define ENCODER_KALMAN_H

#include "process/joint_chains.h"

struct encoder_kalman {
  unsigned order; /* 3 or 4 states: q dq ddq (jerk) */
  double density, noise, dt;
  double x[4], P[4][4];
};

struct encoder_kalman encoder_kalman_start(unsigned order, double density, double noise, double dt,
                                           double q);

void encoder_kalman_step(struct encoder_kalman *kf, double q);

#endif

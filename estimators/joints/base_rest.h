/* Whether the base rests: its IMU scatters no more than its noise. What lies, or hangs still, knows
 * by that its velocity and its rate: both are zero.
 *
 * A base that turns steadily, or is carried steadily, scatters as little: a mean rate that is not
 * the gyro's bias, as far as that is known, is no rest until it has lasted and is one that a bias
 * can have: what was known may be wrong. A robot on its feet is not asked. */
#ifndef BASE_REST_H
#define BASE_REST_H

#include "math/spatial.h"

#include <stdbool.h>

struct base_rest {
  vec3 rate, force;                 /* rad/s, m/s^2: means of the readings, IMU axes */
  double rate_square, force_square; /* variance about them, per axis */
  double still_s;                   /* for how long they have scattered so little */
  bool begun;                       /* a reading has come */
};

/* Takes one reading, dt s after the one before. [real-time] rate_sd, force_sd: of a reading, white.
 * One that is NaN is no rest, one after a gap of 0.1 s begins anew. */
void base_rest_step(struct base_rest *rest, vec3 rate, vec3 force, double rate_sd, double force_sd,
                    double dt);

/* [real-time] gyro_bias: IMU axes, rad/s, with its deviation now and at the start. */
bool base_rest_is(const struct base_rest *rest, vec3 gyro_bias, double sd, double sd_start);

#endif

/* Whether the base rests: its IMU scatters no more than its noise. What lies, or hangs still, knows
 * by that its velocity and its rate: both are zero.
 *
 * A base that turns steadily, or is carried steadily, scatters as little, and so does one that
 * sways, where its sway turns: what hangs on a rope feels its weight along itself, and nothing else
 * tells that it sways. A mean rate that is not the gyro's bias, where that is well known, is no
 * rest until it has lasted and is one that a bias can have: what was known may be wrong. Nor is a
 * velocity that is known and not zero: a crane carries a robot as quietly as the floor does. Only
 * what was shaken since something last told its velocity, by a fall, does not know it; and what
 * rests goes on until it stirs, whatever becomes of its speed: it is the tilt that runs off with
 * it. A robot on its feet is not asked.
 */
#ifndef BASE_REST_H
#define BASE_REST_H

#include "math/spatial.h"

#include <stdbool.h>

struct base_rest {
  vec3 rate, force;                 /* rad/s, m/s^2: means of the readings, IMU axes */
  double rate_square, force_square; /* variance about them, per axis */
  double still_s;                   /* for how long they have scattered so little, */
  vec3 still_rate;                  /* rad/s: mean when they began to */
  bool rests;                       /* as it was said last */
  bool begun;                       /* a reading has come */
  bool shaken;                      /* since the velocity was last told */
};

/* What the filter knows, with one deviation each: IMU axes, rad/s, that of the gyro's bias at the
 * start, too; m/s. */
struct base_known {
  vec3 gyro_bias;
  double gyro_bias_sd, gyro_bias_start_sd;
  double speed, speed_sd;
};

/* Takes one reading, dt s after the one before. [real-time] rate_sd, force_sd: of a reading, white.
 * One that is NaN is no rest, one after a gap of 0.1 s begins anew. */
void base_rest_step(struct base_rest *rest, vec3 rate, vec3 force, double rate_sd, double force_sd,
                    double dt);

/* [real-time] What rests as fast as is known has been told its velocity by that. */
bool base_rest_is(struct base_rest *rest, const struct base_known *known);

#endif

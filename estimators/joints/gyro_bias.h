/* The gyro's slow bias, learned while the robot stands still.
 *
 * Nothing else in the joint filter observes it: relative kinematics do not care how fast the whole
 * body turns. The attitude filter can learn it in motion and hand it over. */
#ifndef GYRO_BIAS_H
#define GYRO_BIAS_H

#include "math/spatial.h"

#include <stdbool.h>

struct gyro_bias {
  double noise;    /* rad/s: of the gyro, one standard deviation */
  double walk;     /* rad/s per square root of s */
  vec3 bias;       /* rad/s, IMU frame */
  double variance; /* (rad/s)^2 of each number */
  bool known;      /* learned at least once */
  vec3 mean;       /* rad/s: running mean while at rest */
  double still_s;  /* s at rest so far */
};

/* [any] */
void gyro_bias_reset(struct gyro_bias *gyro, double noise);

/* One sample: rate in the IMU frame, rad/s; fastest: largest joint rate by estimate; dt: s since
 * the last one. [real-time] */
void gyro_bias_step(struct gyro_bias *gyro, vec3 rate, double fastest, double dt);

#endif

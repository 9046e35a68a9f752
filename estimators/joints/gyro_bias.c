#include "joints/gyro_bias.h"

#include <math.h>

/* At rest: no joint faster than this (rad/s or m/s), and the gyro no further from its mean than so
 * many deviations. */
static const double REST_RATE = 0.02, REST_GATE = 6.0;
/* A mean rate above this is a turn, not a bias, rad/s. */
static const double LARGEST_BIAS = 0.1;
/* Rest this long before anything is believed, and the memory of the mean, s. */
static const double REST_TIME = 0.5, MEAN_TIME = 0.2;

void gyro_bias_reset(struct gyro_bias *gyro, double noise) {
  *gyro = (struct gyro_bias){.noise = noise, .walk = 1e-4, .variance = LARGEST_BIAS * LARGEST_BIAS};
}

void gyro_bias_step(struct gyro_bias *gyro, vec3 rate, double fastest, double dt) {
  gyro->variance += gyro->walk * gyro->walk * dt;
  const vec3 off = vec3_sub(rate, gyro->mean);
  const bool begins = gyro->still_s == 0.0;
  const bool quiet = fastest < REST_RATE && vec3_norm(rate) < LARGEST_BIAS &&
                     (begins || vec3_norm(off) < REST_GATE * gyro->noise);
  if (!quiet) {
    gyro->still_s = 0.0;
    gyro->mean = vec3_norm(rate) < LARGEST_BIAS ? rate : gyro->bias;
    return;
  }
  gyro->still_s += dt;
  gyro->mean = vec3_axpy(gyro->mean, fmin(1.0, dt / fmin(gyro->still_s, MEAN_TIME)), off);
  if (gyro->still_s < REST_TIME) {
    return;
  }
  const double gain = gyro->variance / (gyro->variance + gyro->noise * gyro->noise);
  gyro->bias = vec3_axpy(gyro->bias, gain, vec3_sub(rate, gyro->bias));
  gyro->variance *= 1.0 - gain;
  gyro->known = true;
}

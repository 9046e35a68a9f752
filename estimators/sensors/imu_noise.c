#include "sensors/imu_noise.h"

#include <math.h>
#include <string.h>

/* Readings of an IMU tell noise from motion when they are no further apart, s, in the mean of so
 * many: of those that were held up two may come at once. */
static const double FOLLOWS_S = 3e-3, APART_READINGS = 8.0;
/* ... where one that is missed counts no more, s. */
static const double APART_AT_MOST = 0.01;
/* One reading counts no more than that, times usual, for how noisy an axis is: what noise does
 * until it is noticed the base is thought to do. */
static const double READING_COUNTS = 9.0;
/* What it scatters by in the mean of so many readings is its noise from so many times on that it is
 * said to have: some readings alone tell it from motion when it is several times as much. */
static const double STEADY_READINGS = 100.0, STEADY_NOISIER = 2.0;

static void forget(struct imu_noise *noise, const double told[IMU_TRIADS]) {
  memset(noise->scatter, 0, sizeof(noise->scatter));
  for (int t = 0; t < IMU_TRIADS; t++) {
    for (int i = 0; i < 3; i++) {
      noise->steady[t][i] = told[t] * told[t];
    }
  }
}

void imu_noise_reset(struct imu_noise *noise, const double told[IMU_TRIADS]) {
  forget(noise, told);
  memcpy(noise->sd, told, sizeof(noise->sd));
  memcpy(noise->most, told, sizeof(noise->most));
}

/* One more reading of an axis. Returns the deviation to use. */
static double axis_noise(struct sensor_scatter *scatter, double *steady, double reading, double dt,
                         double told) {
  const double noisy = STEADY_NOISIER * told;
  const double at_once = sensor_scatter_next(scatter, reading, dt, told, READING_COUNTS);
  *steady += (fmax(scatter->variance, told * told) - *steady) / STEADY_READINGS;
  return *steady > noisy * noisy ? fmax(at_once, sqrt(*steady)) : at_once;
}

static double noisiest(struct imu_noise *noise, int triad, vec3 reading, double dt, double told) {
  double v[3], sd = told;
  vec3_to(reading, v);
  for (int i = 0; i < 3; i++) {
    sd = fmax(sd, axis_noise(&noise->scatter[triad][i], &noise->steady[triad][i], v[i], dt, told));
  }
  return sd;
}

double imu_noise_read(struct imu_noise *noise, const vec3 reading[IMU_TRIADS],
                      const double told[IMU_TRIADS], int64_t t_ns, double louder[IMU_TRIADS]) {
  const double dt = 1e-9 * (double)(t_ns - noise->read_ns);
  const double apart = fmin(dt, APART_AT_MOST);
  if (noise->read_ns > 0) {
    noise->apart_s += (apart - noise->apart_s) / (noise->apart_s > 0.0 ? APART_READINGS : 1.0);
  }
  noise->read_ns = t_ns;
  noise->follows = noise->apart_s > 0.0 && noise->apart_s < FOLLOWS_S;
  if (!noise->follows) {
    forget(noise, told);
  }
  for (int t = 0; t < IMU_TRIADS; t++) {
    const double sd = noisiest(noise, t, reading[t], dt, told[t]);
    louder[t] = fmax(sd / noise->most[t], 1.0);
    noise->most[t] = sd > told[t] ? fmax(sd, noise->most[t]) : told[t];
    noise->sd[t] = sd;
  }
  return dt;
}

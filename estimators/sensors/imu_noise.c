#include "sensors/imu_noise.h"

#include <math.h>
#include <string.h>

/* Readings of an IMU tell noise from motion when they are no further apart, s. */
static const double FOLLOWS_S = 3e-3;
/* One reading counts no more than that, times usual, for how noisy an axis is: what noise does
 * until it is noticed the base is thought to do. */
static const double READING_COUNTS = 9.0;
/* How noisy it has been fades within so long, s. */
static const double FADES_S = 1.0;

void imu_noise_reset(struct imu_noise *noise, const double told[IMU_TRIADS]) {
  memset(noise->scatter, 0, sizeof(noise->scatter));
  memcpy(noise->sd, told, sizeof(noise->sd));
  memcpy(noise->most, told, sizeof(noise->most));
  memcpy(noise->late, told, sizeof(noise->late));
}

static double noisiest(struct sensor_scatter scatter[3], vec3 reading, double dt, double told) {
  double v[3], sd = told;
  vec3_to(reading, v);
  for (int i = 0; i < 3; i++) {
    sd = fmax(sd, sensor_scatter_next(&scatter[i], v[i], dt, told, READING_COUNTS));
  }
  return sd;
}

double imu_noise_read(struct imu_noise *noise, const vec3 reading[IMU_TRIADS],
                      const double told[IMU_TRIADS], int64_t t_ns, double louder[IMU_TRIADS]) {
  const double dt = 1e-9 * (double)(t_ns - noise->read_ns);
  noise->read_ns = t_ns;
  noise->follows = dt < FOLLOWS_S;
  if (!noise->follows) {
    memset(noise->scatter, 0, sizeof(noise->scatter));
  }
  for (int t = 0; t < IMU_TRIADS; t++) {
    const double sd = noisiest(noise->scatter[t], reading[t], dt, told[t]);
    louder[t] = fmax(sd / noise->most[t], 1.0);
    noise->most[t] = sd > told[t] ? fmax(sd, noise->most[t]) : told[t];
    noise->sd[t] = sd;
    noise->late[t] =
        fmax(sd, noise->late[t] - (noise->late[t] - told[t]) * fmin(dt / FADES_S, 1.0));
  }
  return dt;
}

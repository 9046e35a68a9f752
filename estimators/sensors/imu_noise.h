/* The IMU's noise as it is, by readings as they came: a triad is as noisy as its noisiest axis, and
 * no less than it is said to be. Those of a slow IMU follow the motion no more closely than noise,
 * and tell nothing of it. */
#ifndef IMU_NOISE_H
#define IMU_NOISE_H

#include "math/spatial.h"
#include "sensors/imu_judge.h"
#include "sensors/sensor_scatter.h"

#include <stdbool.h>
#include <stdint.h>

struct imu_noise {
  struct sensor_scatter scatter[IMU_TRIADS][3];
  double steady[IMU_TRIADS][3]; /* (rad/s)^2, (m/s^2)^2: mean of what they scatter by */
  double sd[IMU_TRIADS];        /* rad/s, m/s^2 */
  double most[IMU_TRIADS];      /* ... the most since it was as told */
  int64_t read_ns;              /* the reading that they are from */
  double apart_s;               /* mean of the time between readings; 0: none yet */
  bool follows;                 /* it is read so often that of a blow it sees several readings */
};

/* As it is said to be: `told`, rad/s and m/s^2. [any] */
void imu_noise_reset(struct imu_noise *noise, const double told[IMU_TRIADS]);

/* One reading. [real-time] Writes how much noisier each triad is than it has ever been seen to be
 * since it was as told: 1 when it is not. Returns s since the reading before. */
double imu_noise_read(struct imu_noise *noise, const vec3 reading[IMU_TRIADS],
                      const double told[IMU_TRIADS], int64_t t_ns, double louder[IMU_TRIADS]);

#endif

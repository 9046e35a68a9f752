/* A gyro that reads another rate from one reading to the next, as a blow would, when the
 * accelerometer beside it feels none. Nothing turns a base like that: it has begun to lie, or has
 * ended; but for noise, which jumps again at once, otherwise. Jumps so small that feet and skin
 * need long to see them are told so in some milliseconds; of larger ones those are asked
 * (imu_judge.h). */
#ifndef UNFELT_TURN_H
#define UNFELT_TURN_H

#include "sensors/imu_judge.h"

struct unfelt_turn {
  int64_t felt_ns;   /* when the accelerometer last felt anything unusual, 0: never */
  int64_t read_ns;   /* of the newest reading */
  int64_t jumped_ns; /* of the first of two readings that agree in a jump, 0: none */
  vec3 jump;         /* rad/s, base axes */
  unsigned readings; /* that have jumped in a row */
};

/* One fresh reading of both triads. [real-time] nis: normalised innovations squared, per axis;
 * rate: rad/s, base axes: the gyro's. Returns true when a jump turns out to have been felt by
 * nobody: some milliseconds after it. */
bool unfelt_turn_next(struct unfelt_turn *turn, int64_t t_ns, const double nis[IMU_TRIADS],
                      vec3 rate);

#endif

/* How far the readings of a floating base's IMU are from what was predicted of them. */
#ifndef IMU_SURPRISE_H
#define IMU_SURPRISE_H

#include "math/spatial.h"
#include "sensors/imu_judge.h"

#include <stddef.h>

struct instant;
struct joint_filter;

/* One triad's reading against what was expected, base axes. */
struct imu_surprise {
  vec3 expected, innovation; /* rad/s or m/s^2 */
  double nis;                /* normalised innovation squared per axis */
  double lively;             /* the same, as if how the base's turning changes were known */
  vec3 open;                 /* what it opens (joint_jump.h's rule for one number) */
};

/* Both triads' readings at an instant that has just been predicted. [real-time] Of an IMU on
 * another link the filter's row_update is left with its rows, and what they expect. */
void imu_surprise_ask(struct joint_filter *filter, const struct instant *now,
                      struct imu_surprise felt[IMU_TRIADS]);

/* What opens of the force once the gyro's readings are known, likewise, behind that. [real-time]
 * After a silence how the base turns, and what is felt of that at the arm, may be anything; the
 * second reading tells both, and neither alone would be surprised. Returns (m/s^2)^2, base axes. */
vec3 imu_surprise_beyond_turn(struct joint_filter *filter, const struct instant *now);

/* Of how many axes a triad tells. [any] */
size_t imu_axes_told(vec3 reading);

#endif

/* What a sensor can read at all: broken words and 1e308 lie beyond, and are no measurement. */
#ifndef PLAUSIBLE_H
#define PLAUSIBLE_H

#include "math/spatial.h"

#include <math.h>
#include <stdbool.h>

#define LARGEST_RATE   100.0  /* rad/s, of a gyro */
#define LARGEST_FORCE  2000.0 /* m/s^2, of an accelerometer */
#define LARGEST_EFFORT 1e6    /* N or N m, of a joint's or a foot's sensor */

/* False for NaN. [any] */
static inline bool is_plausible(vec3 v, double largest) {
  return fabs(v.x) < largest && fabs(v.y) < largest && fabs(v.z) < largest;
}

/* An orientation, not quite of length one perhaps; false for NaN. [any] */
static inline bool is_plausible_orientation(quat q) {
  const double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return length > 0.9 && length < 1.1;
}

#endif

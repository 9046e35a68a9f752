/* Position, velocity and acceleration of a point in three dimensions from measurements of its
 * position and its acceleration.
 *
 * A linear Kalman filter per axis, state [p, v, a], driven by white jerk; the three axes have equal
 * noise and so share one covariance. The point may be the centre of mass, or three angles: the
 * filter only adds and multiplies.
 */
#ifndef POINT_FILTER_H
#define POINT_FILTER_H

#include "common/status.h"
#include "math/spatial.h"

#include <stdbool.h>

struct point_filter_settings {
  double jerk;         /* unit/s^3/sqrt(Hz): density of the white jerk */
  double position;     /* unit: one standard deviation of a measured position */
  double acceleration; /* unit/s^2: the same of a measured acceleration */
};

struct point_filter {
  struct point_filter_settings settings;
  vec3 p, v, a;   /* unit, unit/s, unit/s^2 */
  double P[3][3]; /* covariance of [p v a], the same for each axis */
  bool started;
};

/* [start] OUT_OF_RANGE: a setting that is not positive. */
enum status point_filter_init(struct point_filter *filter,
                              const struct point_filter_settings *settings);

/* Moves the state by `dt` s, then takes both measurements. [real-time] The first step starts at the
 * position, at rest. NOT_FINITE, OUT_OF_RANGE (dt not in (0, 1] s): nothing changes. */
enum status point_filter_step(struct point_filter *filter, vec3 position, vec3 acceleration,
                              double dt);

#endif

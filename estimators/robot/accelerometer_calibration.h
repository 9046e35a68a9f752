/* Calibration of one accelerometer from readings at rest in many poses.
 *
 * a_cal = M (a_raw - b): bias, scale, axis misalignment and mounting rotation in twelve numbers. At
 * rest a calibrated accelerometer reads gravity, so the raw readings lie on an ellipsoid; its shape
 * gives b and M up to a rotation, which the robot's known orientation in each pose then fixes.
 * Poses that do not span the ellipsoid cannot give its shape; then a fit with a prior moves only
 * what they do determine. */
#ifndef ACCELEROMETER_CALIBRATION_H
#define ACCELEROMETER_CALIBRATION_H

#include "common/status.h"
#include "math/spatial.h"

#include <stddef.h>

#define CALIBRATION_MIN_POSES 9    /* unknowns of an ellipsoid */
#define CALIBRATION_MAX_POSES 4096 /* readings kept for one cell */

struct accelerometer_calibration {
  mat3 M; /* maps bias-free raw readings into the cell frame; identity when perfect */
  vec3 b; /* m/s^2, raw reading without specific force */
};

#define CALIBRATION_IDENTITY ((struct accelerometer_calibration){MAT3_IDENTITY, VEC3_ZERO})

/* How far to trust a fit. */
struct calibration_quality {
  size_t n_poses;
  double spread; /* 0 .. 1/3: smallest eigenvalue of the mean outer product of the directions of
                    gravity in the cell frame; 1/3 when all directions are equally seen, 0 when they
                    lie in a plane */
  double residual_before; /* m/s^2, RMS of |a_raw - expected| */
  double residual_after;  /* m/s^2, RMS of |a_cal - expected| */
  double rotation;        /* rad, angle of the mounting rotation that was found */
};

/* Reading that the calibration makes of a raw one, cell frame, m/s^2. [any] @eq Leboutet22 153 */
static inline vec3 accelerometer_apply(const struct accelerometer_calibration *calibration,
                                       vec3 a_raw) {
  return mat3_mul_vec3(&calibration->M, vec3_sub(a_raw, calibration->b));
}

/* Fits the ellipsoid of `n` readings at rest and its rotation. [worker]
 *   raw       [n] m/s^2, mean reading of each pose
 *   expected  [n] m/s^2, specific force that the robot's orientation gives for the cell's nominal
 * frame TOO_FEW: fewer than CALIBRATION_MIN_POSES. SINGULAR: the poses are too alike (see
 * quality->spread, written also then). NOT_FINITE: a reading is NaN or Inf. NO_CONVERGENCE: the
 * readings lie on no ellipsoid.
 * @eq Leboutet22 151 152 153 */
enum status accelerometer_fit_ellipsoid(const vec3 *raw, const vec3 *expected, size_t n,
                                        struct accelerometer_calibration *out,
                                        struct calibration_quality *quality);

/* How far a mounted accelerometer can plausibly be from its nominal self: one standard deviation
 * each. */
struct calibration_prior {
  double bias;   /* m/s^2 */
  double matrix; /* each entry of M - 1: scale, misalignment, small rotations */
  double noise;  /* m/s^2, of one mean reading */
};

/* Fits M and b by regularised least squares on the known orientations; for poses that span too
 * little. [worker] What the poses do not determine stays nominal. TOO_FEW: fewer than two poses.
 * Otherwise as above. */
enum status accelerometer_fit_with_prior(const vec3 *raw, const vec3 *expected, size_t n,
                                         const struct calibration_prior *prior,
                                         struct accelerometer_calibration *out,
                                         struct calibration_quality *quality);

#endif

/* The door where NaN stops: are these numbers finite and of a believable size? All functions:
 * [any]. */
#ifndef BOUNDS_H
#define BOUNDS_H

#include "model.h"
#include "spatial.h"
#include "status.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bits of |x| as an integer. It orders like |x|, with Inf and NaN above all numbers. */
static inline int64_t magnitude_bits(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits & INT64_MAX;
}

/* True when |x[i]| <= limit for all i; false for NaN. */
static inline bool all_within(const double *x, size_t n, double limit) {
  const int64_t limit_bits = magnitude_bits(limit);
  int64_t beyond = 0;
  for (size_t i = 0; i < n; i++) { /* no branch: the loop vectorises */
    beyond |= limit_bits - magnitude_bits(x[i]);
  }
  return beyond >= 0;
}

/* STATUS_OK, or what is wrong with an array that all_within refused. */
static inline enum status check_within(const double *x, size_t n, double limit) {
  if (all_within(x, n, limit)) {
    return STATUS_OK;
  }
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(x[i])) {
      return STATUS_NOT_FINITE;
    }
  }
  return STATUS_OUT_OF_RANGE;
}

/* Largest magnitude of an inertial parameter that is taken for a number of a robot. kg, kg m, kg
 * m^2 */
#define INERTIA_LIMIT 1e9

/* Largest force or moment. N, N m */
#define FORCE_LIMIT 1e12

/* inertia: [n]. Consistency is not asked for: estimators and tests pass any ten numbers, also
 * zeros. */
static inline enum status check_inertias(const struct inertia *inertia, size_t n) {
  _Static_assert(sizeof(struct inertia) == 10 * sizeof(double), "ten numbers in a row");
  return check_within(&inertia[0].m, 10 * n, INERTIA_LIMIT);
}

#endif

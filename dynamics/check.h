/* The door where NaN stops: are these numbers finite and of a believable size? All functions:
 * [any]. */
#ifndef CHECK_H
#define CHECK_H

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

#endif

#include "math/bounds.h"

#include "math/dispatch.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The bits of |x| as an integer. It orders like |x|, with Inf and NaN above all numbers. */
static inline int64_t magnitude_bits(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits & INT64_MAX;
}

FOR_EACH_ISA bool all_within(const double *x, size_t n, double limit) {
  const int64_t limit_bits = magnitude_bits(limit);
  int64_t beyond = 0;
  for (size_t i = 0; i < n; i++) { /* no branch: the loop vectorises */
    beyond |= limit_bits - magnitude_bits(x[i]);
  }
  return beyond >= 0;
}

enum status check_within(const double *x, size_t n, double limit) {
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

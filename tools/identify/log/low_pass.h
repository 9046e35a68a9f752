/* A low-pass without phase: a fourth-order Butterworth filter, forwards and then backwards. */
#ifndef LOW_PASS_H
#define LOW_PASS_H

#include <stddef.h>

/* Two second-order sections; b0 of each is its gain, b1 = 2 b0, b2 = b0. */
struct low_pass {
  double gain[2], a1[2], a2[2];
};

/* [any] 0 < cutoff_hz < rate_hz / 2: half the power, passed once, remains at the cutoff. */
struct low_pass low_pass_design(double cutoff_hz, double rate_hz);

/* Filters x[0], x[stride], ... (n of them) in place, forwards and backwards. [any] The ends are
 * continued by their reflection through the end point, so that a line passes unchanged; the first
 * and last quarter period of the cutoff are still less sure than the rest. */
void low_pass_both_ways(const struct low_pass *filter, double *x, size_t n, size_t stride);

#endif

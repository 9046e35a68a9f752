#include "identify/log/low_pass.h"

#include <math.h>

enum { SECTIONS = 2, REFLECTED = 2000 /* samples at most, beyond each end */ };

struct low_pass low_pass_design(double cutoff_hz, double rate_hz) {
  static const double damping[SECTIONS] = {0.9238795325112867,
                                           0.3826834323650898}; /* cos 22.5, 67.5 */
  const double k = tan(M_PI * cutoff_hz / rate_hz);             /* bilinear transform, prewarped */
  struct low_pass filter;
  for (int i = 0; i < SECTIONS; i++) {
    const double norm = 1.0 / (1.0 + 2.0 * damping[i] * k + k * k);
    filter.gain[i] = k * k * norm;
    filter.a1[i] = 2.0 * (k * k - 1.0) * norm;
    filter.a2[i] = (1.0 - 2.0 * damping[i] * k + k * k) * norm;
  }
  return filter;
}

/* One sample through both sections, transposed direct form; state: two numbers each. */
static double one_sample(const struct low_pass *f, double state[SECTIONS][2], double x) {
  for (int i = 0; i < SECTIONS; i++) {
    const double y = f->gain[i] * x + state[i][0];
    state[i][0] = 2.0 * f->gain[i] * x - f->a1[i] * y + state[i][1];
    state[i][1] = f->gain[i] * x - f->a2[i] * y;
    x = y;
  }
  return x;
}

/* As if x had been its first value for ever. */
static void settle(const struct low_pass *f, double state[SECTIONS][2], double x) {
  for (int i = 0; i < SECTIONS; i++) {
    state[i][1] = (f->gain[i] - f->a2[i]) * x;
    state[i][0] = (1.0 - f->gain[i]) * x;
  }
}

/* From `first` on by `step` samples, after a run over the reflection beyond that end. */
static void one_way(const struct low_pass *f, double *first, size_t n, ptrdiff_t step) {
  double state[SECTIONS][2];
  const size_t beyond = n - 1 < REFLECTED ? n - 1 : REFLECTED;
  const double end = *first;
  settle(f, state, 2.0 * end - first[(ptrdiff_t)beyond * step]);
  for (size_t k = beyond; k > 0; k--) {
    one_sample(f, state, 2.0 * end - first[(ptrdiff_t)k * step]);
  }
  for (size_t k = 0; k < n; k++) {
    first[(ptrdiff_t)k * step] = one_sample(f, state, first[(ptrdiff_t)k * step]);
  }
}

void low_pass_both_ways(const struct low_pass *filter, double *x, size_t n, size_t stride) {
  if (n < 2) {
    return;
  }
  one_way(filter, x, n, (ptrdiff_t)stride);
  one_way(filter, x + (n - 1) * stride, n, -(ptrdiff_t)stride);
}

/* A third-order low-pass Butterworth filter, forwards, or forwards and backwards without phase:
 * what the thesis compares with. */
#ifndef BUTTERWORTH_H
#define BUTTERWORTH_H

#include <stddef.h>

struct butterworth3 {
  double b[4], a[4]; /* a[0] = 1 */
};

/* Bilinear transform of 1/((s + 1)(s^2 + s + 1)) at `cutoff_hz` for samples at `rate_hz`. */
struct butterworth3 butterworth3_design(double cutoff_hz, double rate_hz);

/* y[k] from x[k] with `step` 1 from the first sample, or -1 from the last; starts at rest at its
 * first input. x and y may be the same. */
void butterworth3_run(const struct butterworth3 *f, const double *x, double *y, size_t n, int step);

#endif

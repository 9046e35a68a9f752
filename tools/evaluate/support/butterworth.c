#include "support/butterworth.h"

#include <math.h>

struct butterworth3 butterworth3_design(double cutoff_hz, double rate_hz) {
  const double k = 1.0 / tan(M_PI * cutoff_hz / rate_hz); /* s = k (z - 1)/(z + 1) */
  const double k2 = k * k, k3 = k2 * k;
  const double a0 = k3 + 2.0 * k2 + 2.0 * k + 1.0;
  struct butterworth3 f = {.b = {1.0 / a0, 3.0 / a0, 3.0 / a0, 1.0 / a0}};
  f.a[0] = 1.0;
  f.a[1] = (-3.0 * k3 - 2.0 * k2 + 2.0 * k + 3.0) / a0;
  f.a[2] = (3.0 * k3 - 2.0 * k2 - 2.0 * k + 3.0) / a0;
  f.a[3] = (-k3 + 2.0 * k2 - 2.0 * k + 1.0) / a0;
  return f;
}

void butterworth3_run(const struct butterworth3 *f, const double *x, double *y, size_t n,
                      int step) {
  size_t k = step > 0 ? 0 : n - 1;
  double xs[3] = {x[k], x[k], x[k]}, ys[3] = {x[k], x[k], x[k]};
  for (size_t count = 0; count < n; count++, k += (size_t)step) {
    const double in = x[k];
    const double out = f->b[0] * in + f->b[1] * xs[0] + f->b[2] * xs[1] + f->b[3] * xs[2] -
                       f->a[1] * ys[0] - f->a[2] * ys[1] - f->a[3] * ys[2];
    xs[2] = xs[1];
    xs[1] = xs[0];
    xs[0] = in;
    ys[2] = ys[1];
    ys[1] = ys[0];
    ys[0] = out;
    y[k] = out;
  }
}

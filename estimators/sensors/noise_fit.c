#include "sensors/noise_fit.h"

#include <math.h>
#include <string.h>

enum { ORDER = 4, /* q, dq, ddq, jerk */ COARSE = 24, FINE = 40 };

void noise_fit_add(struct noise_fit *fit, double sample) {
  if (!isfinite(sample)) {
    fit->run = 0;
    return;
  }
  if (fit->run >= 2) {
    const double second = sample - 2.0 * fit->last + fit->before;
    fit->sum += second * second;
    fit->differences++;
  }
  fit->before = fit->last;
  fit->last = sample;
  fit->run++;
  fit->n++;
}

enum status noise_fit_deviation(const struct noise_fit *fit, double *deviation) {
  if (fit->differences + 2 < NOISE_FIT_MIN_SAMPLES) {
    return STATUS_TOO_FEW;
  }
  /* the second difference of white noise has the variance 1 + 4 + 1 */
  *deviation = sqrt(fit->sum / (6.0 * (double)fit->differences));
  return STATUS_OK;
}

/* Taylor's F and the covariance Q that white snap of unit density leaves after dt. */
static void process(double dt, double F[ORDER][ORDER], double Q[ORDER][ORDER]) {
  static const double factorial[ORDER] = {1.0, 1.0, 2.0, 6.0};
  for (int i = 0; i < ORDER; i++) {
    for (int j = 0; j < ORDER; j++) {
      const int a = ORDER - 1 - i, b = ORDER - 1 - j; /* integrations from the snap to each state */
      F[i][j] = j >= i ? pow(dt, j - i) / factorial[j - i] : 0.0;
      Q[i][j] = pow(dt, a + b + 1) / (factorial[a] * factorial[b] * (double)(a + b + 1));
    }
  }
}

static void predict(double x[ORDER], double P[ORDER][ORDER], const double F[ORDER][ORDER],
                    const double Q[ORDER][ORDER], double density) {
  double next[ORDER] = {0.0}, FP[ORDER][ORDER] = {{0.0}};
  for (int i = 0; i < ORDER; i++) {
    for (int k = i; k < ORDER; k++) {
      next[i] += F[i][k] * x[k];
      for (int j = 0; j < ORDER; j++) {
        FP[i][j] += F[i][k] * P[k][j];
      }
    }
  }
  for (int i = 0; i < ORDER; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = density * Q[i][j];
      for (int k = j; k < ORDER; k++) {
        sum += FP[i][k] * F[j][k];
      }
      P[i][j] = P[j][i] = sum;
    }
  }
  memcpy(x, next, sizeof(next));
}

/* Takes a reading of the position; answers its log-likelihood. */
static double update(double x[ORDER], double P[ORDER][ORDER], double q, double variance) {
  const double s = P[0][0] + variance, e = q - x[0];
  double gain[ORDER], row[ORDER];
  for (int i = 0; i < ORDER; i++) {
    gain[i] = P[i][0] / s;
    row[i] = P[0][i];
  }
  for (int i = 0; i < ORDER; i++) {
    x[i] += gain[i] * e;
    for (int j = 0; j <= i; j++) {
      P[i][j] -= gain[i] * row[j];
      P[j][i] = P[i][j];
    }
  }
  return -0.5 * (log(2.0 * M_PI * s) + e * e / s);
}

double snap_log_likelihood(const double *q, size_t n, double dt, double noise, double density) {
  /* nothing is known at first: the readings that settle that count alike for every density */
  double F[ORDER][ORDER], Q[ORDER][ORDER];
  double x[ORDER] = {0.0},
         P[ORDER][ORDER] = {{10.0}, {0.0, 100.0}, {0.0, 0.0, 1e4}, {0.0, 0.0, 0.0, 1e6}};
  double sum = 0.0;
  process(dt, F, Q);
  for (size_t i = 0; i < n; i++) {
    if (i > 0) {
      predict(x, P, F, Q, density);
    }
    if (isfinite(q[i])) {
      sum += update(x, P, q[i], noise * noise);
    }
  }
  return sum;
}

/* Golden section on the logarithm of the density, about the best of a coarse grid. */
enum status snap_density_fit(const double *q, size_t n, double dt, double noise, double low,
                             double high, double *density) {
  if (!(dt > 0.0 && noise > 0.0 && low > 0.0 && high > low)) {
    return STATUS_OUT_OF_RANGE;
  }
  if (n < NOISE_FIT_MIN_SAMPLES) {
    return STATUS_TOO_FEW;
  }
  const double from = log(low), step = (log(high) - from) / COARSE,
               golden = 0.5 * (sqrt(5.0) - 1.0);
  double best = -HUGE_VAL, at = from;
  for (int k = 0; k <= COARSE; k++) {
    const double value = snap_log_likelihood(q, n, dt, noise, exp(from + k * step));
    if (value > best) {
      best = value;
      at = from + k * step;
    }
  }
  if (!isfinite(best)) {
    return STATUS_NOT_FINITE;
  }
  double a = fmax(at - step, from), b = fmin(at + step, log(high));
  for (int k = 0; k < FINE && b - a > 1e-3; k++) {
    const double c = b - golden * (b - a), d = a + golden * (b - a);
    if (snap_log_likelihood(q, n, dt, noise, exp(c)) >
        snap_log_likelihood(q, n, dt, noise, exp(d))) {
      b = d;
    } else {
      a = c;
    }
  }
  *density = exp(0.5 * (a + b));
  return STATUS_OK;
}

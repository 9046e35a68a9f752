#include "support/encoder_kalman.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct encoder_kalman encoder_kalman_start(unsigned order, double density, double noise, double dt,
                                           double q) {
  struct encoder_kalman kf = {.order = order, .density = density, .noise = noise, .dt = dt};
  const double sd[4] = {noise, 2.0, 20.0, 500.0};
  kf.x[0] = q;
  for (unsigned i = 0; i < order; i++) {
    kf.P[i][i] = sd[i] * sd[i];
  }
  return kf;
}

void encoder_kalman_step(struct encoder_kalman *kf, double q) {
  const double taylor[4] = {1.0, kf->dt, kf->dt * kf->dt / 2.0, kf->dt * kf->dt * kf->dt / 6.0};
  const unsigned n = kf->order;
  for (unsigned a = 0; a < n; a++) {
    for (unsigned b = a + 1; b < n; b++) {
      kf->x[a] += taylor[b - a] * kf->x[b];
      for (unsigned k = 0; k < n; k++) {
        kf->P[a][k] += taylor[b - a] * kf->P[b][k];
      }
    }
  }
  for (unsigned k = 0; k < n; k++) {
    for (unsigned a = 0; a < n; a++) {
      for (unsigned b = a + 1; b < n; b++) {
        kf->P[k][a] += taylor[b - a] * kf->P[k][b];
      }
    }
  }
  for (unsigned a = 0; a < n; a++) {
    for (unsigned b = 0; b < n; b++) {
      kf->P[a][b] += kf->density * chain_noise(n - 1 - a, n - 1 - b, kf->dt);
    }
  }
  const double S = kf->P[0][0] + kf->noise * kf->noise, nu = q - kf->x[0];
  double column[4];
  for (unsigned i = 0; i < n; i++) {
    column[i] = kf->P[i][0];
  }
  for (unsigned i = 0; i < n; i++) {
    kf->x[i] += column[i] / S * nu;
    for (unsigned k = 0; k < n; k++) {
      kf->P[i][k] -= column[i] * column[k] / S;
    }
  }
}

/* Biases of which a share is learned, against Joseph's form with the gain that takes that share. */
#include "process/considered.h"
#include "support/layout_covariance.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static double *numbers(size_t count) {
  return calloc(count, sizeof(double));
}

/* K of one row h of noise 1; returns the innovation's variance. */
static double gain_of(const struct joint_layout *l, const double *h, const double *P, double *K) {
  double s = 1.0;
  for (size_t i = 0; i < l->size; i++) {
    for (size_t k = 0; k < l->size; k++) {
      K[i] += P[i * l->stride + k] * h[k];
    }
    s += h[i] * K[i];
  }
  for (size_t i = 0; i < l->size; i++) {
    K[i] /= s;
  }
  return s;
}

/* x + K nu, and P - K s K0^T - K0 s K^T + K s K^T: K0 is the optimal gain, K the one taken. */
static void update(const struct joint_layout *l, const double *K, const double *K0, double s,
                   double nu, double *x, double *P) {
  for (size_t i = 0; i < l->size; i++) {
    x[i] += nu * K[i];
    for (size_t k = 0; k < l->size; k++) {
      P[i * l->stride + k] += s * (K[i] * K[k] - K[i] * K0[k] - K0[i] * K[k]);
    }
  }
}

static void check_shares(size_t count, const double *share) {
  struct random rng = random_from(test_seed());
  const struct joint_layout l = joint_layout_of(2, false, true, 2);
  double *P = layout_covariance(&rng, &l), *Q = numbers(l.size * l.stride), *h = numbers(l.size),
         *K = numbers(l.size), *K0 = numbers(l.size), *x = numbers(l.numbers),
         *y = numbers(l.numbers);
  for (size_t i = 0; i < l.size; i++) {
    h[i] = random_normal(&rng);
  }
  const double s = gain_of(&l, h, P, K0);
  for (size_t i = 0; i < l.size; i++) {
    K[i] = i >= l.gyro_bias && i < l.gyro_bias + count ? share[i - l.gyro_bias] * K0[i] : K0[i];
  }
  memcpy(Q, P, l.size * l.stride * sizeof(*P));
  update(&l, K, K0, s, 1.7, y, Q);
  const struct considered bias = considered_of(&l, count, x, P);
  update(&l, K0, K0, s, 1.7, x, P);
  considered_keep(&l, &bias, share, x, P);
  for (size_t i = 0; i < l.size; i++) {
    ck_assert_double_eq_tol(x[i], y[i], 1e-12);
    for (size_t k = i; k < l.size; k++) {
      ck_assert_double_eq_tol(P[i * l.stride + k], Q[i * l.stride + k], 1e-9);
    }
  }
  free(P), free(Q), free(h), free(K), free(K0), free(x), free(y);
}

START_TEST(without_shares_the_update_is_schmidts) {
  static const double none[CONSIDERED_GYRO] = {0.0};
  check_shares(CONSIDERED_GYRO, none);
}
END_TEST

START_TEST(with_shares_it_is_that_of_the_gain_that_takes_them) {
  static const double some[CONSIDERED_IMU] = {0.3, 0.1, 0.0, 1.0, 0.7, 0.2};
  check_shares(CONSIDERED_IMU, some);
}
END_TEST

START_TEST(without_a_base_nothing_is_kept) {
  const struct joint_layout l = joint_layout_of(2, true, false, 0);
  double *x = numbers(l.numbers), *P = numbers(l.size * l.stride);
  const struct considered bias = considered_of(&l, CONSIDERED_IMU, x, P);
  x[0] = P[0] = 5.0;
  considered_keep(&l, &bias, (double[CONSIDERED_IMU]){0.0}, x, P);
  ck_assert_double_eq(x[0], 5.0);
  ck_assert_double_eq(P[0], 5.0);
  free(x), free(P);
}
END_TEST

SUITE(without_shares_the_update_is_schmidts, with_shares_it_is_that_of_the_gain_that_takes_them,
      without_a_base_nothing_is_kept)

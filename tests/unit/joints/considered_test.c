/* A considered bias against Schmidt's filter: Joseph's form with a gain that leaves it alone. */
#include "joints/considered.h"
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

START_TEST(the_update_is_schmidts) {
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
    K[i] = i >= l.gyro_bias && i < l.gyro_bias + 3 ? 0.0 : K0[i];
  }
  memcpy(Q, P, l.size * l.stride * sizeof(*P));
  update(&l, K, K0, s, 1.7, y, Q);
  const struct considered bias = considered_of(&l, x, P);
  update(&l, K0, K0, s, 1.7, x, P);
  considered_keep(&l, &bias, x, P);
  for (size_t i = 0; i < l.size; i++) {
    ck_assert_double_eq_tol(x[i], y[i], 1e-12);
    for (size_t k = i; k < l.size; k++) {
      ck_assert_double_eq_tol(P[i * l.stride + k], Q[i * l.stride + k], 1e-9);
    }
  }
  free(P), free(Q), free(h), free(K), free(K0), free(x), free(y);
}
END_TEST

START_TEST(without_a_base_nothing_is_kept) {
  const struct joint_layout l = joint_layout_of(2, true, false, 0);
  double *x = numbers(l.numbers), *P = numbers(l.size * l.stride);
  const struct considered bias = considered_of(&l, x, P);
  x[0] = P[0] = 5.0;
  considered_keep(&l, &bias, x, P);
  ck_assert_double_eq(x[0], 5.0);
  ck_assert_double_eq(P[0], 5.0);
  free(x), free(P);
}
END_TEST

SUITE(the_update_is_schmidts, without_a_base_nothing_is_kept)

#include "joints/joint_process.h"
#include "numerics/dense_matrix.h"

#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct random rng;

static double *new_square(const struct joint_layout *l) {
  const size_t bytes = l->size * l->stride * sizeof(double);
  double *P = aligned_alloc(64, (bytes + 63) / 64 * 64);
  memset(P, 0, bytes);
  return P;
}

static double *random_covariance(const struct joint_layout *l) {
  double *A = new_square(l), *P = new_square(l);
  for (size_t i = 0; i < l->size * l->stride; i++) {
    A[i] = random_normal(&rng);
  }
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < l->size; j++) {
      for (size_t k = 0; k < l->size; k++) {
        P[i * l->stride + j] += A[i * l->stride + k] * A[j * l->stride + k];
      }
    }
  }
  return P;
}

static struct joint_densities random_densities(const struct joint_layout *l, double *joint,
                                               double *bias) {
  for (size_t j = 0; j < l->n; j++) {
    joint[j] = random_uniform(&rng, 1.0, 100.0);
    bias[j] = random_uniform(&rng, 0.1, 2.0);
  }
  return (struct joint_densities){.joint = joint,
                                  .ang = random_uniform(&rng, 1, 9),
                                  .lin = random_uniform(&rng, 1, 9),
                                  .bias = bias,
                                  .bias_ang = 0.7,
                                  .bias_time = 0.3};
}

static void assert_same(const struct joint_layout *l, const double *A, const double *B,
                        double tolerance) {
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < l->size; j++) {
      assert_near(A[i * l->stride + j], B[i * l->stride + j], tolerance);
    }
  }
}

START_TEST(the_state_has_the_thesis_size_and_every_place_once) {
  for (size_t n = 1; n < 40; n += 7) {
    for (int fixed = 0; fixed < 2; fixed++) {
      const struct joint_layout l = joint_layout_of(n, fixed, false);
      const struct joint_layout biased = joint_layout_of(n, fixed, true);
      ck_assert_uint_eq(l.size, fixed ? 4 * n : 4 * n + 15);
      ck_assert_uint_eq(biased.size, fixed ? 5 * n : 5 * n + 18);
      ck_assert_uint_eq(biased.observed, l.observed);
      ck_assert_uint_eq(l.nonlinear, 2 * n + l.base);
      ck_assert_uint_eq(l.observed, 3 * n + 3 * l.base);
    }
  }
}
END_TEST

/* @eq Leboutet22 139 */
START_TEST(a_polynomial_motion_is_predicted_exactly) {
  rng = random_from(test_seed());
  const struct joint_layout l = joint_layout_of(3, false, false);
  const double dt = 0.13;
  double x[27], y[27];
  for (size_t i = 0; i < l.size; i++) {
    x[i] = y[i] = random_normal(&rng);
  }
  joint_process_mean(&l, dt, &(struct joint_densities){0}, y);
  for (size_t j = 0; j < 3; j++) {
    const double q = x[l.q + j], v = x[l.dq + j], a = x[l.ddq + j], s = x[l.jerk + j];
    assert_near(y[l.q + j], q + v * dt + a * dt * dt / 2 + s * dt * dt * dt / 6, 1e-14);
    assert_near(y[l.dq + j], v + a * dt + s * dt * dt / 2, 1e-14);
    assert_near(y[l.ddq + j], a + s * dt, 1e-14);
    assert_near(y[l.jerk + j], s, 0.5e-15);
    const double w = x[l.omega + j], wd = x[l.omegadot + j], wdd = x[l.omegaddot + j];
    assert_near(y[l.omega + j], w + wd * dt + wdd * dt * dt / 2, 1e-14);
    assert_near(y[l.omegadot + j], wd + wdd * dt, 1e-14);
    assert_near(y[l.force + j], x[l.force + j] + x[l.forcedot + j] * dt, 1e-14);
  }
}
END_TEST

/* Of the sum s = d + b, the variance of d. */
static double variance_without_bias(const struct joint_layout *l, const double *P, size_t i) {
  const bool joint = i >= l->ddq && i < l->ddq + l->biases;
  const bool base = l->biases > 0 && i >= l->omegadot && i < l->omegadot + l->base;
  const size_t b = joint ? l->bias + i - l->ddq : l->bias_ang + i - l->omegadot;
  const double own = P[i * (l->stride + 1)];
  return joint || base ? own - 2.0 * P[i * l->stride + b] + P[b * (l->stride + 1)] : own;
}

/* F is read off the mean's prediction column by column; Q is what many small steps add up to. */
START_TEST(the_covariance_follows_the_mean_and_composes_over_time) {
  rng = random_from(test_seed());
  for (int kind = 0; kind < 4; kind++) {
    const struct joint_layout l = joint_layout_of(4, kind & 1, kind & 2);
    double joint[4], bias[4];
    const double zeros[4] = {0};
    const struct joint_densities none = {.joint = zeros, .bias = zeros, .bias_time = 0.3};
    const struct joint_densities densities = random_densities(&l, joint, bias);
    double *P = random_covariance(&l), *F = new_square(&l), *expected = new_square(&l);
    double *once = new_square(&l), *a = new_square(&l), *b = new_square(&l);
    const double dt = 0.07;
    for (size_t i = 0; i < l.size; i++) {
      double e[64] = {0};
      e[i] = 1.0;
      joint_process_mean(&l, dt, &none, e);
      for (size_t k = 0; k < l.size; k++) {
        F[k * l.stride + i] = e[k];
      }
    }
    for (size_t i = 0; i < l.size; i++) {
      for (size_t j = 0; j < l.size; j++) {
        for (size_t k = 0; k < l.size; k++) {
          for (size_t m = 0; m < l.size; m++) {
            expected[i * l.stride + j] +=
                F[i * l.stride + k] * P[k * l.stride + m] * F[j * l.stride + m];
          }
        }
      }
    }
    joint_process_covariance(&l, dt, &none, P, once);
    matrix_mirror(once, l.stride, l.size);
    assert_same(&l, once, expected, 1e-10);
    joint_process_covariance(&l, dt, &densities, P, once);
    matrix_mirror(once, l.stride, l.size);
    double variance[64];
    joint_process_variance(&l, dt, &densities, P, variance);
    for (size_t i = 0; i < l.size; i++) {
      assert_near(variance[i], variance_without_bias(&l, once, i), 1e-10);
    }
    joint_process_covariance(&l, 0.3 * dt, &densities, P, a);
    matrix_mirror(a, l.stride, l.size);
    joint_process_covariance(&l, 0.7 * dt, &densities, a, b);
    matrix_mirror(b, l.stride, l.size);
    assert_same(&l, once, b, 1e-10);
  }
}
END_TEST

START_TEST(a_bias_fades_without_moving_the_joint) {
  rng = random_from(test_seed());
  const struct joint_layout l = joint_layout_of(2, false, true),
                            plain = joint_layout_of(2, false, false);
  const struct joint_densities densities = {.bias_time = 0.5};
  double x[28], y[28];
  for (size_t i = 0; i < plain.size; i++) {
    x[i] = y[i] = random_normal(&rng);
  }
  for (size_t i = 0; i < 2; i++) {
    y[l.bias + i] = 0.8;
    y[l.ddq + i] += 0.8;
  }
  for (size_t i = 0; i < 3; i++) {
    y[l.bias_ang + i] = -0.3;
    y[l.omegadot + i] -= 0.3;
  }
  for (int step = 0; step < 10; step++) {
    joint_process_mean(&plain, 0.05, &densities, x);
    joint_process_mean(&l, 0.05, &densities, y);
  }
  assert_near(y[l.bias], 0.8 * exp(-1.0), 1e-12);
  joint_process_unbias(&l, y);
  for (size_t i = 0; i < plain.size; i++) {
    assert_near(y[i], x[i], 1e-12);
  }
}
END_TEST

START_TEST(the_noise_of_a_chain_is_the_integral_of_its_impulse_responses) {
  const double dt = 0.4;
  for (unsigned i = 0; i < 4; i++) {
    for (unsigned j = 0; j < 4; j++) {
      double sum = 0.0;
      const int steps = 20000;
      for (int k = 0; k < steps; k++) {
        const double s = dt * (k + 0.5) / steps;
        sum += pow(s, i) / tgamma(i + 1) * pow(s, j) / tgamma(j + 1) * dt / steps;
      }
      assert_near(chain_noise(i, j, dt), sum, 1e-9);
    }
  }
}
END_TEST

SUITE(the_state_has_the_thesis_size_and_every_place_once, a_polynomial_motion_is_predicted_exactly,
      the_covariance_follows_the_mean_and_composes_over_time, a_bias_fades_without_moving_the_joint,
      the_noise_of_a_chain_is_the_integral_of_its_impulse_responses)

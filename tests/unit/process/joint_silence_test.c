#include "process/joint_silence.h"

#include "numerics/matrix_cholesky.h"
#include "process/base_process.h"
#include "support/layout_covariance.h"
#include "support/random_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is usual is found out by what becomes of a state after very long, and how fast. */

enum { STATES = 128, JOINTS = 3, FEET = 2 };
static const double LONG = 1e3; /* s */
static const double SMALL = 1e-6;

/* With and without base and slow errors of skin. */
static struct joint_layout layout_of(size_t which) {
  return joint_layout_of(JOINTS, which < 2, which % 2 == 1, FEET);
}
enum { LAYOUTS = 4, WHOLE = 3 };

/* Known so well that all of it is believed; below the diagonal nobody may read. */
static double *small_covariance(struct random *rng, const struct joint_layout *l) {
  double *P = layout_covariance(rng, l);
  for (size_t i = 0; i < l->size; i++) {
    for (size_t k = 0; k < l->size; k++) {
      P[i * l->stride + k] = i <= k ? SMALL * P[i * l->stride + k] : (double)NAN;
    }
  }
  return P;
}

static void draw_state(struct random *rng, const struct joint_layout *l, double *x) {
  for (size_t i = 0; i < l->size; i++) {
    x[i] = random_normal(rng);
  }
  if (l->base > 0) {
    memset(x + l->attitude, 0, 3 * sizeof(double));
    const vec3 turned = random_vec3(rng, 0.5);
    base_process_set_rotation(l, quat_from_rotation_vector(turned), x);
  }
}

/* What of `P` after t s is not there without any before: F P F^T. */
static double *carried(const struct joint_layout *l, double t, const double *x, const double *P) {
  double *with = layout_square(l), *without = layout_square(l), at[STATES];
  memcpy(with, P, l->size * l->stride * sizeof(double));
  memcpy(at, x, sizeof(at));
  joint_silence_step(l, t, at, with);
  memcpy(at, x, sizeof(at));
  joint_silence_step(l, t, at, without);
  for (size_t i = 0; i < l->size * l->stride; i++) {
    with[i] -= without[i];
  }
  free(without);
  return with;
}

/* The mean after t s as errors from that of x0: rotations as vectors. */
static void moved(const struct joint_layout *l, double t, const double *x, const double *x0,
                  double *error) {
  static double none[STATES * STATES];
  double a[STATES], b[STATES];
  memcpy(a, x, sizeof(a));
  memcpy(b, x0, sizeof(b));
  if (l->base > 0) {
    const quat by = quat_from_rotation_vector(vec3_from(a + l->attitude));
    base_process_set_rotation(l, quat_mul(base_process_rotation(l, a), by), a);
  }
  memset(none, 0, sizeof(none));
  joint_silence_step(l, t, a, none);
  memset(none, 0, sizeof(none));
  joint_silence_step(l, t, b, none);
  for (size_t i = 0; i < l->size; i++) {
    error[i] = a[i] - b[i];
  }
  if (l->base > 0) {
    const mat3 A = mat3_from_quat(base_process_rotation(l, a)),
               B = mat3_from_quat(base_process_rotation(l, b)), back = mat3_transpose(&B),
               D = mat3_mul(&back, &A);
    vec3_to((vec3){0.5 * (D.m[2][1] - D.m[1][2]), 0.5 * (D.m[0][2] - D.m[2][0]),
                   0.5 * (D.m[1][0] - D.m[0][1])},
            error + l->attitude);
  }
}

START_TEST(what_is_known_goes_with_the_mean) {
  struct random rng = random_from(test_seed());
  const double t = 0.04, h = 1e-5;
  for (size_t k = 0; k < LAYOUTS; k++) {
    const struct joint_layout layout = layout_of(k), *l = &layout;
    double x[STATES] = {0.0}, F[STATES][STATES];
    draw_state(&rng, l, x);
    memset(x + l->omega, 0, l->base * sizeof(double)); /* else errors turn with the base */
    for (size_t i = 0; i < l->size; i++) {
      double at[STATES], error[STATES];
      memcpy(at, x, sizeof(at));
      at[i] += h;
      moved(l, t, at, x, error);
      for (size_t m = 0; m < l->size; m++) {
        F[m][i] = error[m] / h;
      }
    }
    double *P = small_covariance(&rng, l), *after = carried(l, t, x, P);
    double worst = 0.0;
    for (size_t i = 0; i < l->size; i++) {
      for (size_t j = i; j < l->size; j++) {
        double sum = 0.0;
        for (size_t a = 0; a < l->size; a++) {
          for (size_t b = 0; b < l->size; b++) {
            sum += F[i][a] * P[(a < b ? a : b) * l->stride + (a < b ? b : a)] * F[j][b];
          }
        }
        worst = fmax(worst, fabs(after[i * l->stride + j] - sum) / (SMALL * (double)l->size));
      }
    }
    ck_assert_double_lt(worst, 1e-3);
    free(P);
    free(after);
  }
}
END_TEST

/* dP/dt = A P + P A^T + q of a rate and its integral, in small steps. */
static void integrate(double sd, double time, double t, double P[2][2]) {
  const int steps = 20000;
  const double dt = t / steps;
  for (int k = 0; k < steps; k++) {
    const double rate = P[1][1], both = P[0][1];
    P[0][0] += dt * 2.0 * both;
    P[0][1] += dt * (rate - both / time);
    P[1][1] += dt * 2.0 / time * (sd * sd - rate);
  }
}

static double after(const struct joint_layout *l, double t, size_t i, size_t k) {
  double x[STATES] = {0.0}, *P = layout_square(l);
  if (l->base > 0) {
    base_process_set_rotation(l, QUAT_IDENTITY, x);
  }
  joint_silence_step(l, t, x, P);
  const double value = P[i * l->stride + k];
  free(P);
  return value;
}

/* For how long a state goes on with what it was, s. */
static double memory(const struct joint_layout *l, size_t state) {
  double x[STATES] = {0.0}, *P = layout_square(l);
  base_process_set_rotation(l, QUAT_IDENTITY, x);
  x[state] = 1.0;
  joint_silence_step(l, 1e-3, x, P);
  free(P);
  return -1e-3 / log(x[state]);
}

START_TEST(what_comes_is_the_process_of_ornstein_and_uhlenbeck) {
  const struct joint_layout layout = layout_of(WHOLE), *l = &layout;
  const size_t rates[] = {l->dq, l->omega + 2}, integrals[] = {l->q, l->attitude + 2};
  for (size_t k = 0; k < 2; k++) {
    const double sd = sqrt(after(l, LONG, rates[k], rates[k])), time = memory(l, rates[k]);
    for (double t = 0.01; t < 0.5; t *= 3.0) {
      double P[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
      integrate(sd, time, t, P);
      assert_near(after(l, t, rates[k], rates[k]), P[1][1], 1e-3 * P[1][1]);
      assert_near(after(l, t, integrals[k], integrals[k]), P[0][0], 2e-3 * P[0][0]);
      if (k == 0) {
        assert_near(after(l, t, l->q, l->dq), P[0][1], 2e-3 * P[0][1]);
      }
    }
  }
}
END_TEST

START_TEST(what_is_slow_stays) {
  struct random rng = random_from(test_seed());
  const struct joint_layout layout = layout_of(WHOLE), *l = &layout;
  double x[STATES], before[STATES], *P = small_covariance(&rng, l), *kept = layout_square(l);
  draw_state(&rng, l, x);
  memcpy(before, x, sizeof(x));
  memcpy(kept, P, l->size * l->stride * sizeof(double));
  joint_silence_step(l, 0.3, x, P);
  const struct {
    size_t first, count;
  } slow[] = {{l->bias, l->biases + 6}, {l->gyro_bias, l->size - l->gyro_bias}};
  for (size_t s = 0; s < 2; s++) {
    for (size_t i = slow[s].first; i < slow[s].first + slow[s].count; i++) {
      ck_assert_double_eq(x[i], before[i]);
      for (size_t k = i; k < slow[s].first + slow[s].count; k++) {
        ck_assert_double_eq(P[i * l->stride + k], kept[i * l->stride + k]);
      }
    }
  }
  free(P);
  free(kept);
}
END_TEST

/* States that are sums with what skin is off by are its alone in the end, and force is gravity. */
START_TEST(in_the_end_nothing_moves) {
  struct random rng = random_from(test_seed());
  const struct joint_layout layout = layout_of(WHOLE), *l = &layout;
  double x[STATES], *P = small_covariance(&rng, l);
  draw_state(&rng, l, x);
  joint_silence_step(l, LONG, x, P);
  const mat3 R = mat3_from_quat(base_process_rotation(l, x));
  for (size_t i = 0; i < 3; i++) {
    ck_assert_double_eq(x[l->dq + i], 0.0);
    ck_assert_double_eq(x[l->omega + i], 0.0);
    assert_near(x[l->ddq + i], x[l->bias + i], 1e-15);
    assert_near(x[l->omegadot + i], x[l->bias_ang + i], 1e-15);
    assert_near(x[l->force + i], x[l->bias_lin + i] + STANDARD_GRAVITY * R.m[2][i], 1e-12);
    /* and it has not fallen */
    ck_assert_double_lt(after(l, LONG, l->attitude, l->attitude), 0.011);
    ck_assert_double_gt(after(l, LONG, l->attitude + 2, l->attitude + 2), 10.0);
  }
  free(P);
}
END_TEST

/* A strike just before: velocities are taken for anything. */
START_TEST(nothing_is_believed_to_be_wilder_than_usual) {
  const struct joint_layout layout = layout_of(WHOLE), *l = &layout;
  const size_t fast[] = {l->dq,       l->ddq,       l->jerk,  l->omega,
                         l->omegadot, l->omegaddot, l->force, l->forcedot};
  for (size_t k = 0; k < sizeof(fast) / sizeof(fast[0]); k++) {
    const double usual = after(l, LONG, fast[k], fast[k]);
    double x[STATES] = {0.0}, *P = layout_square(l);
    base_process_set_rotation(l, QUAT_IDENTITY, x);
    x[l->force + 2] = STANDARD_GRAVITY;
    x[fast[k]] = 30.0 * sqrt(usual);
    P[fast[k] * (l->stride + 1)] = 900.0 * usual;
    joint_silence_step(l, 1e-6, x, P);
    ck_assert_double_lt(fabs(x[fast[k]]), 0.05 * sqrt(usual));
    ck_assert_double_lt(P[fast[k] * (l->stride + 1)], 1.01 * usual);
    ck_assert_double_gt(P[fast[k] * (l->stride + 1)], 0.9 * usual);
    free(P);
  }
}
END_TEST

START_TEST(covariances_stay_so_and_the_outlook_says_no_less) {
  struct random rng = random_from(test_seed());
  for (size_t k = 0; k < LAYOUTS; k++) {
    for (double t = 1e-4; t < 20.0; t *= 10.0) {
      const struct joint_layout layout = layout_of(k), *l = &layout;
      double x[STATES] = {0.0}, ahead[STATES], variance[STATES];
      double *P = layout_covariance(&rng, l);
      draw_state(&rng, l, x);
      memcpy(ahead, x, sizeof(x));
      for (size_t i = 0; i < l->size; i++) {
        variance[i] = P[i * (l->stride + 1)];
      }
      joint_silence_step(l, t, x, P);
      joint_silence_outlook(l, t, ahead, variance);
      const size_t published = l->base > 0 ? l->gyro_bias : l->bias;
      for (size_t i = 0; i < l->numbers; i++) {
        ck_assert_double_eq(ahead[i], x[i]);
      }
      for (size_t i = 0; i < published; i++) {
        const bool sum = l->biases > 0 && i >= l->omegadot && i < l->jerk; /* less their bias */
        const bool tilt = l->base > 0 && i >= l->attitude && i < l->velocity;
        ck_assert(sum || tilt || variance[i] > (1.0 - 1e-9) * P[i * (l->stride + 1)]);
      }
      ck_assert(matrix_cholesky(P, l->stride, l->size, 0.0));
      free(P);
    }
  }
}
END_TEST

START_TEST(motion_goes_on_for_some_of_the_usual_times_between_samples) {
  ck_assert_double_eq(joint_silence_of(0.004, 1e-3), 0.0);
  assert_near(joint_silence_of(0.105, 1e-3), 0.1, 1e-12);
  ck_assert_double_eq(joint_silence_of(0.02, 0.01), 0.0); /* one of a slow robot's is lost */
  assert_near(joint_silence_of(0.125, 0.01), 0.1, 1e-12);
}
END_TEST

SUITE(what_is_known_goes_with_the_mean, what_comes_is_the_process_of_ornstein_and_uhlenbeck,
      what_is_slow_stays, in_the_end_nothing_moves, nothing_is_believed_to_be_wilder_than_usual,
      covariances_stay_so_and_the_outlook_says_no_less,
      motion_goes_on_for_some_of_the_usual_times_between_samples)

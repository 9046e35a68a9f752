#include "numerics/matrix_products.h"
#include "process/base_process.h"
#include "process/joint_chains.h"
#include "process/joint_covariance.h"

#include "support/layout_covariance.h"
#include "support/random_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 96 }; /* of the largest state here */

static struct random rng;

static struct joint_densities random_densities(const struct joint_layout *l, double *joint,
                                               double *bias) {
  for (size_t j = 0; j < l->n; j++) {
    joint[j] = random_uniform(&rng, 1.0, 100.0);
    bias[j] = random_uniform(&rng, 0.1, 2.0);
  }
  static const double linear[3] = {0.4, 0.3, 0.5};
  return (struct joint_densities){.joint = joint,
                                  .ang = random_uniform(&rng, 1, 9),
                                  .lin = random_uniform(&rng, 1, 9),
                                  .bias = bias,
                                  .bias_ang = 0.7,
                                  .bias_lin = linear,
                                  .bias_time = 0.3,
                                  .velocity = 0.5,
                                  .gyro_bias = 0.02,
                                  .accelerometer_bias = 0.03,
                                  .foot = 0.04,
                                  .sole = {0.05, 0.06},
                                  .sole_twist = {0.07, 0.09}};
}

/* A state that may be: rotation errors are zero, rotations are. */
static void draw_state(const struct joint_layout *l, double *x) {
  for (size_t i = 0; i < l->size; i++) {
    x[i] = random_normal(&rng);
  }
  if (l->base > 0) {
    const mat3 R = random_rotation(&rng);
    vec3_to(VEC3_ZERO, x + l->attitude);
    base_process_set_rotation(l, quat_from_mat3(&R), x);
    for (size_t i = 0; i < l->n_soles; i++) {
      const mat3 sole = random_rotation(&rng);
      vec3_to(VEC3_ZERO, x + l->sole + 3 * i);
      base_process_set_sole(l, i, quat_from_mat3(&sole), x);
    }
  }
}

/* `to` less `from`, rotations as rotation vectors in the axes of `from`. */
static void difference(const struct joint_layout *l, const double *from, const double *to,
                       double *d) {
  for (size_t i = 0; i < l->size; i++) {
    d[i] = to[i] - from[i];
  }
  if (l->base > 0) {
    const quat q = base_process_rotation(l, from), back = {-q.x, -q.y, -q.z, q.w};
    vec3_to(quat_to_rotation_vector(quat_mul(back, base_process_rotation(l, to))), d + l->attitude);
  }
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
      const struct joint_layout l = joint_layout_of(n, fixed, false, 2);
      const struct joint_layout biased = joint_layout_of(n, fixed, true, 2);
      const struct joint_layout points = joint_layout_of(n, fixed, false, 4);
      const size_t base = 15, feet = 2 * (3 + 3); /* a place and an attitude each */
      ck_assert_uint_eq(l.attitude, fixed ? 4 * n : 4 * n + 15);
      ck_assert_uint_eq(l.size, l.attitude + (fixed ? 0 : base + feet));
      ck_assert_uint_eq(biased.size, l.size + n + 2 * biased.base);
      ck_assert_uint_eq(points.size, points.attitude + (fixed ? 0 : base + 4 * 3));
      ck_assert_uint_eq(l.numbers, l.size + (fixed ? 0 : 3 * 4)); /* base and two soles */
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
  const struct joint_layout l = joint_layout_of(3, false, false, 2);
  const double dt = 0.13;
  double x[NUMBERS], y[NUMBERS];
  draw_state(&l, x);
  memcpy(y, x, sizeof(y));
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
  const double own = P[i * (l->stride + 1)];
  const bool joint = i >= l->ddq && i < l->ddq + l->biases;
  const bool turn = l->biases > 0 && i >= l->omegadot && i < l->omegadot + l->base;
  const bool push = l->biases > 0 && i >= l->force && i < l->force + l->base;
  const size_t b = joint  ? l->bias + i - l->ddq
                   : turn ? l->bias_ang + i - l->omegadot
                          : l->bias_lin + i - l->force;
  return joint || turn || push ? own - 2.0 * P[i * l->stride + b] + P[b * (l->stride + 1)] : own;
}

/* F of the chains is read off the mean's prediction column by column; that of the base's motion is
 * base_process_transition, held against differences below. */
static void transition(const struct joint_layout *l, double dt, const double *x, double *F) {
  const struct joint_densities none = {.bias_time = 0.3};
  for (size_t i = 0; i < l->size; i++) {
    double e[NUMBERS] = {0};
    if (l->base > 0) {
      base_process_set_rotation(l, QUAT_IDENTITY, e);
    }
    e[i] = 1.0;
    joint_process_mean(l, dt, &none, e);
    for (size_t k = 0; k < l->size; k++) {
      F[k * l->stride + i] = e[k];
    }
  }
  if (l->base > 0) {
    double base[BASE_MOVING * NUMBERS];
    base_process_transition(l, dt, x, base);
    for (size_t k = 0; k < BASE_MOVING; k++) {
      memcpy(F + (l->attitude + k) * l->stride, base + k * l->size, l->size * sizeof(double));
    }
  }
}

static void sandwich(const struct joint_layout *l, const double *F, const double *P, double *out) {
  double *FP = layout_square(l);
  for (size_t i = 0; i < l->size; i++) {
    for (size_t k = 0; k < l->size; k++) {
      for (size_t m = 0; m < l->size; m++) {
        FP[i * l->stride + m] += F[i * l->stride + k] * P[k * l->stride + m];
      }
    }
  }
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < l->size; j++) {
      out[i * l->stride + j] = matrix_dot(FP + i * l->stride, F + j * l->stride, l->size);
    }
  }
  free(FP);
}

/* Q is what many small steps add up to, in what does not depend on where the base has gone. */
START_TEST(the_covariance_follows_the_mean_and_composes_over_time) {
  rng = random_from(test_seed());
  for (int kind = 0; kind < 4; kind++) {
    const struct joint_layout l = joint_layout_of(4, kind & 1, kind & 2, 2);
    double joint[4], bias[4], x[NUMBERS], variance[NUMBERS];
    const double zeros[4] = {0};
    const struct joint_densities none = {.joint = zeros, .bias = zeros, .bias_time = 0.3};
    const struct joint_densities densities = random_densities(&l, joint, bias);
    double *P = layout_covariance(&rng, &l), *F = layout_square(&l), *expected = layout_square(&l);
    double *once = layout_square(&l), *a = layout_square(&l), *b = layout_square(&l);
    const double dt = 0.07;
    draw_state(&l, x);
    transition(&l, dt, x, F);
    sandwich(&l, F, P, expected);
    joint_covariance_predict(&l, dt, &none, x, P, once);
    matrix_mirror(once, l.stride, l.size);
    assert_same(&l, once, expected, 1e-10);
    joint_covariance_predict(&l, dt, &densities, x, P, once);
    matrix_mirror(once, l.stride, l.size);
    joint_process_variance(&l, dt, &densities, P, variance);
    for (size_t i = 0; i < l.attitude; i++) {
      assert_near(variance[i], variance_without_bias(&l, once, i), 1e-10);
    }
    for (size_t i = l.attitude; i < l.size; i++) {
      ck_assert_double_eq(variance[i], P[i * (l.stride + 1)]);
    }
    joint_covariance_predict(&l, 0.3 * dt, &densities, x, P, a);
    matrix_mirror(a, l.stride, l.size);
    joint_process_mean(&l, 0.3 * dt, &densities, x);
    joint_covariance_predict(&l, 0.7 * dt, &densities, x, a, b);
    matrix_mirror(b, l.stride, l.size);
    for (size_t i = 0; i < l.size; i++) {
      for (size_t j = 0; j < l.size; j++) {
        const bool moving =
            (i >= l.attitude && i < l.gyro_bias) || (j >= l.attitude && j < l.gyro_bias);
        if (!moving) {
          assert_near(b[i * l.stride + j], once[i * l.stride + j], 1e-10);
        }
      }
    }
  }
}
END_TEST

/* What walks at random gains its density times the time, nothing else is driven. */
START_TEST(biases_soles_and_the_velocity_walk_at_random) {
  rng = random_from(test_seed());
  const struct joint_layout l = joint_layout_of(3, false, true, 2);
  const double zeros[3] = {0}, dt = 0.04;
  const struct joint_densities walks = {.joint = zeros,
                                        .bias = zeros,
                                        .bias_time = 1.0,
                                        .velocity = 0.5,
                                        .gyro_bias = 0.02,
                                        .accelerometer_bias = 0.03,
                                        .foot = 0.04,
                                        .sole = {0.05, 0.06},
                                        .sole_twist = {0.07, 0.09}};
  const struct {
    size_t from, count;
    double density;
  } part[] = {{l.velocity, 3, 0.5},  {l.gyro_bias, 3, 0.02}, {l.accelerometer_bias, 3, 0.03},
              {l.foot, 6, 0.04},     {l.sole, 2, 0.05},      {l.sole + 2, 1, 0.07},
              {l.sole + 3, 2, 0.06}, {l.sole + 5, 1, 0.09}};
  double *P = layout_square(&l), *next = layout_square(&l), *expected = layout_square(&l),
         x[NUMBERS];
  draw_state(&l, x);
  for (size_t k = 0; k < sizeof(part) / sizeof(part[0]); k++) {
    for (size_t i = part[k].from; i < part[k].from + part[k].count; i++) {
      expected[i * (l.stride + 1)] = part[k].density * dt;
    }
  }
  joint_covariance_predict(&l, dt, &walks, x, P, next);
  matrix_mirror(next, l.stride, l.size);
  assert_same(&l, next, expected, 1e-15);
}
END_TEST

/* A body that turns and is pushed evenly, against the closed form. */
START_TEST(the_base_goes_where_its_rate_and_its_force_take_it) {
  const struct joint_layout l = joint_layout_of(2, false, true, 2);
  const struct joint_densities densities = {.bias_time = 1e9};
  const double dt = 1e-3, time = 0.5, rate = 2.0, push = 3.0;
  double x[NUMBERS] = {0};
  base_process_set_rotation(&l, QUAT_IDENTITY, x);
  x[l.omega + 2] = rate; /* about the vertical */
  x[l.force] = push;     /* along its own x */
  x[l.force + 2] = STANDARD_GRAVITY;
  x[l.bias_lin + 1] = x[l.force + 1] = 0.7; /* skin is off by this, and its sum with it */
  x[l.bias_ang + 2] = x[l.omegadot + 2] = -0.4;
  for (double t = 0.0; t < time - 0.5 * dt; t += dt) {
    joint_process_mean(&l, dt, &densities, x);
  }
  const vec3 turn = quat_to_rotation_vector(base_process_rotation(&l, x));
  assert_near(turn.x, 0.0, 1e-9);
  assert_near(turn.z, rate * time, 1e-6);
  const double s = sin(rate * time), c = cos(rate * time);
  assert_near(x[l.velocity], push / rate * s, 1e-5);
  assert_near(x[l.velocity + 1], push / rate * (1.0 - c), 1e-5);
  assert_near(x[l.velocity + 2], 0.0, 1e-9);
  assert_near(x[l.position], push / rate / rate * (1.0 - c), 1e-5);
  assert_near(x[l.position + 1], push / rate * (time - s / rate), 1e-5);
}
END_TEST

/* N against differences of the mean; what it leaves out is of second order in dt and the turn. */
START_TEST(the_base_transition_is_the_derivative_of_its_motion) {
  rng = random_from(test_seed());
  const double dt = 1e-3, step = 1e-5;
  for (int biased = 0; biased < 2; biased++) {
    const struct joint_layout l = joint_layout_of(3, false, biased, 2);
    const struct joint_densities densities = {.bias_time = 1e9};
    double x[NUMBERS], F[BASE_MOVING * NUMBERS], low[NUMBERS], high[NUMBERS], d[NUMBERS];
    draw_state(&l, x);
    base_process_transition(&l, dt, x, F);
    for (size_t i = 0; i < l.size; i++) {
      memcpy(low, x, sizeof(low));
      memcpy(high, x, sizeof(high));
      low[i] -= step;
      high[i] += step;
      base_process_fold(&l, low);
      base_process_fold(&l, high);
      joint_process_mean(&l, dt, &densities, low);
      joint_process_mean(&l, dt, &densities, high);
      difference(&l, low, high, d);
      for (size_t k = 0; k < BASE_MOVING; k++) {
        assert_near(d[l.attitude + k] / (2.0 * step), F[k * l.size + i], 2e-5);
      }
    }
  }
}
END_TEST

START_TEST(a_bias_fades_without_moving_the_joint) {
  rng = random_from(test_seed());
  const struct joint_layout l = joint_layout_of(2, false, true, 2),
                            plain = joint_layout_of(2, false, false, 2);
  const struct joint_densities densities = {.bias_time = 0.5};
  double x[NUMBERS], y[NUMBERS] = {0};
  draw_state(&plain, x);
  memcpy(y, x, plain.attitude * sizeof(double)); /* the same, and biases between */
  memcpy(y + l.attitude, x + plain.attitude, (plain.numbers - plain.attitude) * sizeof(double));
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
  for (size_t i = 0; i < plain.attitude; i++) {
    assert_near(y[i], x[i], 1e-12);
  }
  for (size_t i = plain.attitude; i < plain.numbers; i++) {
    assert_near(y[l.attitude + i - plain.attitude], x[i], 1e-12);
  }
}
END_TEST

/* int_0^dt (s^i / i!) (s^j / j!) ds, numerically: what unit noise on the last derivative of a chain
 * makes common to the numbers i and j integrals above it. */
static double shared_noise(unsigned i, unsigned j, double dt) {
  double sum = 0.0;
  const int steps = 20000;
  for (int k = 0; k < steps; k++) {
    const double s = dt * (k + 0.5) / steps;
    sum += pow(s, i) / tgamma(i + 1) * pow(s, j) / tgamma(j + 1) * dt / steps;
  }
  return sum;
}

/* From a state known exactly: force and rate at the end of a step tell of velocity and attitude. */
START_TEST(the_noise_of_force_and_rate_is_also_that_of_velocity_position_and_attitude) {
  rng = random_from(test_seed());
  const struct joint_layout l = joint_layout_of(2, false, false, 1);
  const double zeros[2] = {0}, dt = 0.03, lin = 4.0, ang = 7.0;
  const struct joint_densities driven = {.joint = zeros, .lin = lin, .ang = ang};
  double *P = layout_square(&l), *next = layout_square(&l), x[NUMBERS];
  draw_state(&l, x);
  for (size_t i = l.omega; i < l.omega + 3; i++) {
    x[i] = x[i - l.omega + l.omegadot] = x[i - l.omega + l.omegaddot] = 0.0;
  }
  joint_covariance_predict(&l, dt, &driven, x, P, next);
  matrix_mirror(next, l.stride, l.size);
  const mat3 R = mat3_from_quat(base_process_rotation(&l, x));
  const size_t force[2] = {l.forcedot, l.force}, rate[3] = {l.omegaddot, l.omegadot, l.omega};
  for (size_t i = 0; i < 3; i++) {
    for (size_t w = 0; w < 3; w++) {
      for (unsigned k = 0; k < 2; k++) {
        const double *row = next + (force[k] + i) * l.stride;
        assert_near(row[l.velocity + w], lin * R.m[w][i] * shared_noise(k, 2, dt), 1e-12);
        assert_near(row[l.position + w], lin * R.m[w][i] * shared_noise(k, 3, dt), 1e-12);
      }
    }
    for (unsigned k = 0; k < 3; k++) {
      assert_near(next[(rate[k] + i) * l.stride + l.attitude + i], ang * shared_noise(k, 3, dt),
                  1e-12);
    }
    assert_near(next[(l.velocity + i) * l.stride + l.position + i], lin * shared_noise(2, 3, dt),
                1e-12);
    /* and what a reading at the end cannot know: a step in between */
    assert_near(next[(l.velocity + i) * (l.stride + 1)],
                lin * (shared_noise(2, 2, dt) + dt * dt / 12.0 * shared_noise(1, 1, dt)), 1e-12);
    assert_near(next[(l.attitude + i) * (l.stride + 1)],
                ang * (shared_noise(3, 3, dt) + dt * dt / 12.0 * shared_noise(2, 2, dt)), 1e-14);
  }
}
END_TEST

START_TEST(the_noise_of_a_chain_is_the_integral_of_its_impulse_responses) {
  const double dt = 0.4;
  for (unsigned i = 0; i < 4; i++) {
    for (unsigned j = 0; j < 4; j++) {
      assert_near(chain_noise(i, j, dt), shared_noise(i, j, dt), 1e-9);
    }
  }
}
END_TEST

SUITE(the_state_has_the_thesis_size_and_every_place_once, a_polynomial_motion_is_predicted_exactly,
      the_covariance_follows_the_mean_and_composes_over_time,
      biases_soles_and_the_velocity_walk_at_random,
      the_base_goes_where_its_rate_and_its_force_take_it,
      the_base_transition_is_the_derivative_of_its_motion, a_bias_fades_without_moving_the_joint,
      the_noise_of_force_and_rate_is_also_that_of_velocity_position_and_attitude,
      the_noise_of_a_chain_is_the_integral_of_its_impulse_responses)

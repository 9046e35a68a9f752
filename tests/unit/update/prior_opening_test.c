/* What opens a prior: a force that comes to be felt again, and one that may be a pulse. */
#include "numerics/matrix_cholesky.h"
#include "process/base_process.h"
#include "support/layout_covariance.h"
#include "support/suite.h"
#include "update/prior_opening.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 2 };

static struct instant instant_at(int64_t t_ns, int64_t felt_ns) {
  struct instant now = {.t_ns = t_ns, .felt_ns = felt_ns};
  now.kick_q = calloc(3 * JOINTS, sizeof(double));
  now.kick = now.kick_q + JOINTS;
  now.kick_ddq = now.kick + JOINTS;
  return now;
}

/* A covariance whose velocity goes with its force by up to `lasts` s and more. */
static double *prior_of(struct random *random, const struct joint_layout *l, double lasts) {
  double *P = layout_covariance(random, l);
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < l->size; k++) { /* velocity gains lasts times the force */
      P[(l->velocity + i) * l->stride + k] += lasts * P[(l->force + i) * l->stride + k];
    }
    for (size_t k = 0; k < l->size; k++) {
      P[k * l->stride + l->velocity + i] += lasts * P[k * l->stride + l->force + i];
    }
  }
  return P;
}

/* The most, s, that velocity goes with force, by P's upper triangle. */
static double lasting(const struct joint_layout *l, const double *P) {
  double most = 0.0;
  for (size_t i = l->force; i < l->force + 3; i++) {
    for (size_t k = l->velocity; k < l->velocity + 3; k++) {
      const double with = P[(i < k ? i : k) * l->stride + (i < k ? k : i)];
      most = fmax(most, fabs(with) / P[i * l->stride + i]);
    }
  }
  return most;
}

START_TEST(a_force_felt_again_tells_the_velocity_only_as_far_as_it_lasts) {
  struct random random = random_from(test_seed());
  const struct joint_layout l = joint_layout_of(JOINTS, false, true, 1);
  double *x = calloc(l.numbers, sizeof(double));
  base_process_set_rotation(&l, QUAT_IDENTITY, x);
  for (int k = 0; k < 20; k++) {
    double *P = prior_of(&random, &l, 0.3), *Q = layout_square(&l);
    memcpy(Q, P, l.size * l.stride * sizeof(*P));
    const int64_t ms = 1000000;
    const struct instant before = instant_at(200 * ms, 100 * ms),
                         after = instant_at(201 * ms, 201 * ms);
    ck_assert_double_gt(lasting(&l, P), 0.1);
    prior_open(&l, &before, &after, 1e-3, x, P);
    ck_assert_double_le(lasting(&l, P), 0.015);
    for (size_t i = 0; i < l.size; i++) { /* nothing is surer, nothing else is touched */
      ck_assert_double_eq(P[i * (l.stride + 1)], Q[i * (l.stride + 1)]);
    }
    ck_assert_double_eq(P[l.q * l.stride + l.q + 1], Q[l.q * l.stride + l.q + 1]);
    ck_assert(matrix_cholesky(P, l.stride, l.size, 0.0));
  }
}
END_TEST

START_TEST(one_that_was_felt_just_now_tells_all_that_it_does) {
  struct random random = random_from(test_seed());
  const struct joint_layout l = joint_layout_of(JOINTS, false, true, 1);
  double *x = calloc(l.numbers, sizeof(double)), *P = prior_of(&random, &l, 0.3),
         *Q = layout_square(&l);
  base_process_set_rotation(&l, QUAT_IDENTITY, x);
  memcpy(Q, P, l.size * l.stride * sizeof(*P));
  const int64_t ms = 1000000;
  const struct instant first = instant_at(200 * ms, 0), felt = instant_at(201 * ms, 201 * ms),
                       unfelt = instant_at(300 * ms, 201 * ms),
                       again = instant_at(215 * ms, 215 * ms);
  prior_open(&l, &first, &felt, 1e-3, x, P);  /* it never was before */
  prior_open(&l, &felt, &unfelt, 1e-3, x, P); /* nor is it now */
  prior_open(&l, &felt, &again, 1e-3, x, P);  /* not long ago */
  ck_assert_mem_eq(P, Q, l.size * l.stride * sizeof(*P));
}
END_TEST

/* What the velocity has gained in variance, over the square of what a force that opens so far,
 * along an axis of a base that is turned, would do to it in dt; along that force, and across it. */
static void gains(double opens, double dt, double *along, double *across) {
  const struct joint_layout l = joint_layout_of(JOINTS, false, true, 1);
  double *x = calloc(l.numbers, sizeof(double)), *P = layout_square(&l);
  const mat3 R = mat3_from_rpy((vec3){0.3, -0.5, 1.1});
  const vec3 axis_W = mat3_mul_vec3(&R, (vec3){0.0, 1.0, 0.0}),
             other_W = mat3_mul_vec3(&R, (vec3){1.0, 0.0, 0.0});
  struct instant now = instant_at(201000000, 0), before = instant_at(200000000, 0);
  double by[3], aside[3];
  base_process_set_rotation(&l, quat_from_mat3(&R), x);
  now.open_force = now.open_pulse = (vec3){0.0, opens * opens, 0.0};
  memset(P, 0, l.size * l.stride * sizeof(*P));
  prior_open(&l, &before, &now, dt, x, P);
  vec3_to(axis_W, by);
  vec3_to(other_W, aside);
  *along = *across = 0.0;
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) {
      const size_t a = l.velocity + (i < k ? i : k), b = l.velocity + (i < k ? k : i);
      const double variance = P[a * l.stride + b] / (opens * opens * dt * dt);
      *along += by[i] * variance * by[k];
      *across += aside[i] * variance * aside[k];
    }
  }
}

/* A step at any time in between has done a third of its square, of which its size tells a quarter;
 * a pulse that lasts two milliseconds up to all of that, which its size does not tell. */
START_TEST(a_force_that_may_be_a_pulse_has_moved_the_base_by_up_to_what_it_does_in_its_time) {
  static const struct {
    double opens, dt, gained;
  } cases[] = {{4.0, 1e-3, 1.0 / 3.0},
               {20.0, 1e-3, 1.25},
               {20.0, 2e-3, 1.25},
               {20.0, 4e-3, 0.5},
               {20.0, 1e-2, 1.0 / 3.0}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    double along, across;
    gains(cases[i].opens, cases[i].dt, &along, &across);
    assert_near(along, cases[i].gained, 1e-9);
    assert_near(across, 0.0, 1e-9);
  }
}
END_TEST

SUITE(a_force_felt_again_tells_the_velocity_only_as_far_as_it_lasts,
      one_that_was_felt_just_now_tells_all_that_it_does,
      a_force_that_may_be_a_pulse_has_moved_the_base_by_up_to_what_it_does_in_its_time)

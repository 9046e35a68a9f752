#include "inertia/inertia_metric.h"
#include "inertia/pseudo_inertia.h"
#include "reference/inertia_distances.h"
#include "support/random_body.h"
#include "support/suite.h"

enum { TRIALS = 100 };

static double distance(const struct inertia *a, const struct inertia *b) {
  double d = -1.0;
  ck_assert_int_eq(inertia_distance(a, b, &d), STATUS_OK);
  return d;
}

static double pullback(const struct inertia *at, const struct inertia *a, const struct inertia *b) {
  double d = -1.0;
  ck_assert_int_eq(inertia_pullback_squared(at, a, b, &d), STATUS_OK);
  return d;
}

static double divergence(const struct inertia *a, const struct inertia *b) {
  double d = -1.0;
  ck_assert_int_eq(inertia_divergence(a, b, &d), STATUS_OK);
  return d;
}

static struct inertia scaled(const struct inertia *a, double s) {
  const struct inertia none = {0};
  return inertia_axpy(&none, s, a);
}

/* @eq Leboutet22 160 163 167 */
START_TEST(distances_do_not_depend_on_the_frame) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct inertia a = random_body(&random), b = random_body(&random),
                         c = random_body(&random);
    const struct pose X = random_pose(&random);
    const struct inertia Xa = inertia_transform(&X, &a), Xb = inertia_transform(&X, &b),
                         Xc = inertia_transform(&X, &c);
    assert_near(distance(&Xa, &Xb), distance(&a, &b), 1e-8);
    assert_near(pullback(&Xc, &Xa, &Xb) / pullback(&c, &a, &b), 1.0, 1e-8);
    assert_near(divergence(&Xa, &Xb) / divergence(&a, &b), 1.0, 1e-8);
  }
}
END_TEST

START_TEST(the_distance_is_symmetric_zero_only_at_home_and_obeys_the_triangle_inequality) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct inertia a = random_body(&random), b = random_body(&random),
                         c = random_body(&random);
    assert_near(distance(&a, &b), distance(&b, &a), 1e-8);
    assert_near(distance(&a, &a), 0.0, 1e-8);
    ck_assert(distance(&a, &b) > 1e-3);
    ck_assert(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c) + 1e-8);
  }
}
END_TEST

/* @eq Leboutet22 163: four equal eigenvalues */
START_TEST(half_the_mass_is_as_far_as_twice_the_mass) {
  struct random random = random_from(test_seed());
  const struct inertia a = random_body(&random), half = scaled(&a, 0.5), twice = scaled(&a, 2.0);
  assert_near(distance(&a, &half), 2.0 * log(2.0), 1e-8);
  assert_near(distance(&a, &twice), 2.0 * log(2.0), 1e-8);
}
END_TEST

/* All three measure the same when the bodies are close. @eq Leboutet22 167 */
START_TEST(close_bodies_are_as_far_by_every_measure) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct inertia a = random_body(&random), b = random_body(&random);
    struct inertia near = a;
    const double step = 1e-3 / distance(&a, &b);
    ck_assert_int_eq(inertia_geodesic(&a, &b, step, &near), STATUS_OK);
    const double squared = distance(&a, &near) * distance(&a, &near);
    assert_near(squared, 1e-6, 1e-9);
    assert_near(2.0 * pullback(&a, &a, &near) / squared, 1.0, 5e-3);
    assert_near(2.0 * divergence(&a, &near) / squared, 1.0, 5e-3);
  }
}
END_TEST

START_TEST(the_pullback_matrix_is_its_quadratic_form) {
  struct random random = random_from(test_seed());
  const struct inertia at = random_body(&random), a = random_body(&random),
                       b = random_body(&random), d = inertia_axpy(&a, -1.0, &b);
  double W[INERTIA_PARAMETERS][INERTIA_PARAMETERS], x[INERTIA_PARAMETERS], sum = 0.0;
  ck_assert_int_eq(inertia_pullback_matrix(&at, W), STATUS_OK);
  inertia_to(&d, x);
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    for (int j = 0; j < INERTIA_PARAMETERS; j++) {
      sum += x[i] * W[i][j] * x[j];
      ck_assert(W[i][j] == W[j][i]);
    }
  }
  assert_near(sum / pullback(&at, &a, &b), 1.0, 1e-10);
}
END_TEST

/* @eq Leboutet22 161 162 164 184 */
START_TEST(a_geodesic_runs_from_end_to_end_at_constant_speed_and_stays_physical) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct inertia a = random_body(&random), b = random_body(&random);
    const double whole = distance(&a, &b);
    for (double t = 0.0; t <= 1.0; t += 0.125) {
      struct inertia at;
      ck_assert_int_eq(inertia_geodesic(&a, &b, t, &at), STATUS_OK);
      ck_assert_int_eq(inertia_consistency(&at, 0.0, NULL), STATUS_OK);
      assert_near(distance(&a, &at), t * whole, 1e-7);
      assert_near(distance(&at, &b), (1.0 - t) * whole, 1e-7);
    }
  }
}
END_TEST

START_TEST(the_volume_of_the_pseudo_inertia_grows_evenly_along_a_geodesic) {
  struct random random = random_from(test_seed());
  const struct inertia a = random_body(&random), b = random_body(&random);
  struct inertia middle;
  ck_assert_int_eq(inertia_geodesic(&a, &b, 0.5, &middle), STATUS_OK);
  double log_det[3];
  const struct inertia *const body[3] = {&a, &middle, &b};
  for (int k = 0; k < 3; k++) {
    const mat4 J = pseudo_inertia(body[k]);
    mat4 L;
    ck_assert_int_eq(sym4_cholesky(&J, &L), STATUS_OK);
    log_det[k] = 2.0 * log(L.m[0][0] * L.m[1][1] * L.m[2][2] * L.m[3][3]);
  }
  assert_near(log_det[1], 0.5 * (log_det[0] + log_det[2]), 1e-9);
}
END_TEST

/* @eq Leboutet22 185 */
START_TEST(the_geodesic_low_pass_closes_the_same_share_of_the_distance_each_step) {
  struct random random = random_from(test_seed());
  const struct inertia target = random_body(&random);
  struct inertia state = random_body(&random);
  double before = distance(&state, &target);
  for (int k = 0; k < 10; k++) {
    ck_assert_int_eq(inertia_geodesic_low_pass(&state, &target, 0.8, &state), STATUS_OK);
    const double after = distance(&state, &target);
    assert_near(after, 0.8 * before, 1e-7);
    before = after;
  }
  ck_assert_int_eq(inertia_geodesic_low_pass(&state, &target, 1.5, &state), STATUS_BAD_ARGUMENT);
}
END_TEST

START_TEST(bodies_that_cannot_be_are_refused_and_outputs_are_untouched) {
  struct random random = random_from(test_seed());
  const struct inertia good = random_body(&random);
  struct inertia bad = good, out = {.m = 7.0};
  bad.m = -1.0;
  double d = 7.0;
  ck_assert_int_eq(inertia_distance(&good, &bad, &d), STATUS_NOT_CONSISTENT);
  ck_assert_int_eq(inertia_distance(&bad, &good, &d), STATUS_NOT_CONSISTENT);
  ck_assert_int_eq(inertia_divergence(&bad, &good, &d), STATUS_NOT_CONSISTENT);
  ck_assert_int_eq(inertia_geodesic(&good, &bad, 0.5, &out), STATUS_NOT_CONSISTENT);
  bad.m = (double)NAN;
  ck_assert_int_eq(inertia_distance(&good, &bad, &d), STATUS_NOT_FINITE);
  ck_assert_int_eq(inertia_pullback_squared(&good, &bad, &good, &d), STATUS_NOT_FINITE);
  ck_assert(d == 7.0 && out.m == 7.0);
}
END_TEST

SUITE(distances_do_not_depend_on_the_frame,
      the_distance_is_symmetric_zero_only_at_home_and_obeys_the_triangle_inequality,
      half_the_mass_is_as_far_as_twice_the_mass, close_bodies_are_as_far_by_every_measure,
      the_pullback_matrix_is_its_quadratic_form,
      a_geodesic_runs_from_end_to_end_at_constant_speed_and_stays_physical,
      the_volume_of_the_pseudo_inertia_grows_evenly_along_a_geodesic,
      the_geodesic_low_pass_closes_the_same_share_of_the_distance_each_step,
      bodies_that_cannot_be_are_refused_and_outputs_are_untouched)

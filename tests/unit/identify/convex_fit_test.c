#include "identify/convex/convex_fit.h"

#include "inertia/inertia_metric.h"
#include "inertia/pseudo_inertia.h"
#include "reference/inertia_distances.h"
#include "support/random_body.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 /* unknowns in these tests */ };

static struct convex_fit fit;
static struct convex_solution solution;

static struct inertia plausible_body(struct random *random) {
  const vec3 com = {random_uniform(random, -0.1, 0.1), random_uniform(random, -0.1, 0.1),
                    random_uniform(random, -0.1, 0.1)};
  const mat3 about_com = {{{0.02, 0.0, 0.0}, {0.0, 0.015, 0.0}, {0.0, 0.0, 0.012}}};
  return inertia_of_body(random_uniform(random, 0.5, 5.0), com, &about_com);
}

/* `rows` random rows of what the bodies [bodies] and two more unknowns, 0.3 and -0.7, would give,
 * with noise. */
static void measure(struct random *random, const struct inertia *body, size_t bodies, int rows,
                    double noise) {
  convex_free(&fit);
  require(convex_begin(&fit, bodies, 2) == STATUS_OK);
  for (int r = 0; r < rows; r++) {
    double Y[MOST], z = noise * random_normal(random);
    for (size_t i = 0; i < fit.n; i++) {
      double pi[CONVEX_TEN];
      if (i < CONVEX_TEN * bodies) {
        inertia_to(&body[i / CONVEX_TEN], pi);
      }
      Y[i] = random_normal(random);
      z += Y[i] * (i < CONVEX_TEN * bodies    ? pi[i % CONVEX_TEN]
                   : i == CONVEX_TEN * bodies ? 0.3
                                              : -0.7);
    }
    convex_row(&fit, Y, z, noise * noise);
  }
}

START_TEST(what_least_squares_finds_among_bodies_is_found) {
  struct random random = random_from(test_seed());
  struct inertia body[3];
  double x[MOST];
  for (int i = 0; i < 3; i++) {
    body[i] = plausible_body(&random);
  }
  measure(&random, body, 3, 2000, 1e-4);
  ck_assert_int_eq(convex_unconstrained(&fit, x), STATUS_OK);
  const struct inertia start[3] = {plausible_body(&random), plausible_body(&random),
                                   plausible_body(&random)};
  ck_assert_int_eq(convex_solve(&fit, start, NULL, &solution), STATUS_OK);
  for (size_t i = 0; i < fit.n; i++) {
    assert_near(solution.x[i], x[i], 1e-6); /* the gap is a share of a standard deviation */
  }
  assert_near(solution.x[fit.n - 2], 0.3, 1e-4);
  assert_near(solution.x[fit.n - 1], -0.7, 1e-4);
}
END_TEST

/* Few and noisy rows, until least squares has no body. */
static void measure_badly(struct random *random, struct inertia *body) {
  double x[MOST];
  struct inertia found;
  do {
    *body = plausible_body(random);
    measure(random, body, 1, 30, 0.1);
    ck_assert_int_eq(convex_unconstrained(&fit, x), STATUS_OK);
    found = convex_body(x, 0);
  } while (inertia_consistency(&found, 0.0, NULL) == STATUS_OK);
}

/* The multiplier Z with tr(Z E_k) = slope_k: E_k, the pseudo-inertias of unit vectors, span the
 * symmetric matrices, so there is one. Entries from the four or five E_k that have them. */
static mat4 multiplier(const double *slope) {
  /* J has m at [3][3], h at [i][3], -Ixy at [0][1], and Sigma_ii = (Ijj + Ikk - Iii)/2 */
  mat4 Z = MAT4_ZERO;
  Z.m[3][3] = slope[0];
  for (int i = 0; i < 3; i++) {
    Z.m[i][3] = Z.m[3][i] = 0.5 * slope[1 + i];
  }
  Z.m[0][1] = Z.m[1][0] = -0.5 * slope[5];
  Z.m[0][2] = Z.m[2][0] = -0.5 * slope[6];
  Z.m[1][2] = Z.m[2][1] = -0.5 * slope[8];
  Z.m[0][0] = slope[7] + slope[9];
  Z.m[1][1] = slope[4] + slope[9];
  Z.m[2][2] = slope[4] + slope[7];
  return Z;
}

/* Karush, Kuhn and Tucker: what pulls the optimum beyond the cone is a positive multiplier that has
 * nothing to say inside it. @eq Wensing17 7 25 */
START_TEST(where_least_squares_is_no_body_the_optimality_conditions_hold) {
  struct random random = random_from(test_seed());
  for (int times = 0; times < 20; times++) {
    struct inertia truth;
    measure_badly(&random, &truth);
    ck_assert_int_eq(convex_solve(&fit, &truth, NULL, &solution), STATUS_OK);
    double slope[MOST], lambda[4];
    convex_slope(&fit, solution.x, slope);
    const struct inertia found = convex_body(solution.x, 0);
    ck_assert_int_eq(inertia_consistency(&found, 0.0, NULL), STATUS_OK);
    const mat4 Z = multiplier(slope), J = pseudo_inertia(&found);
    ck_assert_int_eq(sym4_eigen(&Z, lambda, NULL), STATUS_OK);
    ck_assert_double_ge(lambda[0], -1e-9 * lambda[3]);
    ck_assert_double_gt(lambda[3], 0.0);
    ck_assert_double_le(mat4_dot(&Z, &J), solution.gap * 1.001);
    assert_near(slope[CONVEX_TEN], 0.0, 1e-6 * lambda[3]);
    assert_near(slope[CONVEX_TEN + 1], 0.0, 1e-6 * lambda[3]);
  }
}
END_TEST

START_TEST(no_body_tried_at_random_fits_better_than_the_gap_says) {
  struct random random = random_from(test_seed());
  struct inertia truth;
  measure_badly(&random, &truth);
  ck_assert_int_eq(convex_solve(&fit, &truth, NULL, &solution), STATUS_OK);
  double best = HUGE_VAL;
  for (int k = 0; k < 100000; k++) {
    double x[MOST];
    memcpy(x, solution.x, fit.n * sizeof(*x));
    const double size = pow(10.0, random_uniform(&random, -6.0, 0.0));
    for (size_t i = 0; i < fit.n; i++) {
      x[i] += size * random_normal(&random) * (i == 0 ? 1.0 : 0.1);
    }
    const struct inertia tried = convex_body(x, 0);
    if (inertia_consistency(&tried, 0.0, NULL) == STATUS_OK) {
      best = fmin(best, convex_cost(&fit, x));
    }
  }
  ck_assert_double_ge(best, solution.cost - solution.gap);
  ck_assert_double_lt(best, solution.cost + 10.0); /* some came close */
}
END_TEST

/* A barrier alone takes forty and more. */
START_TEST(multipliers_lead_to_the_end_in_a_few_steps) {
  struct random random = random_from(test_seed());
  for (int times = 0; times < 20; times++) {
    struct inertia truth;
    measure_badly(&random, &truth);
    fit.gap = 1e-6;
    ck_assert_int_eq(convex_solve(&fit, &truth, NULL, &solution), STATUS_OK);
    ck_assert_int_le(solution.steps, 25);
    ck_assert_double_le(solution.gap, 1e-6);
  }
}
END_TEST

START_TEST(without_rows_the_pull_decides) {
  struct random random = random_from(test_seed());
  const struct inertia likely = plausible_body(&random), start = plausible_body(&random);
  require(convex_begin(&fit, 1, 0) == STATUS_OK);
  ck_assert_int_eq(convex_pull(&fit, 0, &likely, 0.1), STATUS_OK);
  ck_assert_int_eq(convex_solve(&fit, &start, NULL, &solution), STATUS_OK);
  const struct inertia found = convex_body(solution.x, 0);
  double squared;
  ck_assert_int_eq(inertia_pullback_squared(&likely, &likely, &found, &squared), STATUS_OK);
  ck_assert_double_le(squared, 0.01 * solution.gap); /* f = squared / 0.1^2 */
}
END_TEST

START_TEST(an_unknown_that_no_row_tells_and_a_start_that_is_no_body_are_refused) {
  struct random random = random_from(test_seed());
  const struct inertia body = plausible_body(&random);
  struct inertia thin = body;
  thin.m = -1.0;
  require(convex_begin(&fit, 1, 2) == STATUS_OK); /* the barrier holds ten of the twelve */
  solution.cost = 123.0;
  ck_assert_int_eq(convex_solve(&fit, &body, NULL, &solution), STATUS_SINGULAR);
  ck_assert_int_eq(convex_solve(&fit, &thin, NULL, &solution), STATUS_NOT_CONSISTENT);
  ck_assert_double_eq(solution.cost, 123.0);
}
END_TEST

START_TEST(rows_at_once_are_the_rows_one_by_one) {
  enum { N = 12, AT_ONCE = 50 };
  struct random random = random_from(test_seed());
  struct convex_fit one, all;
  double Y[AT_ONCE][N], z[AT_ONCE];
  ck_assert_int_eq(convex_begin(&one, 1, 2), STATUS_OK);
  ck_assert_int_eq(convex_begin(&all, 1, 2), STATUS_OK);
  for (int half = 0; half < 2; half++) { /* the second half beside what is there */
    for (int r = 0; r < AT_ONCE; r++) {
      z[r] = random_normal(&random);
      for (int i = 0; i < N; i++) {
        Y[r][i] = random_normal(&random);
      }
      convex_row(&one, Y[r], z[r], 0.3);
    }
    convex_rows(&all, Y[0], z, AT_ONCE, 0.3);
  }
  for (int i = 0; i < N * N; i++) {
    assert_near(all.A[i], one.A[i], 1e-10);
    assert_near(all.b[i % N], one.b[i % N], 1e-10);
  }
  convex_free(&one);
  convex_free(&all);
}
END_TEST

SUITE(rows_at_once_are_the_rows_one_by_one, what_least_squares_finds_among_bodies_is_found,
      where_least_squares_is_no_body_the_optimality_conditions_hold,
      no_body_tried_at_random_fits_better_than_the_gap_says,
      multipliers_lead_to_the_end_in_a_few_steps, without_rows_the_pull_decides,
      an_unknown_that_no_row_tells_and_a_start_that_is_no_body_are_refused)

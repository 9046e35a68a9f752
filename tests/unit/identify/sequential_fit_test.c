#include "identify/sequential/sequential_fit.h"

#include "inertia/inertia.h"
#include "support/random_body.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { TEN = CONVEX_TEN, BODIES = 3, N = TEN * BODIES + 2 };

static struct convex_fit fit;
static struct convex_solution best;
static struct inertia prior[BODIES];
static double friction = 0.3; /* what rows say of the first */

static struct inertia plausible_body(struct random *random) {
  const vec3 com = {random_uniform(random, -0.1, 0.1), random_uniform(random, -0.1, 0.1),
                    random_uniform(random, -0.1, 0.1)};
  const mat3 about_com = {{{0.02, 0.0, 0.0}, {0.0, 0.015, 0.0}, {0.0, 0.0, 0.012}}};
  return inertia_of_body(random_uniform(random, 0.5, 5.0), com, &about_com);
}

/* Few, noisy rows of three bodies and two frictions that are not negative: least squares is no
 * body, and the optimum lies at the border. Every body keeps a share of its prior. */
static void measure(struct random *random) {
  convex_free(&fit);
  require(convex_begin(&fit, BODIES, 2) == STATUS_OK);
  double truth[N] = {[N - 2] = friction, [N - 1] = 0.01};
  for (size_t i = 0; i < BODIES; i++) {
    const struct inertia body = plausible_body(random);
    prior[i] = plausible_body(random);
    inertia_to(&body, truth + TEN * i);
    double pi[TEN];
    inertia_to(&prior[i], pi);
    struct convex_cone own = fit.cone[i];
    own.first = 0;
    cone_at(&own, pi, fit.cone[i].constant);
    for (int k = 0; k < 16; k++) {
      fit.cone[i].constant[k] *= -1e-5;
    }
    require(convex_pull(&fit, i, &prior[i], 100.0) == STATUS_OK);
  }
  for (size_t i = N - 2; i < N; i++) {
    const double one = 1.0;
    const struct convex_cone bound = cone_of_bound(i, &one, 1, 0.0);
    require(convex_add_cone(&fit, &bound) == STATUS_OK);
    convex_pull_one(&fit, i, 0.1, 10.0);
  }
  for (int r = 0; r < 60; r++) {
    double Y[N], z = 0.3 * random_normal(random);
    for (size_t i = 0; i < N; i++) {
      Y[i] = random_normal(random);
      z += Y[i] * truth[i];
    }
    convex_row(&fit, Y, z, 0.09);
  }
  const double others[2] = {0.1, 0.1};
  fit.gap = 1e-6;
  ck_assert_int_eq(convex_solve(&fit, prior, others, &best), STATUS_OK);
}

static void start(double *x) {
  for (size_t i = 0; i < BODIES; i++) {
    inertia_to(&prior[i], x + TEN * i);
  }
  x[N - 2] = x[N - 1] = 0.1;
}

/* By how much x is above the optimum, as a share of what the way down to it is worth. */
static double above(const double *x) {
  double from[N];
  start(from);
  return (convex_cost(&fit, x) - best.cost) / (convex_cost(&fit, from) - best.cost);
}

static void assert_keeps_all(const double *x) {
  for (size_t c = 0; c < fit.n_cones; c++) {
    double F[CONE_ENTRIES], L[CONE_ENTRIES];
    cone_at(&fit.cone[c], x, F);
    for (int i = 0; i < fit.cone[c].size; i++) {
      F[i * fit.cone[c].size + i] += 1e-12;
    }
    ck_assert(cone_factor(F, fit.cone[c].size, L));
  }
}

/* @eq Leboutet22 173 176 178 */
START_TEST(linearised_properly_it_reaches_the_convex_optimum_and_stays_there) {
  struct random random = random_from(test_seed());
  for (int times = 0; times < 10; times++) {
    for (int chart = 0; chart < 2; chart++) {
      const struct sequential_settings settings =
          sequential_defaults((enum chart_form)chart, false);
      double x[N];
      int iterations;
      measure(&random);
      start(x);
      ck_assert_int_eq(sequential_solve(&fit, &settings, x, &iterations), STATUS_OK);
      ck_assert_int_le(iterations, 100);
      ck_assert_double_le(above(x), 1e-3);
      ck_assert_double_ge(above(x), -1e-6);
      assert_keeps_all(x);
      const double first = convex_cost(&fit, x);
      ck_assert_int_eq(sequential_solve(&fit, &settings, x, &iterations), STATUS_OK);
      ck_assert_double_le(above(x), 1e-4);
      ck_assert_double_le(convex_cost(&fit, x), first + 1e-6 * fabs(first));
    }
  }
}
END_TEST

/* A Panda's rotors are nothing: what rounding left of their slack once held all bodies back. */
START_TEST(a_bound_that_is_nearly_reached_holds_nothing_else_back) {
  struct random random = random_from(test_seed());
  const struct sequential_settings settings = sequential_defaults(CHART_SQRT, false);
  int there = 0;
  friction = -0.5; /* which none can be */
  for (int times = 0; times < 10; times++) {
    double x[N];
    int iterations;
    measure(&random);
    start(x);
    ck_assert_int_eq(sequential_solve(&fit, &settings, x, &iterations), STATUS_OK);
    there += above(x) <= 1e-6;
    assert_keeps_all(x);
  }
  friction = 0.3;
  ck_assert_int_ge(there, 8); /* of ten, within a hundred programs each; five when it did */
}
END_TEST

START_TEST(as_printed_it_stops_above_what_the_proper_one_reaches) {
  struct random random = random_from(test_seed());
  int worse = 0;
  for (int times = 0; times < 10; times++) {
    const struct sequential_settings printed = sequential_defaults(CHART_SQRT, true),
                                     proper = sequential_defaults(CHART_SQRT, false);
    double x[N], y[N];
    int iterations;
    measure(&random);
    start(x);
    start(y);
    ck_assert_int_eq(sequential_solve(&fit, &printed, x, &iterations), STATUS_OK);
    ck_assert_int_eq(sequential_solve(&fit, &proper, y, &iterations), STATUS_OK);
    assert_keeps_all(x);
    ck_assert_double_lt(above(x), 1.0); /* it does lead downwards */
    worse += above(x) > above(y) + 1e-3;
  }
  ck_assert_int_ge(worse, 8);
}
END_TEST

/* d pi / d z, and what the cost curves by, against differences. */
START_TEST(a_chart_has_the_slope_and_the_curvature_of_its_bodies) {
  struct random random = random_from(test_seed());
  measure(&random);
  for (int chart = 0; chart < 2; chart++) {
    struct body_chart own = body_chart_printed((enum chart_form)chart);
    double pi[TEN], z[TEN], G[TEN][TEN], there[TEN], back[TEN];
    inertia_to(&prior[0], pi);
    body_chart_pivot(&own, &fit.cone[0], pi);
    ck_assert_int_eq(body_chart_from(&own, &fit.cone[0], pi, z), STATUS_OK);
    body_chart_at(&own, &fit.cone[0], z, there);
    body_chart_jacobian(&own, z, G);
    for (int k = 0; k < TEN; k++) {
      assert_near(there[k], pi[k], 1e-12);
      double plus[TEN], minus[TEN];
      memcpy(back, z, sizeof(back));
      back[k] += 1e-6;
      body_chart_at(&own, &fit.cone[0], back, plus);
      back[k] -= 2e-6;
      body_chart_at(&own, &fit.cone[0], back, minus);
      for (int i = 0; i < TEN; i++) {
        assert_near(G[i][k], (plus[i] - minus[i]) / 2e-6, 1e-7 * (1.0 + fabs(G[i][k])));
      }
    }
  }
  /* of a slope that is a positive multiplier (mass and trace of inertia) all of it is there */
  const double r[TEN] = {[0] = 2.0, [4] = 1.0, [7] = 1.0, [9] = 1.0};
  double K[TEN][TEN] = {{0.0}}, z[TEN], pi[TEN], dz[TEN], after[TEN], second = 0.0, expected = 0.0;
  inertia_to(&prior[0], pi);
  struct body_chart root = body_chart_printed(CHART_SQRT);
  body_chart_pivot(&root, &fit.cone[0], pi);
  ck_assert_int_eq(body_chart_from(&root, &fit.cone[0], pi, z), STATUS_OK);
  body_chart_curvature(&root, r, K);
  for (int side = -1; side <= 1; side += 2) {
    struct random same = random_from(test_seed() + 1);
    for (int k = 0; k < TEN; k++) {
      dz[k] = random_normal(&same);
      after[k] = z[k] + side * dz[k];
    }
    double there[TEN];
    body_chart_at(&root, &fit.cone[0], after, there);
    for (int k = 0; k < TEN; k++) {
      second += r[k] * (there[k] - pi[k]);
    }
  }
  for (int k = 0; k < TEN; k++) {
    for (int l = 0; l < TEN; l++) {
      expected += dz[k] * K[k][l] * dz[l];
    }
  }
  assert_near(second, expected, 1e-9 * fabs(expected));
}
END_TEST

START_TEST(what_it_cannot_have_is_refused_and_x_stays) {
  struct random random = random_from(test_seed());
  const struct sequential_settings settings = sequential_defaults(CHART_SQRT, false);
  double x[N], before[N];
  int iterations;
  measure(&random);
  start(x);
  memcpy(before, x, sizeof(x));
  fit.divergence[1] = 1.0;
  ck_assert_int_eq(sequential_solve(&fit, &settings, x, &iterations), STATUS_BAD_ARGUMENT);
  fit.divergence[1] = 0.0;
  x[0] = before[0] = -1.0; /* no mass */
  ck_assert_int_eq(sequential_solve(&fit, &settings, x, &iterations), STATUS_NOT_CONSISTENT);
  ck_assert_mem_eq(x, before, sizeof(x));
}
END_TEST

SUITE(linearised_properly_it_reaches_the_convex_optimum_and_stays_there,
      a_bound_that_is_nearly_reached_holds_nothing_else_back,
      as_printed_it_stops_above_what_the_proper_one_reaches,
      a_chart_has_the_slope_and_the_curvature_of_its_bodies,
      what_it_cannot_have_is_refused_and_x_stays)

#include "identify/convex/convex_fit.h"

#include "inertia/inertia_metric.h"
#include "inertia/pseudo_inertia.h"
#include "reference/inertia_distances.h"
#include "support/random_body.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

static bool inside(const struct convex_cone *cone, const double *x) {
  double F[CONE_ENTRIES], L[CONE_ENTRIES];
  cone_at(cone, x, F);
  return cone_factor(F, cone->size, L);
}

/* A body, shaken until about half of them cannot be. */
static struct inertia perhaps_a_body(struct random *random, double pi[CONVEX_TEN]) {
  const struct inertia body = random_body(random);
  inertia_to(&body, pi);
  for (int k = 4; k < CONVEX_TEN; k++) {
    pi[k] += 3e-3 * pi[0] * random_normal(random);
  }
  return inertia_from(pi);
}

/* @eq Wensing17 7 */
START_TEST(the_cone_of_a_body_holds_just_the_bodies_that_can_be) {
  struct random random = random_from(test_seed());
  const struct convex_cone cone = cone_of_body(0);
  int can = 0;
  for (int i = 0; i < 1000; i++) {
    double pi[CONVEX_TEN];
    const struct inertia body = perhaps_a_body(&random, pi);
    const bool consistent = inertia_consistency(&body, 0.0, NULL) == STATUS_OK;
    ck_assert_int_eq(inside(&cone, pi), consistent);
    can += consistent;
  }
  ck_assert_int_gt(can, 100);
  ck_assert_int_lt(can, 900);
}
END_TEST

/* @eq Wensing17 3 */
START_TEST(the_cone_of_the_spatial_inertia_holds_more) {
  struct random random = random_from(test_seed());
  const struct convex_cone body = cone_of_body(0), spatial = cone_of_spatial_inertia(0);
  int more = 0;
  for (int i = 0; i < 1000; i++) {
    double pi[CONVEX_TEN];
    perhaps_a_body(&random, pi);
    ck_assert(inside(&spatial, pi) || !inside(&body, pi));
    more += inside(&spatial, pi) && !inside(&body, pi);
  }
  ck_assert_int_gt(more, 10);
}
END_TEST

/* @eq Wensing17 22 23 */
START_TEST(the_cones_of_an_ellipsoid_agree_with_the_ellipsoid) {
  struct random random = random_from(test_seed());
  int inside_com = 0, inside_all = 0;
  for (int i = 0; i < 500; i++) {
    const struct pose at = random_pose(&random);
    const vec3 axes = {random_uniform(&random, 0.05, 1.0), random_uniform(&random, 0.05, 1.0),
                       random_uniform(&random, 0.05, 1.0)};
    const struct ellipsoid ellipsoid = ellipsoid_from_axes(&at, axes);
    const struct inertia body = random_body(&random);
    const struct convex_cone com = cone_of_com(0, &ellipsoid);
    struct convex_cone all;
    double pi[CONVEX_TEN], room;
    bool holds;
    inertia_to(&body, pi);
    ck_assert_int_eq(cone_of_ellipsoid(0, &ellipsoid, &all), STATUS_OK);
    ck_assert_int_eq(ellipsoid_room(&ellipsoid, &body, &room), STATUS_OK);
    ck_assert_int_eq(ellipsoid_holds_com(&ellipsoid, &body, &holds), STATUS_OK);
    ck_assert_int_eq(inside(&com, pi), holds);
    ck_assert_int_eq(inside(&all, pi), room > 0.0);
    inside_com += holds;
    inside_all += room > 0.0;
  }
  ck_assert_int_gt(inside_all, 5);
  ck_assert_int_gt(inside_com, inside_all);
}
END_TEST

/* Rows pull the mass out of the ellipsoid; the fit stays inside, at its border. */
START_TEST(a_fit_stays_inside_its_ellipsoid) {
  struct random random = random_from(test_seed());
  const struct pose at = {MAT3_IDENTITY, {0.0, 0.0, 0.1}};
  const struct ellipsoid ellipsoid = ellipsoid_from_axes(&at, (vec3){0.1, 0.1, 0.2});
  const mat3 sphere = {{{1e-3, 0.0, 0.0}, {0.0, 1e-3, 0.0}, {0.0, 0.0, 1e-3}}};
  const struct inertia start = inertia_of_body(1.0, (vec3){0.0, 0.0, 0.1}, &sphere);
  const struct inertia beyond = inertia_of_body(1.0, (vec3){0.3, 0.0, 0.1}, &sphere);
  struct convex_fit fit;
  struct convex_cone cone;
  struct convex_solution solution;
  double pi[CONVEX_TEN], room;
  ck_assert_int_eq(convex_begin(&fit, 1, 0), STATUS_OK);
  ck_assert_int_eq(cone_of_ellipsoid(0, &ellipsoid, &cone), STATUS_OK);
  ck_assert_int_eq(convex_add_cone(&fit, &cone), STATUS_OK);
  inertia_to(&beyond, pi);
  for (int k = 0; k < 200; k++) {
    double Y[CONVEX_TEN], z = 0.0;
    for (int i = 0; i < CONVEX_TEN; i++) {
      Y[i] = random_normal(&random);
      z += Y[i] * pi[i];
    }
    convex_row(&fit, Y, z, 1e-6);
  }
  ck_assert_int_eq(convex_solve(&fit, &start, NULL, &solution), STATUS_OK);
  const struct inertia found = convex_body(solution.x, 0);
  ck_assert_int_eq(ellipsoid_room(&ellipsoid, &found, &room), STATUS_OK);
  ck_assert_double_gt(room, 0.0);
  ck_assert_double_lt(room, 1e-4);
  convex_free(&fit);
}
END_TEST

/* @eq Leboutet22 73 */
START_TEST(the_entropic_pull_alone_leads_to_what_is_likely) {
  struct random random = random_from(test_seed());
  const struct inertia likely = random_body(&random), start = random_body(&random);
  struct convex_fit fit;
  struct convex_solution solution;
  double divergence;
  ck_assert_int_eq(convex_begin(&fit, 1, 0), STATUS_OK);
  fit.gap = 1e-8;
  ck_assert_int_eq(convex_pull_entropic(&fit, 0, &likely, 0.1), STATUS_OK);
  ck_assert_int_eq(convex_solve(&fit, &start, NULL, &solution), STATUS_OK);
  const struct inertia found = convex_body(solution.x, 0);
  ck_assert_int_eq(inertia_divergence(&found, &likely, &divergence), STATUS_OK);
  ck_assert_double_le(divergence, 1e-8);
  convex_free(&fit);
}
END_TEST

START_TEST(a_bound_that_no_start_keeps_is_refused) {
  const mat3 sphere = {{{1e-3, 0.0, 0.0}, {0.0, 1e-3, 0.0}, {0.0, 0.0, 1e-3}}};
  const struct inertia start = inertia_of_body(1.0, VEC3_ZERO, &sphere);
  const double one = 1.0, others = -0.5;
  const struct convex_cone bound = cone_of_bound(CONVEX_TEN, &one, 1, 0.0);
  const struct convex_cone beyond = cone_of_bound(CONVEX_TEN + 1, &one, 1, 0.0);
  struct convex_fit fit;
  struct convex_solution solution;
  ck_assert_int_eq(convex_begin(&fit, 1, 1), STATUS_OK);
  ck_assert_int_eq(convex_add_cone(&fit, &beyond), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(convex_add_cone(&fit, &bound), STATUS_OK);
  ck_assert_int_eq(convex_solve(&fit, &start, &others, &solution), STATUS_NOT_CONSISTENT);
  convex_free(&fit);
}
END_TEST

SUITE(the_cone_of_a_body_holds_just_the_bodies_that_can_be,
      the_cone_of_the_spatial_inertia_holds_more,
      the_cones_of_an_ellipsoid_agree_with_the_ellipsoid, a_fit_stays_inside_its_ellipsoid,
      the_entropic_pull_alone_leads_to_what_is_likely, a_bound_that_no_start_keeps_is_refused)

#include "inertia/pseudo_inertia.h"
#include "support/suite.h"

/* A box of mass m and edges a, b, c with its centre at p, axes parallel to the link's. */
static struct inertia box(double m, vec3 edges, vec3 p) {
  const double xx = edges.x * edges.x / 12.0 + p.x * p.x, yy = edges.y * edges.y / 12.0 + p.y * p.y,
               zz = edges.z * edges.z / 12.0 + p.z * p.z;
  return (struct inertia){.m = m,
                          .h = vec3_scale(m, p),
                          .Ixx = m * (yy + zz),
                          .Ixy = -m * p.x * p.y,
                          .Ixz = -m * p.x * p.z,
                          .Iyy = m * (xx + zz),
                          .Iyz = -m * p.y * p.z,
                          .Izz = m * (xx + yy)};
}

/* @eq Leboutet22 59 165 170 @eq Wensing17 7 */
START_TEST(the_pseudo_inertia_of_points_is_the_sum_of_their_outer_products) {
  struct random random = random_from(test_seed());
  mat4 expected = MAT4_ZERO;
  struct inertia pi = {0};
  for (int k = 0; k < 20; k++) {
    const double m = random_uniform(&random, 0.1, 2.0);
    const vec3 p = {random_normal(&random), random_normal(&random), random_normal(&random)};
    const double x[4] = {p.x, p.y, p.z, 1.0};
    for (int i = 0; i < 16; i++) {
      expected.m[i / 4][i % 4] += m * x[i / 4] * x[i % 4];
    }
    const struct inertia point = box(m, VEC3_ZERO, p);
    pi.m += point.m;
    pi.h = vec3_add(pi.h, point.h);
    pi.Ixx += point.Ixx, pi.Ixy += point.Ixy, pi.Ixz += point.Ixz;
    pi.Iyy += point.Iyy, pi.Iyz += point.Iyz, pi.Izz += point.Izz;
  }
  const mat4 J = pseudo_inertia(&pi);
  for (int i = 0; i < 16; i++) {
    assert_near(J.m[i / 4][i % 4], expected.m[i / 4][i % 4], 1e-12);
  }
}
END_TEST

/* @eq Leboutet22 60 */
START_TEST(parameters_survive_the_way_to_the_pseudo_inertia_and_back) {
  const struct inertia pi = {3.0, {0.1, -0.2, 0.3}, 0.5, 0.01, -0.02, 0.6, 0.03, 0.7};
  const mat4 J = pseudo_inertia(&pi);
  const struct inertia back = inertia_from_pseudo(&J);
  assert_near(back.m, pi.m, 1e-15);
  assert_near(vec3_norm(vec3_sub(back.h, pi.h)), 0.0, 1e-15);
  assert_near(back.Ixx, pi.Ixx, 1e-15);
  assert_near(back.Ixy, pi.Ixy, 1e-15);
  assert_near(back.Ixz, pi.Ixz, 1e-15);
  assert_near(back.Iyy, pi.Iyy, 1e-15);
  assert_near(back.Iyz, pi.Iyz, 1e-15);
  assert_near(back.Izz, pi.Izz, 1e-15);
}
END_TEST

START_TEST(a_box_far_from_the_origin_is_consistent_with_its_thickness_as_margin) {
  const struct inertia pi = box(5.0, (vec3){0.2, 0.3, 0.01}, (vec3){1.0, -2.0, 3.0});
  struct inertia_verdict verdict;
  ck_assert_int_eq(inertia_consistency(&pi, 1e-3, &verdict), STATUS_OK);
  assert_near(verdict.value, 0.01 / sqrt(12.0), 1e-7);
  ck_assert_int_eq(inertia_consistency(&pi, 0.01, &verdict), STATUS_NOT_CONSISTENT);
  ck_assert_int_eq(verdict.condition, INERTIA_TOO_THIN);
}
END_TEST

START_TEST(each_violated_condition_is_named_with_its_value) {
  struct inertia_verdict verdict;
  struct inertia pi = box(-2.0, (vec3){0.1, 0.1, 0.1}, VEC3_ZERO);
  ck_assert_int_eq(inertia_consistency(&pi, 0.0, &verdict), STATUS_NOT_CONSISTENT);
  ck_assert_int_eq(verdict.condition, INERTIA_MASS_NOT_POSITIVE);
  assert_near(verdict.value, -2.0, 1e-15);

  pi = (struct inertia){.m = 1.0, .Ixx = -0.1, .Iyy = 0.2, .Izz = 0.2};
  ck_assert_int_eq(inertia_consistency(&pi, 0.0, &verdict), STATUS_NOT_CONSISTENT);
  ck_assert_int_eq(verdict.condition, INERTIA_MOMENT_NOT_POSITIVE);
  assert_near(verdict.value, -0.1, 1e-15);

  pi = (struct inertia){.m = 1.0, .Ixx = 0.1, .Iyy = 0.1, .Izz = 0.25};
  ck_assert_int_eq(inertia_consistency(&pi, 0.0, &verdict), STATUS_NOT_CONSISTENT);
  ck_assert_int_eq(verdict.condition, INERTIA_TRIANGLE_VIOLATED);
  assert_near(verdict.value, -0.05, 1e-15);

  pi.Iyz = (double)NAN;
  ck_assert_int_eq(inertia_consistency(&pi, 0.0, NULL), STATUS_NOT_FINITE);
}
END_TEST

START_TEST(a_centre_of_mass_too_far_out_for_the_inertia_is_not_consistent) {
  struct inertia pi = box(1.0, (vec3){0.1, 0.1, 0.1}, VEC3_ZERO);
  pi.h.x = 0.5; /* |c|^2 m = 0.25 about an origin where only 0.0017 kg m^2 are claimed */
  ck_assert_int_eq(inertia_consistency(&pi, 0.0, NULL), STATUS_NOT_CONSISTENT);
}
END_TEST

/* @eq Wensing17 7 */
START_TEST(the_verdict_agrees_with_positive_definiteness_of_the_pseudo_inertia) {
  struct random random = random_from(test_seed());
  int consistent = 0;
  for (int trial = 0; trial < 2000; trial++) {
    struct inertia pi =
        box(random_uniform(&random, -0.1, 2.0), (vec3){0.3, 0.4, 0.5}, (vec3){0.1, 0.0, -0.1});
    pi.Ixx += 0.008 * random_normal(&random);
    pi.Iyz += 0.008 * random_normal(&random);
    pi.h.y += 0.05 * random_normal(&random);
    const mat4 J = pseudo_inertia(&pi);
    mat4 L;
    const bool definite = sym4_cholesky(&J, &L) == STATUS_OK;
    ck_assert_int_eq(inertia_consistency(&pi, 0.0, NULL) == STATUS_OK, definite);
    consistent += definite;
  }
  ck_assert(consistent > 200 && consistent < 1800); /* both sides were tried */
}
END_TEST

SUITE(the_pseudo_inertia_of_points_is_the_sum_of_their_outer_products,
      parameters_survive_the_way_to_the_pseudo_inertia_and_back,
      a_box_far_from_the_origin_is_consistent_with_its_thickness_as_margin,
      each_violated_condition_is_named_with_its_value,
      a_centre_of_mass_too_far_out_for_the_inertia_is_not_consistent,
      the_verdict_agrees_with_positive_definiteness_of_the_pseudo_inertia)

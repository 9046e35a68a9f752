#include "inertia/inertia.h"
#include "inertia/pseudo_inertia.h"
#include "support/random_body.h"
#include "support/suite.h"

enum { TRIALS = 200 };

static void assert_same(const struct inertia *a, const struct inertia *b, double tolerance) {
  double x[INERTIA_PARAMETERS], y[INERTIA_PARAMETERS];
  inertia_to(a, x);
  inertia_to(b, y);
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    assert_near(x[i], y[i], tolerance * (1.0 + fabs(y[i])));
  }
}

static struct motion random_motion(struct random *random) {
  return (struct motion){{random_normal(random), random_normal(random), random_normal(random)},
                         {random_normal(random), random_normal(random), random_normal(random)}};
}

START_TEST(parameters_survive_flattening_in_the_order_of_the_house) {
  const double given[INERTIA_PARAMETERS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const struct inertia pi = inertia_from(given);
  ck_assert(pi.m == 1 && pi.h.z == 4 && pi.Ixx == 5 && pi.Ixz == 7 && pi.Iyy == 8 && pi.Izz == 10);
  double back[INERTIA_PARAMETERS];
  inertia_to(&pi, back);
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    ck_assert(back[i] == given[i]);
  }
}
END_TEST

START_TEST(a_body_given_at_its_centre_of_mass_comes_back_from_its_parameters) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct inertia pi = random_body(&random);
    const mat3 I_C = inertia_tensor_at_com(&pi);
    const struct inertia back = inertia_of_body(pi.m, inertia_com(&pi), &I_C);
    assert_same(&back, &pi, 1e-12);
  }
}
END_TEST

START_TEST(a_change_of_frame_moves_every_point_of_the_body) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct pose X = random_pose(&random);
    struct inertia in_B = {0}, in_A = {0};
    for (int k = 0; k < 5; k++) {
      const double m = random_uniform(&random, 0.1, 2.0);
      const vec3 p = {random_normal(&random), random_normal(&random), random_normal(&random)};
      const struct inertia b = inertia_of_point(m, p), a = inertia_of_point(m, pose_apply(&X, p));
      in_B = inertia_add(&in_B, &b);
      in_A = inertia_add(&in_A, &a);
    }
    const struct inertia moved = inertia_transform(&X, &in_B);
    assert_same(&moved, &in_A, 1e-12);
  }
}
END_TEST

START_TEST(a_change_of_frame_and_back_changes_nothing) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct pose X = random_pose(&random), back = pose_inverse(&X);
    const struct inertia pi = random_body(&random), there = inertia_transform(&X, &pi),
                         here = inertia_transform(&back, &there);
    assert_same(&here, &pi, 1e-12);
  }
}
END_TEST

/* v_A = [R w ; R v + p x R w], and the momenta give the same energy. */
START_TEST(kinetic_energy_does_not_depend_on_the_frame) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct pose X = random_pose(&random);
    const struct inertia pi_B = random_body(&random), pi_A = inertia_transform(&X, &pi_B);
    const struct motion v_B = random_motion(&random);
    const vec3 w_A = mat3_mul_vec3(&X.R, v_B.ang);
    const struct motion v_A = {w_A, vec3_add(mat3_mul_vec3(&X.R, v_B.lin), vec3_cross(X.p, w_A))};
    const struct force p_A = inertia_apply(&pi_A, &v_A), p_B = inertia_apply(&pi_B, &v_B);
    assert_near(vec3_dot(p_A.ang, v_A.ang) + vec3_dot(p_A.lin, v_A.lin),
                vec3_dot(p_B.ang, v_B.ang) + vec3_dot(p_B.lin, v_B.lin), 1e-10);
  }
}
END_TEST

START_TEST(the_spatial_matrix_times_a_velocity_is_the_momentum_of_the_points) {
  struct random random = random_from(test_seed());
  const struct motion v = random_motion(&random);
  const double flat[6] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
  struct inertia pi = {0};
  vec3 L = VEC3_ZERO, p = VEC3_ZERO;
  for (int k = 0; k < 6; k++) {
    const double m = random_uniform(&random, 0.1, 2.0);
    const vec3 r = {random_normal(&random), random_normal(&random), random_normal(&random)};
    const vec3 momentum = vec3_scale(m, vec3_add(v.lin, vec3_cross(v.ang, r)));
    L = vec3_add(L, vec3_cross(r, momentum));
    p = vec3_add(p, momentum);
    const struct inertia point = inertia_of_point(m, r);
    pi = inertia_add(&pi, &point);
  }
  const double expected[6] = {L.x, L.y, L.z, p.x, p.y, p.z};
  const struct force applied = inertia_apply(&pi, &v);
  const double by_apply[6] = {applied.ang.x, applied.ang.y, applied.ang.z,
                              applied.lin.x, applied.lin.y, applied.lin.z};
  double M[6][6];
  inertia_matrix(&pi, M);
  for (int i = 0; i < 6; i++) {
    double by_matrix = 0.0;
    for (int j = 0; j < 6; j++) {
      by_matrix += M[i][j] * flat[j];
    }
    assert_near(by_matrix, expected[i], 1e-12);
    assert_near(by_apply[i], expected[i], 1e-12);
  }
}
END_TEST

START_TEST(taking_a_part_away_leaves_the_rest) {
  struct random random = random_from(test_seed());
  const struct inertia arm = random_body(&random), tool = random_body(&random),
                       both = inertia_add(&arm, &tool), rest = inertia_axpy(&both, -1.0, &tool);
  assert_same(&rest, &arm, 1e-12);
}
END_TEST

START_TEST(random_bodies_of_these_tests_are_physically_consistent) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct inertia pi = random_body(&random);
    ck_assert_int_eq(inertia_consistency(&pi, 1e-3, NULL), STATUS_OK);
  }
}
END_TEST

SUITE(parameters_survive_flattening_in_the_order_of_the_house,
      a_body_given_at_its_centre_of_mass_comes_back_from_its_parameters,
      a_change_of_frame_moves_every_point_of_the_body, a_change_of_frame_and_back_changes_nothing,
      kinetic_energy_does_not_depend_on_the_frame,
      the_spatial_matrix_times_a_velocity_is_the_momentum_of_the_points,
      taking_a_part_away_leaves_the_rest, random_bodies_of_these_tests_are_physically_consistent)

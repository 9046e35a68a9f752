#include "math/spatial.h"

#include "support/suite.h"

static struct random rng;

static vec3 random_vec3(double scale) {
  return (vec3){random_uniform(&rng, -scale, scale), random_uniform(&rng, -scale, scale),
                random_uniform(&rng, -scale, scale)};
}

static double difference(const mat3 *A, const mat3 *B) {
  double worst = 0.0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      worst = fmax(worst, fabs(A->m[i][j] - B->m[i][j]));
    }
  }
  return worst;
}

START_TEST(a_rotation_survives_its_quaternion_and_its_rotation_vector) {
  rng = random_from(test_seed());
  for (int i = 0; i < 1000; i++) {
    const vec3 phi = random_vec3(1.8);
    const quat q = quat_from_rotation_vector(phi);
    const mat3 R = mat3_from_quat(q);
    const double angle = vec3_norm(phi);
    const mat3 by_axis = mat3_from_axis_angle(vec3_scale(1.0 / angle, phi), angle);
    ck_assert_double_le(difference(&R, &by_axis), 1e-14);
    const mat3 again = mat3_from_quat(quat_from_mat3(&R));
    ck_assert_double_ge(quat_from_mat3(&R).w, 0.0);
    ck_assert_double_le(difference(&R, &again), 1e-14);
    if (angle < 3.1) {
      ck_assert_double_le(vec3_norm(vec3_sub(quat_to_rotation_vector(q), phi)), 1e-13);
    }
  }
}
END_TEST

START_TEST(a_rotation_survives_roll_pitch_yaw_also_at_gimbal_lock) {
  rng = random_from(test_seed());
  for (int i = 0; i < 1000; i++) {
    vec3 rpy = random_vec3(3.1);
    if (i % 4 == 0) {
      rpy.y = i % 8 == 0 ? M_PI / 2.0 : -M_PI / 2.0;
    }
    const mat3 R = mat3_from_rpy(rpy);
    const mat3 again = mat3_from_rpy(mat3_to_rpy(&R));
    ck_assert_double_le(difference(&R, &again), 1e-12);
  }
}
END_TEST

START_TEST(a_pose_times_its_inverse_is_the_identity) {
  rng = random_from(test_seed());
  for (int i = 0; i < 100; i++) {
    const struct pose X = {mat3_from_rpy(random_vec3(3.0)), random_vec3(2.0)};
    const struct pose inverse = pose_inverse(&X);
    const struct pose one = pose_mul(&X, &inverse);
    ck_assert_double_le(difference(&one.R, &MAT3_IDENTITY), 1e-15);
    ck_assert_double_le(vec3_norm(one.p), 1e-14);
  }
}
END_TEST

START_TEST(the_cross_product_matrix_multiplies_like_the_cross_product) {
  rng = random_from(test_seed());
  const vec3 a = random_vec3(1.0), b = random_vec3(1.0);
  const mat3 S = mat3_skew(a);
  ck_assert_double_le(vec3_norm(vec3_sub(mat3_mul_vec3(&S, b), vec3_cross(a, b))), 1e-16);
}
END_TEST

START_TEST(a_turn_about_an_axis_that_points_straight_up_keeps_its_angle) {
  for (int up = -1; up <= 1; up += 2) {
    const double s = up;
    const mat3 upright = {{{0.0, 0.0, s}, {0.0, 1.0, 0.0}, {-s, 0.0, 0.0}}}; /* x along -+z */
    for (double angle = -3.0; angle < 3.1; angle += 0.5) {
      const mat3 turn = mat3_from_axis_angle((vec3){1.0, 0.0, 0.0}, angle);
      const mat3 R = mat3_mul(&upright, &turn);
      const mat3 again = mat3_from_rpy(mat3_to_rpy(&R));
      ck_assert_double_le(difference(&R, &again), 1e-12);
    }
  }
}
END_TEST

SUITE(a_turn_about_an_axis_that_points_straight_up_keeps_its_angle,
      a_rotation_survives_its_quaternion_and_its_rotation_vector,
      a_rotation_survives_roll_pitch_yaw_also_at_gimbal_lock,
      a_pose_times_its_inverse_is_the_identity,
      the_cross_product_matrix_multiplies_like_the_cross_product)

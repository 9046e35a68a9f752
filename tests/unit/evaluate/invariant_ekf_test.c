/* The baseline filter has the properties that its paper proves. */
#include "support/invariant_ekf.h"

#include "support/sim_fixture.h"
#include "support/suite.h"

#include <stdio.h>

static const bool in_the_air[INVARIANT_FEET] = {false}, on_both[INVARIANT_FEET] = {true, true};
static const double q[MODEL_MAX_JOINTS];

static struct invariant_ekf make(const struct stock_robot *stock) {
  const struct invariant_settings settings = invariant_defaults();
  struct invariant_ekf ekf;
  ck_assert(invariant_ekf_init(&ekf, stock->robot, &settings));
  return ekf;
}

/* Without biases the error's motion does not depend on the state: the paper's theorem 1, exactly,
 * however large the error. */
START_TEST(the_error_of_the_prediction_depends_on_the_error_alone) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct invariant_ekf a = make(&stock), b = make(&stock);
  const vec3 up = {0.0, 0.0, STANDARD_GRAVITY}, g = {0.0, 0.0, -STANDARD_GRAVITY};
  invariant_ekf_step(&a, 0, up, VEC3_ZERO, q, in_the_air);
  invariant_ekf_step(&b, 0, up, VEC3_ZERO, q, in_the_air);
  const mat3 off = mat3_from_rpy((vec3){0.5, -0.3, 1.1});
  const vec3 off_v = {0.4, -0.2, 0.1};
  b.R = mat3_mul(&off, &a.R);
  b.v = vec3_add(mat3_mul_vec3(&off, a.v), off_v);
  b.p = (vec3){1.0, 2.0, -0.5};
  for (int k = 1; k <= 500; k++) {
    const vec3 force = {2.0 * sin(0.02 * k), 3.0, 9.0 + cos(0.05 * k)},
               rate = {cos(0.01 * k), 1.5, -2.0 * sin(0.03 * k)};
    invariant_ekf_step(&a, k * 1000000, force, rate, q, in_the_air);
    invariant_ekf_step(&b, k * 1000000, force, rate, q, in_the_air);
  }
  /* eta_R stays; eta_v grows by what gravity does to the error of orientation, and nothing else */
  const mat3 back = mat3_transpose(&a.R), eta = mat3_mul(&b.R, &back);
  for (int i = 0; i < 9; i++) {
    assert_near(eta.m[i / 3][i % 3], off.m[i / 3][i % 3], 1e-10);
  }
  const vec3 pull = vec3_sub(g, mat3_mul_vec3(&off, g)),
             eta_v = vec3_sub(b.v, mat3_mul_vec3(&off, a.v));
  assert_near(vec3_norm(vec3_sub(eta_v, vec3_axpy(off_v, 0.5, pull))), 0.0, 1e-9);
  invariant_ekf_free(&a);
  invariant_ekf_free(&b);
}
END_TEST

START_TEST(a_standing_robot_learns_its_tilt_and_gyro_bias_and_never_its_yaw) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct invariant_ekf ekf = make(&stock);
  const mat3 R_WI = mat3_from_rpy((vec3){0.05, -0.08, 0.0}), R_IW = mat3_transpose(&R_WI);
  const vec3 force = mat3_mul_vec3(&R_IW, (vec3){0.0, 0.0, STANDARD_GRAVITY}),
             bias = {0.01, -0.008, 0.0};
  invariant_ekf_step(&ekf, 0, force, VEC3_ZERO, q, on_both); /* the bias comes later */
  double yaw = ekf.P[2][2];
  for (int k = 1; k <= 1600; k++) {
    invariant_ekf_step(&ekf, k * 5000000LL, force, bias, q, on_both);
    must(ekf.P[2][2] >= yaw * (1.0 - 1e-6));
    yaw = ekf.P[2][2];
  }
  const vec3 up_I = vec3_from(ekf.R.m[2]), true_up_I = vec3_from(R_WI.m[2]);
  printf("tilt off by %.4f of sd %.4f rad, velocity %.4f of sd %.4f m/s, gyro bias %.4f %.4f\n",
         vec3_norm(vec3_cross(up_I, true_up_I)), sqrt(ekf.P[0][0] + ekf.P[1][1]), vec3_norm(ekf.v),
         sqrt(ekf.P[3][3] + ekf.P[4][4] + ekf.P[5][5]), ekf.gyro_bias.x, ekf.gyro_bias.y);
  const double tilt_sd =
      sqrt(ekf.P[0][0] + ekf.P[1][1]); /* an accelerometer bias looks like tilt */
  ck_assert_double_lt(tilt_sd, 0.02);
  ck_assert_double_lt(vec3_norm(vec3_cross(up_I, true_up_I)), 3.0 * tilt_sd);
  const double v_sd = sqrt(ekf.P[3][3] + ekf.P[4][4] + ekf.P[5][5]);
  ck_assert_double_lt(v_sd, 0.1); /* encoders of one degree */
  ck_assert_double_lt(vec3_norm(ekf.v), 3.0 * v_sd);
  for (int i = 0; i < 2; i++) {
    const double sd = sqrt(ekf.P[INVARIANT_STATES - 6 + i][INVARIANT_STATES - 6 + i]);
    ck_assert_double_lt(sd, invariant_defaults().start_gyro_bias);
    assert_near((&ekf.gyro_bias.x)[i], (&bias.x)[i], 3.0 * sd);
  }
  invariant_ekf_free(&ekf);
}
END_TEST

SUITE(the_error_of_the_prediction_depends_on_the_error_alone,
      a_standing_robot_learns_its_tilt_and_gyro_bias_and_never_its_yaw)

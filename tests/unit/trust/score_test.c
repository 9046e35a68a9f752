/* Estimates are compared with the truth as they should be, and lies are counted. */
#include "trust/score.h"

#include "support/sim_fixture.h"
#include "support/suite.h"

#include <string.h>

static struct estimates estimates;
static struct sim_truth truth;
static double q[3], dq[3], ddq[3];
static struct robot robot;

/* An estimate that says the truth in a world that is turned by `yaw`. */
static struct quantity_truth make(double yaw) {
  struct propriod_state *s = &estimates.state;
  struct propriod_centroidal *c = &estimates.centroidal;
  const mat3 turn = mat3_from_rpy((vec3){0.0, 0.0, yaw});
  memset(&estimates, 0, sizeof(estimates));
  truth = (struct sim_truth){.n_joints = 3, .q = q, .dq = dq, .ddq = ddq, .cop_valid = true};
  truth.base.X_WB = (struct pose){mat3_from_rpy((vec3){0.1, -0.2, 0.7}), {3.0, -1.0, 0.8}};
  truth.base_velocity_W = (vec3){0.3, 0.2, -0.1};
  truth.com_W = (vec3){3.05, -1.02, 0.9};
  truth.com_velocity_W = (vec3){0.4, 0.1, 0.05};
  truth.cop_W = (vec3){3.02, -0.9, 0.0};
  const mat3 R = mat3_mul(&turn, &truth.base.X_WB.R);
  s->n_joints = 3;
  s->status = PROPRIOD_STATUS_OK;
  s->estimated = c->estimated = ~0u;
  s->quat_xyzw = quat_from_mat3(&R);
  s->base_position = (vec3){-2.0, 5.0, 0.8};
  s->base_velocity = mat3_mul_vec3(&turn, truth.base_velocity_W);
  c->status = PROPRIOD_STATUS_OK;
  c->com_velocity = mat3_mul_vec3(&turn, truth.com_velocity_W);
  c->com_position =
      vec3_add(s->base_position, mat3_mul_vec3(&turn, vec3_sub(truth.com_W, truth.base.X_WB.p)));
  c->cop_position =
      vec3_add(s->base_position, mat3_mul_vec3(&turn, vec3_sub(truth.cop_W, truth.base.X_WB.p)));
  c->cop_sd = (vec3){0.01, 0.02, 0.0};
  for (int j = 0; j < 3; j++) {
    s->q_sd[j] = 1e-3;
    s->dq_sd[j] = s->ddq_sd[j] = 1.0;
  }
  robot.imu_placement = (struct pose)POSE_IDENTITY;
  return (struct quantity_truth){.robot = &robot, .truth = &truth};
}

START_TEST(the_truth_in_a_world_of_another_yaw_and_place_has_no_error) {
  const struct quantity_truth with = make(1.3);
  for (size_t i = 0; i < QUANTITIES; i++) {
    struct quantity_error e;
    quantity_compare((enum quantity)i, &estimates, &with, &e);
    ck_assert_uint_gt(e.n, 0);
    for (size_t k = 0; k < e.n; k++) {
      assert_near(e.error[k], 0.0, 1e-12);
    }
  }
}
END_TEST

START_TEST(each_quantity_sees_its_own_error_and_no_other) {
  for (int yaw = 0; yaw < 2; yaw++) {
    const struct quantity_truth with = make(yaw);
    struct quantity_error e;
    estimates.centroidal.com_velocity.z += 0.25;
    estimates.centroidal.cop_position.z += 9.0; /* its height is not compared */
    quantity_compare(QUANTITY_COM_VELOCITY, &estimates, &with, &e);
    assert_near(e.error[2], 0.25, 1e-12);
    quantity_compare(QUANTITY_COP, &estimates, &with, &e);
    ck_assert_uint_eq(e.n, 2);
    assert_near(hypot(e.error[0], e.error[1]), 0.0, 1e-12);
    ck_assert_double_eq(e.sd[1], 0.02);
  }
}
END_TEST

START_TEST(tilt_is_the_angle_between_the_two_verticals) {
  const struct quantity_truth with = make(0.4);
  const mat3 R = mat3_from_quat(estimates.state.quat_xyzw),
             tip = mat3_from_rpy((vec3){0.03, -0.04, 0.0}), tipped = mat3_mul(&tip, &R);
  struct quantity_error e;
  estimates.state.quat_xyzw = quat_from_mat3(&tipped);
  quantity_compare(QUANTITY_TILT, &estimates, &with, &e);
  assert_near(hypot(e.error[0], e.error[1]), 0.05, 2e-4);
}
END_TEST

START_TEST(a_lie_lasts_as_long_as_it_is_ok_and_beyond_five_deviations) {
  struct score score;
  struct quantity_truth with = make(0.0);
  score_reset(&score);
  for (int k = 0; k < 100; k++) {
    estimates.state.q[1] = k >= 20 && k < 60 ? 6e-3 : 4e-3; /* six, four deviations */
    estimates.state.status = k < 50 ? PROPRIOD_STATUS_OK : PROPRIOD_STATUS_DEGRADED;
    score_add(&score, &estimates, &with);
  }
  enum quantity liar = QUANTITIES;
  assert_near(score_longest_lie(&score, 1e-3, &liar), 0.030, 1e-9); /* from 20 to 50 */
  ck_assert_int_eq(liar, QUANTITY_Q);
  ck_assert_uint_eq(score.of[QUANTITY_Q].beyond, 40);
  assert_near(score_ok(&score), 0.5, 1e-9);
  assert_near(score_nees(&score, QUANTITY_Q), (0.6 * 16.0 + 0.4 * 36.0) / 3.0, 1e-9);
  assert_near(score_rms(&score, QUANTITY_Q), 1e-3 * sqrt((0.6 * 16.0 + 0.4 * 36.0) / 3.0), 1e-12);
}
END_TEST

START_TEST(a_number_that_is_none_is_the_worst_of_errors) {
  struct score score;
  struct quantity_truth with = make(0.0);
  score_reset(&score);
  estimates.state.dq[0] = (double)NAN;
  score_add(&score, &estimates, &with);
  ck_assert(isnan(score.of[QUANTITY_DQ].worst));
  ck_assert_uint_eq(score.of[QUANTITY_DQ].longest_lie, 1);
}
END_TEST

START_TEST(resets_and_pushes_count_from_the_first_instant) {
  struct score score;
  struct quantity_truth with = make(0.0);
  score_reset(&score);
  estimates.state.resets = 7;
  estimates.centroidal.push_count = 3;
  score_add(&score, &estimates, &with);
  estimates.state.resets = 9;
  score_add(&score, &estimates, &with);
  ck_assert_uint_eq(score.resets, 2);
  ck_assert_uint_eq(score.pushes, 0);
}
END_TEST

SUITE(the_truth_in_a_world_of_another_yaw_and_place_has_no_error,
      each_quantity_sees_its_own_error_and_no_other, tilt_is_the_angle_between_the_two_verticals,
      a_lie_lasts_as_long_as_it_is_ok_and_beyond_five_deviations,
      a_number_that_is_none_is_the_worst_of_errors, resets_and_pushes_count_from_the_first_instant)

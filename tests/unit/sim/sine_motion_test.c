#include "sine_motion.h"
#include "stock_robot.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

static const double H = 1e-5; /* s: of the differences */

struct bench {
  struct stock_robot stock;
  struct sine_motion sines;
};

static void begin(struct bench *bench) {
  struct message error;
  struct sim_random random = sim_random_from(test_seed(), 0);
  ck_assert_msg(stock_robot_load("humanoid30", "config/robots", &bench->stock, &error) == STATUS_OK,
                "%s", error.text);
  sine_motion_init(&bench->sines, &bench->stock.robot->model);
  sine_motion_choose(&bench->sines, &bench->stock.robot->model, &random);
}

static struct sine_motion at(struct bench *bench, double t) {
  sine_motion_at(&bench->sines, t);
  return bench->sines;
}

START_TEST(it_rests_until_it_is_told_to_move_and_when_it_has_ebbed) {
  struct bench bench;
  begin(&bench);
  sine_motion_turn(&bench.sines, 1.0, 1.0, 0.5);
  struct sine_motion rest = at(&bench, 0.9);
  sine_motion_at(&bench.sines, 2.0);
  double fastest = 0.0;
  for (size_t j = 0; j < bench.sines.n_joints; j++) {
    ck_assert_double_eq(rest.q[j], 0.0);
    ck_assert_double_eq(rest.dq[j], 0.0);
    fastest = fmax(fastest, fabs(bench.sines.dq[j]));
  }
  ck_assert_double_gt(fastest, 0.1);
  sine_motion_turn(&bench.sines, 3.0, 0.0, 0.5);
  rest = at(&bench, 3.5);
  for (size_t j = 0; j < bench.sines.n_joints; j++) {
    assert_near(rest.q[j], 0.0, 1e-12);
    assert_near(rest.dq[j], 0.0, 1e-12);
    assert_near(rest.ddq[j], 0.0, 1e-9);
  }
  robot_destroy(bench.stock.robot);
}
END_TEST

START_TEST(velocities_and_accelerations_are_the_derivatives_while_it_swells_as_well) {
  struct bench bench;
  begin(&bench);
  bench.sines.posture[2] = 0.3;
  sine_motion_turn(&bench.sines, 0.0, 1.0, 1.0);
  for (double t = 0.05; t < 2.0; t += 0.15) {
    const struct sine_motion before = at(&bench, t - H), after = at(&bench, t + H),
                             now = at(&bench, t);
    for (size_t j = 0; j < now.n_joints; j++) {
      assert_near(now.dq[j], (after.q[j] - before.q[j]) / (2.0 * H), 1e-7);
      assert_near(now.ddq[j], (after.dq[j] - before.dq[j]) / (2.0 * H), 1e-6);
    }
  }
  robot_destroy(bench.stock.robot);
}
END_TEST

/* omega is that of the rotation, omegadot its derivative in the base, the proper acceleration the
 * height's second derivative and gravity, seen from the base. */
START_TEST(the_base_turns_and_rises_as_its_rates_and_accelerations_say) {
  struct bench bench;
  begin(&bench);
  sine_motion_turn(&bench.sines, 0.0, 1.0, 1.0);
  for (double t = 0.05; t < 2.0; t += 0.15) {
    const struct base_motion before = at(&bench, t - H).motion.base,
                             after = at(&bench, t + H).motion.base, now = at(&bench, t).motion.base;
    const mat3 R = now.X_WB.R;
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        const mat3 S = mat3_skew(now.v_B.ang), RS = mat3_mul(&R, &S);
        assert_near(RS.m[i][j], (after.X_WB.R.m[i][j] - before.X_WB.R.m[i][j]) / (2.0 * H), 1e-7);
      }
    }
    const vec3 turn = vec3_scale(0.5 / H, vec3_sub(after.v_B.ang, before.v_B.ang));
    ck_assert_double_lt(vec3_norm(vec3_sub(now.a_B.ang, turn)), 1e-6);
    const double h = 1e-4, rise = (at(&bench, t + h).motion.base.X_WB.p.z - 2.0 * now.X_WB.p.z +
                                   at(&bench, t - h).motion.base.X_WB.p.z) /
                                  (h * h);
    const vec3 up = mat3_mul_vec3(&R, now.a_B.lin);
    assert_near(up.z, STANDARD_GRAVITY + rise, 1e-5);
    assert_near(up.x, 0.0, 1e-12);
  }
  robot_destroy(bench.stock.robot);
}
END_TEST

SUITE(it_rests_until_it_is_told_to_move_and_when_it_has_ebbed,
      velocities_and_accelerations_are_the_derivatives_while_it_swells_as_well,
      the_base_turns_and_rises_as_its_rates_and_accelerations_say)

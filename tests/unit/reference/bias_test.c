#include "reference/bias.h"

#include "support/dynamics_fixture.h"
#include "support/mujoco_robot.h"

#include <string.h>

enum { JOINTS = 14, DOFS = 6 + JOINTS };

static struct random rng;
static struct dynamics d;
static struct bias bias;

static void setup(void) {
  rng = random_from(test_seed());
  dynamics_of(&d, random_model(&rng, (struct random_model_options){.n_joints = JOINTS}));
  struct arena count = {0};
  require(bias_init(&bias, d.model, &count) == STATUS_OK);
  struct arena arena = test_arena(count.used);
  require(bias_init(&bias, d.model, &arena) == STATUS_OK);
  dynamics_randomize(&d, &rng);
}

static double joint_row_times(size_t row, const double *ddq) {
  double sum = 0.0;
  for (size_t k = 0; k < JOINTS; k++) {
    sum += d.crba.M[(6 + row) * DOFS + 6 + k] * ddq[k];
  }
  return sum;
}

START_TEST(inverse_dynamics_is_mass_matrix_times_acceleration_plus_bias) {
  setup();
  for (int trial = 0; trial < 10; trial++) {
    dynamics_randomize(&d, &rng);
    double tau[JOINTS], coasting[JOINTS];
    struct force base;
    ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, NULL, tau),
                     STATUS_OK);
    ck_assert_int_eq(crba_step(&d.crba, &d.kin, &d.composite, WITHOUT_DRIVES), STATUS_OK);
    ck_assert_int_eq(bias_step(&bias, &d.state.motion, d.model->inertia, &base, coasting),
                     STATUS_OK);
    for (size_t j = 0; j < JOINTS; j++) {
      assert_near(coasting[j] + joint_row_times(j, d.state.ddq), tau[j],
                  1e-11 * (1.0 + fabs(tau[j])));
    }
  }
}
END_TEST

START_TEST(bias_of_a_bolted_robot_agrees_with_mujoco) {
  setup();
  struct mujoco_robot mujoco;
  mujoco_from_model(&mujoco, d.model, false, false);
  for (int trial = 0; trial < 10; trial++) {
    random_state(&rng, d.model, &d.state);
    const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};
    d.state.motion.base = (struct base_motion){.X_WB = POSE_IDENTITY, .a_B.lin = up};
    mujoco_set(&mujoco, &d.state.motion);
    mj_forward(mujoco.m, mujoco.d);
    double tau[JOINTS], theirs[JOINTS];
    mujoco_forces(&mujoco, mujoco.d->qfrc_bias, NULL, theirs);
    ck_assert_int_eq(bias_step(&bias, &d.state.motion, d.model->inertia, NULL, tau), STATUS_OK);
    for (int j = 0; j < JOINTS; j++) {
      assert_near(tau[j], theirs[j], 1e-8 * (1.0 + fabs(theirs[j])));
    }
  }
}
END_TEST

START_TEST(gravity_torques_let_the_robot_hang_in_balance) {
  setup();
  const vec3 up = {1.0, -2.0, 9.0};
  double tau[JOINTS], ddq[JOINTS];
  struct force base;
  ck_assert_int_eq(bias_gravity(&bias, d.state.q, up, d.model->inertia, &base, tau), STATUS_OK);
  ck_assert_double_le(distance3(base.lin, vec3_scale(model_mass(d.model), up)), 1e-11);
  /* the same torques on a robot at rest leave it at rest */
  const struct robot_motion rest = {.q = d.state.q, .base.a_B.lin = up};
  ck_assert_int_eq(kinematics_update(&d.kin, &rest), STATUS_OK);
  ck_assert_int_eq(
      aba_step(&d.aba, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, BASE_FIXED, tau, NULL, ddq),
      STATUS_OK);
  for (int j = 0; j < JOINTS; j++) {
    assert_near(ddq[j], 0.0, 1e-10);
  }
}
END_TEST

SUITE(inverse_dynamics_is_mass_matrix_times_acceleration_plus_bias,
      bias_of_a_bolted_robot_agrees_with_mujoco, gravity_torques_let_the_robot_hang_in_balance)

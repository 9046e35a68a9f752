#include "body/mimic.h"

#include "support/dynamics_fixture.h"

#include <string.h>

static struct random rng;
static struct model *model;

/* Joint 2 follows 0, joint 1 follows 2, joint 4 follows 3. */
static void setup(void) {
  rng = random_from(test_seed());
  model = random_model(&rng, (struct random_model_options){.n_joints = 6});
  model->joint[2].mimics = 0;
  model->joint[2].mimic_ratio = -2.0;
  model->joint[2].mimic_offset = 0.3;
  model->joint[1].mimics = 2;
  model->joint[1].mimic_ratio = 0.5;
  model->joint[1].mimic_offset = -0.1;
  model->joint[4].mimics = 3;
  model->joint[4].mimic_ratio = 1.0;
}

START_TEST(followers_and_followers_of_followers_take_their_leaders_place) {
  setup();
  double q[6] = {0.7, 9.0, 9.0, 0.2, 9.0, 0.1}, dq[6] = {1.0, 9.0, 9.0, 2.0, 9.0, 3.0};
  ck_assert_int_eq(mimic_expand(model, q, dq, NULL), STATUS_OK);
  const double expected[6] = {0.7, 0.5 * (-2.0 * 0.7 + 0.3) - 0.1, -2.0 * 0.7 + 0.3, 0.2, 0.2, 0.1};
  const double expected_dq[6] = {1.0, -1.0, -2.0, 2.0, 2.0, 3.0};
  for (int j = 0; j < 6; j++) {
    assert_near(q[j], expected[j], 1e-15);
    assert_near(dq[j], expected_dq[j], 1e-15);
  }
}
END_TEST

START_TEST(reduced_torques_have_the_power_of_all) {
  setup();
  struct dynamics d;
  dynamics_of(&d, model);
  random_state(&rng, model, &d.state);
  ck_assert_int_eq(mimic_expand(model, d.state.q, d.state.dq, d.state.ddq), STATUS_OK);
  dynamics_refresh(&d);
  double tau[6], power = 0.0, reduced = 0.0;
  ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, model->inertia, NULL, WITHOUT_DRIVES, NULL, tau),
                   STATUS_OK);
  for (int j = 0; j < 6; j++) {
    power += tau[j] * d.state.dq[j];
  }
  ck_assert_int_eq(mimic_reduce(model, tau), STATUS_OK);
  for (int j = 0; j < 6; j++) {
    reduced += tau[j] * d.state.dq[j];
    ck_assert(model->joint[j].mimics == MODEL_NO_JOINT || tau[j] == 0.0);
  }
  assert_near(reduced, power, 1e-12 * (1.0 + fabs(power)));
}
END_TEST

START_TEST(joints_that_follow_each_other_in_a_circle_are_refused) {
  setup();
  model->joint[0].mimics = 1;
  double q[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  const double before[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  ck_assert_int_eq(mimic_expand(model, q, NULL, NULL), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(mimic_reduce(model, q), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(memcmp(q, before, sizeof(q)), 0);
}
END_TEST

SUITE(followers_and_followers_of_followers_take_their_leaders_place,
      reduced_torques_have_the_power_of_all, joints_that_follow_each_other_in_a_circle_are_refused)

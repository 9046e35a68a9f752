#include "base/support.h"

#include "support/suite.h"

static const double WEIGHT = 670.0;

static struct support two_feet(void) {
  const struct support_settings settings = support_defaults();
  struct support support;
  ck_assert_int_eq(support_init(&support, &settings, 2), STATUS_OK);
  return support;
}

/* Stands for `seconds` with the centre of pressure at y and the right sole lifted by `lift`. */
static void stand(struct support *support, double seconds, double y, double lift) {
  const vec3 sole[2] = {{0.0, 0.1, -0.9}, {0.0, -0.1, -0.9 + lift}};
  const struct support_input input = {
      .sole = sole, .cop_known = true, .cop = {0.0, y, -0.9}, .f_z = WEIGHT, .weight = WEIGHT};
  for (int k = 0; k < (int)(seconds * 1000.0); k++) {
    support_step(support, &input, 1e-3);
  }
}

START_TEST(two_feet_share_the_weight_as_the_centre_of_pressure_lies_between_them) {
  struct support support = two_feet();
  stand(&support, 0.5, 0.05, 0.0);
  assert_near(support.share[0], 0.75, 0.01);
  assert_near(support.share[1], 0.25, 0.01);
  ck_assert_int_eq(support.phase, SUPPORT_DOUBLE);
  ck_assert_int_eq(support.foot, 0);
}
END_TEST

START_TEST(a_centre_of_pressure_beyond_a_foot_puts_all_weight_on_it) {
  struct support support = two_feet();
  stand(&support, 0.5, 0.13, 0.0);
  assert_near(support.share[0], 1.0, 1e-6);
  ck_assert(!support.stands[1]);
  ck_assert_int_eq(support.phase, SUPPORT_SINGLE);
}
END_TEST

START_TEST(a_lifted_foot_carries_nothing_wherever_the_centre_of_pressure_seems_to_be) {
  struct support support = two_feet();
  stand(&support, 0.5, 0.0, 0.03);
  assert_near(support.share[0], 1.0, 1e-6);
  ck_assert(!support.stands[1]);
}
END_TEST

START_TEST(the_support_foot_changes_once_a_step_however_the_share_trembles) {
  struct support support = two_feet();
  stand(&support, 0.5, 0.06, 0.0);
  int changes = 0, before = support.foot;
  for (int k = 0; k < 200; k++) {
    stand(&support, 0.01, 0.06 - 0.0006 * k + (k % 2 == 0 ? 0.02 : -0.02), 0.0);
    changes += support.foot != before;
    before = support.foot;
  }
  ck_assert_int_eq(changes, 1);
  ck_assert_int_eq(support.foot, 1);
}
END_TEST

START_TEST(a_touch_down_is_a_strike_for_50_ms_and_then_double_support) {
  struct support support = two_feet();
  stand(&support, 0.5, 0.1, 0.02);
  ck_assert_int_eq(support.phase, SUPPORT_SINGLE);
  int strikes = 0;
  for (int k = 0; k < 200; k++) {
    stand(&support, 0.001, 0.0, 0.0);
    strikes += support.phase == SUPPORT_STRIKE;
  }
  ck_assert_int_ge(strikes, 49);
  ck_assert_int_le(strikes, 51);
  ck_assert_int_eq(support.phase, SUPPORT_DOUBLE);
}
END_TEST

START_TEST(no_vertical_force_is_flight) {
  struct support support = two_feet();
  stand(&support, 0.5, 0.0, 0.0);
  const vec3 sole[2] = {{0.0, 0.1, -0.9}, {0.0, -0.1, -0.9}};
  const struct support_input input = {
      .sole = sole, .cop_known = false, .f_z = 5.0, .weight = WEIGHT};
  for (int k = 0; k < 40; k++) {
    support_step(&support, &input, 1e-3);
  }
  ck_assert_int_eq(support.phase, SUPPORT_NONE);
  ck_assert_int_eq(support.foot, -1);
}
END_TEST

START_TEST(measured_foot_forces_are_the_shares) {
  struct support support = two_feet();
  const vec3 sole[2] = {{0.0, 0.1, -0.9}, {0.0, -0.1, -0.9}};
  const double force[2] = {200.0, 600.0};
  const struct support_input input = {.sole = sole,
                                      .cop_known = true,
                                      .cop = {0.0, 0.1, -0.9},
                                      .f_z = 800.0,
                                      .weight = WEIGHT,
                                      .foot_f_z = force};
  for (int k = 0; k < 500; k++) {
    support_step(&support, &input, 1e-3);
  }
  assert_near(support.share[1], 0.75, 1e-6);
}
END_TEST

/* The same with both sensors feeling so much, while by its motion f_z carries the robot. */
static void feel_moving(struct support *support, double seconds, double force, double f_z) {
  const vec3 sole[2] = {{0.0, 0.1, -0.9}, {0.0, -0.1, -0.9}};
  const double forces[2] = {force, force};
  const struct support_input input = {
      .sole = sole, .cop_known = false, .f_z = f_z, .weight = WEIGHT, .foot_f_z = forces};
  for (int k = 0; k < (int)(seconds * 1000.0); k++) {
    support_step(support, &input, 1e-3);
  }
}

/* ... while something carries the weight. */
static void feel(struct support *support, double seconds, double force) {
  feel_moving(support, seconds, force, WEIGHT);
}

/* An accelerometer that reads zero says that the robot falls: its feet know better. */
START_TEST(feet_that_feel_the_weight_stand_whatever_the_motion_says) {
  struct support support = two_feet();
  feel(&support, 0.5, 0.5 * WEIGHT);
  feel_moving(&support, 0.1, 0.5 * WEIGHT, 0.0);
  ck_assert(support.stands[0] && support.stands[1]);
  feel_moving(&support, 0.1, 0.0, 0.0);
  ck_assert_int_eq(support.phase, SUPPORT_NONE);
  /* sensors that have never felt it are not asked */
  support = two_feet();
  feel_moving(&support, 0.1, 0.0, 0.0);
  ck_assert_int_eq(support.phase, SUPPORT_NONE);
}
END_TEST

START_TEST(a_robot_that_sensors_felt_and_feel_no_more_is_carried_by_something_else) {
  struct support support = two_feet();
  feel(&support, 0.5, 0.5 * WEIGHT);
  ck_assert_int_eq(support.phase, SUPPORT_DOUBLE);
  feel(&support, 0.5, 2.0);
  ck_assert_int_eq(support.phase, SUPPORT_NONE);
  feel(&support, 0.1, 0.5 * WEIGHT);
  ck_assert(support.stands[0] && support.stands[1]);
  /* sensors that have never felt it are not asked */
  support = two_feet();
  feel(&support, 0.5, 0.0);
  ck_assert_int_eq(support.phase, SUPPORT_DOUBLE);
}
END_TEST

START_TEST(shares_of_four_feet_are_not_negative_sum_to_one_and_give_the_centre_of_pressure_back) {
  struct random rng = random_from(test_seed());
  const vec3 sole[4] = {{0.3, 0.2, 0.0}, {0.3, -0.2, 0.0}, {-0.3, 0.2, 0.0}, {-0.3, -0.2, 0.0}};
  const bool may[4] = {true, true, true, true};
  for (int k = 0; k < 1000; k++) {
    double truth[4], sum = 0.0, share[4], total = 0.0;
    vec3 cop = VEC3_ZERO, found = VEC3_ZERO;
    for (int i = 0; i < 4; i++) {
      truth[i] = random_uniform(&rng, 0.0, 1.0);
      sum += truth[i];
    }
    for (int i = 0; i < 4; i++) {
      cop = vec3_axpy(cop, truth[i] / sum, sole[i]);
    }
    support_shares(sole, may, 4, cop, share);
    for (int i = 0; i < 4; i++) {
      ck_assert_double_ge(share[i], 0.0);
      total += share[i];
      found = vec3_axpy(found, share[i], sole[i]);
    }
    assert_near(total, 1.0, 1e-12);
    /* the least spread that keeps the 2x2 scatter regular pulls the cop in by 1e-4 / 0.16 of its
     * offset */
    ck_assert_double_le(vec3_norm(vec3_sub(found, cop)), 1e-3);
  }
}
END_TEST

START_TEST(who_stands_from_the_beginning_has_not_struck_the_ground) {
  struct support support = two_feet();
  for (int k = 0; k < 100; k++) {
    stand(&support, 0.001, 0.0, 0.0);
    ck_assert_int_eq(support.phase, SUPPORT_DOUBLE);
  }
}
END_TEST

START_TEST(a_foot_whose_share_trembles_about_the_limit_comes_down_once) {
  struct support support = two_feet();
  const double loaded = support.settings.loaded;
  stand(&support, 0.5, 0.1, 0.02);
  int touch_downs = 0;
  for (int k = 0; k < 1000; k++) { /* its share is (0.1 - y) / 0.2 */
    const double share = (k / 100 % 2 == 0 ? 1.2 : 0.8) * loaded;
    stand(&support, 0.001, 0.1 - 0.2 * share, 0.0);
    touch_downs += support.touched_down[1];
  }
  ck_assert_int_eq(touch_downs, 1);
  ck_assert(support.stands[1]);
}
END_TEST

/* Measured shares of four feet for half a second. */
static void stand_on_four(struct support *support, const double share[4]) {
  const vec3 sole[4] = {{0.3, 0.2, 0.0}, {0.3, -0.2, 0.0}, {-0.3, 0.2, 0.0}, {-0.3, -0.2, 0.0}};
  double force[4];
  for (int i = 0; i < 4; i++) {
    force[i] = share[i] * WEIGHT;
  }
  const struct support_input input = {
      .sole = sole, .f_z = WEIGHT, .weight = WEIGHT, .foot_f_z = force};
  for (int k = 0; k < 500; k++) {
    support_step(support, &input, 1e-3);
  }
}

START_TEST(of_four_feet_the_support_foot_is_kept_until_it_carries_little_though_none_carries_most) {
  const struct support_settings settings = support_defaults();
  struct support support;
  ck_assert_int_eq(support_init(&support, &settings, 4), STATUS_OK);
  stand_on_four(&support, (const double[]){0.5, 0.3, 0.1, 0.1});
  ck_assert_int_eq(support.foot, 0);
  stand_on_four(&support, (const double[]){0.42, 0.48, 0.05, 0.05});
  ck_assert_int_eq(support.foot, 0);
  stand_on_four(&support, (const double[]){0.2, 0.45, 0.2, 0.15});
  ck_assert_int_eq(support.foot, 1);
}
END_TEST

/* The centre of pressure of a robot that nothing feels is where its accelerations say: blows had a
 * foot land that was on its way. */
START_TEST(a_foot_that_swings_lands_on_nothing_while_another_holds_the_robot) {
  const vec3 sole[2] = {{0.0, 0.1, -0.9}, {0.0, -0.1, -0.895}};
  struct support_input input = {
      .sole = sole, .cop_known = true, .cop = {0.0, 0.0, -0.9}, .f_z = WEIGHT, .weight = WEIGHT};
  bool swings[2] = {false, true};
  struct support support = two_feet();
  stand(&support, 0.5, 0.1, 0.02);
  input.swings = swings;
  for (int k = 0; k < 100; k++) {
    support_step(&support, &input, 1e-3);
  }
  ck_assert(support.stands[0] && !support.stands[1]);
  swings[0] = true; /* none holds: it is the base that is thought to move */
  for (int k = 0; k < 100; k++) {
    support_step(&support, &input, 1e-3);
  }
  ck_assert(support.stands[0] && support.stands[1]);
}
END_TEST

/* One millisecond on feet that bear these forces. */
static void bear(struct support *support, double left, double right, bool at_once) {
  const vec3 sole[2] = {{0.0, 0.1, -0.9}, {0.0, -0.1, -0.9}};
  const double f_z[2] = {left, right};
  const struct support_input input = {
      .sole = sole, .f_z = WEIGHT, .weight = WEIGHT, .foot_f_z = f_z, .at_once = at_once};
  support_step(support, &input, 1e-3);
}

/* Smoothed as what follows from the centre of pressure is, a foot stood 8 ms and more after it had
 * left the ground, and dragged the base along. */
START_TEST(feet_whose_forces_tell_it_stand_and_leave_at_once) {
  struct support support = two_feet();
  bear(&support, WEIGHT, 0.0, true);
  ck_assert(support.stands[0] && !support.stands[1]);
  bear(&support, 0.0, WEIGHT, true);
  ck_assert(!support.stands[0] && support.stands[1]);
  assert_near(support.share[1], 1.0, 0.01);
  bear(&support, WEIGHT, 0.0, false);
  ck_assert(!support.stands[0] && support.stands[1]);
}
END_TEST

SUITE(feet_whose_forces_tell_it_stand_and_leave_at_once,
      two_feet_share_the_weight_as_the_centre_of_pressure_lies_between_them,
      a_centre_of_pressure_beyond_a_foot_puts_all_weight_on_it,
      a_foot_that_swings_lands_on_nothing_while_another_holds_the_robot,
      who_stands_from_the_beginning_has_not_struck_the_ground,
      a_foot_whose_share_trembles_about_the_limit_comes_down_once,
      of_four_feet_the_support_foot_is_kept_until_it_carries_little_though_none_carries_most,
      a_lifted_foot_carries_nothing_wherever_the_centre_of_pressure_seems_to_be,
      the_support_foot_changes_once_a_step_however_the_share_trembles,
      a_touch_down_is_a_strike_for_50_ms_and_then_double_support, no_vertical_force_is_flight,
      measured_foot_forces_are_the_shares, feet_that_feel_the_weight_stand_whatever_the_motion_says,
      a_robot_that_sensors_felt_and_feel_no_more_is_carried_by_something_else,
      shares_of_four_feet_are_not_negative_sum_to_one_and_give_the_centre_of_pressure_back)

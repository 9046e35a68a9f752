#include "inertial/inertial_drives.h"
#include "support/suite.h"

enum { JOINTS = 2 };
static struct joint joints[JOINTS] = {{.name = "elbow", .viscous = 2.0, .coulomb = 4.0},
                                      {.name = "gripper"}};
static const struct model MODEL = {.n_joints = JOINTS, .joint = joints};

static struct inertial_drive drive[JOINTS];

static enum status set(const struct drive_settings *settings) {
  return inertial_drives_set(settings, &MODEL, 0.3, 0.5, drive);
}

START_TEST(without_a_word_drives_are_the_models_and_efforts_are_torques) {
  const struct drive_settings none = {.effort = DRIVE_TORQUE};
  ck_assert_int_eq(set(&none), STATUS_OK);
  assert_near(inertial_drive_torque(&drive[0], 7.0), 7.0, 0.0 + 1e-15);
  assert_near(inertial_drive_friction(&drive[0], 3.0), 2.0 * 3.0 + 4.0, 1e-12);
  assert_near(inertial_drive_friction(&drive[0], -3.0), -10.0, 1e-12);
  assert_near(drive[1].noise, 0.3, 1e-15);
  assert_near(drive[1].offset_error, 0.5, 1e-15);
}
END_TEST

START_TEST(currents_become_torques_by_gain_and_offset) {
  const struct drive_settings settings = {.effort = DRIVE_CURRENT,
                                          .gain = {{10.0, -12.0}, 2},
                                          .gain_error = {{0.1}, 1},
                                          .offset = {{1.5}, 1}};
  ck_assert_int_eq(set(&settings), STATUS_OK);
  assert_near(inertial_drive_torque(&drive[0], 2.0), 18.5, 1e-12);
  assert_near(inertial_drive_torque(&drive[1], 2.0), -25.5, 1e-12);
  ck_assert_double_eq(drive[1].gain_error, 0.1);
}
END_TEST

START_TEST(a_drive_in_its_dead_zone_may_have_any_friction) {
  const struct drive_settings settings = {
      .effort = DRIVE_TORQUE, .coulomb = {{6.0}, 1}, .dead_zone = {{0.2}, 1}};
  ck_assert_int_eq(set(&settings), STATUS_OK);
  ck_assert_double_gt(inertial_drive_error(&drive[0], 0.19), 3.0);
  ck_assert_double_lt(inertial_drive_error(&drive[0], 0.21), 0.5);
  ck_assert_double_eq(drive[0].offset_error, 0.5); /* which is no offset in motion */
  assert_near(inertial_drive_friction(&drive[0], 0.02), 2.0 * 0.02 + 0.5 * 6.0, 1e-12);
}
END_TEST

START_TEST(noise_told_by_name_wins_over_that_of_all) {
  const struct drive_settings settings = {.noise = {{2.0}, 1}, .noise_of = {1, {"gr*=0.5"}}};
  ck_assert_int_eq(set(&settings), STATUS_OK);
  ck_assert_double_eq(drive[0].noise, 2.0);
  ck_assert_double_eq(drive[1].noise, 0.5);
}
END_TEST

START_TEST(lists_of_another_length_and_currents_without_a_gain_are_refused) {
  const struct drive_settings no_gain = {.effort = DRIVE_CURRENT},
                              too_many = {.viscous = {{1.0, 2.0, 3.0}, 3}};
  ck_assert_int_eq(set(&no_gain), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(set(&too_many), STATUS_BAD_ARGUMENT);
}
END_TEST

SUITE(without_a_word_drives_are_the_models_and_efforts_are_torques,
      currents_become_torques_by_gain_and_offset, a_drive_in_its_dead_zone_may_have_any_friction,
      noise_told_by_name_wins_over_that_of_all,
      lists_of_another_length_and_currents_without_a_gain_are_refused)

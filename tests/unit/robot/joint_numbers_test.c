#include "robot/joint_numbers.h"

#include "support/suite.h"

#include <string.h>

static struct model model;

static void begin(void) {
  static struct joint joint[3] = {
      {.name = "hip"}, {.name = "left_gripper"}, {.name = "right_gripper"}};
  model = (struct model){.name = "robot", .n_joints = 3, .joint = joint};
}

START_TEST(a_name_or_a_pattern_gives_its_joints_their_number_and_the_last_one_counts) {
  const struct joint_numbers numbers = {2, {"*_gripper=1e-3", "right_gripper=2e-3"}};
  struct message error;
  begin();
  ck_assert_int_eq(joint_numbers_check(&numbers, &model, 0.0, 1.0, &error), STATUS_OK);
  ck_assert_double_eq(joint_numbers_of(&numbers, "hip", 0.5), 0.5);
  ck_assert_double_eq(joint_numbers_of(&numbers, "left_gripper", 0.5), 1e-3);
  ck_assert_double_eq(joint_numbers_of(&numbers, "right_gripper", 0.5), 2e-3);
}
END_TEST

START_TEST(what_fits_no_joint_or_is_no_number_is_refused_by_name) {
  static const struct {
    const char *text, *complaint;
    enum status status;
  } bad[] = {
      {"left_griper=1", "left_griper fits no joint of robot, did you mean 'left_gripper'?",
       STATUS_BAD_ARGUMENT},
      {"hip", "'hip' is not of the form name=number", STATUS_BAD_ARGUMENT},
      {"hip=fast", "'hip=fast' is not of the form name=number", STATUS_BAD_ARGUMENT},
      {"hip=1 rad", "'hip=1 rad' is not of the form name=number", STATUS_BAD_ARGUMENT},
      {"=1", "'=1' is not of the form name=number", STATUS_BAD_ARGUMENT},
      {"hip=3", "'hip=3': not within 0 .. 2", STATUS_OUT_OF_RANGE},
      {"hip=-1", "'hip=-1': not within 0 .. 2", STATUS_OUT_OF_RANGE},
  };
  begin();
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct joint_numbers numbers = {.n = 1};
    struct message error = {.text = ""};
    strncpy(numbers.text[0], bad[i].text, JOINT_NUMBER_SIZE - 1);
    ck_assert_int_eq(joint_numbers_check(&numbers, &model, 0.0, 2.0, &error), bad[i].status);
    ck_assert_str_eq(error.text, bad[i].complaint);
  }
}
END_TEST

SUITE(a_name_or_a_pattern_gives_its_joints_their_number_and_the_last_one_counts,
      what_fits_no_joint_or_is_no_number_is_refused_by_name)

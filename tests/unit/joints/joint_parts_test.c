#include "joints/joint_parts.h"

#include "support/handed_robot.h"
#include "support/sim_fixture.h"

static struct joint_parts parts_of(const struct robot *robot, enum joint_form form) {
  struct joint_parts parts;
  joint_parts_of(robot, 40, form, &parts);
  return parts;
}

static const char *carrier(const struct robot *robot, const struct joint_parts *parts, size_t k) {
  return robot->model.link_name[parts->carrier[k]];
}

START_TEST(a_robot_of_few_joints_is_one) {
  const struct stock_robot stock = test_robot("humanoid30");
  const struct joint_parts parts = parts_of(stock.robot, JOINTS_AUTO);
  ck_assert_uint_eq(parts.n_limbs, 0);
  ck_assert_uint_eq(joint_parts_count(stock.robot, parts.together), 30);
  const struct stock_robot bare = test_robot("humanoid30-bare");
  ck_assert_uint_eq(joint_parts_count(bare.robot, parts_of(bare.robot, JOINTS_AUTO).seen), 30);
}
END_TEST

START_TEST(hands_with_skin_are_limbs_and_without_stand_apart) {
  struct stock_robot skin = handed_robot(HANDS_SKIN), bare = handed_robot(HANDS_BARE);
  const struct joint_parts parts = parts_of(skin.robot, JOINTS_AUTO);
  ck_assert_uint_eq(parts.n_limbs, 2);
  ck_assert_str_eq(carrier(skin.robot, &parts, 0), "left_wrist_roll_link");
  ck_assert_str_eq(carrier(skin.robot, &parts, 1), "right_wrist_roll_link");
  ck_assert_uint_eq(joint_parts_count(skin.robot, parts.limb[0]), 15);
  ck_assert_uint_eq(joint_parts_count(skin.robot, parts.together), 30);
  const struct joint_parts apart = parts_of(bare.robot, JOINTS_AUTO);
  ck_assert_uint_eq(apart.n_limbs, 0);
  ck_assert_uint_eq(joint_parts_count(bare.robot, apart.seen), 30);
  handed_robot_free(&skin);
  handed_robot_free(&bare);
}
END_TEST

START_TEST(exact_has_no_limbs_and_limbs_all_that_can_be) {
  struct stock_robot skin = handed_robot(HANDS_SKIN);
  ck_assert_uint_eq(parts_of(skin.robot, JOINTS_EXACT).n_limbs, 0);
  const struct stock_robot stock = test_robot("humanoid30");
  const struct joint_parts parts = parts_of(stock.robot, JOINTS_LIMBS);
  ck_assert_uint_eq(parts.n_limbs, 1);
  ck_assert_str_eq(carrier(stock.robot, &parts, 0), "torso_pitch_link"); /* head and arms */
  ck_assert_uint_eq(joint_parts_count(stock.robot, parts.limb[0]), 16);
  ck_assert_uint_eq(joint_parts_count(stock.robot, parts.together), 14);
  handed_robot_free(&skin);
}
END_TEST

START_TEST(what_has_an_imu_or_a_foot_is_no_limb) {
  struct stock_robot skin = handed_robot(HANDS_SKIN);
  struct robot *robot = skin.robot;
  const int finger = model_find_link(&robot->model, "left_index_2_link");
  robot->n_limbs = 1;
  robot->limb[0].link = (size_t)finger;
  const struct joint_parts one = parts_of(robot, JOINTS_AUTO);
  ck_assert_uint_eq(one.n_limbs, 1);
  ck_assert_str_eq(carrier(robot, &one, 0), "right_wrist_roll_link");
  robot->n_limbs = 0;
  robot->foot[0].link = (size_t)finger;
  ck_assert_uint_eq(parts_of(robot, JOINTS_AUTO).n_limbs, 1);
  robot->foot[0].link = 0;
  robot->imu_link = (size_t)finger;
  ck_assert_uint_eq(parts_of(robot, JOINTS_AUTO).n_limbs, 1);
  handed_robot_free(&skin);
}
END_TEST

SUITE(a_robot_of_few_joints_is_one, hands_with_skin_are_limbs_and_without_stand_apart,
      exact_has_no_limbs_and_limbs_all_that_can_be, what_has_an_imu_or_a_foot_is_no_limb)

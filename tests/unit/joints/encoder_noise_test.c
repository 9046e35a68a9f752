/* What a joint's encoder is taken to be worth: by its kind, and by its name. */
#include "joints/joint_filter_core.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <string.h>

#define BODY(name)                                                                                 \
  "<link name='" name "'><inertial><mass value='1'/>"                                              \
  "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
#define FOLLOWER                                                                                   \
  BODY("left_jaw")                                                                                 \
  "<joint name='left_gripper' type='prismatic'><parent link='elbow'/><child link='left_jaw'/>"     \
  "<limit lower='-1' upper='1' effort='1' velocity='1'/>"                                          \
  "<mimic joint='gripper' multiplier='-0.5'/></joint>"
#define JOINT(name, type, parent, child)                                                           \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child          \
  "'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"

static const char urdf[] = "<robot name='arm'>" BODY("base") BODY("lift") BODY("elbow") BODY("jaw")
    JOINT("lift_joint", "prismatic", "base", "lift")
        JOINT("elbow_joint", "revolute", "lift", "elbow")
            JOINT("gripper", "prismatic", "elbow", "jaw") FOLLOWER "</robot>";

static const double *noise(const struct joint_filter_settings *settings) {
  const struct robot_source source = {
      .urdf_name = "arm.urdf", .urdf = urdf, .urdf_length = strlen(urdf), .fixed_base = true};
  struct robot *robot = NULL;
  struct message error;
  ck_assert_msg(robot_create(&source, &robot, &error) == STATUS_OK, "%s", error.text);
  struct joint_filter *filter = NULL;
  struct arena count = {0};
  ck_assert_int_eq(joint_filter_init(&filter, robot, settings, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(joint_filter_init(&filter, robot, settings, &arena), STATUS_OK);
  return filter->encoder_sd;
}

START_TEST(without_a_word_every_encoder_has_the_number_of_all) {
  struct joint_filter_settings settings = joint_filter_defaults();
  settings.encoder_noise = 3e-4;
  const double *sd = noise(&settings);
  ck_assert_double_eq(sd[0], 3e-4);
  ck_assert_double_eq(sd[1], 3e-4);
  ck_assert_double_eq(sd[2], 3e-4);
}
END_TEST

START_TEST(prismatic_joints_have_metres_and_a_name_wins_over_the_kind) {
  struct joint_filter_settings settings = joint_filter_defaults();
  settings.encoder_noise = 3e-4;
  settings.prismatic_noise = 2e-5;
  settings.encoder_noise_of = (struct joint_numbers){1, {"grip*=1e-3"}};
  const double *sd = noise(&settings);
  ck_assert_double_eq(sd[0], 2e-5);
  ck_assert_double_eq(sd[1], 3e-4);
  ck_assert_double_eq(sd[2], 1e-3);
  ck_assert_double_eq(sd[3], 0.5e-3); /* follows: read by the same encoder */
}
END_TEST

SUITE(without_a_word_every_encoder_has_the_number_of_all,
      prismatic_joints_have_metres_and_a_name_wins_over_the_kind)

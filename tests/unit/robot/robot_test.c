#include "robot/robot.h"

#include "model/model_hash.h"
#include "support/robot_text.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY(name)                                                                                 \
  "<link name='" name "'><inertial><mass value='1'/>"                                              \
  "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n"
#define FRAME(name, parent, xyz)                                                                   \
  "<link name='" name "'/><joint name='" name "_mount' type='fixed'><parent link='" parent         \
  "'/><child link='" name "'/><origin xyz='" xyz "' rpy='0 0 1.5707963267948966'/></joint>\n"
#define LEG(name)                                                                                  \
  BODY(name)                                                                                       \
  "<joint name='hip_" name "' type='revolute'><parent link='trunk'/><child link='" name            \
  "'/></joint>\n" FRAME("sole_" name, name, "0 0 -0.5")
#define BIPED                                                                                      \
  "<robot name='biped'>\n" BODY("trunk") FRAME("imu", "trunk", "0.1 0 0.2") LEG("left")            \
      LEG("right") "</robot>\n"
#define CELLS "cell,link,x,y,z,qx,qy,qz,qw\na,left,0,0,0,0,0,0,1\nb,left,0.03,0,0,0,0,0,1\n"

static struct robot_source biped(void) {
  return (struct robot_source){.urdf_name = "biped.urdf",
                               .urdf = BIPED,
                               .urdf_length = strlen(BIPED),
                               .cells = ROBOT_CELLS_TABLE,
                               .table_name = "skin.csv",
                               .table = CELLS,
                               .table_length = strlen(CELLS),
                               .imu = "imu",
                               .n_feet = 2,
                               .foot = {"sole_left", "sole_right"},
                               .n_wrench = 1,
                               .wrench = {"sole_left_mount"}};
}

static void assert_refused(const struct robot_source *source, enum status wanted,
                           const char *complaint) {
  struct robot *robot = (struct robot *)&biped;
  struct message error = {"no complaint"};
  const enum status status = robot_create(source, &robot, &error);
  ck_assert_str_eq(error.text, complaint);
  ck_assert_int_eq(status, wanted);
  ck_assert_ptr_eq(robot, (struct robot *)&biped);
}

START_TEST(a_robot_knows_where_its_sensors_sit_on_its_bodies) {
  const struct robot_source source = biped();
  struct robot *robot = NULL;
  struct message error;
  ck_assert_int_eq(robot_create(&source, &robot, &error), STATUS_OK);
  ck_assert_uint_eq(robot->model.n_links, 3);
  ck_assert(!robot->fixed_base);
  ck_assert_uint_eq(robot->imu_link, 0);
  assert_near(robot->imu_placement.p.z, 0.2, 1e-15);
  assert_near(robot->imu_placement.R.m[1][0], 1.0, 1e-15);
  ck_assert_uint_eq(robot->n_feet, 2);
  ck_assert_str_eq(robot->foot[1].name, "sole_right");
  ck_assert_uint_eq(robot->foot[1].link, 2);
  assert_near(robot->foot[1].placement.p.z, -0.5, 1e-15);
  ck_assert_uint_eq(robot->n_wrench, 1);
  ck_assert_uint_eq(robot->wrench[0].link, 1);
  ck_assert_uint_eq(robot->n_cells, 2);
  ck_assert_uint_eq(robot->neighbours[0].count, 1);
  ck_assert_uint_eq(robot->neighbours[0].cell[0], 1);
  robot_destroy(robot);
}
END_TEST

#define SHAPE(origin, shape) "<collision>" origin "<geometry>" shape "</geometry></collision>"
#define POINT(name, shapes)                                                                        \
  "<link name='" name "'>" shapes "</link><joint name='" name                                      \
  "_mount' type='fixed'><parent link='trunk'/><child link='" name                                  \
  "'/><origin xyz='0 0 -0.5' rpy='1.5707963267948966 0 0'/></joint>\n"
#define BALL "<sphere radius='0.02'/>"

START_TEST(feet_that_are_points_are_where_their_balls_are_when_they_have_one_each) {
  static const char urdf[] = "<robot name='stool'>\n" BODY("trunk") LEG("left")
      POINT("one", SHAPE("<origin xyz='0 0.1 0'/>", BALL)) POINT("frame", "")
          POINT("two", SHAPE("", BALL) SHAPE("", BALL)) POINT("box", SHAPE("", "<box/>"))
              POINT("odd", SHAPE("", "<sphere radius='large'/>")) "</robot>\n";
  struct robot_source source = {.urdf_name = "stool.urdf",
                                .urdf = urdf,
                                .urdf_length = strlen(urdf),
                                .n_feet = 5,
                                .foot = {"one", "frame", "two", "box", "odd"}};
  struct robot *robot = NULL;
  struct message error;
  ck_assert_msg(robot_create(&source, &robot, &error) == STATUS_OK, "%s", error.text);
  assert_near(robot->foot[0].ball_radius, 0.02, 1e-15);
  assert_near(robot->foot[0].placement.p.z, -0.4, 1e-12);
  for (size_t i = 1; i < 5; i++) {
    assert_near(robot->foot[i].ball_radius, 0.0, 1e-15);
    assert_near(robot->foot[i].placement.p.z, -0.5, 1e-12);
  }
  robot_destroy(robot);
  source.n_feet = 2; /* soles */
  ck_assert_int_eq(robot_create(&source, &robot, &error), STATUS_OK);
  assert_near(robot->foot[0].ball_radius, 0.0, 1e-15);
  assert_near(robot->foot[0].placement.p.z, -0.5, 1e-12);
  robot_destroy(robot);
}
END_TEST

START_TEST(without_names_the_imu_is_the_base_and_there_are_no_feet_and_no_skin) {
  const struct robot_source source = {
      .urdf_name = "biped.urdf", .urdf = BIPED, .urdf_length = strlen(BIPED)};
  struct robot *robot = NULL;
  ck_assert_int_eq(robot_create(&source, &robot, NULL), STATUS_OK);
  ck_assert_uint_eq(robot->imu_link, 0);
  assert_near(vec3_norm(robot->imu_placement.p), 0.0, 1e-300);
  ck_assert(robot->n_feet == 0 && robot->n_wrench == 0 && robot->n_cells == 0);
  robot_destroy(robot);
  robot_destroy(NULL);
}
END_TEST

START_TEST(errors_in_texts_begin_with_the_text_that_is_wrong) {
  struct robot_source source = biped();
  source.urdf = "<robot>\n <link/></robot>";
  source.urdf_length = strlen(source.urdf);
  assert_refused(&source, STATUS_BAD_ARGUMENT, "biped.urdf:2:2: <link>: name is missing");
  source = biped();
  source.table = "cell,link,x,y,z,qx,qy,qz,qw\na,tail,0,0,0,0,0,0,1\n";
  source.table_length = strlen(source.table);
  assert_refused(&source, STATUS_BAD_ARGUMENT,
                 "skin.csv:2: link: 'tail' is no link or frame of the robot");
  source = biped();
  source.cells = ROBOT_CELLS_URDF;
  assert_refused(&source, STATUS_TOO_FEW,
                 "biped.urdf:1:1: 0 <sensor type=\"accelerometer\">, 1 to 16384 are needed as skin "
                 "cells");
}
END_TEST

START_TEST(frames_that_do_not_exist_or_are_named_twice_are_refused) {
  struct robot_source source = biped();
  source.imu = "imu_lnk";
  assert_refused(&source, STATUS_BAD_ARGUMENT,
                 "imu frame 'imu_lnk' is no link, fixed joint or sensor of biped.urdf");
  source = biped();
  source.foot[1] = "sole_rigth";
  assert_refused(&source, STATUS_BAD_ARGUMENT,
                 "foot frame 'sole_rigth' is no link, fixed joint or sensor of biped.urdf, did you "
                 "mean 'sole_right'?");
  source.foot[1] = "toe";
  assert_refused(&source, STATUS_BAD_ARGUMENT,
                 "foot frame 'toe' is no link, fixed joint or sensor of biped.urdf");
  source.foot[1] = "sole_left";
  assert_refused(&source, STATUS_BAD_ARGUMENT, "foot frame 'sole_left' is named twice");
  source = biped();
  source.wrench[0] = "ft";
  assert_refused(&source, STATUS_BAD_ARGUMENT,
                 "wrench frame 'ft' is no link, fixed joint or sensor of biped.urdf");
  source = biped();
  source.n_feet = ROBOT_MAX_FEET + 1;
  assert_refused(&source, STATUS_OUT_OF_RANGE, "9 feet, at most 8 are allowed");
  source = biped();
  source.n_limbs = 1;
  source.limb[0] = "shank";
  assert_refused(&source, STATUS_BAD_ARGUMENT,
                 "limb imu frame 'shank' is no link, fixed joint or sensor of biped.urdf");
  source.n_limbs = ROBOT_MAX_LIMBS + 1;
  assert_refused(&source, STATUS_OUT_OF_RANGE, "9 IMUs on limbs, at most 8 are allowed");
  source = biped();
  source.n_wrench = ROBOT_MAX_WRENCH + 1;
  assert_refused(&source, STATUS_OUT_OF_RANGE,
                 "9 wrench sensors and 0 contact switches, at most 8 are allowed");
}
END_TEST

START_TEST(a_frame_that_the_description_lacks_is_a_place_beside_one_that_it_has) {
  struct robot_source source = biped();
  struct robot *robot = NULL;
  struct message error;
  source.imu = "trunk@0,0.3,0,0,0,1.5707963267948966";
  source.foot[0] = "left@0.05,0,-0.5";
  source.foot[1] = "sole_right@0.1,0,0"; /* along the axes of a frame turned about z */
  source.n_switches = 1;
  source.contact_switch[0] = "left";
  ck_assert_msg(robot_create(&source, &robot, &error) == STATUS_OK, "%s", error.text);
  ck_assert_str_eq(robot->foot[0].name, "left");
  assert_near(robot->foot[0].placement.p.x, 0.05, 1e-15);
  assert_near(robot->foot[0].placement.p.z, -0.5, 1e-15);
  assert_near(robot->foot[1].placement.p.y, 0.1, 1e-12);
  assert_near(robot->foot[1].placement.p.z, -0.5, 1e-15);
  ck_assert_uint_eq(robot->imu_link, 0);
  assert_near(robot->imu_placement.p.y, 0.3, 1e-15);
  assert_near(robot->imu_placement.R.m[1][0], 1.0, 1e-15);
  ck_assert_uint_eq(robot->switch_foot[0], 0);
  robot_destroy(robot);
}
END_TEST

START_TEST(a_place_beside_a_frame_is_three_or_six_numbers) {
  static const char *const wrong[] = {"",        "0",       "0,0",    "0,0,x",
                                      "0,0,0,0", "0,0,0,",  "0,0,0 ", "0,0,0,0,0,0,0",
                                      "11,0,0",  "0,0,nan", "0,,0",   "0,0,0,7,0,0"};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    struct robot_source source = biped();
    char foot[64], complaint[128];
    snprintf(foot, sizeof(foot), "left@%s", wrong[i]);
    snprintf(complaint, sizeof(complaint),
             "foot frame '%s' is not x,y,z (m) or x,y,z,roll,pitch,yaw (m, rad)", wrong[i]);
    source.foot[0] = foot;
    assert_refused(&source, STATUS_BAD_ARGUMENT, complaint);
  }
  struct robot_source source = biped();
  source.foot[1] = "sole_rigth@0,0,0";
  assert_refused(&source, STATUS_BAD_ARGUMENT,
                 "foot frame 'sole_rigth' is no link, fixed joint or sensor of biped.urdf, did you "
                 "mean 'sole_right'?");
}
END_TEST

START_TEST(a_base_without_mass_must_be_fixed) {
  static const char arm[] =
      "<robot><link name='world'/>" BODY("arm") "<joint name='j' type='revolute'><parent "
                                                "link='world'/><child link='arm'/></joint></robot>";
  struct robot_source source = {.urdf_name = "arm.urdf", .urdf = arm, .urdf_length = strlen(arm)};
  assert_refused(&source, STATUS_NOT_CONSISTENT,
                 "arm.urdf: base link 'world' has no mass: give it an <inertial> or fix the base");
  source.fixed_base = true;
  struct robot *robot = NULL;
  ck_assert_int_eq(robot_create(&source, &robot, NULL), STATUS_OK);
  ck_assert(robot->fixed_base);
  robot_destroy(robot);
}
END_TEST

/* Hash of the biped after `from` is replaced by `to`. */
static uint64_t hash_with(const char *from, const char *to) {
  static char text[sizeof(BIPED) + 64];
  const char *at = strstr(BIPED, from);
  ck_assert_ptr_nonnull(at);
  const size_t before = (size_t)(at - BIPED);
  memcpy(text, BIPED, before);
  strcpy(text + before, to);
  strcat(text, at + strlen(from));
  const struct model model = test_model(text, strlen(text));
  return model_hash(&model);
}

START_TEST(the_hash_changes_with_bodies_and_joints_and_not_with_comments_and_limits) {
  const uint64_t hash = hash_with("trunk", "trunk");
  ck_assert_uint_eq(hash_with("<link", "<!-- a remark --><link"), hash);
  ck_assert_uint_eq(hash_with("<child link='left'/>", "<child link='left'/><limit effort='3'/>"),
                    hash);
  ck_assert_uint_ne(hash_with("mass value='1'", "mass value='1.0000000000000002'"), hash);
  ck_assert_uint_ne(hash_with("ixy='0'", "ixy='1e-9'"), hash);
  ck_assert_uint_ne(hash_with("hip_left", "hip_links"), hash);
  ck_assert_uint_ne(hash_with("'revolute'", "'prismatic'"), hash);
  ck_assert_uint_ne(hash_with("<child link='left'/>", "<child link='left'/><axis xyz='0 1 0'/>"),
                    hash);
  ck_assert_uint_ne(
      hash_with("<child link='left'/>", "<child link='left'/><dynamics damping='1'/>"), hash);
  ck_assert_uint_ne(
      hash_with("<child link='left'/>", "<child link='left'/><dynamics friction='1'/>"), hash);
  ck_assert_uint_ne(hash_with("<child link='left'/>", "<child link='left'/><rotor inertia='1'/>"),
                    hash);
  ck_assert_uint_ne(hash_with("<joint name='hip_right' type='revolute'><parent link='trunk'/>",
                              "<joint name='hip_right' type='revolute'><parent link='left'/>"),
                    hash);
  ck_assert_uint_ne(
      hash_with("<child link='left'/>", "<child link='left'/><origin xyz='0 0 1e-9'/>"), hash);
}
END_TEST

START_TEST(the_hash_changes_with_every_number_of_a_joint_that_follows_another) {
  static const char *const follows[] = {"<mimic joint='hip_left'/>",
                                        "<mimic joint='hip_left' multiplier='2'/>",
                                        "<mimic joint='hip_left' offset='0.1'/>"};
  uint64_t hash[4] = {hash_with("trunk", "trunk")};
  for (int i = 0; i < 3; i++) {
    char child[128];
    snprintf(child, sizeof(child), "<child link='right'/>%s", follows[i]);
    hash[1 + i] = hash_with("<child link='right'/>", child);
    for (int k = 0; k <= i; k++) {
      ck_assert_uint_ne(hash[1 + i], hash[k]);
    }
  }
}
END_TEST

SUITE(a_robot_knows_where_its_sensors_sit_on_its_bodies,
      feet_that_are_points_are_where_their_balls_are_when_they_have_one_each,
      without_names_the_imu_is_the_base_and_there_are_no_feet_and_no_skin,
      errors_in_texts_begin_with_the_text_that_is_wrong,
      frames_that_do_not_exist_or_are_named_twice_are_refused,
      a_frame_that_the_description_lacks_is_a_place_beside_one_that_it_has,
      a_place_beside_a_frame_is_three_or_six_numbers, a_base_without_mass_must_be_fixed,
      the_hash_changes_with_bodies_and_joints_and_not_with_comments_and_limits,
      the_hash_changes_with_every_number_of_a_joint_that_follows_another)
